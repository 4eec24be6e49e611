// Attributes of the form `tile.x` on ops of any dialect are verified by C.

// RUN: tile-opt %s --split-input-file --verify-diagnostics
// RUN: mlir-opt %s --load-dialect-plugin=%libtile --split-input-file --verify-diagnostics

func.func @stages(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  } {tile.num_stages = 3 : i32}
  return
}

// -----

// expected-error @+1 {{tile.num_stages}}
func.func @wrong_op() attributes {tile.num_stages = 3 : i32} {
  return
}

// -----

// expected-error @+1 {{tile.unheard_of}}
func.func @unknown() attributes {tile.unheard_of} {
  return
}
