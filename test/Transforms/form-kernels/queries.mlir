// Queries are the longest dimension that keys have not, in the order of the logits, whatever the order of the product.
// RUN: %tile_opt_passes 'tile-apply-schedules{prepare=true},canonicalize,tile-form-kernels{target=sm_90a}' %s 2>&1 >/dev/null | FileCheck %s

#in = affine_map<(g, q, r, k) -> (g, q, r, k)>
#id = affine_map<(g, r, q, k) -> (g, r, q, k)>
#moved = affine_map<(g, r, q, k) -> (g, q, r, k)>

// CHECK: remark: [tile-graph/kernel] goes to kernel @shared_attention_0: attention, blocks of 128 queries and 128 keys
func.func @shared(%q: tensor<2x200x4x64xbf16>, %k: tensor<2x256x64xbf16>, %v: tensor<2x256x64xbf16>) -> tensor<2x4x200x64xf32> {
  %z = arith.constant 0.0 : f32
  %c = arith.constant 0.125 : f32
  %ei = tensor.empty() : tensor<2x200x4x256xf32>
  %e = tensor.empty() : tensor<2x4x200x256xf32>
  %ew = tensor.empty() : tensor<2x4x200x256xbf16>
  %eo = tensor.empty() : tensor<2x4x200x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%ei : tensor<2x200x4x256xf32>) -> tensor<2x200x4x256xf32>
  %s = linalg.contract indexing_maps = [affine_map<(g, q, r, k, d) -> (g, q, r, d)>, affine_map<(g, q, r, k, d) -> (g, k, d)>, affine_map<(g, q, r, k, d) -> (g, q, r, k)>] ins(%q, %k : tensor<2x200x4x64xbf16>, tensor<2x256x64xbf16>) outs(%f : tensor<2x200x4x256xf32>) -> tensor<2x200x4x256xf32>
  %m = linalg.generic {indexing_maps = [#in, #in], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x200x4x256xf32>) outs(%ei : tensor<2x200x4x256xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.mulf %x, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x200x4x256xf32>
  %l = linalg.generic {indexing_maps = [#moved, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%m : tensor<2x200x4x256xf32>) outs(%e : tensor<2x4x200x256xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x4x200x256xf32>
  %p = linalg.softmax dimension(3) ins(%l : tensor<2x4x200x256xf32>) outs(%e : tensor<2x4x200x256xf32>) -> tensor<2x4x200x256xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<2x4x200x256xf32>) outs(%ew : tensor<2x4x200x256xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x200x256xbf16>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %r = linalg.contract indexing_maps = [affine_map<(g, r, q, e, k) -> (g, r, q, k)>, affine_map<(g, r, q, e, k) -> (g, k, e)>, affine_map<(g, r, q, e, k) -> (g, r, q, e)>] ins(%w, %v : tensor<2x4x200x256xbf16>, tensor<2x256x64xbf16>) outs(%g : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  return %r : tensor<2x4x200x64xf32>
}
