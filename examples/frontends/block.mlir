// Made by from_jax.py block.
//
// CASE: main(arg0=ints:2x48x64:bf16, arg1=ones:64:f32, arg2=ints:64x192:bf16, arg3=ints:64x64:bf16, arg4=ones:64:f32, arg5=ints:64x128:bf16, arg6=ints:128x64:bf16)
// EXPECT: r = lambda x: round_to(x, "bf16").astype(np.float64)
// EXPECT: norm = lambda x: r(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6))
// EXPECT: x = arg0.astype(np.float64)
// EXPECT: q, k, v = (t.reshape(2, 48, 4, 16) for t in np.split(r(norm(x) @ arg2), 3, -1))
// EXPECT: s = np.einsum("bqhd,bkhd->bhqk", q, k) / 4
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: o = r(np.einsum("bhqk,bkhd->bqhd", r(p / p.sum(-1, keepdims=True)), v)).reshape(2, 48, 64)
// EXPECT: x = r(x + r(o @ arg3))
// EXPECT: z = r(norm(x) @ arg5)
// EXPECT: h = r(z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))))
// EXPECT: result0 = x + h @ arg6
// WITHIN: result0 = 2**-4, 128
module @jit_block {
  func.func public @main(%arg0: tensor<2x48x64xbf16>, %arg1: tensor<64xf32>, %arg2: tensor<64x192xbf16>, %arg3: tensor<64x64xbf16>, %arg4: tensor<64xf32>, %arg5: tensor<64x128xbf16>, %arg6: tensor<128x64xbf16>) -> tensor<2x48x64xbf16> {
    %cst = arith.constant 5.000000e-01 : bf16
    %cst_0 = arith.constant 1.000000e+00 : bf16
    %cst_1 = arith.constant 7.968750e-01 : bf16
    %cst_2 = arith.constant 4.467770e-02 : bf16
    %cst_3 = arith.constant 0xFF800000 : f32
    %cst_4 = arith.constant 4.000000e+00 : f32
    %cst_5 = arith.constant 0.000000e+00 : bf16
    %cst_6 = arith.constant 9.99999997E-7 : f32
    %cst_7 = arith.constant 6.400000e+01 : f32
    %cst_8 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x48x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x48x64xbf16>) outs(%0 : tensor<2x48x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %116 = arith.extf %in : bf16 to f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %2 = tensor.empty() : tensor<2x48x64xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x48x64xf32>) outs(%2 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.mulf %in, %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %4 = tensor.empty() : tensor<2x48xf32>
    %5 = linalg.fill ins(%cst_8 : f32) outs(%4 : tensor<2x48xf32>) -> tensor<2x48xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<2x48x64xf32>) outs(%5 : tensor<2x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %out, %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x48xf32>
    %expanded = tensor.expand_shape %6 [[0], [1, 2]] output_shape [2, 48, 1] : tensor<2x48xf32> into tensor<2x48x1xf32>
    %7 = tensor.empty() : tensor<2x48x1xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x48x1xf32>) outs(%7 : tensor<2x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.divf %in, %cst_7 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x1xf32>
    %9 = tensor.empty() : tensor<2x48x1xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x48x1xf32>) outs(%9 : tensor<2x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %in, %cst_6 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x1xf32>
    %11 = tensor.empty() : tensor<2x48x1xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x48x1xf32>) outs(%11 : tensor<2x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.rsqrt %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x1xf32>
    %13 = tensor.empty() : tensor<2x48x64xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x48x1xf32>) outs(%13 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x64xf32>
    %15 = tensor.empty() : tensor<2x48x64xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %14 : tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%15 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %116 = arith.mulf %in, %in_28 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %17 = tensor.empty() : tensor<2x48x64xf32>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<64xf32>) outs(%17 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x64xf32>
    %19 = tensor.empty() : tensor<2x48x64xf32>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %18 : tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%19 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %116 = arith.mulf %in, %in_28 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %21 = tensor.empty() : tensor<2x48x64xbf16>
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x48x64xf32>) outs(%21 : tensor<2x48x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x64xbf16>
    %collapsed = tensor.collapse_shape %22 [[0, 1], [2]] : tensor<2x48x64xbf16> into tensor<96x64xbf16>
    %23 = tensor.empty() : tensor<96x192xbf16>
    %24 = linalg.fill ins(%cst_5 : bf16) outs(%23 : tensor<96x192xbf16>) -> tensor<96x192xbf16>
    %25 = linalg.matmul ins(%collapsed, %arg2 : tensor<96x64xbf16>, tensor<64x192xbf16>) outs(%24 : tensor<96x192xbf16>) -> tensor<96x192xbf16>
    %expanded_9 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [2, 48, 192] : tensor<96x192xbf16> into tensor<2x48x192xbf16>
    %extracted_slice = tensor.extract_slice %expanded_9[0, 0, 0] [2, 48, 64] [1, 1, 1] : tensor<2x48x192xbf16> to tensor<2x48x64xbf16>
    %extracted_slice_10 = tensor.extract_slice %expanded_9[0, 0, 64] [2, 48, 64] [1, 1, 1] : tensor<2x48x192xbf16> to tensor<2x48x64xbf16>
    %extracted_slice_11 = tensor.extract_slice %expanded_9[0, 0, 128] [2, 48, 64] [1, 1, 1] : tensor<2x48x192xbf16> to tensor<2x48x64xbf16>
    %expanded_12 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 48, 4, 16] : tensor<2x48x64xbf16> into tensor<2x48x4x16xbf16>
    %expanded_13 = tensor.expand_shape %extracted_slice_10 [[0], [1], [2, 3]] output_shape [2, 48, 4, 16] : tensor<2x48x64xbf16> into tensor<2x48x4x16xbf16>
    %expanded_14 = tensor.expand_shape %extracted_slice_11 [[0], [1], [2, 3]] output_shape [2, 48, 4, 16] : tensor<2x48x64xbf16> into tensor<2x48x4x16xbf16>
    %26 = tensor.empty() : tensor<2x4x48x16xbf16>
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12 : tensor<2x48x4x16xbf16>) outs(%26 : tensor<2x4x48x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x48x16xbf16>
    %28 = tensor.empty() : tensor<2x4x16x48xbf16>
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<2x48x4x16xbf16>) outs(%28 : tensor<2x4x16x48xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x16x48xbf16>
    %collapsed_15 = tensor.collapse_shape %27 [[0, 1], [2], [3]] : tensor<2x4x48x16xbf16> into tensor<8x48x16xbf16>
    %collapsed_16 = tensor.collapse_shape %29 [[0, 1], [2], [3]] : tensor<2x4x16x48xbf16> into tensor<8x16x48xbf16>
    %30 = tensor.empty() : tensor<8x48x48xf32>
    %31 = linalg.fill ins(%cst_8 : f32) outs(%30 : tensor<8x48x48xf32>) -> tensor<8x48x48xf32>
    %32 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<8x48x16xbf16>, tensor<8x16x48xbf16>) outs(%31 : tensor<8x48x48xf32>) -> tensor<8x48x48xf32>
    %expanded_17 = tensor.expand_shape %32 [[0, 1], [2], [3]] output_shape [2, 4, 48, 48] : tensor<8x48x48xf32> into tensor<2x4x48x48xf32>
    %33 = tensor.empty() : tensor<2x4x48x48xf32>
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<2x4x48x48xf32>) outs(%33 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.divf %in, %cst_4 : f32
      linalg.yield %116 : f32
    } -> tensor<2x4x48x48xf32>
    %35 = tensor.empty() : tensor<2x4x48xf32>
    %36 = linalg.fill ins(%cst_3 : f32) outs(%35 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%34 : tensor<2x4x48x48xf32>) outs(%36 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.maximumf %out, %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x4x48xf32>
    %38 = tensor.empty() : tensor<2x4x48x48xf32>
    %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x4x48xf32>) outs(%38 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %40 = tensor.empty() : tensor<2x4x48x48xf32>
    %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %39 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%40 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %116 = arith.subf %in, %in_28 : f32
      linalg.yield %116 : f32
    } -> tensor<2x4x48x48xf32>
    %42 = tensor.empty() : tensor<2x4x48x48xf32>
    %43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x4x48x48xf32>) outs(%42 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.exp %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x4x48x48xf32>
    %44 = tensor.empty() : tensor<2x4x48xf32>
    %45 = linalg.fill ins(%cst_8 : f32) outs(%44 : tensor<2x4x48xf32>) -> tensor<2x4x48xf32>
    %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%43 : tensor<2x4x48x48xf32>) outs(%45 : tensor<2x4x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %out, %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x4x48xf32>
    %47 = tensor.empty() : tensor<2x4x48x48xf32>
    %48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x4x48xf32>) outs(%47 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x48x48xf32>
    %49 = tensor.empty() : tensor<2x4x48x48xf32>
    %50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %48 : tensor<2x4x48x48xf32>, tensor<2x4x48x48xf32>) outs(%49 : tensor<2x4x48x48xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %116 = arith.divf %in, %in_28 : f32
      linalg.yield %116 : f32
    } -> tensor<2x4x48x48xf32>
    %51 = tensor.empty() : tensor<2x4x48x48xbf16>
    %52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<2x4x48x48xf32>) outs(%51 : tensor<2x4x48x48xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<2x4x48x48xbf16>
    %53 = tensor.empty() : tensor<2x4x16x48xbf16>
    %54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x48x4x16xbf16>) outs(%53 : tensor<2x4x16x48xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x16x48xbf16>
    %55 = tensor.empty() : tensor<2x4x48x48xbf16>
    %56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<2x4x48x48xbf16>) outs(%55 : tensor<2x4x48x48xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x4x48x48xbf16>
    %collapsed_18 = tensor.collapse_shape %54 [[0, 1], [2], [3]] : tensor<2x4x16x48xbf16> into tensor<8x16x48xbf16>
    %collapsed_19 = tensor.collapse_shape %56 [[0, 1], [2], [3]] : tensor<2x4x48x48xbf16> into tensor<8x48x48xbf16>
    %57 = tensor.empty() : tensor<8x16x48xbf16>
    %58 = linalg.fill ins(%cst_5 : bf16) outs(%57 : tensor<8x16x48xbf16>) -> tensor<8x16x48xbf16>
    %59 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<8x16x48xbf16>, tensor<8x48x48xbf16>) outs(%58 : tensor<8x16x48xbf16>) -> tensor<8x16x48xbf16>
    %expanded_20 = tensor.expand_shape %59 [[0, 1], [2], [3]] output_shape [2, 4, 16, 48] : tensor<8x16x48xbf16> into tensor<2x4x16x48xbf16>
    %60 = tensor.empty() : tensor<2x48x4x16xbf16>
    %61 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20 : tensor<2x4x16x48xbf16>) outs(%60 : tensor<2x48x4x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x48x4x16xbf16>
    %collapsed_21 = tensor.collapse_shape %61 [[0, 1], [2, 3]] : tensor<2x48x4x16xbf16> into tensor<96x64xbf16>
    %62 = tensor.empty() : tensor<96x64xbf16>
    %63 = linalg.fill ins(%cst_5 : bf16) outs(%62 : tensor<96x64xbf16>) -> tensor<96x64xbf16>
    %64 = linalg.matmul ins(%collapsed_21, %arg3 : tensor<96x64xbf16>, tensor<64x64xbf16>) outs(%63 : tensor<96x64xbf16>) -> tensor<96x64xbf16>
    %expanded_22 = tensor.expand_shape %64 [[0, 1], [2]] output_shape [2, 48, 64] : tensor<96x64xbf16> into tensor<2x48x64xbf16>
    %65 = tensor.empty() : tensor<2x48x64xbf16>
    %66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_22 : tensor<2x48x64xbf16>, tensor<2x48x64xbf16>) outs(%65 : tensor<2x48x64xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %116 = arith.addf %in, %in_28 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x64xbf16>
    %67 = tensor.empty() : tensor<2x48x64xf32>
    %68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x48x64xbf16>) outs(%67 : tensor<2x48x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %116 = arith.extf %in : bf16 to f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %69 = tensor.empty() : tensor<2x48x64xf32>
    %70 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<2x48x64xf32>) outs(%69 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.mulf %in, %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %71 = tensor.empty() : tensor<2x48xf32>
    %72 = linalg.fill ins(%cst_8 : f32) outs(%71 : tensor<2x48xf32>) -> tensor<2x48xf32>
    %73 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%70 : tensor<2x48x64xf32>) outs(%72 : tensor<2x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %out, %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x48xf32>
    %expanded_23 = tensor.expand_shape %73 [[0], [1, 2]] output_shape [2, 48, 1] : tensor<2x48xf32> into tensor<2x48x1xf32>
    %74 = tensor.empty() : tensor<2x48x1xf32>
    %75 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_23 : tensor<2x48x1xf32>) outs(%74 : tensor<2x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.divf %in, %cst_7 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x1xf32>
    %76 = tensor.empty() : tensor<2x48x1xf32>
    %77 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<2x48x1xf32>) outs(%76 : tensor<2x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = arith.addf %in, %cst_6 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x1xf32>
    %78 = tensor.empty() : tensor<2x48x1xf32>
    %79 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<2x48x1xf32>) outs(%78 : tensor<2x48x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %116 = math.rsqrt %in : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x1xf32>
    %80 = tensor.empty() : tensor<2x48x64xf32>
    %81 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79 : tensor<2x48x1xf32>) outs(%80 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x64xf32>
    %82 = tensor.empty() : tensor<2x48x64xf32>
    %83 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %81 : tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%82 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %116 = arith.mulf %in, %in_28 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %84 = tensor.empty() : tensor<2x48x64xf32>
    %85 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<64xf32>) outs(%84 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x48x64xf32>
    %86 = tensor.empty() : tensor<2x48x64xf32>
    %87 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %85 : tensor<2x48x64xf32>, tensor<2x48x64xf32>) outs(%86 : tensor<2x48x64xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %116 = arith.mulf %in, %in_28 : f32
      linalg.yield %116 : f32
    } -> tensor<2x48x64xf32>
    %88 = tensor.empty() : tensor<2x48x64xbf16>
    %89 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<2x48x64xf32>) outs(%88 : tensor<2x48x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %116 = arith.truncf %in : f32 to bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x64xbf16>
    %collapsed_24 = tensor.collapse_shape %89 [[0, 1], [2]] : tensor<2x48x64xbf16> into tensor<96x64xbf16>
    %90 = tensor.empty() : tensor<96x128xbf16>
    %91 = linalg.fill ins(%cst_5 : bf16) outs(%90 : tensor<96x128xbf16>) -> tensor<96x128xbf16>
    %92 = linalg.matmul ins(%collapsed_24, %arg5 : tensor<96x64xbf16>, tensor<64x128xbf16>) outs(%91 : tensor<96x128xbf16>) -> tensor<96x128xbf16>
    %expanded_25 = tensor.expand_shape %92 [[0, 1], [2]] output_shape [2, 48, 128] : tensor<96x128xbf16> into tensor<2x48x128xbf16>
    %93 = tensor.empty() : tensor<2x48x128xbf16>
    %94 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<2x48x128xbf16>) outs(%93 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.mulf %in, %in : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %95 = tensor.empty() : tensor<2x48x128xbf16>
    %96 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %expanded_25 : tensor<2x48x128xbf16>, tensor<2x48x128xbf16>) outs(%95 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_28 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %97 = tensor.empty() : tensor<2x48x128xbf16>
    %98 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<2x48x128xbf16>) outs(%97 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.mulf %in, %cst_2 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %99 = tensor.empty() : tensor<2x48x128xbf16>
    %100 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25, %98 : tensor<2x48x128xbf16>, tensor<2x48x128xbf16>) outs(%99 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %116 = arith.addf %in, %in_28 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %101 = tensor.empty() : tensor<2x48x128xbf16>
    %102 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<2x48x128xbf16>) outs(%101 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.mulf %in, %cst_1 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %103 = tensor.empty() : tensor<2x48x128xbf16>
    %104 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<2x48x128xbf16>) outs(%103 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = math.tanh %in : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %105 = tensor.empty() : tensor<2x48x128xbf16>
    %106 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<2x48x128xbf16>) outs(%105 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.addf %in, %cst_0 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %107 = tensor.empty() : tensor<2x48x128xbf16>
    %108 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106 : tensor<2x48x128xbf16>) outs(%107 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %116 = arith.mulf %in, %cst : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %109 = tensor.empty() : tensor<2x48x128xbf16>
    %110 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25, %108 : tensor<2x48x128xbf16>, tensor<2x48x128xbf16>) outs(%109 : tensor<2x48x128xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %116 = arith.mulf %in, %in_28 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x128xbf16>
    %collapsed_26 = tensor.collapse_shape %110 [[0, 1], [2]] : tensor<2x48x128xbf16> into tensor<96x128xbf16>
    %111 = tensor.empty() : tensor<96x64xbf16>
    %112 = linalg.fill ins(%cst_5 : bf16) outs(%111 : tensor<96x64xbf16>) -> tensor<96x64xbf16>
    %113 = linalg.matmul ins(%collapsed_26, %arg6 : tensor<96x128xbf16>, tensor<128x64xbf16>) outs(%112 : tensor<96x64xbf16>) -> tensor<96x64xbf16>
    %expanded_27 = tensor.expand_shape %113 [[0, 1], [2]] output_shape [2, 48, 64] : tensor<96x64xbf16> into tensor<2x48x64xbf16>
    %114 = tensor.empty() : tensor<2x48x64xbf16>
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %expanded_27 : tensor<2x48x64xbf16>, tensor<2x48x64xbf16>) outs(%114 : tensor<2x48x64xbf16>) {
    ^bb0(%in: bf16, %in_28: bf16, %out: bf16):
      %116 = arith.addf %in, %in_28 : bf16
      linalg.yield %116 : bf16
    } -> tensor<2x48x64xbf16>
    func.return %115 : tensor<2x48x64xbf16>
  }
}
