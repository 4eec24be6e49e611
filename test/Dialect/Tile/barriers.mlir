// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Barriers are printed as they are read, in text, in the generic form and in
// bytecode.

// CHECK-LABEL: func.func @barriers
// CHECK-SAME: (%[[SLOT:[a-z0-9]+]]: index, %[[P:[a-z0-9]+]]: i32)
func.func @barriers(%slot: index, %p: i32) {
  // CHECK: %[[FULL:[a-z0-9]+]] = tile.barrier_alloc : !tile.barrier<3>
  %full = tile.barrier_alloc : !tile.barrier<3>
  // CHECK: %[[EMPTY:[a-z0-9]+]] = tile.barrier_alloc {offset = 24 : i64} : !tile.barrier<3>
  %empty = tile.barrier_alloc {offset = 24} : !tile.barrier<3>
  // CHECK: tile.barrier_init %[[FULL]] arrivals 1 : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  // CHECK: tile.barrier_sync
  // CHECK-NOT: id
  // CHECK: tile.barrier_expect %[[FULL]][%[[SLOT]]] bytes 16384 : !tile.barrier<3>
  tile.barrier_sync
  tile.barrier_expect %full[%slot] bytes 16384 : !tile.barrier<3>
  // CHECK: tile.barrier_wait %[[FULL]][%[[SLOT]]] parity %[[P]] : !tile.barrier<3>
  tile.barrier_wait %full[%slot] parity %p : !tile.barrier<3>
  // CHECK: tile.fence_proxy
  tile.fence_proxy
  // CHECK: tile.barrier_arrive %[[EMPTY]][%[[SLOT]]] : !tile.barrier<3>
  tile.barrier_arrive %empty[%slot] : !tile.barrier<3>
  // CHECK: tile.barrier_sync {id = 1 : i64, threads = 128 : i64}
  tile.barrier_sync {id = 1 : i64, threads = 128 : i64}
  return
}
