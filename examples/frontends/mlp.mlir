// Made by from_jax.py mlp.
//
// CASE: main(arg0=ints:40x64:bf16, arg1=ints:64x128:bf16, arg2=ints:128:bf16, arg3=ints:128x64:bf16)
// EXPECT: z = arg0.astype(np.float64) @ arg1 + arg2
// EXPECT: h = z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
// EXPECT: result0 = round_to(h, "bf16") @ arg3.astype(np.float64) + arg0
// WITHIN: result0 = 2**-4, 64
module @jit_mlp {
  func.func public @main(%arg0: tensor<40x64xbf16>, %arg1: tensor<64x128xbf16>, %arg2: tensor<128xbf16>, %arg3: tensor<128x64xbf16>) -> tensor<40x64xbf16> {
    %cst = arith.constant 5.000000e-01 : bf16
    %cst_0 = arith.constant 1.000000e+00 : bf16
    %cst_1 = arith.constant 7.968750e-01 : bf16
    %cst_2 = arith.constant 4.467770e-02 : bf16
    %cst_3 = arith.constant 0.000000e+00 : bf16
    %0 = tensor.empty() : tensor<40x128xbf16>
    %1 = linalg.fill ins(%cst_3 : bf16) outs(%0 : tensor<40x128xbf16>) -> tensor<40x128xbf16>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<40x64xbf16>, tensor<64x128xbf16>) outs(%1 : tensor<40x128xbf16>) -> tensor<40x128xbf16>
    %3 = tensor.empty() : tensor<40x128xbf16>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<128xbf16>) outs(%3 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<40x128xbf16>
    %5 = tensor.empty() : tensor<40x128xbf16>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<40x128xbf16>, tensor<40x128xbf16>) outs(%5 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %in_4: bf16, %out: bf16):
      %30 = arith.addf %in, %in_4 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %7 = tensor.empty() : tensor<40x128xbf16>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<40x128xbf16>) outs(%7 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %30 = arith.mulf %in, %in : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %9 = tensor.empty() : tensor<40x128xbf16>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8, %6 : tensor<40x128xbf16>, tensor<40x128xbf16>) outs(%9 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %in_4: bf16, %out: bf16):
      %30 = arith.mulf %in, %in_4 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %11 = tensor.empty() : tensor<40x128xbf16>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<40x128xbf16>) outs(%11 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %30 = arith.mulf %in, %cst_2 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %13 = tensor.empty() : tensor<40x128xbf16>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6, %12 : tensor<40x128xbf16>, tensor<40x128xbf16>) outs(%13 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %in_4: bf16, %out: bf16):
      %30 = arith.addf %in, %in_4 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %15 = tensor.empty() : tensor<40x128xbf16>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<40x128xbf16>) outs(%15 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %30 = arith.mulf %in, %cst_1 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %17 = tensor.empty() : tensor<40x128xbf16>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<40x128xbf16>) outs(%17 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %30 = math.tanh %in : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %19 = tensor.empty() : tensor<40x128xbf16>
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<40x128xbf16>) outs(%19 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %30 = arith.addf %in, %cst_0 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %21 = tensor.empty() : tensor<40x128xbf16>
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<40x128xbf16>) outs(%21 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %30 = arith.mulf %in, %cst : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %23 = tensor.empty() : tensor<40x128xbf16>
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6, %22 : tensor<40x128xbf16>, tensor<40x128xbf16>) outs(%23 : tensor<40x128xbf16>) {
    ^bb0(%in: bf16, %in_4: bf16, %out: bf16):
      %30 = arith.mulf %in, %in_4 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x128xbf16>
    %25 = tensor.empty() : tensor<40x64xbf16>
    %26 = linalg.fill ins(%cst_3 : bf16) outs(%25 : tensor<40x64xbf16>) -> tensor<40x64xbf16>
    %27 = linalg.matmul ins(%24, %arg3 : tensor<40x128xbf16>, tensor<128x64xbf16>) outs(%26 : tensor<40x64xbf16>) -> tensor<40x64xbf16>
    %28 = tensor.empty() : tensor<40x64xbf16>
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%27, %arg0 : tensor<40x64xbf16>, tensor<40x64xbf16>) outs(%28 : tensor<40x64xbf16>) {
    ^bb0(%in: bf16, %in_4: bf16, %out: bf16):
      %30 = arith.addf %in, %in_4 : bf16
      linalg.yield %30 : bf16
    } -> tensor<40x64xbf16>
    func.return %29 : tensor<40x64xbf16>
  }
}
