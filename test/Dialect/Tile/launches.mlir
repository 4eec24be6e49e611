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

func.func @tickets(%n: memref<1xi32>, %t: memref<?xi32>, %i: index) {
  // CHECK: %{{.*}}, %{{.*}} = tile.next_tile %{{.*}} of %{{.*}} : memref<1xi32>
  %a, %b = tile.next_tile %n of %i : memref<1xi32>
  %c = tile.region %t[%i] [1] : memref<?xi32>
  // CHECK: tile.next_tile %{{.*}} of %{{.*}} : !tile.region<1xi32>
  %d, %e = tile.next_tile %c of %i : !tile.region<1xi32>
  // CHECK: tile.atomic inc %{{.*}} to %{{.*}} : i32, memref<1xi32>
  %y = arith.constant 7 : i32
  tile.atomic inc %y to %n : i32, memref<1xi32>
  return
}
