// What stands between kernels: loops of the host that carry tensors, numbers that one
// kernel computes and another one reads.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id = affine_map<(i, j) -> (i, j)>
#par = ["parallel", "parallel"]

// Each round reads what the one before has made, as both factors.
// CASE: power(x=ints:16x16:f32)
// EXPECT: result0 = np.linalg.matrix_power(x.astype(np.float64), 8)
// WITHIN: result0 = 2**-20, 1
func.func @power(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<16x16xf32>) {
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %p : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// The rows that a loop walks, with what it carries; each round keeps its row.
// CASE: recurrence(x=ints:5x16:f32)
// EXPECT: result0 = np.cumsum(x, axis=0)
func.func @recurrence(%x: tensor<5x16xf32>) -> tensor<5x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %all = tensor.empty() : tensor<5x16xf32>
  %h0 = linalg.fill ins(%z : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %h, %rows = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %h0, %b = %all) -> (tensor<16xf32>, tensor<5x16xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : tensor<5x16xf32> to tensor<16xf32>
    %s = linalg.add ins(%a, %row : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %t = tensor.insert_slice %s into %b[%i, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<5x16xf32>
    scf.yield %s, %t : tensor<16xf32>, tensor<5x16xf32>
  }
  return %rows : tensor<5x16xf32>
}

// A sum of everything, taken out of a tensor without dimensions in the body of the next op.
// CASE: centred(x=ints:8x32:f32)
// EXPECT: result0 = x - x.sum()
func.func @centred(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<8x32xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  %n = tensor.extract %s[] : tensor<f32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.subf %a, %n : f32
    linalg.yield %d : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// Channels in two groups, of f16: their sums are f32, rounded once.
// CASE: grouped(x=normal:1x6x6x2x16:f16, w=normal:3x3x2x16x8:f16)
// EXPECT: at = lambda i, j: np.einsum("nhwgc,gcf->nhwgf", x[:, i:i+4, j:j+4].astype(np.float64), w[i, j].astype(np.float64))
// EXPECT: result0 = sum(at(i, j) for i in range(3) for j in range(3))
// WITHIN: result0 = 2**-10, 1
func.func @grouped(%x: tensor<1x6x6x2x16xf16>, %w: tensor<3x3x2x16x8xf16>) -> tensor<1x4x4x2x8xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x4x4x2x8xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<1x4x4x2x8xf16>) -> tensor<1x4x4x2x8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, f, i, j, c) -> (n, h + i, w + j, g, c)>, affine_map<(n, h, w, g, f, i, j, c) -> (i, j, g, c, f)>, affine_map<(n, h, w, g, f, i, j, c) -> (n, h, w, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x6x6x2x16xf16>, tensor<3x3x2x16x8xf16>) outs(%f : tensor<1x4x4x2x8xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %p = arith.mulf %a, %b : f16
    %s = arith.addf %o, %p : f16
    linalg.yield %s : f16
  } -> tensor<1x4x4x2x8xf16>
  return %r : tensor<1x4x4x2x8xf16>
}
