// RUN: %tile_opt_passes 'tile-apply-schedules' %s -split-input-file -verify-diagnostics

// expected-error @+1 {{has no schedule 'unknown'}}
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tile.schedule = "unknown"} {
  return %x : tensor<64xf32>
}

// -----

// expected-error @+1 {{cannot be scheduled by 'mine'}}
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tile.schedule = "mine"} {
  // expected-note @+1 {{target op}}
  return %x : tensor<64xf32>
}

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%function: !transform.any_op) {
    %root = transform.structured.match ops {["func.return"]} in %function : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{only TilingInterface ops are supported}}
    %last, %blocks = transform.structured.tile_using_forall %root tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
