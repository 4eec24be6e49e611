// Before a graph is cut into kernels: ops that are no loops with a body become
// such, what pads and joins tensors becomes fills and copies, and dimensions of
// one element go, of products too, so that no reshapes stand between ops.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @prepare(%function: !transform.any_op) {
    %whole = transform.structured.match ops {["linalg.softmax"]} in %function : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %whole : (!transform.any_op) -> !transform.any_op
    %packs = transform.structured.match ops {["linalg.pack"]} in %function : (!transform.any_op) -> !transform.op<"linalg.pack">
    %pads, %expanded, %moved = transform.structured.lower_pack %packs : (!transform.op<"linalg.pack">) -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %unpacks = transform.structured.match ops {["linalg.unpack"]} in %function : (!transform.any_op) -> !transform.op<"linalg.unpack">
    %empty, %back, %collapsed, %cut = transform.structured.lower_unpack %unpacks : (!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    %generated = transform.structured.match ops {["tensor.generate"]} in %function : (!transform.any_op) -> !transform.any_op
    %loops = transform.structured.rewrite_in_destination_passing_style %generated : (!transform.any_op) -> !transform.any_op
    %products = transform.structured.match ops {["linalg.batch_matmul", "linalg.contract"]} in %function : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %products : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.tensor.decompose_concat
      transform.apply_patterns.linalg.decompose_pad
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_reshapes
      transform.apply_patterns.tensor.reassociative_reshape_folding
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
