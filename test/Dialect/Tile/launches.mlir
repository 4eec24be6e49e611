// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Barriers of launches, and launches that overlap, are printed as they are read.
// CHECK-LABEL: func.func @launches
func.func @launches(%n: memref<1xi32>, %t: memref<?xi32>, %i: index) {
  // CHECK: tile.launch_wait
  tile.launch_wait
  // CHECK: tile.grid_sync %{{.*}} : memref<1xi32>
  tile.grid_sync %n : memref<1xi32>
  %c = tile.region %t[%i] [1] : memref<?xi32>
  // CHECK: tile.grid_sync %{{.*}} : !tile.region<1xi32>
  tile.grid_sync %c : !tile.region<1xi32>
  // CHECK: tile.launch_next
  tile.launch_next
  return
}
