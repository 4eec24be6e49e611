// Made by from_jax.py attention_gqa.
//
// CASE: main(arg0=normal:2x40x6x32:bf16, arg1=normal:2x40x2x32:bf16, arg2=normal:2x40x2x32:bf16)
// EXPECT: k, v = (np.repeat(t.astype(np.float64), 3, axis=2) for t in (arg1, arg2))
// EXPECT: s = np.where(np.tri(40, dtype=bool), np.einsum("bqhd,bkhd->bhqk", arg0.astype(np.float64), k) / np.sqrt(32), -np.inf)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = np.einsum("bhqk,bkhd->bqhd", p / p.sum(-1, keepdims=True), v)
// WITHIN: result0 = 2**-6, 1
module @jit_attention_gqa {
  func.func public @main(%arg0: tensor<2x40x6x32xbf16>, %arg1: tensor<2x40x2x32xbf16>, %arg2: tensor<2x40x2x32xbf16>) -> tensor<2x40x6x32xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant -2.38197633E+38 : f32
    %cst_2 = arith.constant 0.176776692 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3], [4]] output_shape [2, 40, 2, 3, 32] : tensor<2x40x6x32xbf16> into tensor<2x40x2x3x32xbf16>
    %0 = tensor.empty() : tensor<2x2x40x3x32xbf16>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x40x2x3x32xbf16>) outs(%0 : tensor<2x2x40x3x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x40x3x32xbf16>
    %2 = tensor.empty() : tensor<2x2x32x40xbf16>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x40x2x32xbf16>) outs(%2 : tensor<2x2x32x40xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x32x40xbf16>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2, 3], [4]] : tensor<2x2x40x3x32xbf16> into tensor<4x120x32xbf16>
    %collapsed_4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x2x32x40xbf16> into tensor<4x32x40xbf16>
    %4 = tensor.empty() : tensor<4x120x40xf32>
    %5 = linalg.fill ins(%cst_3 : f32) outs(%4 : tensor<4x120x40xf32>) -> tensor<4x120x40xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<4x120x32xbf16>, tensor<4x32x40xbf16>) outs(%5 : tensor<4x120x40xf32>) -> tensor<4x120x40xf32>
    %expanded_5 = tensor.expand_shape %6 [[0, 1], [2, 3], [4]] output_shape [2, 2, 40, 3, 40] : tensor<4x120x40xf32> into tensor<2x2x40x3x40xf32>
    %7 = tensor.empty() : tensor<2x2x40x3x40xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<2x2x40x3x40xf32>) outs(%7 : tensor<2x2x40x3x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.mulf %in, %cst_2 : f32
      linalg.yield %52 : f32
    } -> tensor<2x2x40x3x40xf32>
    %9 = tensor.empty() : tensor<40x40xi32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<40x40xi32>) {
    ^bb0(%out: i32):
      %52 = linalg.index 0 : index
      %53 = arith.index_cast %52 : index to i32
      linalg.yield %53 : i32
    } -> tensor<40x40xi32>
    %11 = tensor.empty() : tensor<40x40xi32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%11 : tensor<40x40xi32>) {
    ^bb0(%out: i32):
      %52 = linalg.index 1 : index
      %53 = arith.index_cast %52 : index to i32
      linalg.yield %53 : i32
    } -> tensor<40x40xi32>
    %13 = tensor.empty() : tensor<40x40xi1>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<40x40xi32>, tensor<40x40xi32>) outs(%13 : tensor<40x40xi1>) {
    ^bb0(%in: i32, %in_10: i32, %out: i1):
      %52 = arith.cmpi sge, %in, %in_10 : i32
      linalg.yield %52 : i1
    } -> tensor<40x40xi1>
    %15 = tensor.empty() : tensor<2x2x40x40xi1>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<40x40xi1>) outs(%15 : tensor<2x2x40x40xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x40x40xi1>
    %17 = tensor.empty() : tensor<3x2x2x40x40xi1>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x2x40x40xi1>) outs(%17 : tensor<3x2x2x40x40xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<3x2x2x40x40xi1>
    %19 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x2x40x3x40xf32>) outs(%19 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x2x40x40xf32>
    %21 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18, %20 : tensor<3x2x2x40x40xi1>, tensor<3x2x2x40x40xf32>) outs(%21 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: i1, %in_10: f32, %out: f32):
      %52 = arith.select %in, %in_10, %cst_1 : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x2x40x40xf32>
    %23 = tensor.empty() : tensor<3x2x2x40xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<3x2x2x40xf32>) -> tensor<3x2x2x40xf32>
    %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<3x2x2x40x40xf32>) outs(%24 : tensor<3x2x2x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.maximumf %out, %in : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x2x40xf32>
    %26 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<3x2x2x40xf32>) outs(%26 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x2x40x40xf32>
    %28 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%22, %27 : tensor<3x2x2x40x40xf32>, tensor<3x2x2x40x40xf32>) outs(%28 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %52 = arith.subf %in, %in_10 : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x2x40x40xf32>
    %30 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<3x2x2x40x40xf32>) outs(%30 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.exp %in : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x2x40x40xf32>
    %32 = tensor.empty() : tensor<3x2x2x40xf32>
    %33 = linalg.fill ins(%cst_3 : f32) outs(%32 : tensor<3x2x2x40xf32>) -> tensor<3x2x2x40xf32>
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%31 : tensor<3x2x2x40x40xf32>) outs(%33 : tensor<3x2x2x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %out, %in : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x2x40xf32>
    %35 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<3x2x2x40xf32>) outs(%35 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x2x2x40x40xf32>
    %37 = tensor.empty() : tensor<3x2x2x40x40xf32>
    %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%31, %36 : tensor<3x2x2x40x40xf32>, tensor<3x2x2x40x40xf32>) outs(%37 : tensor<3x2x2x40x40xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %52 = arith.divf %in, %in_10 : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x2x40x40xf32>
    %39 = tensor.empty() : tensor<3x2x2x40x40xbf16>
    %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<3x2x2x40x40xf32>) outs(%39 : tensor<3x2x2x40x40xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %52 = arith.truncf %in : f32 to bf16
      linalg.yield %52 : bf16
    } -> tensor<3x2x2x40x40xbf16>
    %41 = tensor.empty() : tensor<2x2x32x40xbf16>
    %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x40x2x32xbf16>) outs(%41 : tensor<2x2x32x40xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x32x40xbf16>
    %43 = tensor.empty() : tensor<2x2x40x3x40xbf16>
    %44 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<3x2x2x40x40xbf16>) outs(%43 : tensor<2x2x40x3x40xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x40x3x40xbf16>
    %collapsed_6 = tensor.collapse_shape %42 [[0, 1], [2], [3]] : tensor<2x2x32x40xbf16> into tensor<4x32x40xbf16>
    %collapsed_7 = tensor.collapse_shape %44 [[0, 1], [2], [3, 4]] : tensor<2x2x40x3x40xbf16> into tensor<4x40x120xbf16>
    %45 = tensor.empty() : tensor<4x32x120xbf16>
    %46 = linalg.fill ins(%cst : bf16) outs(%45 : tensor<4x32x120xbf16>) -> tensor<4x32x120xbf16>
    %47 = linalg.batch_matmul ins(%collapsed_6, %collapsed_7 : tensor<4x32x40xbf16>, tensor<4x40x120xbf16>) outs(%46 : tensor<4x32x120xbf16>) -> tensor<4x32x120xbf16>
    %expanded_8 = tensor.expand_shape %47 [[0, 1], [2], [3, 4]] output_shape [2, 2, 32, 3, 40] : tensor<4x32x120xbf16> into tensor<2x2x32x3x40xbf16>
    %48 = tensor.empty() : tensor<3x2x40x2x32xbf16>
    %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4, d0, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<2x2x32x3x40xbf16>) outs(%48 : tensor<3x2x40x2x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<3x2x40x2x32xbf16>
    %50 = tensor.empty() : tensor<2x40x2x3x32xbf16>
    %51 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<3x2x40x2x32xbf16>) outs(%50 : tensor<2x40x2x3x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x40x2x3x32xbf16>
    %collapsed_9 = tensor.collapse_shape %51 [[0], [1], [2, 3], [4]] : tensor<2x40x2x3x32xbf16> into tensor<2x40x6x32xbf16>
    func.return %collapsed_9 : tensor<2x40x6x32xbf16>
  }
}