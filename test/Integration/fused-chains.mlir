// Chains of ops as they stand in real kernels, on tensors of odd and of no size, with
// a grid that is larger than needed.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2

// The greatest element of each row and the first column that has it: value and column
// are packed into one integer of 64 bits. Blocks after the last row do nothing.
// CASE: argmax(A=ints:33x257:i32, V=junk:33:i32, I=junk:33:i32)
// CASE: argmax(A=ints:1x1:i32, V=junk:1:i32, I=junk:1:i32)
// CASE: argmax(A=ints:70x100:i32@104x1+3, V=junk:70:i32@1+1, I=junk:70:i32)
// CASE: argmax(A=ints:0x5:i32, V=junk:0:i32, I=junk:0:i32)
// EXPECT: V = A.max(1) if A.size else V; I = A.argmax(1) if A.size else I
func.func @argmax(%A: memref<?x?xi32, strided<[?, 1], offset: ?>>, %V: memref<?xi32, strided<[1], offset: ?>>, %I: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c12 = arith.constant 12 : index
  %c100 = arith.constant 100 : index
  %c160 = arith.constant 160 : index
  %low = arith.constant -2147483648 : i32
  %last = arith.constant 4294967295 : i64
  %least = arith.constant -9223372036854775808 : i64
  %bits = arith.constant 32 : i64
  %M = memref.dim %A, %c0 : memref<?x?xi32, strided<[?, 1], offset: ?>>
  %N = memref.dim %A, %c1 : memref<?x?xi32, strided<[?, 1], offset: ?>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c12, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c7 : index
    %tile = tile.alloc : memref<7x100xi32, #tile.fragment>
    %packed = tile.alloc : memref<7x100xi64, #tile.fragment>
    %best = tile.alloc : memref<7xi64, #tile.fragment>
    tile.fill %best, %least : memref<7xi64, #tile.fragment>, i64
    scf.for %n = %c0 to %N step %c100 {
      %a = tile.region %A[%m, %n] [7, 100] pad %low : i32 in : memref<?x?xi32, strided<[?, 1], offset: ?>>
      tile.copy %a to %tile : !tile.region<7x100xi32>, memref<7x100xi32, #tile.fragment>
      tile.parallel (%i, %j) in [7, 100] {
        %x = memref.load %tile[%i, %j] : memref<7x100xi32, #tile.fragment>
        %column = arith.addi %n, %j : index
        %c = arith.index_cast %column : index to i64
        %inverse = arith.subi %last, %c : i64
        %w = arith.extsi %x : i32 to i64
        %high = arith.shli %w, %bits : i64
        %p = arith.ori %high, %inverse : i64
        memref.store %p, %packed[%i, %j] : memref<7x100xi64, #tile.fragment>
      }
      tile.reduce max %packed to %best dim 1 : memref<7x100xi64, #tile.fragment>, memref<7xi64, #tile.fragment>
    }
    tile.parallel (%i) in [7] {
      %row = arith.addi %m, %i : index
      %in = arith.cmpi ult, %row, %M : index
      %p = memref.load %best[%i] : memref<7xi64, #tile.fragment>
      %w = arith.shrsi %p, %bits : i64
      %v = arith.trunci %w : i64 to i32
      %inverse = arith.andi %p, %last : i64
      %c = arith.subi %last, %inverse : i64
      %k = arith.trunci %c : i64 to i32
      scf.if %in {
        memref.store %v, %V[%row] : memref<?xi32, strided<[1], offset: ?>>
        memref.store %k, %I[%row] : memref<?xi32>
      }
    }
    gpu.terminator
  }
  return
}

// Running sums of each row, divided by the last of them, in bf16.
// CASE: shares(A=count:5x127:f32, B=junk:5x127:bf16)
// CASE: shares(A=count:9x129:f32@131x1+2, B=junk:9x129:bf16@137x1+1)
// EXPECT: s = np.cumsum(np.abs(A.astype(np.float64)) % 8 + 1, 1); B = s / s[:, -1:]
// WITHIN: B = 2**-8
func.func @shares(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c96 = arith.constant 96 : index
  %one = arith.constant 1.0 : f32
  %eight = arith.constant 8.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %N = memref.dim %A, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %gx = arith.ceildivui %M, %c3 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c3 : index
    %x = tile.alloc : memref<3x130xf32, #tile.fragment>
    %sums = tile.alloc : memref<3x130xf32, #tile.fragment>
    %all = tile.alloc : memref<3xf32, #tile.fragment>
    %a = tile.region %A[%m, 0] [3, 130] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %a to %x : !tile.region<3x130xf32>, memref<3x130xf32, #tile.fragment>
    tile.parallel (%i, %j) in [3, 130] {
      %v = memref.load %x[%i, %j] : memref<3x130xf32, #tile.fragment>
      %in = arith.cmpi ult, %j, %N : index
      %abs = math.absf %v : f32
      %r = arith.remf %abs, %eight : f32
      %p = arith.addf %r, %one : f32
      %w = arith.select %in, %p, %zero : f32
      memref.store %w, %x[%i, %j] : memref<3x130xf32, #tile.fragment>
    }
    tile.scan sum %x to %sums dim 1 : memref<3x130xf32, #tile.fragment>, memref<3x130xf32, #tile.fragment>
    tile.reduce max %sums to %all dim 1 {clear} : memref<3x130xf32, #tile.fragment>, memref<3xf32, #tile.fragment>
    tile.parallel (%i, %j) in [3, 130] {
      %v = memref.load %sums[%i, %j] : memref<3x130xf32, #tile.fragment>
      %t = memref.load %all[%i] : memref<3xf32, #tile.fragment>
      %q = arith.divf %v, %t : f32
      memref.store %q, %sums[%i, %j] : memref<3x130xf32, #tile.fragment>
    }
    %b = tile.region %B[%m, 0] [3, 130] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    tile.copy %sums to %b : memref<3x130xf32, #tile.fragment>, !tile.region<3x130xbf16>
    gpu.terminator
  }
  return
}

// A product with bias and ReLU, the greatest element of each row of the result, and
// how often each of five values occurs in it, counted in shared memory.
// CASE: layer(A=ints:45x50:f16, B=ints:50x30:f16, b=ints:30:f32, C=junk:45x30:f16, M=junk:45:f32, H=zeros:5:i32)
// CASE: layer(A=ints:64x33:f16@35x1+1, B=ints:33x32:f16, b=ints:32:f32, C=junk:64x32:f16@40x1+3, M=junk:64:f32, H=zeros:5:i32)
// CASE: layer(A=ints:45x56:f16, B=ints:56x32:f16, b=ints:32:f32, C=junk:45x32:f16, M=junk:45:f32, H=zeros:5:i32)
// EXPECT: c = np.maximum(A.astype(np.float64) @ B + b, 0); C = c; M = c.max(1); H = np.array([(np.minimum(c, 4) == k).sum() for k in range(5)])
func.func @layer(%A: memref<?x?xf16, strided<[?, 1], offset: ?>>, %B: memref<?x?xf16>, %b: memref<?xf32>, %C: memref<?x?xf16, strided<[?, 1], offset: ?>>, %M: memref<?xf32>, %H: memref<5xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %none = arith.constant 0 : i32
  %once = arith.constant 1 : i32
  %rows = memref.dim %C, %c0 : memref<?x?xf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %C, %c1 : memref<?x?xf16, strided<[?, 1], offset: ?>>
  %K = memref.dim %A, %c1 : memref<?x?xf16, strided<[?, 1], offset: ?>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<32x32xf16, #gpu.address_space<workgroup>>
    %counts = tile.alloc : memref<5xi32, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
    %bias = tile.alloc : memref<32xf32, #tile.fragment>
    %most = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x32xf32, #tile.fragment>, f32
    tile.fill %counts, %none : memref<5xi32, #gpu.address_space<workgroup>>, i32
    %wb = tile.region %b[0] [32] : memref<?xf32>
    tile.copy %wb to %bias : !tile.region<32xf32>, memref<32xf32, #tile.fragment>
    scf.for %k = %c0 to %K step %c32 {
      %wA = tile.region %A[0, %k] [64, 32] : memref<?x?xf16, strided<[?, 1], offset: ?>>
      %wB = tile.region %B[%k, 0] [32, 32] : memref<?x?xf16>
      tile.copy %wA to %As : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
      tile.copy %wB to %Bs : !tile.region<32x32xf16>, memref<32x32xf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x32xf16, #gpu.address_space<workgroup>>, memref<64x32xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    tile.parallel (%i, %j) in [64, 32] {
      %x = memref.load %acc[%i, %j] : memref<64x32xf32, #tile.fragment>
      %y = memref.load %bias[%j] : memref<32xf32, #tile.fragment>
      %s = arith.addf %x, %y : f32
      %z = arith.maximumf %s, %zero : f32
      memref.store %z, %acc[%i, %j] : memref<64x32xf32, #tile.fragment>
      %row = arith.cmpi ult, %i, %rows : index
      %column = arith.cmpi ult, %j, %columns : index
      %in = arith.andi %row, %column : i1
      scf.if %in {
        %cut = arith.minimumf %z, %four : f32
        %n = arith.fptosi %cut : f32 to i32
        %place = arith.index_cast %n : i32 to index
        memref.atomic_rmw addi %once, %counts[%place] : (i32, memref<5xi32, #gpu.address_space<workgroup>>) -> i32
      }
    }
    tile.reduce max %acc to %most dim 1 {clear} : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    %wC = tile.region %C[0, 0] [64, 32] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    tile.copy %acc to %wC : memref<64x32xf32, #tile.fragment>, !tile.region<64x32xf16>
    %wM = tile.region %M[0] [64] : memref<?xf32>
    tile.copy %most to %wM : memref<64xf32, #tile.fragment>, !tile.region<64xf32>
    tile.copy %counts to %H : memref<5xi32, #gpu.address_space<workgroup>>, memref<5xi32>
    gpu.terminator
  }
  return
}
