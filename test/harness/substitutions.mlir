// The substitution runs a pipeline in tile-opt, or in mlir-opt with the plugin.
// RUN: %tile_opt_passes 'func.func(canonicalize{max-iterations=3 test-convergence=true}),cse' %s | FileCheck %s
// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s --check-prefix=READ
// RUN: test -f %libtile
// RUN: test -d %utils
// RUN: %python -c "import sys; assert sys.version_info >= (3, 9)"

// CHECK-LABEL: func.func @folded
// READ-LABEL: func.func @folded
func.func @folded() -> i32 {
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK-NEXT: return %[[TWO]] : i32
  // READ: arith.addi
  %one = arith.constant 1 : i32
  %sum = arith.addi %one, %one : i32
  return %sum : i32
}

// Needs the dialect, so it fails when the plugin was not loaded.
// CHECK: func.func private @takes_region(!tile.region<8xf32>)
func.func private @takes_region(!tile.region<8xf32>)
