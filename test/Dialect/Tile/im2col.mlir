// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s
// RUN: %tile_opt %s -cse | FileCheck %s --check-prefix=CSE

#smem = #gpu.address_space<workgroup>

// What is left out stays left out; a strided image; facts; several users; one and
// three dimensions of pixels.
// CHECK-LABEL: func.func @forms
func.func @forms(%X: memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>, %Y: memref<4x9x9x3xi8>, %Z: memref<?x?x3xf32>, %V: memref<?x8x?x9x16xbf16>, %i: index, %j: index) {
  %s = tile.alloc : memref<64x32xbf16, #smem>
  %f = tile.alloc : memref<16x16xi32, #tile.fragment>
  // CHECK: %[[A:.*]] = tile.im2col %{{.*}}[%{{.*}}, %{{.*}}] [64, 32] kernel [3, 5] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>
  %a = tile.im2col %X[%i, %j] [64, 32] kernel [3, 5] : memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>>
  // CHECK: tile.copy %[[A]] to %{{.*}} : !tile.region<64x32xbf16>
  tile.copy %a to %s : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
  tile.copy %a to %s : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
  // CHECK: kernel [3, 3] stride [2, 1] dilation [1, 3] pad [0, 2] channels %{{.*}} {align = 16 : i64, run = 8 : i64, tile.stage = 1 : i32} : memref<4x9x9x3xi8>
  %b = tile.im2col %Y[%i, %j] [16, 16] kernel [3, 3] stride [2, 1] dilation [1, 3] pad [0, 2] channels %i {align = 16 : i64, run = 8 : i64, tile.stage = 1 : i32} : memref<4x9x9x3xi8>
  tile.copy %b to %f : !tile.region<16x16xi8>, memref<16x16xi32, #tile.fragment>
  // CHECK: kernel [4] stride [2] dilation [3] pad [9] pad_upper [0] : memref<?x?x3xf32>
  %c = tile.im2col %Z[%i, %j] [16, 16] kernel [4] stride [2] dilation [3] pad [9] pad_upper [0] : memref<?x?x3xf32>
  // CHECK: kernel [3, 1, 2] pad_upper [0, 1, 2] channels %{{.*}} : memref<?x8x?x9x16xbf16>
  %d = tile.im2col %V[%i, %j] [16, 16] kernel [3, 1, 2] pad_upper [0, 1, 2] channels %i : memref<?x8x?x9x16xbf16>
  // CHECK: kernel [3, 1, 2] stride [1, 2, 3] dilation [2, 1, 1] pad [1, 0, 2] : memref<?x8x?x9x16xbf16>
  %e = tile.im2col %V[%i, %j] [16, 16] kernel [3, 1, 2] stride [1, 2, 3] dilation [2, 1, 1] pad [1, 0, 2] : memref<?x8x?x9x16xbf16>
  return
}

// The copy reads the image, the window does not: two windows are one.
// CSE-LABEL: func.func @pure
// CSE: tile.im2col
// CSE-NOT: tile.im2col
func.func @pure(%X: memref<1x4x4x4xf32>, %i: index) {
  %s = tile.alloc : memref<16x16xf32, #smem>
  %t = tile.alloc : memref<16x16xf32, #smem>
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<1x4x4x4xf32>
  tile.copy %a to %s : !tile.region<16x16xf32>, memref<16x16xf32, #smem>
  %b = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<1x4x4x4xf32>
  tile.copy %b to %t : !tile.region<16x16xf32>, memref<16x16xf32, #smem>
  return
}

// CHECK-LABEL: func.func @maps
func.func @maps(%X: memref<?x?x?x64xbf16>, %Y: memref<?x?x8xf32>) {
  // CHECK: tile.tensor_map %{{.*}} box [128, 64] lower [-1, -2] upper [0, 3] step [2, 8] swizzle 128 : memref<?x?x?x64xbf16>
  %a = tile.tensor_map %X box [128, 64] lower [-1, -2] upper [0, 3] step [2, 8] swizzle 128 : memref<?x?x?x64xbf16>
  // CHECK: tile.tensor_map %{{.*}} box [1024, 8] lower [-32768] upper [32767] step [1] : memref<?x?x8xf32>
  %b = tile.tensor_map %Y box [1024, 8] lower [-32768] upper [32767] step [1] : memref<?x?x8xf32>
  return
}
