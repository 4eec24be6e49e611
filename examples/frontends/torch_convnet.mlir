// Made by from_torch.py convnet.
//
// CASE: main(arg0=normal:2x3x12x12:f16, arg1=ints:16x3x3x3:f16, arg2=ints:16:f16, arg3=ints:24x16x3x3:f16, arg4=ints:24x10:f16)
// EXPECT: pad = lambda t: np.pad(t.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
// EXPECT: conv = lambda t, w, n, s: sum(np.einsum("nchw,fc->nfhw", pad(t)[:, :, i:i+n:s, j:j+n:s], w[:, :, i, j].astype(np.float64)) for i in range(3) for j in range(3))
// EXPECT: h = np.maximum(conv(arg0, arg1, 12, 1) + arg2[:, None, None], 0).reshape(2, 16, 6, 2, 6, 2).max((3, 5))
// EXPECT: result0 = np.maximum(conv(h, arg3, 6, 2), 0).mean((2, 3)) @ arg4
// WITHIN: result0 = 2**-6, 1
module {
  func.func @main(%arg0: tensor<2x3x12x12xf16>, %arg1: tensor<16x3x3x3xf16>, %arg2: tensor<16xf16>, %arg3: tensor<24x16x3x3xf16>, %arg4: tensor<24x10xf16>) -> (tensor<2x10xf16>) {
    %cst = arith.constant 0.000000e+00 : f16
    %cst_0 = arith.constant 0xFC00 : f16
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant 9.000000e+00 : f16
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index):
      tensor.yield %cst : f16
    } : tensor<2x3x12x12xf16> to tensor<2x3x14x14xf16>
    %5 = tensor.empty() : tensor<2x16x12x12xf32>
    %6 = tensor.empty() : tensor<16xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%arg2 : tensor<16xf16>) outs(%6 : tensor<16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %33 = arith.extf %in : f16 to f32
      linalg.yield %33 : f32
    } -> tensor<16xf32>
    %broadcasted = linalg.broadcast ins(%7 : tensor<16xf32>) outs(%5 : tensor<2x16x12x12xf32>) dimensions = [0, 2, 3] 
    %8 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<2x3x14x14xf16>, tensor<16x3x3x3xf16>) outs(%broadcasted : tensor<2x16x12x12xf32>) -> tensor<2x16x12x12xf32>
    %9 = tensor.empty() : tensor<2x16x12x12xf16>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x16x12x12xf32>) outs(%9 : tensor<2x16x12x12xf16>) {
    ^bb0(%in: f32, %out: f16):
      %33 = arith.truncf %in : f32 to f16
      linalg.yield %33 : f16
    } -> tensor<2x16x12x12xf16>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x16x12x12xf16>) outs(%9 : tensor<2x16x12x12xf16>) {
    ^bb0(%in: f16, %out: f16):
      %33 = arith.cmpf ugt, %in, %cst : f16
      %34 = arith.select %33, %in, %cst : f16
      linalg.yield %34 : f16
    } -> tensor<2x16x12x12xf16>
    %12 = tensor.empty() : tensor<2x16x6x6xf16>
    %13 = linalg.fill ins(%cst_0 : f16) outs(%12 : tensor<2x16x6x6xf16>) -> tensor<2x16x6x6xf16>
    %14 = tensor.empty() : tensor<2x2xf16>
    %15 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%11, %14 : tensor<2x16x12x12xf16>, tensor<2x2xf16>) outs(%13 : tensor<2x16x6x6xf16>) -> tensor<2x16x6x6xf16>
    %padded_3 = tensor.pad %15 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index):
      tensor.yield %cst : f16
    } : tensor<2x16x6x6xf16> to tensor<2x16x8x8xf16>
    %16 = tensor.empty() : tensor<2x24x3x3xf32>
    %17 = linalg.fill ins(%cst_1 : f32) outs(%16 : tensor<2x24x3x3xf32>) -> tensor<2x24x3x3xf32>
    %18 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_3, %arg3 : tensor<2x16x8x8xf16>, tensor<24x16x3x3xf16>) outs(%17 : tensor<2x24x3x3xf32>) -> tensor<2x24x3x3xf32>
    %19 = tensor.empty() : tensor<2x24x3x3xf16>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x24x3x3xf32>) outs(%19 : tensor<2x24x3x3xf16>) {
    ^bb0(%in: f32, %out: f16):
      %33 = arith.truncf %in : f32 to f16
      linalg.yield %33 : f16
    } -> tensor<2x24x3x3xf16>
    %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x24x3x3xf16>) outs(%19 : tensor<2x24x3x3xf16>) {
    ^bb0(%in: f16, %out: f16):
      %33 = arith.cmpf ugt, %in, %cst : f16
      %34 = arith.select %33, %in, %cst : f16
      linalg.yield %34 : f16
    } -> tensor<2x24x3x3xf16>
    %22 = tensor.empty() : tensor<2x24xf16>
    %23 = linalg.fill ins(%cst : f16) outs(%22 : tensor<2x24xf16>) -> tensor<2x24xf16>
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%21 : tensor<2x24x3x3xf16>) outs(%23 : tensor<2x24xf16>) {
    ^bb0(%in: f16, %out: f16):
      %33 = arith.addf %in, %out : f16
      linalg.yield %33 : f16
    } -> tensor<2x24xf16>
    %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<2x24xf16>) outs(%22 : tensor<2x24xf16>) {
    ^bb0(%in: f16, %out: f16):
      %33 = arith.divf %in, %cst_2 : f16
      linalg.yield %33 : f16
    } -> tensor<2x24xf16>
    %26 = tensor.empty() : tensor<2x10xf32>
    %27 = linalg.fill ins(%cst_1 : f32) outs(%26 : tensor<2x10xf32>) -> tensor<2x10xf32>
    %28 = linalg.matmul ins(%25, %arg4 : tensor<2x24xf16>, tensor<24x10xf16>) outs(%27 : tensor<2x10xf32>) -> tensor<2x10xf32>
    %29 = tensor.empty() : tensor<2x10xf16>
    %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<2x10xf32>) outs(%29 : tensor<2x10xf16>) {
    ^bb0(%in: f32, %out: f16):
      %33 = arith.truncf %in : f32 to f16
      linalg.yield %33 : f16
    } -> tensor<2x10xf16>
    return %30 : tensor<2x10xf16>
  }
}
