// Elements of a product stay with it, where another product would take
// them along: nothing wider is written, and nothing is computed before that one.
// RUN: tile-opt %s --tile-form-kernels=target=sm_90a | FileCheck %s
// RUN: %tile_opt_passes 'tile-form-kernels{target=sm_90a},tile-apply-schedules' %s | FileCheck %s --check-prefix=SUNK

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @gated
// CHECK: call @{{.*}} -> tensor<256x128xbf16>
// CHECK: call @{{.*}} -> tensor<256x128xbf16>
func.func @gated(%x: tensor<256x64xbf16>, %g: tensor<64x128xbf16>, %u: tensor<64x128xbf16>) -> tensor<256x128xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %h = tensor.empty() : tensor<256x128xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %a = linalg.matmul ins(%x, %g : tensor<256x64xbf16>, tensor<64x128xbf16>) outs(%i : tensor<256x128xf32>) -> tensor<256x128xf32>
  %b = linalg.matmul ins(%x, %u : tensor<256x64xbf16>, tensor<64x128xbf16>) outs(%i : tensor<256x128xf32>) -> tensor<256x128xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x128xf32>) outs(%h : tensor<256x128xbf16>) {
  ^bb0(%v: f32, %o: bf16):
    %t = math.tanh %v : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<256x128xbf16>
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<256x128xbf16>, tensor<256x128xf32>) outs(%h : tensor<256x128xbf16>) {
  ^bb0(%v: bf16, %w: f32, %o: bf16):
    %f = arith.extf %v : bf16 to f32
    %t = arith.mulf %f, %w : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<256x128xbf16>
  return %m : tensor<256x128xbf16>
}

// Elements of an argument are computed after the product.
// SUNK-LABEL: func.func private @scaled_product_0
// SUNK: scf.for
// SUNK: math.tanh
func.func @scaled(%x: tensor<256x64xbf16>, %u: tensor<64x128xbf16>, %y: tensor<256x128xbf16>) -> tensor<256x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %b = linalg.matmul ins(%x, %u : tensor<256x64xbf16>, tensor<64x128xbf16>) outs(%i : tensor<256x128xf32>) -> tensor<256x128xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<256x128xbf16>) outs(%e : tensor<256x128xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %f = arith.extf %v : bf16 to f32
    %t = math.tanh %f : f32
    linalg.yield %t : f32
  } -> tensor<256x128xf32>
  %m = linalg.mul ins(%s, %b : tensor<256x128xf32>, tensor<256x128xf32>) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %m : tensor<256x128xf32>
}
