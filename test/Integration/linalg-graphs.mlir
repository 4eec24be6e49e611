// Graphs of linalg ops as front ends write them, on tensors and on memrefs, to
// kernels of the shipped schedules.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CASE: narrow(a=ints:70x50:bf16, b=ints:50x90:bf16)
// EXPECT: result0 = round_to(a.astype(np.float64) @ b, "bf16")
func.func @narrow(%a: tensor<70x50xbf16>, %b: tensor<50x90xbf16>) -> tensor<70x90xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<70x90xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<70x90xbf16>) -> tensor<70x90xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<70x50xbf16>, tensor<50x90xbf16>) outs(%i : tensor<70x90xbf16>) -> tensor<70x90xbf16>
  return %r : tensor<70x90xbf16>
}
// CASE: batched(a=ints:3x70x50:f16, b=ints:3x50x33:f16)
// EXPECT: result0 = a.astype(np.float64) @ b.astype(np.float64)
func.func @batched(%a: tensor<3x70x50xf16>, %b: tensor<3x50x33xf16>) -> tensor<3x70x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x70x33xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x70x33xf32>) -> tensor<3x70x33xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x70x50xf16>, tensor<3x50x33xf16>) outs(%i : tensor<3x70x33xf32>) -> tensor<3x70x33xf32>
  return %r : tensor<3x70x33xf32>
}
// CASE: matvec(a=ints:70x500:f32, x=ints:500:f32)
// EXPECT: result0 = a @ x
func.func @matvec(%a: tensor<70x500xf32>, %x: tensor<500xf32>) -> tensor<70xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<70xf32>) -> tensor<70xf32>
  %r = linalg.matvec ins(%a, %x : tensor<70x500xf32>, tensor<500xf32>) outs(%i : tensor<70xf32>) -> tensor<70xf32>
  return %r : tensor<70xf32>
}
// CASE: vecmat(x=ints:500:f32, a=ints:500x70:f32)
// EXPECT: result0 = x @ a
func.func @vecmat(%x: tensor<500xf32>, %a: tensor<500x70xf32>) -> tensor<70xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<70xf32>) -> tensor<70xf32>
  %r = linalg.vecmat ins(%x, %a : tensor<500xf32>, tensor<500x70xf32>) outs(%i : tensor<70xf32>) -> tensor<70xf32>
  return %r : tensor<70xf32>
}
// CASE: heads(x=ints:2x40x4x16:bf16, w=ints:4x16x70:bf16)
// EXPECT: result0 = np.einsum("bqhd,hdo->bqo", x.astype(np.float64), w.astype(np.float64))
func.func @heads(%x: tensor<2x40x4x16xbf16>, %w: tensor<4x16x70xbf16>) -> tensor<2x40x70xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40x70xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x40x70xf32>) -> tensor<2x40x70xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, q, o, h, d) -> (b, q, h, d)>, affine_map<(b, q, o, h, d) -> (h, d, o)>, affine_map<(b, q, o, h, d) -> (b, q, o)>] ins(%x, %w : tensor<2x40x4x16xbf16>, tensor<4x16x70xbf16>) outs(%i : tensor<2x40x70xf32>) -> tensor<2x40x70xf32>
  return %r : tensor<2x40x70xf32>
}
// CASE: exact(a=ints:70x50:f32, b=ints:90x50:f32)
// EXPECT: result0 = a @ b.T
func.func @exact(%a: tensor<70x50xf32>, %b: tensor<90x50xf32>) -> tensor<70x90xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x90xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<70x90xf32>) -> tensor<70x90xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<70x50xf32>, tensor<90x50xf32>) outs(%i : tensor<70x90xf32>) -> tensor<70x90xf32>
  return %r : tensor<70x90xf32>
}
// CASE: onto(a=ints:70x50:bf16, b=ints:50x90:bf16, c=ints:70x90:f32)
// EXPECT: result0 = a.astype(np.float64) @ b + c
func.func @onto(%a: tensor<70x50xbf16>, %b: tensor<50x90xbf16>, %c: tensor<70x90xf32>) -> tensor<70x90xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<70x50xbf16>, tensor<50x90xbf16>) outs(%c : tensor<70x90xf32>) -> tensor<70x90xf32>
  return %r : tensor<70x90xf32>
}
// CASE: mlp(x=ints:70x64:bf16, w=ints:64x130:bf16, c=ints:130:f32, v=ints:130x64:bf16)
// EXPECT: h = round_to(np.maximum(x.astype(np.float64) @ w + c, 0), "bf16"); result0 = h @ v.astype(np.float64) + x
func.func @mlp(%x: tensor<70x64xbf16>, %w: tensor<64x130xbf16>, %c: tensor<130xf32>, %v: tensor<130x64xbf16>) -> tensor<70x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x130xf32>
  %eb = tensor.empty() : tensor<70x130xbf16>
  %eo = tensor.empty() : tensor<70x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<70x130xf32>) -> tensor<70x130xf32>
  %p = linalg.matmul ins(%x, %w : tensor<70x64xbf16>, tensor<64x130xbf16>) outs(%i : tensor<70x130xf32>) -> tensor<70x130xf32>
  %cb = linalg.broadcast ins(%c : tensor<130xf32>) outs(%e : tensor<70x130xf32>) dimensions = [0]
  %s = linalg.add ins(%p, %cb : tensor<70x130xf32>, tensor<70x130xf32>) outs(%e : tensor<70x130xf32>) -> tensor<70x130xf32>
  %h = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<70x130xf32>) outs(%eb : tensor<70x130xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %m = arith.maximumf %a, %z : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x130xbf16>
  %j = linalg.fill ins(%z : f32) outs(%eo : tensor<70x64xf32>) -> tensor<70x64xf32>
  %q = linalg.matmul ins(%h, %v : tensor<70x130xbf16>, tensor<130x64xbf16>) outs(%j : tensor<70x64xf32>) -> tensor<70x64xf32>
  %r = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%q, %x : tensor<70x64xf32>, tensor<70x64xbf16>) outs(%eo : tensor<70x64xf32>) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %t = arith.extf %b : bf16 to f32
    %u = arith.addf %a, %t : f32
    linalg.yield %u : f32
  } -> tensor<70x64xf32>
  return %r : tensor<70x64xf32>
}
// CASE: norm(x=normal:3x20x96:f32, g=normal:96:f32)
// EXPECT: m = x.mean(2, keepdims=True); v = ((x - m)**2).mean(2, keepdims=True); result0 = (x - m) / np.sqrt(v + 1e-5) * g
// WITHIN: result0 = 2**-18, 1
func.func @norm(%x: tensor<3x20x96xf32>, %g: tensor<96xf32>) -> tensor<3x20x96xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 96.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<3x20xf32>
  %e = tensor.empty() : tensor<3x20x96xf32>
  %i = linalg.fill ins(%z : f32) outs(%e1 : tensor<3x20xf32>) -> tensor<3x20xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<3x20x96xf32>) outs(%i : tensor<3x20xf32>) dimensions = [2]
  %m = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<3x20xf32>) outs(%e1 : tensor<3x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %n : f32
    linalg.yield %d : f32
  } -> tensor<3x20xf32>
  %mb = linalg.broadcast ins(%m : tensor<3x20xf32>) outs(%e : tensor<3x20x96xf32>) dimensions = [2]
  %c = linalg.sub ins(%x, %mb : tensor<3x20x96xf32>, tensor<3x20x96xf32>) outs(%e : tensor<3x20x96xf32>) -> tensor<3x20x96xf32>
  %q = linalg.mul ins(%c, %c : tensor<3x20x96xf32>, tensor<3x20x96xf32>) outs(%e : tensor<3x20x96xf32>) -> tensor<3x20x96xf32>
  %v = linalg.reduce {arith.addf} ins(%q : tensor<3x20x96xf32>) outs(%i : tensor<3x20xf32>) dimensions = [2]
  %k = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<3x20xf32>) outs(%e1 : tensor<3x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.divf %a, %n : f32
    %f = arith.addf %d, %eps : f32
    %h = math.rsqrt %f : f32
    linalg.yield %h : f32
  } -> tensor<3x20xf32>
  %r = linalg.generic {indexing_maps = [#id3, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (c)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c, %k, %g : tensor<3x20x96xf32>, tensor<3x20xf32>, tensor<96xf32>) outs(%e : tensor<3x20x96xf32>) {
  ^bb0(%a: f32, %b: f32, %w: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.mulf %t, %w : f32
    linalg.yield %u : f32
  } -> tensor<3x20x96xf32>
  return %r : tensor<3x20x96xf32>
}
// CASE: smax(x=normal:2x5x20x50:f32)
// EXPECT: e = np.exp(x - x.max(3, keepdims=True)); result0 = e / e.sum(3, keepdims=True)
// WITHIN: result0 = 2**-20
func.func @smax(%x: tensor<2x5x20x50xf32>) -> tensor<2x5x20x50xf32> {
  %e = tensor.empty() : tensor<2x5x20x50xf32>
  %r = linalg.softmax dimension(3) ins(%x : tensor<2x5x20x50xf32>) outs(%e : tensor<2x5x20x50xf32>) -> tensor<2x5x20x50xf32>
  return %r : tensor<2x5x20x50xf32>
}
// CASE: moves(x=ints:30x50:f32, y=ints:7x50:f32)
// EXPECT: t = np.concatenate([x, y])[5:35].T; result0 = np.pad(t, ((1, 2), (3, 4)), constant_values=9).reshape(-1)
func.func @moves(%x: tensor<30x50xf32>, %y: tensor<7x50xf32>) -> tensor<1961xf32> {
  %nine = arith.constant 9.0 : f32
  %c = tensor.concat dim(0) %x, %y : (tensor<30x50xf32>, tensor<7x50xf32>) -> tensor<37x50xf32>
  %s = tensor.extract_slice %c[5, 0] [30, 50] [1, 1] : tensor<37x50xf32> to tensor<30x50xf32>
  %e = tensor.empty() : tensor<50x30xf32>
  %t = linalg.transpose ins(%s : tensor<30x50xf32>) outs(%e : tensor<50x30xf32>) permutation = [1, 0]
  %p = tensor.pad %t low[1, 3] high[2, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %nine : f32
  } : tensor<50x30xf32> to tensor<53x37xf32>
  %r = tensor.collapse_shape %p [[0, 1]] : tensor<53x37xf32> into tensor<1961xf32>
  return %r : tensor<1961xf32>
}
// CASE: pool(x=ints:2x12x12x20:f32)
// EXPECT: result0 = np.max([x[:, i:i+9:2, j:j+9:2] for i in range(3) for j in range(3)], 0)
func.func @pool(%x: tensor<2x12x12x20xf32>) -> tensor<2x5x5x20xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x5x5x20xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<2x5x5x20xf32>) -> tensor<2x5x5x20xf32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>} ins(%x, %w : tensor<2x12x12x20xf32>, tensor<3x3xf32>) outs(%i : tensor<2x5x5x20xf32>) -> tensor<2x5x5x20xf32>
  return %r : tensor<2x5x5x20xf32>
}
// CASE: conv(x=ints:2x10x10x8:f32, w=ints:3x3x8x12:f32)
// EXPECT: result0 = sum(x[:, i:i+8, j:j+8] @ w[i, j] for i in range(3) for j in range(3))
func.func @conv(%x: tensor<2x10x10x8xf32>, %w: tensor<3x3x8x12xf32>) -> tensor<2x8x8x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8x12xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x8x8x12xf32>) -> tensor<2x8x8x12xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x10x10x8xf32>, tensor<3x3x8x12xf32>) outs(%i : tensor<2x8x8x12xf32>) -> tensor<2x8x8x12xf32>
  return %r : tensor<2x8x8x12xf32>
}
// CASE: onmem(a=ints:70x50:f16, b=ints:50x90:f16, c=ints:70x90:f32)
// EXPECT: c = a.astype(np.float64) @ b.astype(np.float64)
func.func @onmem(%a: memref<70x50xf16>, %b: memref<50x90xf16>, %c: memref<70x90xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<70x90xf32>)
  linalg.matmul ins(%a, %b : memref<70x50xf16>, memref<50x90xf16>) outs(%c : memref<70x90xf32>)
  return
}
// CASE: total(x=ints:30x50:f32)
// EXPECT: result0 = x.sum()
func.func @total(%x: tensor<30x50xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce {arith.addf} ins(%x : tensor<30x50xf32>) outs(%i : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}
// CASE: longrows(x=ints:5x20000:f32)
// EXPECT: result0 = x.sum(1)
func.func @longrows(%x: tensor<5x?xf32>) -> tensor<5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.reduce {arith.addf} ins(%x : tensor<5x?xf32>) outs(%i : tensor<5xf32>) dimensions = [1]
  return %r : tensor<5xf32>
}
// Where a block ends after the last row, nothing is read for the rows beyond.
// CASE: picked(x=ints:21x100:f32, t=ints:21:i32)
// EXPECT: result0 = x[np.arange(21), np.maximum(t, 0)] - x.max(1)
func.func @picked(%x: tensor<21x100xf32>, %t: tensor<21xi32>) -> tensor<21xf32> {
  %zero = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<21xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<21xf32>) -> tensor<21xf32>
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<21x100xf32>) outs(%i : tensor<21xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<21xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %c = tensor.extract %t[%n] : tensor<21xi32>
    %u = arith.index_cast %c : i32 to index
    %k = arith.maxsi %u, %zero : index
    %v = tensor.extract %x[%n, %k] : tensor<21x100xf32>
    linalg.yield %v : f32
  } -> tensor<21xf32>
  %r = linalg.sub ins(%p, %m : tensor<21xf32>, tensor<21xf32>) outs(%e : tensor<21xf32>) -> tensor<21xf32>
  return %r : tensor<21xf32>
}
