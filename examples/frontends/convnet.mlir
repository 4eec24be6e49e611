// Made by from_jax.py convnet.
//
// CASE: main(arg0=ints:2x12x12x3:f32, arg1=ints:3x3x3x16:f32, arg2=ints:3x3x16x32:f32, arg3=ints:32x10:f32)
// EXPECT: pad = lambda t: np.pad(t, ((0, 0), (1, 1), (1, 1), (0, 0)))
// EXPECT: conv = lambda t, w: sum(pad(t)[:, i:i + t.shape[1], j:j + t.shape[2]] @ w[i, j] for i in range(3) for j in range(3))
// EXPECT: h = np.maximum(conv(arg0.astype(np.float64), arg1), 0)
// EXPECT: h = h.reshape(2, 6, 2, 6, 2, 16).max((2, 4))
// EXPECT: result0 = np.maximum(conv(h, arg2), 0).mean((1, 2)) @ arg3
// WITHIN: result0 = 2**-18, 1
module @jit_convnet {
  func.func public @main(%arg0: tensor<2x12x12x3xf32>, %arg1: tensor<3x3x3x16xf32>, %arg2: tensor<3x3x16x32xf32>, %arg3: tensor<32x10xf32>) -> tensor<2x10xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 3.600000e+01 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x12x12x16xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x12x12x16xf32>) -> tensor<2x12x12x16xf32>
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg4: index, %arg5: index, %arg6: index, %arg7: index):
      tensor.yield %cst_1 : f32
    } : tensor<2x12x12x3xf32> to tensor<2x14x14x3xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %arg1 : tensor<2x14x14x3xf32>, tensor<3x3x3x16xf32>) outs(%1 : tensor<2x12x12x16xf32>) -> tensor<2x12x12x16xf32>
    %3 = tensor.empty() : tensor<2x12x12x16xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x12x12x16xf32>) outs(%3 : tensor<2x12x12x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.maximumf %in, %cst_1 : f32
      linalg.yield %22 : f32
    } -> tensor<2x12x12x16xf32>
    %5 = tensor.empty() : tensor<2x2xf32>
    %6 = tensor.empty() : tensor<2x6x6x16xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
    %8 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%4, %5 : tensor<2x12x12x16xf32>, tensor<2x2xf32>) outs(%7 : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
    %9 = tensor.empty() : tensor<2x6x6x32xf32>
    %10 = linalg.fill ins(%cst_1 : f32) outs(%9 : tensor<2x6x6x32xf32>) -> tensor<2x6x6x32xf32>
    %padded_2 = tensor.pad %8 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg4: index, %arg5: index, %arg6: index, %arg7: index):
      tensor.yield %cst_1 : f32
    } : tensor<2x6x6x16xf32> to tensor<2x8x8x16xf32>
    %11 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded_2, %arg2 : tensor<2x8x8x16xf32>, tensor<3x3x16x32xf32>) outs(%10 : tensor<2x6x6x32xf32>) -> tensor<2x6x6x32xf32>
    %12 = tensor.empty() : tensor<2x6x6x32xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x6x6x32xf32>) outs(%12 : tensor<2x6x6x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.maximumf %in, %cst_1 : f32
      linalg.yield %22 : f32
    } -> tensor<2x6x6x32xf32>
    %14 = tensor.empty() : tensor<2x32xf32>
    %15 = linalg.fill ins(%cst_1 : f32) outs(%14 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%13 : tensor<2x6x6x32xf32>) outs(%15 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %out, %in : f32
      linalg.yield %22 : f32
    } -> tensor<2x32xf32>
    %17 = tensor.empty() : tensor<2x32xf32>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<2x32xf32>) outs(%17 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.divf %in, %cst_0 : f32
      linalg.yield %22 : f32
    } -> tensor<2x32xf32>
    %19 = tensor.empty() : tensor<2x10xf32>
    %20 = linalg.fill ins(%cst_1 : f32) outs(%19 : tensor<2x10xf32>) -> tensor<2x10xf32>
    %21 = linalg.matmul ins(%18, %arg3 : tensor<2x32xf32>, tensor<32x10xf32>) outs(%20 : tensor<2x10xf32>) -> tensor<2x10xf32>
    func.return %21 : tensor<2x10xf32>
  }
}
