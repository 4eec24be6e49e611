// Made by from_jax.py attention_causal.
//
// CASE: main(arg0=normal:1x50x4x32:bf16, arg1=normal:1x50x4x32:bf16, arg2=normal:1x50x4x32:bf16)
// EXPECT: s = np.einsum("bqhd,bkhd->bhqk", arg0.astype(np.float64), arg1) / np.sqrt(32)
// EXPECT: s = np.where(np.tri(50, dtype=bool), s, -np.inf)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = np.einsum("bhqk,bkhd->bqhd", p / p.sum(-1, keepdims=True), arg2)
// WITHIN: result0 = 2**-6, 1
module @jit_attention_causal {
  func.func public @main(%arg0: tensor<1x50x4x32xbf16>, %arg1: tensor<1x50x4x32xbf16>, %arg2: tensor<1x50x4x32xbf16>) -> tensor<1x50x4x32xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 5.65685415 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x4x50x32xbf16>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x50x4x32xbf16>) outs(%0 : tensor<1x4x50x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x4x50x32xbf16>
    %2 = tensor.empty() : tensor<1x4x32x50xbf16>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x50x4x32xbf16>) outs(%2 : tensor<1x4x32x50xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x4x32x50xbf16>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<1x4x50x32xbf16> into tensor<4x50x32xbf16>
    %collapsed_3 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<1x4x32x50xbf16> into tensor<4x32x50xbf16>
    %4 = tensor.empty() : tensor<4x50x50xf32>
    %5 = linalg.fill ins(%cst_2 : f32) outs(%4 : tensor<4x50x50xf32>) -> tensor<4x50x50xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_3 : tensor<4x50x32xbf16>, tensor<4x32x50xbf16>) outs(%5 : tensor<4x50x50xf32>) -> tensor<4x50x50xf32>
    %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [1, 4, 50, 50] : tensor<4x50x50xf32> into tensor<1x4x50x50xf32>
    %7 = tensor.empty() : tensor<1x4x50x50xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x4x50x50xf32>) outs(%7 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.divf %in, %cst_1 : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50x50xf32>
    %9 = tensor.empty() : tensor<50xi32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%9 : tensor<50xi32>) {
    ^bb0(%out: i32):
      %48 = linalg.index 0 : index
      %49 = arith.index_cast %48 : index to i32
      linalg.yield %49 : i32
    } -> tensor<50xi32>
    %11 = tensor.empty() : tensor<50x50xi32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<50xi32>) outs(%11 : tensor<50x50xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<50x50xi32>
    %13 = tensor.empty() : tensor<50x50xi32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<50xi32>) outs(%13 : tensor<50x50xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<50x50xi32>
    %15 = tensor.empty() : tensor<50x50xi1>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%12, %14 : tensor<50x50xi32>, tensor<50x50xi32>) outs(%15 : tensor<50x50xi1>) {
    ^bb0(%in: i32, %in_7: i32, %out: i1):
      %48 = arith.cmpi sge, %in, %in_7 : i32
      linalg.yield %48 : i1
    } -> tensor<50x50xi1>
    %17 = tensor.empty() : tensor<1x4x50x50xi1>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<50x50xi1>) outs(%17 : tensor<1x4x50x50xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x4x50x50xi1>
    %19 = tensor.empty() : tensor<1x4x50x50xf32>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %8 : tensor<1x4x50x50xi1>, tensor<1x4x50x50xf32>) outs(%19 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: i1, %in_7: f32, %out: f32):
      %48 = arith.select %in, %in_7, %cst_0 : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50x50xf32>
    %21 = tensor.empty() : tensor<1x4x50xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<1x4x50xf32>) -> tensor<1x4x50xf32>
    %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<1x4x50x50xf32>) outs(%22 : tensor<1x4x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.maximumf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50xf32>
    %24 = tensor.empty() : tensor<1x4x50x50xf32>
    %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<1x4x50xf32>) outs(%24 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x50x50xf32>
    %26 = tensor.empty() : tensor<1x4x50x50xf32>
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %25 : tensor<1x4x50x50xf32>, tensor<1x4x50x50xf32>) outs(%26 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %48 = arith.subf %in, %in_7 : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50x50xf32>
    %28 = tensor.empty() : tensor<1x4x50x50xf32>
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<1x4x50x50xf32>) outs(%28 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = math.exp %in : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50x50xf32>
    %30 = tensor.empty() : tensor<1x4x50xf32>
    %31 = linalg.fill ins(%cst_2 : f32) outs(%30 : tensor<1x4x50xf32>) -> tensor<1x4x50xf32>
    %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%29 : tensor<1x4x50x50xf32>) outs(%31 : tensor<1x4x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50xf32>
    %33 = tensor.empty() : tensor<1x4x50x50xf32>
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<1x4x50xf32>) outs(%33 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x50x50xf32>
    %35 = tensor.empty() : tensor<1x4x50x50xf32>
    %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %34 : tensor<1x4x50x50xf32>, tensor<1x4x50x50xf32>) outs(%35 : tensor<1x4x50x50xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %48 = arith.divf %in, %in_7 : f32
      linalg.yield %48 : f32
    } -> tensor<1x4x50x50xf32>
    %37 = tensor.empty() : tensor<1x4x50x50xbf16>
    %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<1x4x50x50xf32>) outs(%37 : tensor<1x4x50x50xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %48 = arith.truncf %in : f32 to bf16
      linalg.yield %48 : bf16
    } -> tensor<1x4x50x50xbf16>
    %39 = tensor.empty() : tensor<1x4x32x50xbf16>
    %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<1x50x4x32xbf16>) outs(%39 : tensor<1x4x32x50xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x4x32x50xbf16>
    %41 = tensor.empty() : tensor<1x4x50x50xbf16>
    %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<1x4x50x50xbf16>) outs(%41 : tensor<1x4x50x50xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x4x50x50xbf16>
    %collapsed_4 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<1x4x32x50xbf16> into tensor<4x32x50xbf16>
    %collapsed_5 = tensor.collapse_shape %42 [[0, 1], [2], [3]] : tensor<1x4x50x50xbf16> into tensor<4x50x50xbf16>
    %43 = tensor.empty() : tensor<4x32x50xbf16>
    %44 = linalg.fill ins(%cst : bf16) outs(%43 : tensor<4x32x50xbf16>) -> tensor<4x32x50xbf16>
    %45 = linalg.batch_matmul ins(%collapsed_4, %collapsed_5 : tensor<4x32x50xbf16>, tensor<4x50x50xbf16>) outs(%44 : tensor<4x32x50xbf16>) -> tensor<4x32x50xbf16>
    %expanded_6 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [1, 4, 32, 50] : tensor<4x32x50xbf16> into tensor<1x4x32x50xbf16>
    %46 = tensor.empty() : tensor<1x50x4x32xbf16>
    %47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<1x4x32x50xbf16>) outs(%46 : tensor<1x50x4x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x50x4x32xbf16>
    func.return %47 : tensor<1x50x4x32xbf16>
  }
}