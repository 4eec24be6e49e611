// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

// A private array is local memory: its address is none of a global access, also
// where the access has a condition.
// CHECK-LABEL: llvm.func @array_to_window
// CHECK-NOT: ld.global
// CHECK: @$2 ld.b32 $0, [$1];
// CHECK-NOT: ld.global
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @array_to_window() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %P = tile.alloc : memref<8x16xf32, #gpu.address_space<private>>
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1, d0:16), lane=(d1:2*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:16>">} : memref<32x16xf32, #tile.fragment>
    %f = tile.region %F[9, 0] [8, 16] : memref<32x16xf32, #tile.fragment>
    tile.copy %P to %f {instr = #tile.instr<simt>} : memref<8x16xf32, #gpu.address_space<private>>, !tile.region<8x16xf32, #tile.fragment>
    gpu.return
  }
}
