// RUN: %tile_opt_passes 'canonicalize' %s | FileCheck %s

!s = memref<64x32xbf16, #gpu.address_space<workgroup>>
!v = memref<32x64xbf16, #gpu.address_space<workgroup>>
!w = memref<4096xi8, #gpu.address_space<workgroup>>

// A view of a view is one view; the way back is the tile itself.
// CHECK-LABEL: func.func @chains
// CHECK: %[[S:.*]] = tile.alloc
// CHECK: %[[W:.*]] = tile.view %[[S]] : memref<64x32xbf16, {{.*}}> to memref<4096xi8
// CHECK-NOT: tile.view
// CHECK: tile.fill %[[W]]
// CHECK: tile.fill %[[S]]
func.func @chains(%x: i8, %y: bf16) attributes {tile.num_threads = 32 : i32} {
  %s = tile.alloc : !s
  %v = tile.view %s : !s to !v
  %w = tile.view %v : !v to !w
  %t = tile.view %v : !v to !s
  tile.fill %w, %x : !w, i8
  tile.fill %t, %y : !s, bf16
  return
}
