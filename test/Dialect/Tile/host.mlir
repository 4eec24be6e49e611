// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Kernel options and host ops are printed as they are read, in text, in the
// generic form and in bytecode.

// A host function with two variants of a launch.
// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[A:[a-z0-9]+]]: memref<?x?xbf16>{{.*}}, %[[ALIGNED:[a-z0-9]+]]: i1{{.*}})
func.func @host(%A: memref<?x?xbf16>, %aligned: i1) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // CHECK: tile.tensor_map %[[A]] box [128, 64] swizzle 128 : memref<?x?xbf16>
  %t = tile.tensor_map %A box [128, 64] swizzle 128 : memref<?x?xbf16>
  // CHECK: tile.tensor_map %[[A]] box [128, 8] : memref<?x?xbf16>
  %u = tile.tensor_map %A box [128, 8] : memref<?x?xbf16>
  // CHECK: tile.tensor_map %[[A]] box [128, 64] ends [128, 0] swizzle 128 : memref<?x?xbf16>
  %v = tile.tensor_map %A box [128, 64] ends [128, 0] swizzle 128 : memref<?x?xbf16>
  // CHECK: tile.address %[[A]] : memref<?x?xbf16>
  %p = tile.address %A : memref<?x?xbf16>
  // CHECK: %[[SMS:[a-z0-9]+]] = tile.num_sms
  %sms = tile.num_sms
  // CHECK: tile.variants {
  // CHECK-NEXT: tile.require %[[ALIGNED]], "rows of A start at multiples of 16 bytes" actual %[[SMS]]
  // CHECK-NEXT: gpu.launch
  tile.variants {
    tile.require %aligned, "rows of A start at multiples of 16 bytes" actual %sms
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %sms, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      // CHECK: tile.kernel_config {min_blocks = 2 : i64}
      tile.kernel_config {min_blocks = 2 : i64}
      // CHECK: tile.block_swizzle %{{.*}}, %{{.*}} of %{{.*}}, %{{[a-z0-9]+$}}
      %i, %j = tile.block_swizzle %bx, %by of %gx, %gy {panel = 8 : i64}
      // CHECK: tile.block_swizzle %{{.*}}, %{{.*}} of %{{.*}}, %{{.*}} {panel = 4 : i64, raster = #tile.raster<column>, serpentine}
      %k, %l = tile.block_swizzle %i, %j of %gx, %gy {panel = 4, raster = #tile.raster<column>, serpentine}
      gpu.terminator
    }
  // CHECK: }, {
  // CHECK-NEXT: gpu.launch
  }, {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %sms, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      // CHECK: tile.kernel_config {persist = false, registers = 168 : i64, specialize = #tile.specialize<required>}
      tile.kernel_config {registers = 168, specialize = #tile.specialize<required>, persist = false}
      gpu.terminator
    }
  }
  return
}
