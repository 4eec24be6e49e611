// Elements, each for itself.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @elements(%function: !transform.any_op) {
    %root = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    %last, %blocks = transform.structured.fuse %root tile_sizes [4, 0] {use_forall, apply_cleanup, tile.sizes = "block"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %mapping = transform.param.constant [#gpu.block<x>] {tile.sizes = "mapping"} -> !transform.any_param
    transform.annotate %blocks "mapping" = %mapping : !transform.any_op, !transform.any_param
    transform.yield
  }
}
