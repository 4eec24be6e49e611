// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -split-input-file -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -split-input-file 2> /dev/null -o %t.twice
// RUN: diff %t.once %t.twice

!s = memref<4x16x64xbf16, #gpu.address_space<workgroup>>
!m = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
!out = memref<4x16x64xf32, #tile.fragment>

// A product constrains the storage behind a view: the tile of rank 3 is swizzled
// as the matrix needs it. A view of an accumulator has its layout.
// CHECK-LABEL: func.func @product_of_a_view
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<4x16x64xbf16
// CHECK: tile.view %[[S]]
// CHECK: tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">}
func.func @product_of_a_view() attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : !s
  %m = tile.view %s : !s to !m
  %c = tile.alloc : !acc
  %o = tile.view %c : !acc to !out
  %zero = arith.constant 0.0 : f32
  tile.fill %o, %zero : !out, f32
  tile.gemm %m, %m, %c {instr = #tile.instr<wgmma>} : (!m, !m, !acc)
  return
}

// -----

!m = memref<64x64xbf16, #gpu.address_space<workgroup>>
!w = memref<64x32xi32, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>

// A given layout of the storage is that of its views.
// CHECK-LABEL: func.func @given_layout
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<64x32xi32
func.func @given_layout() attributes {tile.num_threads = 128 : i32} {
  %w = tile.alloc {layout = #tile.layout<"swizzle<64>">} : !w
  %m = tile.view %w : !w to !m
  %c = tile.alloc : !acc
  tile.gemm %m, %m, %c {instr = #tile.instr<wgmma>} : (!m, !m, !acc)
  return
}
