// RUN: %tile_opt_passes 'tile-inject-pipeline' %s -verify-diagnostics | FileCheck %s

// Pipelines are not built yet: the loop says so and loses its attribute.
// CHECK-LABEL: func.func @declined_with_remark
// CHECK-NOT: tile.num_stages
func.func @declined_with_remark(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{[tile-pipeline/not-yet] runs without a pipeline: 3 stages were asked for}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.num_stages = 3 : i32}
  return
}

// Zero stages mean no pipeline: there is nothing to decline.
// CHECK-LABEL: func.func @zero_stages_is_silent
// CHECK-NOT: tile.num_stages
func.func @zero_stages_is_silent(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
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
