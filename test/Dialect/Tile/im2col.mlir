// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s
// RUN: %tile_opt %s -cse | FileCheck %s --check-prefix=CSE

#smem = #gpu.address_space<workgroup>

// What is left out stays left out; a strided image; a window as the destination.
// CHECK-LABEL: func.func @forms
func.func @forms(%X: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>, %Y: memref<4x9x9x3xi8>, %i: index, %j: index) {
  %s = tile.alloc : memref<64x32xbf16, #smem>
  %f = tile.alloc : memref<16x16xi32, #tile.fragment>
  // CHECK: tile.im2col %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} kernel [3, 5] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>, memref<64x32xbf16, #gpu.address_space<workgroup>>
  tile.im2col %X[%i, %j] to %s kernel [3, 5] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>, memref<64x32xbf16, #smem>
  // CHECK: kernel [3, 3] stride [2, 1] dilation [1, 3] pad [0, 2] {tile.stage = 1 : i32} : memref<4x9x9x3xi8>, memref<16x16xi32, #tile.fragment>
  tile.im2col %Y[%i, %j] to %f kernel [3, 3] stride [2, 1] dilation [1, 3] pad [0, 2] {tile.stage = 1 : i32} : memref<4x9x9x3xi8>, memref<16x16xi32, #tile.fragment>
  %w = tile.region %s[8, 0] [24, 32] : memref<64x32xbf16, #smem>
  // CHECK: kernel [1, 1] pad [0, 0] : {{.*}}, !tile.region<24x32xbf16, #gpu.address_space<workgroup>>
  tile.im2col %X[%i, %j] to %w kernel [1, 1] pad [0, 0] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>, !tile.region<24x32xbf16, #smem>
  return
}

// It writes the tile: two loads around it are two.
// CSE-LABEL: func.func @effects
func.func @effects(%X: memref<1x4x4x4xf32>, %i: index) -> (f32, f32) {
  %s = tile.alloc : memref<16x16xf32, #smem>
  // CSE: %[[S:.*]] = memref.load
  // CSE-NEXT: tile.im2col
  // CSE-NEXT: %[[T:.*]] = memref.load
  // CSE-NEXT: return %[[S]], %[[T]]
  %a = memref.load %s[%i, %i] : memref<16x16xf32, #smem>
  tile.im2col %X[%i, %i] to %s kernel [3, 3] : memref<1x4x4x4xf32>, memref<16x16xf32, #smem>
  %b = memref.load %s[%i, %i] : memref<16x16xf32, #smem>
  return %a, %b : f32, f32
}
