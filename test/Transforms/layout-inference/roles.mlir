// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s | FileCheck %s

!a = memref<64x32xbf16, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #gpu.address_space<workgroup>>
!c = memref<64x64xf32, #tile.fragment>

// A fragment is spread over the warps of the role that uses it, wherever it is
// allocated.
// CHECK-LABEL: func.func @fragments
func.func @fragments() attributes {tile.num_threads = 320 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  // CHECK: tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x1>">} : memref<64x64xf32, #tile.fragment>
  %c = tile.alloc : !c
  tile.specialize {
    tile.role "small" warps 2 {
      tile.gemm %a, %b, %c {instr = #tile.instr<mma>} : (!a, !b, !c)
    }
    tile.role "large" warps 8 {
      // CHECK: tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x2>">} : memref<64x64xf32, #tile.fragment>
      %d = tile.alloc : !c
      tile.gemm %a, %b, %d {instr = #tile.instr<mma>} : (!a, !b, !c)
    }
  }
  return
}
