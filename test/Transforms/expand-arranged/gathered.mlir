// RUN: %tile_opt_passes 'tile-expand-arranged' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-arranged' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// Rows of the tensor lie side by side in a shared tile, in the tensor's type when
// they are read, in the fragment's when they are written.
// CHECK-LABEL: func.func @fragments
// CHECK: %[[IN:.*]] = tile.alloc : memref<16x32xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %{{.*}} to %[[IN]]
// CHECK-NEXT: tile.copy %[[IN]] to %[[F:.*]] : {{.*}}, memref<16x32xf32, #tile.fragment>
// CHECK-NEXT: %[[OUT:.*]] = tile.alloc : memref<16x32xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[F]] to %[[OUT]]
// CHECK-NEXT: tile.copy %[[OUT]] to %{{.*}} : {{.*}}, !tile.region<16x32xbf16>
// CHECK-NEXT: %[[SUM:.*]] = tile.alloc : memref<16x32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[F]] to %[[SUM]]
// CHECK-NEXT: tile.atomic add %[[SUM]] to
func.func @fragments(%A: memref<64x32xbf16>, %ids: memref<16xi32>, %m: index) attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc : memref<16x32xf32, #tile.fragment>
  %w = tile.region %A[0, 0] [16, 32] by %ids[%m] dim 0 : memref<64x32xbf16>, memref<16xi32>
  // expected-remark @+1 {{[tile-gather/scratch] passes 1024 bytes of shared memory between the fragment and the rows that numbers name}}
  tile.copy %w to %f : !tile.region<16x32xbf16>, memref<16x32xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-gather/scratch] passes 1024 bytes}}
  tile.copy %f to %w : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xbf16>
  // expected-remark @+1 {{[tile-gather/scratch] passes 2048 bytes}}
  tile.atomic add %f to %w : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xbf16>
  return
}
