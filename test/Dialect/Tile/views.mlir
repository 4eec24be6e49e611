// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s

// Other extents, other elements, other ranks, in each memory that views have.
// CHECK-LABEL: func.func @views
func.func @views() attributes {tile.num_threads = 32 : i32} {
  %s = tile.alloc : memref<64x32xbf16, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<16x16xf32, #tile.fragment>
  %p = tile.alloc : memref<8xi1, #gpu.address_space<private>>
  // CHECK: tile.view %{{.*}} : memref<64x32xbf16, #gpu.address_space<workgroup>> to memref<16x4x32xi16, #gpu.address_space<workgroup>>
  %0 = tile.view %s : memref<64x32xbf16, #gpu.address_space<workgroup>> to memref<16x4x32xi16, #gpu.address_space<workgroup>>
  // CHECK: tile.view %{{.*}} : memref<16x4x32xi16, #gpu.address_space<workgroup>> to memref<4096xi8, #gpu.address_space<workgroup>>
  %1 = tile.view %0 : memref<16x4x32xi16, #gpu.address_space<workgroup>> to memref<4096xi8, #gpu.address_space<workgroup>>
  // CHECK: tile.view %{{.*}} : memref<16x16xf32, #tile.fragment> to memref<256xi32, #tile.fragment>
  %2 = tile.view %f : memref<16x16xf32, #tile.fragment> to memref<256xi32, #tile.fragment>
  // CHECK: tile.view %{{.*}} : memref<8xi1, #gpu.address_space<private>> to memref<2x2xi16, #gpu.address_space<private>>
  %3 = tile.view %p : memref<8xi1, #gpu.address_space<private>> to memref<2x2xi16, #gpu.address_space<private>>
  return
}
