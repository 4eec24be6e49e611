// Before a graph is cut into kernels: ops that are no loops with a body become
// such, and what pads and joins tensors becomes fills and copies.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @prepare(%function: !transform.any_op) {
    %whole = transform.structured.match ops {["linalg.softmax"]} in %function : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %whole : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.tensor.decompose_concat
      transform.apply_patterns.linalg.decompose_pad
    } : !transform.any_op
    transform.yield
  }
}
