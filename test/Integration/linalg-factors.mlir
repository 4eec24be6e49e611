// Products whose factors elements make: they are made in the kernel of the
// product, tile by tile.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// CASE: scaled(a=ints:70x150:f32, b=ints:150x90:bf16)
// EXPECT: result0 = round_to(a * 2, "bf16").astype(np.float64) @ b
func.func @scaled(%a: tensor<70x150xf32>, %b: tensor<150x90xbf16>) -> tensor<70x90xf32> {
  %z = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %eb = tensor.empty() : tensor<70x150xbf16>
  %e = tensor.empty() : tensor<70x90xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<70x150xf32>) outs(%eb : tensor<70x150xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %m = arith.mulf %x, %two : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x150xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<70x90xf32>) -> tensor<70x90xf32>
  %r = linalg.matmul ins(%s, %b : tensor<70x150xbf16>, tensor<150x90xbf16>) outs(%i : tensor<70x90xf32>) -> tensor<70x90xf32>
  return %r : tensor<70x90xf32>
}

// Weights of bytes with a scale per column, rows of any number and depth.
// CASE: dequant(a=ints:70x152:f16, q=wide:152x96:i8, s=ints:96:f32)
// CASE: dequant(a=ints:1x33:f16, q=wide:33x96:i8, s=ints:96:f32)
// EXPECT: result0 = a.astype(np.float64) @ round_to(q * s, "f16").astype(np.float64)
func.func @dequant(%a: tensor<?x?xf16>, %q: tensor<?x96xi8>, %s: tensor<96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %k = tensor.dim %q, %c0 : tensor<?x96xi8>
  %eb = tensor.empty(%k) : tensor<?x96xf16>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %w = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %s : tensor<?x96xi8>, tensor<96xf32>) outs(%eb : tensor<?x96xf16>) {
  ^bb0(%x: i8, %y: f32, %o: f16):
    %f = arith.sitofp %x : i8 to f32
    %g = arith.mulf %f, %y : f32
    %t = arith.truncf %g : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x96xf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul ins(%a, %w : tensor<?x?xf16>, tensor<?x96xf16>) outs(%i : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// Both factors are made, neither has 0 where it ends: 1 / x of pads is infinite.
// The second one is read across, and two ops make it. What is done to the result
// stays.
// CASE: inverse(a=ones:40x50:f32, b=ints:90x50:f32, c=ints:90:f32)
// EXPECT: result0 = np.maximum((1 / a) @ round_to(np.exp2(b) + 1, "bf16").astype(np.float64).T + c, 3)
func.func @inverse(%a: tensor<40x50xf32>, %b: tensor<90x50xf32>, %c: tensor<90xf32>) -> tensor<40x90xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3.0 : f32
  %ea = tensor.empty() : tensor<40x50xbf16>
  %ef = tensor.empty() : tensor<90x50xf32>
  %eb = tensor.empty() : tensor<50x90xbf16>
  %e = tensor.empty() : tensor<40x90xf32>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<40x50xf32>) outs(%ea : tensor<40x50xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %d = arith.divf %one, %x : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<40x50xbf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<90x50xf32>) outs(%ef : tensor<90x50xf32>) {
  ^bb0(%x: f32, %o: f32):
    %d = math.exp2 %x : f32
    linalg.yield %d : f32
  } -> tensor<90x50xf32>
  %q = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<90x50xf32>) outs(%eb : tensor<50x90xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %d = arith.addf %x, %one : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<50x90xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x90xf32>) -> tensor<40x90xf32>
  %s = linalg.matmul ins(%l, %q : tensor<40x50xbf16>, tensor<50x90xbf16>) outs(%i : tensor<40x90xf32>) -> tensor<40x90xf32>
  %r = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %c : tensor<40x90xf32>, tensor<90xf32>) outs(%e : tensor<40x90xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.addf %x, %y : f32
    %t = arith.maximumf %d, %three : f32
    linalg.yield %t : f32
  } -> tensor<40x90xf32>
  return %r : tensor<40x90xf32>
}

// Batches; the scale is a value of the caller.
// CASE: batches(a=ints:3x70x64:f16, s=3, b=ints:3x64x72:f16)
// EXPECT: result0 = (a.astype(np.float64) * 3) @ b
func.func @batches(%a: tensor<3x70x64xf16>, %s: f16, %b: tensor<3x64x72xf16>) -> tensor<3x70x72xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<3x70x64xf16>
  %e = tensor.empty() : tensor<3x70x72xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, m, k) -> (b, m, k)>, affine_map<(b, m, k) -> (b, m, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<3x70x64xf16>) outs(%ea : tensor<3x70x64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %d = arith.mulf %x, %s : f16
    linalg.yield %d : f16
  } -> tensor<3x70x64xf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x70x72xf32>) -> tensor<3x70x72xf32>
  %r = linalg.batch_matmul ins(%t, %b : tensor<3x70x64xf16>, tensor<3x64x72xf16>) outs(%i : tensor<3x70x72xf32>) -> tensor<3x70x72xf32>
  return %r : tensor<3x70x72xf32>
}

// A tensor of its own for the sum of two, exact in f32.
// CASE: exact(a=ints:40x50:f32, c=ints:40x50:f32, b=ints:50x70:f32)
// EXPECT: result0 = (a + c) @ b
func.func @exact(%a: tensor<40x50xf32>, %c: tensor<40x50xf32>, %b: tensor<50x70xf32>) -> tensor<40x70xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<40x50xf32>
  %e = tensor.empty() : tensor<40x70xf32>
  %s = linalg.add ins(%a, %c : tensor<40x50xf32>, tensor<40x50xf32>) outs(%ea : tensor<40x50xf32>) -> tensor<40x50xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x70xf32>) -> tensor<40x70xf32>
  %r = linalg.matmul ins(%s, %b : tensor<40x50xf32>, tensor<50x70xf32>) outs(%i : tensor<40x70xf32>) -> tensor<40x70xf32>
  return %r : tensor<40x70xf32>
}
