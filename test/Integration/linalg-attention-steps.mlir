// Attention whose keys take several steps and whose queries take several blocks: the
// greatest logit, the sum and the result are carried from step to step.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id = affine_map<(h, q, k) -> (h, q, k)>
#par = ["parallel", "parallel", "parallel"]

// Whole steps: every extent is a multiple of what a step takes.
// CASE: whole(q=normal:1x256x16:bf16, k=normal:1x256x16:bf16, v=normal:1x256x16:bf16)
// EXPECT: s = np.einsum("hqd,hkd->hqk", q.astype(np.float64), k)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = (p / p.sum(-1, keepdims=True)) @ v
// WITHIN: result0 = 2**-6, 1
func.func @whole(%q: tensor<1x256x16xbf16>, %k: tensor<1x256x16xbf16>, %v: tensor<1x256x16xbf16>) -> tensor<1x256x16xf32> {
  %z = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<1x256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>] ins(%q, %k : tensor<1x256x16xbf16>, tensor<1x256x16xbf16>) outs(%f : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<1x256x256xf32>) outs(%es : tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %ew = tensor.empty() : tensor<1x256x256xbf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%w : tensor<1x256x256xf32>) outs(%ew : tensor<1x256x256xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<1x256x256xbf16>
  %eo = tensor.empty() : tensor<1x256x16xf32>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<1x256x16xf32>) -> tensor<1x256x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<1x256x256xbf16>, tensor<1x256x16xbf16>) outs(%g : tensor<1x256x16xf32>) -> tensor<1x256x16xf32>
  return %r : tensor<1x256x16xf32>
}

// Few queries and keys that no step divides; the lengths are numbers of the host.
// CASE: any(q=normal:1x40x16:f16, k=normal:1x150x16:f16, v=normal:1x150x16:f16)
// CASE: any(q=normal:1x140x16:f16, k=normal:1x20x16:f16, v=normal:1x20x16:f16)
// EXPECT: s = np.einsum("hqd,hkd->hqk", q.astype(np.float64), k)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = (p / p.sum(-1, keepdims=True)) @ v
// WITHIN: result0 = 2**-8, 1
func.func @any(%q: tensor<1x?x16xf16>, %k: tensor<1x?x16xf16>, %v: tensor<1x?x16xf16>) -> tensor<1x?x16xf32> {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c1 : tensor<1x?x16xf16>
  %n = tensor.dim %k, %c1 : tensor<1x?x16xf16>
  %es = tensor.empty(%m, %n) : tensor<1x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>] ins(%q, %k : tensor<1x?x16xf16>, tensor<1x?x16xf16>) outs(%f : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<1x?x?xf32>) outs(%es : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
  %ew = tensor.empty(%m, %n) : tensor<1x?x?xf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%w : tensor<1x?x?xf32>) outs(%ew : tensor<1x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x?x?xf16>
  %eo = tensor.empty(%m) : tensor<1x?x16xf32>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<1x?x?xf16>, tensor<1x?x16xf16>) outs(%g : tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  return %r : tensor<1x?x16xf32>
}

// Whole steps under a mask, which runs where it hides a key of the step; logits
// scaled before it.
// CASE: causal(q=normal:384x16:bf16, k=normal:384x16:bf16, v=normal:384x16:bf16)
// EXPECT: d = np.arange(384)[None, :] - np.arange(384)[:, None]
// EXPECT: s = np.where(d <= 0, q.astype(np.float64) @ k.astype(np.float64).T / 4, -np.inf)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = (p / p.sum(-1, keepdims=True)) @ v
// WITHIN: result0 = 2**-6, 1
func.func @causal(%q: tensor<384x16xbf16>, %k: tensor<384x16xbf16>, %v: tensor<384x16xbf16>) -> tensor<384x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %quarter = arith.constant 0.25 : f32
  %es = tensor.empty() : tensor<384x384xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<384x384xf32>) -> tensor<384x384xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<384x16xbf16>, tensor<384x16xbf16>) outs(%f : tensor<384x384xf32>) -> tensor<384x384xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<384x384xf32>) outs(%es : tensor<384x384xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %quarter : f32
    linalg.yield %y : f32
  } -> tensor<384x384xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<384x384xf32>) outs(%es : tensor<384x384xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %y = arith.select %seen, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<384x384xf32>
  %w = linalg.softmax dimension(1) ins(%l : tensor<384x384xf32>) outs(%es : tensor<384x384xf32>) -> tensor<384x384xf32>
  %ew = tensor.empty() : tensor<384x384xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<384x384xf32>) outs(%ew : tensor<384x384xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<384x384xbf16>
  %eo = tensor.empty() : tensor<384x16xf32>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<384x16xf32>) -> tensor<384x16xf32>
  %r = linalg.matmul ins(%p, %v : tensor<384x384xbf16>, tensor<384x16xbf16>) outs(%g : tensor<384x16xf32>) -> tensor<384x16xf32>
  return %r : tensor<384x16xf32>
}

// Each query sees 70 keys, itself the last one: steps of keys before and after that
// no query of a block sees are left out.
// CASE: window(q=normal:300x16:bf16, k=normal:300x16:bf16, v=normal:300x16:bf16)
// EXPECT: d = np.arange(300)[None, :] - np.arange(300)[:, None]
// EXPECT: s = np.where((d <= 0) & (d > -70), q.astype(np.float64) @ k.astype(np.float64).T, -np.inf)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = (p / p.sum(-1, keepdims=True)) @ v
// WITHIN: result0 = 2**-6, 1
func.func @window(%q: tensor<300x16xbf16>, %k: tensor<300x16xbf16>, %v: tensor<300x16xbf16>) -> tensor<300x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c70 = arith.constant 70 : index
  %es = tensor.empty() : tensor<300x300xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(q, k, d) -> (q, d)>, affine_map<(q, k, d) -> (k, d)>, affine_map<(q, k, d) -> (q, k)>] ins(%q, %k : tensor<300x16xbf16>, tensor<300x16xbf16>) outs(%f : tensor<300x300xf32>) -> tensor<300x300xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %next = arith.addi %j, %c70 : index
    %before = arith.cmpi sle, %j, %i : index
    %near = arith.cmpi sgt, %next, %i : index
    %seen = arith.andi %before, %near : i1
    %y = arith.select %seen, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<300x300xf32>
  %w = linalg.softmax dimension(1) ins(%l : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %ew = tensor.empty() : tensor<300x300xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(q, k) -> (q, k)>, affine_map<(q, k) -> (q, k)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<300x300xf32>) outs(%ew : tensor<300x300xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<300x300xbf16>
  %eo = tensor.empty() : tensor<300x16xf32>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<300x16xf32>) -> tensor<300x16xf32>
  %r = linalg.matmul ins(%p, %v : tensor<300x300xbf16>, tensor<300x16xbf16>) outs(%g : tensor<300x16xf32>) -> tensor<300x16xf32>
  return %r : tensor<300x16xf32>
}
