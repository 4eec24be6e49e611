// RUN: %tile_opt_passes 'tile-apply-schedules' %s -split-input-file -verify-diagnostics

// expected-error @+1 {{has no schedule 'unknown'}}
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tile.schedule = "unknown"} {
  return %x : tensor<64xf32>
}

// -----

// expected-error @+1 {{cannot be scheduled by 'mine'}}
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tile.schedule = "mine"} {
  %r = linalg.exp {tile.root} ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%function: !transform.any_op) {
    %root = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{attempting to assign a null payload op to this transform value}}
    %last, %blocks = transform.structured.fuse %root tile_sizes [0] {use_forall} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
