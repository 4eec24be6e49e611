// Attention whose batches and tokens only the host knows, as ONNX says it: heads are
// joined with the batches for each product and parted after it. One kernel.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t/x 2>&1 | FileCheck %s
// CHECK-NOT: goes to kernel
// CHECK: goes to kernel @attention_attention_0: attention
// CHECK-NOT: goes to kernel

// CASE: attention(arg0=normal:3x2x20x32:f16, arg1=normal:3x2x20x32:f16, arg2=normal:3x2x20x32:f16)
// CASE: attention(arg0=normal:1x2x70x32:f16, arg1=normal:1x2x45x32:f16, arg2=normal:1x2x45x32:f16)
// EXPECT: s = np.einsum("bhqd,bhkd->bhqk", arg0.astype(np.float64), arg1) * 0.177
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = np.einsum("bhqk,bhkd->bhqd", p / p.sum(-1, keepdims=True), arg2)
// WITHIN: result0 = 2**-8, 1
func.func @attention(%arg0: tensor<?x2x?x32xf16>, %arg1: tensor<?x2x?x32xf16>, %arg2: tensor<?x2x?x32xf16>) -> (tensor<?x2x?x32xf16>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %cst = arith.constant 0.000000e+00 : f32
  %c0_i64 = arith.constant 0 : i64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant dense<1.770020e-01> : tensor<f16>
  %dim = tensor.dim %arg1, %c0 : tensor<?x2x?x32xf16>
  %dim_2 = tensor.dim %arg1, %c2 : tensor<?x2x?x32xf16>
  %9 = tensor.empty(%dim, %dim_2) : tensor<?x2x32x?xf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<?x2x?x32xf16>) outs(%9 : tensor<?x2x32x?xf16>) permutation = [0, 1, 3, 2]
  %dim_3 = tensor.dim %arg0, %c0 : tensor<?x2x?x32xf16>
  %10 = arith.maxui %dim_3, %dim : index
  %dim_4 = tensor.dim %arg0, %c2 : tensor<?x2x?x32xf16>
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<?x2x?x32xf16> into tensor<?x?x32xf16>
  %collapsed_5 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<?x2x32x?xf16> into tensor<?x32x?xf16>
  %11 = arith.muli %10, %c2 : index
  %12 = tensor.empty(%11, %dim_4, %dim_2) : tensor<?x?x?xf32>
  %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %14 = linalg.batch_matmul ins(%collapsed, %collapsed_5 : tensor<?x?x32xf16>, tensor<?x32x?xf16>) outs(%13 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %15 = tensor.empty(%11, %dim_4, %dim_2) : tensor<?x?x?xf16>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<?x?x?xf32>) outs(%15 : tensor<?x?x?xf16>) {
  ^bb0(%in: f32, %out: f16):
    %47 = arith.truncf %in : f32 to f16
    linalg.yield %47 : f16
  } -> tensor<?x?x?xf16>
  %17 = arith.divsi %11, %c2 : index
  %expanded = tensor.expand_shape %16 [[0, 1], [2], [3]] output_shape [%17, 2, %dim_4, %dim_2] : tensor<?x?x?xf16> into tensor<?x2x?x?xf16>
  %18 = tensor.empty(%17, %dim_4, %dim_2) : tensor<?x2x?x?xf16>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %cst_1 : tensor<?x2x?x?xf16>, tensor<f16>) outs(%18 : tensor<?x2x?x?xf16>) {
  ^bb0(%in: f16, %in_14: f16, %out: f16):
    %47 = arith.mulf %in, %in_14 : f16
    linalg.yield %47 : f16
  } -> tensor<?x2x?x?xf16>
  %20 = tensor.empty(%17, %dim_4, %dim_2) : tensor<?x2x?x?xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<?x2x?x?xf16>) outs(%20 : tensor<?x2x?x?xf32>) {
  ^bb0(%in: f16, %out: f32):
    %47 = arith.extf %in : f16 to f32
    linalg.yield %47 : f32
  } -> tensor<?x2x?x?xf32>
  %22 = tensor.empty(%17, %dim_4) : tensor<?x2x?xi64>
  %23 = linalg.fill ins(%c0_i64 : i64) outs(%22 : tensor<?x2x?xi64>) -> tensor<?x2x?xi64>
  %24 = tensor.empty(%17, %dim_4) : tensor<?x2x?xf32>
  %25 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
  %26:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<?x2x?x?xf32>) outs(%25, %23 : tensor<?x2x?xf32>, tensor<?x2x?xi64>) {
  ^bb0(%in: f32, %out: f32, %out_14: i64):
    %47 = linalg.index 3 : index
    %48 = arith.index_cast %47 : index to i64
    %49 = arith.maximumf %in, %out : f32
    %50 = arith.cmpf ogt, %in, %out : f32
    %51 = arith.select %50, %48, %out_14 : i64
    linalg.yield %49, %51 : f32, i64
  } -> (tensor<?x2x?xf32>, tensor<?x2x?xi64>)
  %expanded_6 = tensor.expand_shape %26#0 [[0], [1], [2, 3]] output_shape [%17, 2, %dim_4, 1] : tensor<?x2x?xf32> into tensor<?x2x?x1xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_6 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%20 : tensor<?x2x?x?xf32>) {
  ^bb0(%in: f32, %in_14: f32, %out: f32):
    %47 = arith.subf %in, %in_14 : f32
    linalg.yield %47 : f32
  } -> tensor<?x2x?x?xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<?x2x?x?xf32>) outs(%20 : tensor<?x2x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %47 = math.exp %in : f32
    linalg.yield %47 : f32
  } -> tensor<?x2x?x?xf32>
  %29 = tensor.empty(%17, %dim_4) : tensor<?x2x?x1xf32>
  %30 = linalg.fill ins(%cst : f32) outs(%29 : tensor<?x2x?x1xf32>) -> tensor<?x2x?x1xf32>
  %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28 : tensor<?x2x?x?xf32>) outs(%30 : tensor<?x2x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %47 = arith.addf %in, %out : f32
    linalg.yield %47 : f32
  } -> tensor<?x2x?x1xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %31 : tensor<?x2x?x?xf32>, tensor<?x2x?x1xf32>) outs(%20 : tensor<?x2x?x?xf32>) {
  ^bb0(%in: f32, %in_14: f32, %out: f32):
    %47 = arith.divf %in, %in_14 : f32
    linalg.yield %47 : f32
  } -> tensor<?x2x?x?xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<?x2x?x?xf32>) outs(%18 : tensor<?x2x?x?xf16>) {
  ^bb0(%in: f32, %out: f16):
    %47 = arith.truncf %in : f32 to f16
    linalg.yield %47 : f16
  } -> tensor<?x2x?x?xf16>
  %dim_7 = tensor.dim %arg2, %c0 : tensor<?x2x?x32xf16>
  %34 = arith.maxui %17, %dim_7 : index
  %dim_8 = tensor.dim %arg2, %c2 : tensor<?x2x?x32xf16>
  %35 = arith.index_cast %dim_2 : index to i64
  %36 = arith.index_cast %dim_8 : index to i64
  %37 = arith.cmpi eq, %35, %36 : i64
  cf.assert %37, "mismatching contracting dimension"
  %collapsed_9 = tensor.collapse_shape %33 [[0, 1], [2], [3]] : tensor<?x2x?x?xf16> into tensor<?x?x?xf16>
  %collapsed_10 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<?x2x?x32xf16> into tensor<?x?x32xf16>
  %38 = arith.muli %34, %c2 : index
  %39 = tensor.empty(%38, %dim_4) : tensor<?x?x32xf32>
  %40 = linalg.fill ins(%cst : f32) outs(%39 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %41 = linalg.batch_matmul ins(%collapsed_9, %collapsed_10 : tensor<?x?x?xf16>, tensor<?x?x32xf16>) outs(%40 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %42 = tensor.empty(%38, %dim_4) : tensor<?x?x32xf16>
  %43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<?x?x32xf32>) outs(%42 : tensor<?x?x32xf16>) {
  ^bb0(%in: f32, %out: f16):
    %47 = arith.truncf %in : f32 to f16
    linalg.yield %47 : f16
  } -> tensor<?x?x32xf16>
  %44 = arith.divsi %38, %c2 : index
  %expanded_11 = tensor.expand_shape %43 [[0, 1], [2], [3]] output_shape [%44, 2, %dim_4, 32] : tensor<?x?x32xf16> into tensor<?x2x?x32xf16>
  return %expanded_11 : tensor<?x2x?x32xf16>
}
