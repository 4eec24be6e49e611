// RUN: %tile_opt_passes 'tile-form-kernels' %s -split-input-file -verify-diagnostics

func.func @whole(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{is no loops with a body: decompose it to linalg ops that are, as transform.structured.decompose_interface does}}
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
