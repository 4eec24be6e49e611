// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline,canonicalize' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// Iterations are decided about in the stage of the copies, once each, and only
// when the one before exists; the loop goes on as long as the last stage has an
// iteration.
// CHECK-LABEL: func.func @early_end
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<64x32xf32>, %[[M:[a-z0-9]+]]: memref<64xi1>
// CHECK: tile.alloc : memref<2x32xf32
// CHECK: %[[FIRST:.*]] = memref.load %[[M]]
// CHECK: %[[SECOND:.*]] = scf.if %[[FIRST]] -> (i1) {
// CHECK: tile.copy
// CHECK: memref.load %[[M]]
// CHECK: scf.while
// CHECK-SAME: %[[SECOND]]
// CHECK-NEXT: scf.condition
// CHECK: ^bb0
// CHECK: scf.if %[[EXISTS:.*]] {
// CHECK: tile.copy
// CHECK: tile.copy
// CHECK: scf.if %[[EXISTS]] -> (i1) {
// CHECK: memref.load %[[M]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %false
// CHECK-NOT: memref.load
// CHECK: return
func.func @early_end(%A: memref<64x32xf32>, %M: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  %end = scf.while (%i = %c0) : (index) -> index {
    %more = memref.load %M[%i] : memref<64xi1>
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  } attributes {tile.num_stages = 2 : i32}
  return
}

// A pipelined loop inside another one keeps its plan where it has come to stand.
// CHECK-LABEL: func.func @loop_in_loop
// CHECK-DAG: tile.alloc : memref<3x32xf32
// CHECK-DAG: tile.alloc : memref<2x32xf32
// CHECK: scf.for
// CHECK: scf.for
func.func @loop_in_loop(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc : !F
  %As = tile.alloc : !T
  scf.for %i = %c0 to %n step %c1 {
    %Bs = tile.alloc : !T
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    scf.for %j = %c0 to %n step %c1 {
      %b = tile.region %A[%j, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %b to %Bs : !tile.region<32xf32>, !T
      tile.copy %Bs to %f : !T, !F
    } {tile.num_stages = 2 : i32}
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// A value that the loop fetches and hands over is fetched for iterations that
// exist only.
// CHECK-LABEL: func.func @fetched_value
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?xindex>
// CHECK: scf.for
// CHECK: scf.if %[[EXISTS:[a-z0-9]+]] {{.*}}{
// CHECK: memref.load %[[K]]
// CHECK: } else {
// CHECK-NOT: memref.load
func.func @fetched_value(%K: memref<?xindex>, %A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc : !F
  %As = tile.alloc : !T
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> index {
    %a = tile.region %A[%at, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
    %k = memref.load %K[%i] : memref<?xindex>
    %next = arith.addi %at, %k : index
    scf.yield %next : index
  } {tile.num_stages = 2 : i32}
  return
}
