// Elements of 4 bits as bytes: windows and copies of one type stay, loops read
// and pack; what the argument holds is said. The second run changes nothing.

// RUN: %tile_opt_passes 'tile-expand-types' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-expand-types,tile-expand-types' %s | FileCheck %s

// CHECK-LABEL: func.func @dequantise(
// CHECK-SAME: memref<?x?xi8> {tile.holds = "f4E2M1FN"
func.func @dequantise(%A: memref<?x?xf4E2M1FN>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // CHECK: %[[BYTES:.*]] = memref.dim %{{.*}} : memref<?x?xi8>
  // CHECK: %[[N:.*]] = arith.muli %[[BYTES]], %{{.*}} : index
  %n = memref.dim %A, %c1 : memref<?x?xf4E2M1FN>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %at = arith.muli %bx, %c32 : index
    // CHECK: %[[TILE:.*]] = tile.alloc : memref<16x16xi8, #gpu.address_space<workgroup>>
    %s = tile.alloc : memref<16x32xf4E2M1FN, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<16x32xf16, #tile.fragment>
    // CHECK: %[[HALF:.*]] = arith.divui
    // CHECK: %[[WINDOW:.*]] = tile.region %{{.*}}[0, %[[HALF]]] [16, 16] : memref<?x?xi8>
    %w = tile.region %A[0, %at] [16, 32] : memref<?x?xf4E2M1FN>
    // CHECK: tile.copy %[[WINDOW]] to %[[TILE]] : !tile.region<16x16xi8>, memref<16x16xi8, #gpu.address_space<workgroup>>
    tile.copy %w to %s : !tile.region<16x32xf4E2M1FN>, memref<16x32xf4E2M1FN, #gpu.address_space<workgroup>>
    // CHECK: tile.parallel (%{{.*}}, %[[J:.*]]) in [16, 32]
    // CHECK: %[[BYTE:.*]] = memref.load %[[TILE]]
    // CHECK: %[[CODE:.*]] = tile.unpack %[[BYTE]][%[[J]]] : i8 to f4E2M1FN
    // CHECK: arith.extf %[[CODE]] : f4E2M1FN to f16
    tile.copy %s to %f : memref<16x32xf4E2M1FN, #gpu.address_space<workgroup>>, memref<16x32xf16, #tile.fragment>
    // CHECK: tile.parallel (%{{.*}}, %{{.*}}) in [16, 16]
    // CHECK: tile.pack %{{.*}}, %{{.*}} : f4E2M1FN, f4E2M1FN to i8
    tile.copy %f to %s : memref<16x32xf16, #tile.fragment>, memref<16x32xf4E2M1FN, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
