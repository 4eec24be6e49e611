// Attention in forms that the files of front ends have not: one kernel each.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#rows4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#rows3 = affine_map<(d0, d1, d2) -> (d0, d1)>

// Three heads of queries share each head of keys and values, which are repeated as
// jnp.repeat does it. One op says the place of a row and of a column: it is in the
// mask twice.
// CASE: repeated(q=normal:2x45x6x16:bf16, k=normal:2x45x2x16:bf16, v=normal:2x45x2x16:bf16)
// EXPECT: r = lambda t: np.repeat(t.astype(np.float64), 3, axis=2)
// EXPECT: s = np.where(np.tri(45, dtype=bool), np.einsum("bqhd,bkhd->bhqk", q.astype(np.float64), r(k)) / 4, -np.inf)
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = np.einsum("bhqk,bkhd->bqhd", p / p.sum(-1, keepdims=True), r(v))
// WITHIN: result0 = 2**-6, 1
func.func @repeated(%q: tensor<2x45x6x16xbf16>, %k: tensor<2x45x2x16xbf16>, %v: tensor<2x45x2x16xbf16>) -> tensor<2x45x6x16xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %quarter = arith.constant 0.25 : f32
  %ek = tensor.empty() : tensor<2x45x2x3x16xbf16>
  %ks = linalg.broadcast ins(%k : tensor<2x45x2x16xbf16>) outs(%ek : tensor<2x45x2x3x16xbf16>) dimensions = [3]
  %kr = tensor.collapse_shape %ks [[0], [1], [2, 3], [4]] : tensor<2x45x2x3x16xbf16> into tensor<2x45x6x16xbf16>
  %vs = linalg.broadcast ins(%v : tensor<2x45x2x16xbf16>) outs(%ek : tensor<2x45x2x3x16xbf16>) dimensions = [3]
  %vr = tensor.collapse_shape %vs [[0], [1], [2, 3], [4]] : tensor<2x45x2x3x16xbf16> into tensor<2x45x6x16xbf16>
  %ei = tensor.empty() : tensor<45xi32>
  %place = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%ei : tensor<45xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  } -> tensor<45xi32>
  %es = tensor.empty() : tensor<2x6x45x45xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<2x6x45x45xf32>) -> tensor<2x6x45x45xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, q, k, d) -> (b, q, h, d)>, affine_map<(b, h, q, k, d) -> (b, k, h, d)>, affine_map<(b, h, q, k, d) -> (b, h, q, k)>] ins(%q, %kr : tensor<2x45x6x16xbf16>, tensor<2x45x6x16xbf16>) outs(%f : tensor<2x6x45x45xf32>) -> tensor<2x6x45x45xf32>
  %l = linalg.generic {indexing_maps = [#id4, affine_map<(b, h, q, k) -> (q)>, affine_map<(b, h, q, k) -> (k)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %place, %place : tensor<2x6x45x45xf32>, tensor<45xi32>, tensor<45xi32>) outs(%es : tensor<2x6x45x45xf32>) {
  ^bb0(%x: f32, %row: i32, %column: i32, %o: f32):
    %y = arith.mulf %x, %quarter : f32
    %c = arith.cmpi sge, %row, %column : i32
    %m = arith.select %c, %y, %low : f32
    linalg.yield %m : f32
  } -> tensor<2x6x45x45xf32>
  %w = linalg.softmax dimension(3) ins(%l : tensor<2x6x45x45xf32>) outs(%es : tensor<2x6x45x45xf32>) -> tensor<2x6x45x45xf32>
  %ew = tensor.empty() : tensor<2x6x45x45xbf16>
  %p = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<2x6x45x45xf32>) outs(%ew : tensor<2x6x45x45xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x6x45x45xbf16>
  %eo = tensor.empty() : tensor<2x45x6x16xf32>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<2x45x6x16xf32>) -> tensor<2x45x6x16xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, h, q, k, d) -> (b, h, q, k)>, affine_map<(b, h, q, k, d) -> (b, k, h, d)>, affine_map<(b, h, q, k, d) -> (b, q, h, d)>] ins(%p, %vr : tensor<2x6x45x45xbf16>, tensor<2x45x6x16xbf16>) outs(%g : tensor<2x45x6x16xf32>) -> tensor<2x45x6x16xf32>
  return %r : tensor<2x45x6x16xf32>
}

// One head of keys for all: it is repeated without a view. The mask of one place
// per key is the caller's.
// CASE: multiquery(q=normal:5x70x32:f16, k=normal:33x32:f16, v=normal:33x32:f16, m=normal:33:f32)
// EXPECT: s = np.einsum("hqd,kd->hqk", q.astype(np.float64), k) + m
// EXPECT: p = np.exp(s - s.max(-1, keepdims=True))
// EXPECT: result0 = (p / p.sum(-1, keepdims=True)) @ v
// WITHIN: result0 = 2**-8, 1
func.func @multiquery(%q: tensor<5x70x32xf16>, %k: tensor<33x32xf16>, %v: tensor<33x32xf16>, %m: tensor<33xf32>) -> tensor<5x70x32xf32> {
  %z = arith.constant 0.0 : f32
  %ek = tensor.empty() : tensor<5x33x32xf16>
  %ks = linalg.broadcast ins(%k : tensor<33x32xf16>) outs(%ek : tensor<5x33x32xf16>) dimensions = [0]
  %vs = linalg.broadcast ins(%v : tensor<33x32xf16>) outs(%ek : tensor<5x33x32xf16>) dimensions = [0]
  %es = tensor.empty() : tensor<5x70x33xf32>
  %f = linalg.fill ins(%z : f32) outs(%es : tensor<5x70x33xf32>) -> tensor<5x70x33xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>] ins(%q, %ks : tensor<5x70x32xf16>, tensor<5x33x32xf16>) outs(%f : tensor<5x70x33xf32>) -> tensor<5x70x33xf32>
  %l = linalg.generic {indexing_maps = [#id3, affine_map<(h, q, k) -> (k)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<5x70x33xf32>, tensor<33xf32>) outs(%es : tensor<5x70x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %a = arith.addf %x, %y : f32
    linalg.yield %a : f32
  } -> tensor<5x70x33xf32>
  %w = linalg.softmax dimension(2) ins(%l : tensor<5x70x33xf32>) outs(%es : tensor<5x70x33xf32>) -> tensor<5x70x33xf32>
  %ew = tensor.empty() : tensor<5x70x33xf16>
  %p = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<5x70x33xf32>) outs(%ew : tensor<5x70x33xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<5x70x33xf16>
  %eo = tensor.empty() : tensor<5x70x32xf32>
  %g = linalg.fill ins(%z : f32) outs(%eo : tensor<5x70x32xf32>) -> tensor<5x70x32xf32>
  %r = linalg.batch_matmul ins(%p, %vs : tensor<5x70x33xf16>, tensor<5x33x32xf16>) outs(%g : tensor<5x70x32xf32>) -> tensor<5x70x32xf32>
  return %r : tensor<5x70x32xf32>
}
