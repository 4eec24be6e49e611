// RUN: %tile_opt_passes 'tile-inject-pipeline' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// A plan that is incomplete, because some other pass has made an op, is not
// followed.
// CHECK-LABEL: func.func @unplanned_op
// CHECK: scf.for
// CHECK-NEXT: = tile.region
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
// CHECK-NOT: tile.num_stages
func.func @unplanned_op(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32, tile.order = 0 : i32} : !tile.region<32xf32>, !T
    // expected-remark @+1 {{[tile-pipeline/no-plan] keeps its loop from being pipelined: it has no 'tile.stage'}}
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// CHECK-LABEL: func.func @while_loop
// CHECK: scf.while
// CHECK-NOT: tile.num_stages
func.func @while_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{[tile-pipeline/while] runs without a pipeline: the number of iterations of scf.while is not known ahead}}
  %end = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  } attributes {tile.num_stages = 3 : i32}
  return
}

// A result that is no number cannot move on from step to step.
// CHECK-LABEL: func.func @vector_result
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: vector.load
func.func @vector_result(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  %p = tile.alloc : memref<4xf32, #gpu.address_space<private>>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32, tile.order = 0 : i32} : !tile.region<32xf32>, !T
    // expected-remark @+1 {{[tile-pipeline/value] keeps its loop from being pipelined: other ops use its result, which is not a number}}
    %m = vector.load %p[%c0] {tile.stage = 1 : i32, tile.order = 1 : i32} : memref<4xf32, #gpu.address_space<private>>, vector<4xf32>
    vector.store %m, %p[%c0] {tile.stage = 1 : i32, tile.order = 2 : i32} : memref<4xf32, #gpu.address_space<private>>, vector<4xf32>
    tile.copy %As to %f {tile.stage = 1 : i32, tile.order = 3 : i32} : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// Zero stages mean no pipeline: there is nothing to decline. A plan of the user
// goes with it.
// CHECK-LABEL: func.func @zero_stages_is_silent
// CHECK-NOT: tile.num_stages
// CHECK-NOT: tile.stage
// CHECK: return
func.func @zero_stages_is_silent(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32} : !tile.region<32xf32>, !T
  } {tile.num_stages = 0 : i32}
  return
}

// Loops that ask for nothing are left as they are.
// CHECK-LABEL: func.func @other_loop_untouched
// CHECK: {other = 1 : i32}
func.func @other_loop_untouched(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  } {other = 1 : i32}
  return
}
