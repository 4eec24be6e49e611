// Elements that several kernels read: each computes them again where that reads no more, and nothing is computed again
// that a kernel before can do.
// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>/dev/null | FileCheck %s
// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#rows = affine_map<(d0, d1) -> (d0)>
#none = affine_map<() -> ()>
#all = affine_map<(d0, d1) -> ()>

// The broadcast is no kernel.
// CHECK-LABEL: func @halves
// CHECK-COUNT-2: call @halves_elements_
// CHECK-NOT: call
// CHECK: return
func.func @halves(%x: tensor<640x200xf32>, %c: tensor<640xf32>) -> (tensor<640x200xf32>, tensor<200x640xf32>) {
  %e = tensor.empty() : tensor<640x200xf32>
  %et = tensor.empty() : tensor<200x640xf32>
  %b = linalg.broadcast ins(%c : tensor<640xf32>) outs(%e : tensor<640x200xf32>) dimensions = [1]
  %m = linalg.mul ins(%x, %b : tensor<640x200xf32>, tensor<640x200xf32>) outs(%e : tensor<640x200xf32>) -> tensor<640x200xf32>
  %n = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<640x200xf32>) outs(%et : tensor<200x640xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<200x640xf32>
  return %m, %n : tensor<640x200xf32>, tensor<200x640xf32>
}

// A slow function of many elements is computed once.
// CHECK-LABEL: func @slow
// CHECK-COUNT-3: call @slow_elements_
// REMARK: [[@LINE+4]]:8: remark: [tile-graph/apart] is a kernel of its own, apart from what uses it: other kernels use its result as well
func.func @slow(%x: tensor<640x200xf32>) -> (tensor<640x200xf32>, tensor<200x640xf32>) {
  %e = tensor.empty() : tensor<640x200xf32>
  %et = tensor.empty() : tensor<200x640xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<640x200xf32>) outs(%e : tensor<640x200xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = math.cos %p : f32
    linalg.yield %s : f32
  } -> tensor<640x200xf32>
  %m = linalg.mul ins(%x, %b : tensor<640x200xf32>, tensor<640x200xf32>) outs(%e : tensor<640x200xf32>) -> tensor<640x200xf32>
  %n = linalg.transpose ins(%b : tensor<640x200xf32>) outs(%et : tensor<200x640xf32>) permutation = [1, 0]
  return %m, %n : tensor<640x200xf32>, tensor<200x640xf32>
}

// A sum that the product before makes stays there, for both that read it.
// CHECK-LABEL: func @residual
// CHECK: %[[S:.*]] = call @residual_product_0
// CHECK: call @residual_elements_1(%[[S]]
// CHECK: call @residual_elements_2(%[[S]]
func.func @residual(%x: tensor<640x64xbf16>, %w: tensor<64x200xbf16>, %y: tensor<640x200xf32>) -> (tensor<640x200xf32>, tensor<200x640xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<640x200xf32>
  %et = tensor.empty() : tensor<200x640xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<640x200xf32>) -> tensor<640x200xf32>
  %p = linalg.matmul ins(%x, %w : tensor<640x64xbf16>, tensor<64x200xbf16>) outs(%i : tensor<640x200xf32>) -> tensor<640x200xf32>
  %b = linalg.add ins(%p, %y : tensor<640x200xf32>, tensor<640x200xf32>) outs(%e : tensor<640x200xf32>) -> tensor<640x200xf32>
  %m = linalg.mul ins(%b, %b : tensor<640x200xf32>, tensor<640x200xf32>) outs(%e : tensor<640x200xf32>) -> tensor<640x200xf32>
  %n = linalg.transpose ins(%b : tensor<640x200xf32>) outs(%et : tensor<200x640xf32>) permutation = [1, 0]
  return %m, %n : tensor<640x200xf32>, tensor<200x640xf32>
}

// Parts are widened where they are read, and narrowed before they are joined.
// CHECK-LABEL: func @casts
// CHECK: tensor.extract_slice %{{.*}}[0, 0] {{.*}} : tensor<640x200xbf16> to tensor<640x100xbf16>
// CHECK: tensor.extract_slice %{{.*}}[0, 100] {{.*}} : tensor<640x200xbf16> to tensor<640x100xbf16>
// CHECK-COUNT-2: call @casts_elements_{{.*}}tensor<640x100xbf16>
// CHECK: tensor.insert_slice {{.*}} : tensor<640x100xbf16> into tensor<640x200xbf16>
// CHECK-NOT: call
// CHECK: return
func.func @casts(%x: tensor<640x200xbf16>) -> tensor<640x200xbf16> {
  %ew = tensor.empty() : tensor<640x200xf32>
  %e = tensor.empty() : tensor<640x100xf32>
  %eo = tensor.empty() : tensor<640x200xbf16>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<640x200xbf16>) outs(%ew : tensor<640x200xf32>) {
  ^bb0(%p: bf16, %q: f32):
    %s = arith.extf %p : bf16 to f32
    linalg.yield %s : f32
  } -> tensor<640x200xf32>
  %l = tensor.extract_slice %w[0, 0] [640, 100] [1, 1] : tensor<640x200xf32> to tensor<640x100xf32>
  %r = tensor.extract_slice %w[0, 100] [640, 100] [1, 1] : tensor<640x200xf32> to tensor<640x100xf32>
  %s = linalg.add ins(%l, %r : tensor<640x100xf32>, tensor<640x100xf32>) outs(%e : tensor<640x100xf32>) -> tensor<640x100xf32>
  %d = linalg.sub ins(%l, %r : tensor<640x100xf32>, tensor<640x100xf32>) outs(%e : tensor<640x100xf32>) -> tensor<640x100xf32>
  %j = tensor.insert_slice %s into %ew[0, 0] [640, 100] [1, 1] : tensor<640x100xf32> into tensor<640x200xf32>
  %k = tensor.insert_slice %d into %j[0, 100] [640, 100] [1, 1] : tensor<640x100xf32> into tensor<640x200xf32>
  %o = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<640x200xf32>) outs(%eo : tensor<640x200xbf16>) {
  ^bb0(%p: f32, %q: bf16):
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<640x200xbf16>
  return %o : tensor<640x200xbf16>
}

// What is computed of numbers alone is no kernel.
// CHECK-LABEL: func @numbers
// CHECK: %[[N:.*]] = arith.subf
// CHECK: call @numbers_elements_0(%{{.*}}, %[[N]])
// CHECK-NOT: call
// CHECK: return
func.func @numbers(%x: tensor<640x200xf32>) -> tensor<640x200xf32> {
  %c = arith.constant dense<640.0> : tensor<f32>
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<640x200xf32>
  %n = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%c : tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.subf %p, %one : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %n : tensor<640x200xf32>, tensor<f32>) outs(%e : tensor<640x200xf32>) {
  ^bb0(%p: f32, %m: f32, %q: f32):
    %s = arith.divf %p, %m : f32
    linalg.yield %s : f32
  } -> tensor<640x200xf32>
  return %r : tensor<640x200xf32>
}
