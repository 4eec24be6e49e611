// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s -split-input-file -verify-diagnostics

gpu.module @m {
  gpu.func @not_storage(%i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<8x64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects the storage of a shared tile}}
    %v = nvgpu.ldmatrix %S[%i, %i] {numTiles = 4 : i32, transpose = false} : memref<8x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @not_an_argument(%i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64xf16, #gpu.address_space<workgroup>>
    %s = tile.storage %S : memref<64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects a tensor that is an argument of the kernel}}
    %t = nvgpu.device_async_copy %s[%i], %s[%i], 8 : memref<64xf16, #gpu.address_space<workgroup>> to memref<64xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @copy_left(%A: memref<64x64xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64x64xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xf16>
    // expected-error @+1 {{uses cp_async; run convert-tile-to-nvgpu first}}
    tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @product_left() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<16x16xf16, #gpu.address_space<workgroup>>
    %C = tile.alloc {layout = #tile.layout<"mma<16x16,warps=1x1>">} : memref<16x16xf16, #tile.fragment>
    // expected-error @+1 {{uses mma; run convert-tile-to-nvgpu first}}
    tile.gemm %S, %S, %C {instr = #tile.instr<mma>} : (memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #tile.fragment>)
    gpu.return
  }
}
