// Made by from_onnx.py of a convolution, ReLU and maxima of 2 x 2.
//
// CASE: main(arg0=ints:1x3x12x12:f32, arg1=ints:8x3x3x3:f32, arg2=ints:8:f32)
// EXPECT: x = np.pad(arg0, ((0, 0), (0, 0), (1, 1), (1, 1)))
// EXPECT: y = sum(np.einsum("nchw,oc->nohw", x[:, :, i:i + 12, j:j + 12], arg1[:, :, i, j]) for i in range(3) for j in range(3))
// EXPECT: result0 = np.maximum(y + arg2[:, None, None], 0).reshape(1, 8, 6, 2, 6, 2).max((3, 5))
module {
  func.func @main(%arg0: tensor<1x3x12x12xf32>, %arg1: tensor<8x3x3x3xf32>, %arg2: tensor<8xf32>) -> (tensor<1x8x6x6xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst : f32
    } : tensor<1x3x12x12xf32> to tensor<1x3x14x14xf32>
    %3 = tensor.empty() : tensor<1x8x12x12xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<8xf32>) outs(%3 : tensor<1x8x12x12xf32>) dimensions = [0, 2, 3] 
    %4 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<1x3x14x14xf32>, tensor<8x3x3x3xf32>) outs(%broadcasted : tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x8x12x12xf32>) outs(%3 : tensor<1x8x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.cmpf ugt, %in, %cst : f32
      %13 = arith.select %12, %in, %cst : f32
      linalg.yield %13 : f32
    } -> tensor<1x8x12x12xf32>
    %6 = tensor.empty() : tensor<1x8x6x6xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%6 : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %8 = tensor.empty() : tensor<2x2xf32>
    %9 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%5, %8 : tensor<1x8x12x12xf32>, tensor<2x2xf32>) outs(%7 : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    return %9 : tensor<1x8x6x6xf32>
  }
}
