// RUN: %tile_opt_passes 'tile-expand-elements' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-elements' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// A fragment is reached through a shared tile of the image's elements.
// CHECK-LABEL: func.func @fragment
// CHECK: %[[W:.*]] = tile.im2col
// CHECK-NEXT: %[[T:.*]] = tile.alloc : memref<128x32xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[W]] to %[[T]]
// CHECK-NEXT: tile.copy %[[T]] to %{{.*}} : {{.*}}, memref<128x32xf32, #tile.fragment>
// CHECK-NEXT: return
func.func @fragment(%X: memref<8x16x16x64xbf16>, %i: index) attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc : memref<128x32xf32, #tile.fragment>
  %w = tile.im2col %X[%i, %i] [128, 32] kernel [3, 3] pad [1, 1] : memref<8x16x16x64xbf16>
  // expected-remark @+1 {{[tile-im2col/scratch] reaches the fragment by way of 8192 bytes of shared memory}}
  tile.copy %w to %f : !tile.region<128x32xbf16>, memref<128x32xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @shared
// CHECK-NEXT: tile.alloc
// CHECK-NEXT: tile.im2col
// CHECK-NEXT: tile.copy
// CHECK-NEXT: return
func.func @shared(%X: memref<8x16x16x64xbf16>, %i: index) attributes {tile.num_threads = 128 : i32} {
  %t = tile.alloc : memref<128x32xf32, #gpu.address_space<workgroup>>
  %w = tile.im2col %X[%i, %i] [128, 32] kernel [3, 3] pad [1, 1] : memref<8x16x16x64xbf16>
  tile.copy %w to %t : !tile.region<128x32xbf16>, memref<128x32xf32, #gpu.address_space<workgroup>>
  return
}
