// RUN: %tile_opt_passes 'tile-form-kernels' %s -split-input-file -verify-diagnostics

func.func @whole(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{is no loops with a body: decompose it to linalg ops that are, as transform.structured.decompose_interface does}}
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// How often such a loop runs, only kernels would know.
func.func @while(%x: tensor<8xf32>) -> tensor<8xf32> {
  %true = arith.constant true
  // expected-error@+1 {{carries tensors while a condition holds, which the host cannot compute; expects scf.for}}
  %r = scf.while (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    scf.condition(%true) %a : tensor<8xf32>
  } do {
  ^bb0(%b: tensor<8xf32>):
    %c = linalg.exp ins(%b : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %c : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @winograd(%w: tensor<2x3x3x5xf32>, %e: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  // expected-error@+1 {{is part of a convolution that loops of the host would make tile by tile; expects the convolution, linalg.conv_2d_nhwc_fhwc}}
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<2x3x3x5xf32>) outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %r : tensor<6x6x5x2xf32>
}
