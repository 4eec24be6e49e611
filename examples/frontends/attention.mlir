// Made by from_jax.py attention.
//
// CASE: main(arg0=normal:2x40x4x32:bf16, arg1=normal:2x50x4x32:bf16, arg2=normal:2x50x4x32:bf16)
// EXPECT: s = np.einsum("bqhd,bkhd->bhqk", arg0.astype(np.float64), arg1) / np.sqrt(32)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = np.einsum("bhqk,bkhd->bqhd", p / p.sum(-1, keepdims=True), arg2)
// WITHIN: result0 = 2**-6, 1
module @jit_attention {
  func.func public @main(%arg0: tensor<2x40x4x32xbf16>, %arg1: tensor<2x50x4x32xbf16>, %arg2: tensor<2x50x4x32xbf16>) -> tensor<2x40x4x32xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 5.65685415 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x4x40x32xbf16>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x40x4x32xbf16>) outs(%0 : tensor<2x4x40x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x40x32xbf16>
    %2 = tensor.empty() : tensor<2x4x32x50xbf16>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x50x4x32xbf16>) outs(%2 : tensor<2x4x32x50xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x32x50xbf16>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<2x4x40x32xbf16> into tensor<8x40x32xbf16>
    %collapsed_3 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x4x32x50xbf16> into tensor<8x32x50xbf16>
    %4 = tensor.empty() : tensor<8x40x50xf32>
    %5 = linalg.fill ins(%cst_2 : f32) outs(%4 : tensor<8x40x50xf32>) -> tensor<8x40x50xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_3 : tensor<8x40x32xbf16>, tensor<8x32x50xbf16>) outs(%5 : tensor<8x40x50xf32>) -> tensor<8x40x50xf32>
    %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [2, 4, 40, 50] : tensor<8x40x50xf32> into tensor<2x4x40x50xf32>
    %7 = tensor.empty() : tensor<2x4x40x50xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x40x50xf32>) outs(%7 : tensor<2x4x40x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.divf %in, %cst_1 : f32
      linalg.yield %36 : f32
    } -> tensor<2x4x40x50xf32>
    %9 = tensor.empty() : tensor<2x4x40xf32>
    %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<2x4x40xf32>) -> tensor<2x4x40xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x4x40x50xf32>) outs(%10 : tensor<2x4x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.maximumf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<2x4x40xf32>
    %12 = tensor.empty() : tensor<2x4x40x50xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x4x40xf32>) outs(%12 : tensor<2x4x40x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x40x50xf32>
    %14 = tensor.empty() : tensor<2x4x40x50xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %13 : tensor<2x4x40x50xf32>, tensor<2x4x40x50xf32>) outs(%14 : tensor<2x4x40x50xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %36 = arith.subf %in, %in_7 : f32
      linalg.yield %36 : f32
    } -> tensor<2x4x40x50xf32>
    %16 = tensor.empty() : tensor<2x4x40x50xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x4x40x50xf32>) outs(%16 : tensor<2x4x40x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = math.exp %in : f32
      linalg.yield %36 : f32
    } -> tensor<2x4x40x50xf32>
    %18 = tensor.empty() : tensor<2x4x40xf32>
    %19 = linalg.fill ins(%cst_2 : f32) outs(%18 : tensor<2x4x40xf32>) -> tensor<2x4x40xf32>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17 : tensor<2x4x40x50xf32>) outs(%19 : tensor<2x4x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<2x4x40xf32>
    %21 = tensor.empty() : tensor<2x4x40x50xf32>
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x4x40xf32>) outs(%21 : tensor<2x4x40x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x40x50xf32>
    %23 = tensor.empty() : tensor<2x4x40x50xf32>
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %22 : tensor<2x4x40x50xf32>, tensor<2x4x40x50xf32>) outs(%23 : tensor<2x4x40x50xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %36 = arith.divf %in, %in_7 : f32
      linalg.yield %36 : f32
    } -> tensor<2x4x40x50xf32>
    %25 = tensor.empty() : tensor<2x4x40x50xbf16>
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x4x40x50xf32>) outs(%25 : tensor<2x4x40x50xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %36 = arith.truncf %in : f32 to bf16
      linalg.yield %36 : bf16
    } -> tensor<2x4x40x50xbf16>
    %27 = tensor.empty() : tensor<2x4x32x50xbf16>
    %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x50x4x32xbf16>) outs(%27 : tensor<2x4x32x50xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x32x50xbf16>
    %29 = tensor.empty() : tensor<2x4x50x40xbf16>
    %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x4x40x50xbf16>) outs(%29 : tensor<2x4x50x40xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x50x40xbf16>
    %collapsed_4 = tensor.collapse_shape %28 [[0, 1], [2], [3]] : tensor<2x4x32x50xbf16> into tensor<8x32x50xbf16>
    %collapsed_5 = tensor.collapse_shape %30 [[0, 1], [2], [3]] : tensor<2x4x50x40xbf16> into tensor<8x50x40xbf16>
    %31 = tensor.empty() : tensor<8x32x40xbf16>
    %32 = linalg.fill ins(%cst : bf16) outs(%31 : tensor<8x32x40xbf16>) -> tensor<8x32x40xbf16>
    %33 = linalg.batch_matmul ins(%collapsed_4, %collapsed_5 : tensor<8x32x50xbf16>, tensor<8x50x40xbf16>) outs(%32 : tensor<8x32x40xbf16>) -> tensor<8x32x40xbf16>
    %expanded_6 = tensor.expand_shape %33 [[0, 1], [2], [3]] output_shape [2, 4, 32, 40] : tensor<8x32x40xbf16> into tensor<2x4x32x40xbf16>
    %34 = tensor.empty() : tensor<2x40x4x32xbf16>
    %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x4x32x40xbf16>) outs(%34 : tensor<2x40x4x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x40x4x32xbf16>
    func.return %35 : tensor<2x40x4x32xbf16>
  }
}
