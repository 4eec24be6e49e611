// Registers to shared tiles of 16-bit elements go by stmatrix: eight registers at
// a time, rows of 16 bytes.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s --check-prefix=SM80
// SM80-NOT: nvvm.stmatrix

#smem = #gpu.address_space<workgroup>
gpu.module @m {
  // 64 registers, packed as they are converted.
  // CHECK-LABEL: llvm.func @accumulator
  // CHECK-COUNT-8: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
  // CHECK-NOT: nvvm.stmatrix
  gpu.func @accumulator() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.kernel_config
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : memref<64x128xbf16, #smem>
    tile.copy %f to %s {instr = #tile.instr<simt>} : memref<64x128xf32, #tile.fragment>, memref<64x128xbf16, #smem>
    gpu.return
  }

  // A window at a multiple of its size: the registers of its columns alone.
  // CHECK-LABEL: llvm.func @window
  // CHECK-COUNT-2: nvvm.stmatrix
  // CHECK-NOT: nvvm.stmatrix
  // CHECK-NOT: llvm.inline_asm
  // CHECK: llvm.return
  gpu.func @window() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.kernel_config
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
    %w = tile.region %f[0, 96] [64, 32] : memref<64x128xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<"swizzle<64>">, offset = 0 : i64} : memref<64x32xf16, #smem>
    tile.copy %w to %s {instr = #tile.instr<simt>} : !tile.region<64x32xf32, #tile.fragment>, memref<64x32xf16, #smem>
    gpu.return
  }

  // 32 bits, a vector width of the user, four registers only.
  // CHECK-LABEL: llvm.func @other_stores
  // CHECK-NOT: nvvm.stmatrix
  gpu.func @other_stores() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.kernel_config
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
    %g = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : memref<64x64xf32, #smem>
    %t = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 16384 : i64} : memref<64x64xf16, #smem>
    %u = tile.alloc {layout = #tile.layout<"linear">, offset = 32768 : i64} : memref<64x8xf16, #smem>
    tile.copy %f to %s {instr = #tile.instr<simt>} : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #smem>
    tile.copy %f to %t {instr = #tile.instr<simt>, vector_width = 2 : i64} : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #smem>
    tile.copy %g to %u {instr = #tile.instr<simt>} : memref<64x8xf32, #tile.fragment>, memref<64x8xf16, #smem>
    gpu.return
  }
}
