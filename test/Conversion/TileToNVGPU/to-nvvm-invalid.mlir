// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s -split-input-file -verify-diagnostics

gpu.module @m {
  gpu.func @not_a_fragment(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @+1 {{has no lowering to nvvm}}
    %v = vector.from_elements %x, %x, %x, %x, %x, %x, %x, %x, %x : vector<9xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @row_of_a_vector(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = vector.from_elements %x, %x, %x, %x : vector<2x2xf32>
    // expected-error @+1 {{has no lowering to nvvm}}
    %r = vector.extract %v[0] : vector<2xf32> from vector<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @part_of_a_row(%x: f16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = vector.from_elements %x, %x, %x, %x, %x, %x, %x, %x : vector<2x4xf16>
    // expected-error @+1 {{has no lowering to nvvm}}
    %r = vector.extract_strided_slice %v {offsets = [0, 2], sizes = [2, 2], strides = [1, 1]} : vector<2x4xf16> to vector<2x2xf16>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @unknown_vector() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
    // expected-error @+1 {{has no lowering to nvvm}}
    %r = vector.extract %v[0, 0] : f32 from vector<2x2xf32>
    gpu.return
  }
}

// -----

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
