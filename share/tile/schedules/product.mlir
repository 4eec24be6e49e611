// A matrix product with what is done to its result: blocks of the result, steps
// of the depth, a sum in registers.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @product(%function: !transform.any_op) {
    %root = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    %last, %blocks = transform.structured.fuse %root tile_sizes [128, 128] {use_forall, apply_cleanup, tile.sizes = "block"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %mapping = transform.param.constant [#gpu.block<y>, #gpu.block<x>] {tile.sizes = "mapping"} -> !transform.any_param
    transform.annotate %blocks "mapping" = %mapping : !transform.any_op, !transform.any_param
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    %sum = transform.structured.match attributes {tile.accumulator} in %function : (!transform.any_op) -> !transform.any_op
    %buffer, %ops = transform.structured.bufferize_to_allocation %sum {memory_space = #tile.fragment, bufferize_destination_only} : !transform.any_op
    %product = transform.structured.match attributes {tile.product} in %function : (!transform.any_op) -> !transform.any_op
    %step, %loop = transform.structured.tile_using_for %product tile_sizes [0, 0, 64] {tile.sizes = "loop"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %elements = transform.structured.match attributes {tile.factor} in %function : (!transform.any_op) -> !transform.any_op
    %factors, %steps = transform.structured.fuse_into_containing_op %elements into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %stages = transform.param.constant 3 : i32 {tile.sizes = "stages"} -> !transform.any_param
    transform.annotate %steps "tile.num_stages" = %stages : !transform.any_op, !transform.any_param
    transform.yield
  }
}
