// RUN: %tile_opt_passes 'tile-inject-pipeline' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// A plan that is incomplete, because some other pass has made an op, is made
// anew.
// CHECK-LABEL: func.func @unplanned_op
// CHECK: tile.alloc : memref<3x32xf32
// CHECK: scf.for
// CHECK-NOT: tile.num_stages
func.func @unplanned_op(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32, tile.order = 0 : i32} : !tile.region<32xf32>, !T
    // expected-remark @+1 {{[tile-pipeline/no-plan] has no 'tile.stage': its loop is planned anew}}
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// What decides about iterations has an effect: it cannot happen earlier than it
// does.
// CHECK-LABEL: func.func @condition_with_effect
// CHECK-NOT: memref<3x32xf32
// CHECK: scf.while
// CHECK-NOT: tile.num_stages
func.func @condition_with_effect(%A: memref<64x32xf32>, %C: memref<1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  %end = scf.while (%i = %c0) : (index) -> index {
    // expected-remark @+1 {{[tile-pipeline/while] keeps its loop from being pipelined: what decides about iterations must be computed ahead of them, from memory that the loop does not write}}
    memref.store %i, %C[%c0] : memref<1xindex>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  } attributes {tile.num_stages = 3 : i32}
  return
}

// The loop writes what its condition reads.
// CHECK-LABEL: func.func @condition_of_written_memory
// CHECK-NOT: memref<3x32xf32
// CHECK: scf.while
// CHECK-NOT: tile.num_stages
func.func @condition_of_written_memory(%A: memref<64x32xf32>, %C: memref<1xi32>, %O: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %As = tile.alloc : !T
  %end = scf.while (%i = %c0) : (index) -> index {
    // expected-remark @+1 {{[tile-pipeline/while] keeps its loop from being pipelined}}
    %k = memref.load %C[%c0] : memref<1xi32>
    %more = arith.cmpi eq, %k, %i0 : i32
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    %first = memref.load %As[%c0] : !T
    %last = arith.fptosi %first : f32 to i32
    memref.store %last, %C[%c0] : memref<1xi32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  } attributes {tile.num_stages = 3 : i32}
  return
}

// A plan of the user in which the decision is made late.
// CHECK-LABEL: func.func @late_decision
// CHECK-NOT: memref<2x32xf32
// CHECK: scf.while
// CHECK-NOT: tile.stage
func.func @late_decision(%A: memref<64x32xf32>, %p: memref<1xi32, #gpu.address_space<private>>, %n: i32) {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  // expected-remark @+1 {{[tile-pipeline/while] runs without a pipeline: its condition depends on what stage 1 computes, which is not the first one}}
  %end = scf.while (%w = %n) : (i32) -> index {
    %more = arith.cmpi ult, %w, %n : i32
    %i = arith.index_cast %w : i32 to index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %j = memref.atomic_rmw addi %n, %p[%c0] {tile.stage = 1 : i32, tile.order = 0 : i32} : (i32, memref<1xi32, #gpu.address_space<private>>) -> i32
    tile.copy %a to %As {tile.stage = 1 : i32, tile.order = 1 : i32} : !tile.region<32xf32>, !T
    tile.copy %As to %f {tile.stage = 2 : i32, tile.order = 2 : i32} : !T, !F
    scf.yield %j : i32
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
