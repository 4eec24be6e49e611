// Whole kernels over rows: softmax and layer normalisation. Values are chosen so
// that every step is exact or rounds once, as IEEE 754 says.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#fragment = #tile.fragment

// y = 2^(x - max) / sum 2^(x - max) of every row. Columns outside the tensor are
// -inf: they take no part. The maximum and the sum of a row meet its elements
// again in registers.
// CASE: softmax(X=ints:32x128:f32, Y=junk:32x128:f32)
// CASE: softmax(X=ints:70x100:f32, Y=junk:70x100:f32)
// CASE: softmax(X=ints:1x1:f32, Y=junk:1x1:f32)
// CASE: softmax(X=ints:33x7:f32@9+1, Y=junk:33x7:f32)
// EXPECT: P = np.exp2(X - X.max(axis=1, keepdims=True))
// EXPECT: Y = P / P.sum(axis=1, keepdims=True)
func.func @softmax(%X: memref<?x?xf32, strided<[?, 1], offset: ?>>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %low = arith.constant 0xFF800000 : f32
  %rows = memref.dim %X, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %gx = arith.ceildivui %rows, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c32 : index
    %F = tile.alloc : memref<32x128xf32, #fragment>
    %max = tile.alloc : memref<32xf32, #fragment>
    %sum = tile.alloc : memref<32xf32, #fragment>
    %x = tile.region %X[%m, 0] [32, 128] pad %low : f32 in : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %x to %F : !tile.region<32x128xf32>, memref<32x128xf32, #fragment>
    tile.reduce max %F to %max dim 1 {clear} : memref<32x128xf32, #fragment>, memref<32xf32, #fragment>
    tile.parallel (%i, %j) in [32, 128] {
      %e = memref.load %F[%i, %j] : memref<32x128xf32, #fragment>
      %a = memref.load %max[%i] : memref<32xf32, #fragment>
      %d = arith.subf %e, %a : f32
      %p = math.exp2 %d : f32
      memref.store %p, %F[%i, %j] : memref<32x128xf32, #fragment>
    }
    tile.reduce sum %F to %sum dim 1 {clear} : memref<32x128xf32, #fragment>, memref<32xf32, #fragment>
    tile.parallel (%i, %j) in [32, 128] {
      %p = memref.load %F[%i, %j] : memref<32x128xf32, #fragment>
      %s = memref.load %sum[%i] : memref<32xf32, #fragment>
      %q = arith.divf %p, %s : f32
      memref.store %q, %F[%i, %j] : memref<32x128xf32, #fragment>
    }
    %y = tile.region %Y[%m, 0] [32, 128] : memref<?x?xf32>
    tile.copy %F to %y : memref<32x128xf32, #fragment>, !tile.region<32x128xf32>
    gpu.terminator
  }
  return
}

// y = (x - mean) / sqrt(variance + 1) * scale + shift, in bf16, accumulated in
// f32. A row has 64 elements, so mean and variance are exact.
// CASE: norm(X=ints:48x64:bf16, G=ints:64:bf16, B=ints:64:bf16, Y=junk:48x64:bf16)
// CASE: norm(X=ints:101x64:bf16, G=ints:64:bf16, B=ints:64:bf16, Y=junk:101x64:bf16)
// EXPECT: F = X.astype(np.float32)
// EXPECT: D = F - F.mean(axis=1, keepdims=True)
// EXPECT: V = (D * D).sum(axis=1, keepdims=True) / np.float32(64)
// EXPECT: Y = round_to(D / np.sqrt(V + np.float32(1)) * G + B, 'bf16')
func.func @norm(%X: memref<?x64xbf16>, %G: memref<64xbf16>, %B: memref<64xbf16>, %Y: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %c96 = arith.constant 96 : index
  %n = arith.constant 64.0 : f32
  %one = arith.constant 1.0 : f32
  %rows = memref.dim %X, %c0 : memref<?x64xbf16>
  %gx = arith.ceildivui %rows, %c48 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c48 : index
    %S = tile.alloc : memref<48x64xbf16, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<48x64xf32, #fragment>
    %Q = tile.alloc : memref<48x64xf32, #fragment>
    %mean = tile.alloc : memref<48xf32, #fragment>
    %var = tile.alloc : memref<48xf32, #fragment>
    %g = tile.alloc : memref<64xf32, #fragment>
    %b = tile.alloc : memref<64xf32, #fragment>
    %x = tile.region %X[%m, 0] [48, 64] : memref<?x64xbf16>
    tile.copy %x to %S : !tile.region<48x64xbf16>, memref<48x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %F : memref<48x64xbf16, #gpu.address_space<workgroup>>, memref<48x64xf32, #fragment>
    tile.copy %G to %g : memref<64xbf16>, memref<64xf32, #fragment>
    tile.copy %B to %b : memref<64xbf16>, memref<64xf32, #fragment>
    tile.reduce sum %F to %mean dim 1 {clear} : memref<48x64xf32, #fragment>, memref<48xf32, #fragment>
    tile.parallel (%i, %j) in [48, 64] {
      %e = memref.load %F[%i, %j] : memref<48x64xf32, #fragment>
      %s = memref.load %mean[%i] : memref<48xf32, #fragment>
      %a = arith.divf %s, %n : f32
      %d = arith.subf %e, %a : f32
      %q = arith.mulf %d, %d : f32
      memref.store %d, %F[%i, %j] : memref<48x64xf32, #fragment>
      memref.store %q, %Q[%i, %j] : memref<48x64xf32, #fragment>
    }
    tile.reduce sum %Q to %var dim 1 {clear} : memref<48x64xf32, #fragment>, memref<48xf32, #fragment>
    tile.parallel (%i, %j) in [48, 64] {
      %d = memref.load %F[%i, %j] : memref<48x64xf32, #fragment>
      %s = memref.load %var[%i] : memref<48xf32, #fragment>
      %v = arith.divf %s, %n : f32
      %w = arith.addf %v, %one : f32
      %r = math.sqrt %w : f32
      %q = arith.divf %d, %r : f32
      %scale = memref.load %g[%j] : memref<64xf32, #fragment>
      %shift = memref.load %b[%j] : memref<64xf32, #fragment>
      %t = arith.mulf %q, %scale : f32
      %u = arith.addf %t, %shift : f32
      memref.store %u, %F[%i, %j] : memref<48x64xf32, #fragment>
    }
    %y = tile.region %Y[%m, 0] [48, 64] : memref<?x64xbf16>
    tile.copy %F to %y : memref<48x64xf32, #fragment>, !tile.region<48x64xbf16>
    gpu.terminator
  }
  return
}
