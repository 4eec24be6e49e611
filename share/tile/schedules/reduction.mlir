// A reduction of more than a block can hold: in steps along what is reduced.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @reduction(%function: !transform.any_op) {
    %root = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    %last, %blocks = transform.structured.fuse %root tile_sizes [4, 0] {use_forall, apply_cleanup, tile.sizes = "block"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %mapping = transform.param.constant [#gpu.block<x>] {tile.sizes = "mapping"} -> !transform.any_param
    transform.annotate %blocks "mapping" = %mapping : !transform.any_op, !transform.any_param
    %whole = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    %step, %loop = transform.structured.tile_using_for %whole tile_sizes [0, 1024] {tile.sizes = "loop"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
