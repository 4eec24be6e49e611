// Reductions and scans by a body: places of extremes, moments, states of softmax,
// recurrences, products of matrices, which do not commute; of fragments, shared
// tiles and windows of tensors, along every dimension.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#shared = #gpu.address_space<workgroup>
!F = memref<33x70xf32, #tile.fragment>

// Of a fragment, along the last dimension; the first place of several.
// CASE: argmax(X=ints:33x70:f32, M=junk:33:f32, I=junk:33:i32)
// CASE: argmax(X=normal:33x70:f32, M=junk:33:f32, I=junk:33:i32)
// EXPECT: M = X.max(axis=1); I = X.argmax(axis=1)
func.func @argmax(%X: memref<33x70xf32>, %M: memref<33xf32>, %I: memref<33xi32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %x = tile.alloc : !F
    %m = tile.alloc : memref<33xf32, #tile.fragment>
    %at = tile.alloc : memref<33xi32, #tile.fragment>
    tile.copy %X to %x : memref<33x70xf32>, !F
    tile.reduce_by %x to %m, %at dim 1 position clear {
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %gt = arith.cmpf ogt, %b, %a : f32
      %eq = arith.cmpf oeq, %b, %a : f32
      %lt = arith.cmpi slt, %j, %i : i32
      %tie = arith.andi %eq, %lt : i1
      %take = arith.ori %gt, %tie : i1
      %v = arith.select %take, %b, %a : f32
      %k = arith.select %take, %j, %i : i32
      tile.yield %v, %k : f32, i32
    } : (!F) to (memref<33xf32, #tile.fragment>, memref<33xi32, #tile.fragment>)
    tile.copy %m to %M : memref<33xf32, #tile.fragment>, memref<33xf32>
    tile.copy %at to %I : memref<33xi32, #tile.fragment>, memref<33xi32>
    gpu.terminator
  }
  return
}

// Of a window with a pad, along the first dimension, into tensors; the old values
// take part. Conversions on the way in and out.
// CASE: columns(X=ints:21x30:f16, S=ints:40:f32, N=ints:40:i64)
// EXPECT: t = np.full((24, 40), 1.0); t[:21, :30] = X
// EXPECT: S = S + t.sum(axis=0); N = np.maximum(N, 23)
func.func @columns(%X: memref<?x?xf16>, %S: memref<40xf32>, %N: memref<40xi64>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %x = tile.region %X[0, 0] [24, 40] pad %one : f16 in : memref<?x?xf16>
    tile.reduce_by %x to %S, %N dim 0 position {
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %s = arith.addf %a, %b : f32
      %k = arith.maxsi %i, %j : i32
      tile.yield %s, %k : f32, i32
    } : (!tile.region<24x40xf16>) to (memref<40xf32>, memref<40xi64>)
    gpu.terminator
  }
  return
}

// Count, mean and squares of a line of one dimension, by many threads.
// CASE: moments(X=ints:1000:f32, R=junk:3:f32)
// EXPECT: R = np.array([1000, X.mean(), ((X - X.mean())**2).sum()])
// WITHIN: R = 2**-18, 1
func.func @moments(%X: memref<1000xf32>, %R: memref<3xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = tile.alloc : memref<1000xf32, #tile.fragment>
    %m = tile.alloc : memref<1000xf32, #shared>
    %q = tile.alloc : memref<1000xf32, #shared>
    tile.fill %n, %one : memref<1000xf32, #tile.fragment>, f32
    tile.copy %X to %m : memref<1000xf32>, memref<1000xf32, #shared>
    tile.fill %q, %zero : memref<1000xf32, #shared>, f32
    %r0 = tile.region %R[0] [1] : memref<3xf32>
    %r = tile.alloc : memref<2xf32, #shared>
    %count = tile.alloc : memref<1xf32, #shared>
    %mean = tile.alloc : memref<1xf32, #shared>
    %squares = tile.alloc : memref<1xf32, #shared>
    tile.reduce_by %n, %m, %q to %count, %mean, %squares dim 0 clear {
    ^bb0(%na: f32, %ma: f32, %qa: f32, %nb: f32, %mb: f32, %qb: f32):
      %ns = arith.addf %na, %nb : f32
      %d = arith.subf %mb, %ma : f32
      %w = arith.divf %nb, %ns : f32
      %ms = math.fma %d, %w, %ma : f32
      %dd = arith.mulf %d, %d : f32
      %naw = arith.mulf %na, %w : f32
      %qq = arith.addf %qa, %qb : f32
      %qs = math.fma %dd, %naw, %qq : f32
      tile.yield %ns, %ms, %qs : f32, f32, f32
    } : (memref<1000xf32, #tile.fragment>, memref<1000xf32, #shared>, memref<1000xf32, #shared>) to (memref<1xf32, #shared>, memref<1xf32, #shared>, memref<1xf32, #shared>)
    %r1 = tile.region %R[1] [1] : memref<3xf32>
    %r2 = tile.region %R[2] [1] : memref<3xf32>
    tile.copy %count to %r0 : memref<1xf32, #shared>, !tile.region<1xf32>
    tile.copy %mean to %r1 : memref<1xf32, #shared>, !tile.region<1xf32>
    tile.copy %squares to %r2 : memref<1xf32, #shared>, !tile.region<1xf32>
    gpu.terminator
  }
  return
}

// y[j] = a[j] y[j-1] + b[j], in place, and a product of 2x2 matrices modulo 2^32,
// from the end, of a fragment: the order counts.
// CASE: scans(A=ints:5x77:f32, B=ints:5x77:f32, K=ints:60x9:i32, Y=junk:5x77:f32, P=junk:60x9:i32)
// EXPECT: Y = B.copy()
// EXPECT: for j in range(1, 77): Y[:, j] = (A[:, j] / 4) * Y[:, j - 1] + B[:, j]
// EXPECT: P = np.zeros((60, 9)); m = [[[1, 0], [0, 1]] for c in range(9)]
// EXPECT: mul = lambda x, y: [[sum(int(x[i][k]) * int(y[k][j]) for k in (0, 1)) % 2**32 for j in (0, 1)] for i in (0, 1)]
// EXPECT: step = lambda j, c: [[int(K[j, c]) % 2**32, 1], [1, j % 3]]
// EXPECT: m = [None] * 9
// EXPECT: for j in range(59, -1, -1): m = [step(j, c) if m[c] is None else mul(m[c], step(j, c)) for c in range(9)]; P[j] = [((m[c][0][1] + 2**31) % 2**32) - 2**31 for c in range(9)]
// WITHIN: Y = 2**-16, 1
func.func @scans(%A: memref<5x77xf32>, %B: memref<5x77xf32>, %K: memref<60x9xi32>, %Y: memref<5x77xf32>, %P: memref<60x9xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %quarter = arith.constant 0.25 : f32
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %a = tile.alloc : memref<5x77xf32, #shared>
    %y = tile.alloc : memref<5x77xf32, #shared>
    tile.copy %B to %y : memref<5x77xf32>, memref<5x77xf32, #shared>
    tile.parallel (%i, %j) in [5, 77] {
      %v = memref.load %A[%i, %j] : memref<5x77xf32>
      %w = arith.mulf %v, %quarter : f32
      memref.store %w, %a[%i, %j] : memref<5x77xf32, #shared>
    }
    tile.scan_by %a, %y to %a, %y dim 1 {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %c = arith.mulf %a0, %a1 : f32
      %d = math.fma %a1, %b0, %b1 : f32
      tile.yield %c, %d : f32, f32
    } : (memref<5x77xf32, #shared>, memref<5x77xf32, #shared>) to (memref<5x77xf32, #shared>, memref<5x77xf32, #shared>)
    tile.copy %y to %Y : memref<5x77xf32, #shared>, memref<5x77xf32>
    %k = tile.alloc : memref<60x9xi32, #tile.fragment>
    %u = tile.alloc : memref<60x9xi32, #tile.fragment>
    %d = tile.alloc : memref<60x9xi32, #shared>
    tile.copy %K to %k : memref<60x9xi32>, memref<60x9xi32, #tile.fragment>
    tile.fill %u, %one : memref<60x9xi32, #tile.fragment>, i32
    tile.parallel (%i, %j) in [60, 9] {
      %r = arith.remui %i, %c3 : index
      %v = arith.index_cast %r : index to i32
      memref.store %v, %d[%i, %j] : memref<60x9xi32, #shared>
    }
    %p00 = tile.alloc : memref<60x9xi32, #shared>
    %p01 = tile.alloc : memref<60x9xi32, #tile.fragment>
    %p10 = tile.alloc : memref<60x9xi32, #shared>
    %p11 = tile.alloc : memref<60x9xi32, #shared>
    tile.scan_by %k, %u, %u, %d to %p00, %p01, %p10, %p11 dim 0 reverse {
    ^bb0(%x0: i32, %x1: i32, %x2: i32, %x3: i32, %y0: i32, %y1: i32, %y2: i32, %y3: i32):
      %m0 = arith.muli %x0, %y0 : i32
      %m1 = arith.muli %x1, %y2 : i32
      %z0 = arith.addi %m0, %m1 : i32
      %m2 = arith.muli %x0, %y1 : i32
      %m3 = arith.muli %x1, %y3 : i32
      %z1 = arith.addi %m2, %m3 : i32
      %m4 = arith.muli %x2, %y0 : i32
      %m5 = arith.muli %x3, %y2 : i32
      %z2 = arith.addi %m4, %m5 : i32
      %m6 = arith.muli %x2, %y1 : i32
      %m7 = arith.muli %x3, %y3 : i32
      %z3 = arith.addi %m6, %m7 : i32
      tile.yield %z0, %z1, %z2, %z3 : i32, i32, i32, i32
    } : (memref<60x9xi32, #tile.fragment>, memref<60x9xi32, #tile.fragment>, memref<60x9xi32, #tile.fragment>, memref<60x9xi32, #shared>) to (memref<60x9xi32, #shared>, memref<60x9xi32, #tile.fragment>, memref<60x9xi32, #shared>, memref<60x9xi32, #shared>)
    tile.copy %p01 to %P : memref<60x9xi32, #tile.fragment>, memref<60x9xi32>
    gpu.terminator
  }
  return
}

// The state of softmax, of tiles that a pipeline brings: largest, and sum of
// exponentials of what is below it.
// CASE: softmax(X=normal:20x256:f32, L=junk:20:f32)
// EXPECT: m = X.max(axis=1); L = m + np.log(np.exp(X - m[:, None]).sum(axis=1))
// WITHIN: L = 2**-18, 1
func.func @softmax(%X: memref<20x256xf32>, %L: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %least = arith.constant -1.0e30 : f32
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %x = tile.alloc : memref<20x64xf32, #shared>
    %e = tile.alloc : memref<20x64xf32, #shared>
    %m = tile.alloc : memref<20xf32, #tile.fragment>
    %s = tile.alloc : memref<20xf32, #tile.fragment>
    tile.fill %m, %least : memref<20xf32, #tile.fragment>, f32
    tile.fill %s, %zero : memref<20xf32, #tile.fragment>, f32
    tile.fill %e, %one : memref<20x64xf32, #shared>, f32
    scf.for %k = %c0 to %c256 step %c64 {
      %w = tile.region %X[0, %k] [20, 64] : memref<20x256xf32>
      tile.copy %w to %x : !tile.region<20x64xf32>, memref<20x64xf32, #shared>
      tile.reduce_by %x, %e to %m, %s dim 1 {
      ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
        %mm = arith.maximumf %ma, %mb : f32
        %da = arith.subf %ma, %mm : f32
        %db = arith.subf %mb, %mm : f32
        %ea = math.exp %da : f32
        %eb = math.exp %db : f32
        %ta = arith.mulf %sa, %ea : f32
        %ss = math.fma %sb, %eb, %ta : f32
        tile.yield %mm, %ss : f32, f32
      } : (memref<20x64xf32, #shared>, memref<20x64xf32, #shared>) to (memref<20xf32, #tile.fragment>, memref<20xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    tile.parallel (%i) in [20] {
      %a = memref.load %m[%i] : memref<20xf32, #tile.fragment>
      %b = memref.load %s[%i] : memref<20xf32, #tile.fragment>
      %log = math.log %b : f32
      %l = arith.addf %a, %log : f32
      memref.store %l, %L[%i] : memref<20xf32>
    }
    gpu.terminator
  }
  return
}

// A scalar of all threads, as a factor and as a condition; in roles of the user.
// CASE: scalars(X=ints:31x50:f16, N=ints:2x3x4:i32, R=junk:31x50:f32, S=zeros:2:i64)
// EXPECT: R = X * np.abs(X).max() if X.sum() != 0.5 else R
// EXPECT: S[0] = N.sum(); S[1] = N.min()
func.func @scalars(%X: memref<31x50xf16>, %N: memref<2x3x4xi32>, %R: memref<31x50xf32>, %S: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %half = arith.constant 0.5 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.specialize {
      tile.role "floats" warps 2 {
        %x = tile.alloc : memref<31x50xf16, #tile.fragment>
        %r = tile.alloc : memref<31x50xf32, #tile.fragment>
        tile.copy %X to %x : memref<31x50xf16>, memref<31x50xf16, #tile.fragment>
        %sum = tile.reduce_all sum %x : memref<31x50xf16, #tile.fragment> -> f32
        %most = tile.reduce_all absmax %x : memref<31x50xf16, #tile.fragment> -> f32
        %is_odd = arith.cmpf one, %sum, %half : f32
        scf.if %is_odd {
          tile.parallel (%i, %j) in [31, 50] {
            %v = memref.load %x[%i, %j] : memref<31x50xf16, #tile.fragment>
            %w = arith.extf %v : f16 to f32
            %y = arith.mulf %w, %most : f32
            memref.store %y, %r[%i, %j] : memref<31x50xf32, #tile.fragment>
          }
          tile.copy %r to %R : memref<31x50xf32, #tile.fragment>, memref<31x50xf32>
        }
      }
      tile.role "integers" warps 2 {
        %n = tile.alloc : memref<2x3x4xi32, #shared>
        tile.copy %N to %n : memref<2x3x4xi32>, memref<2x3x4xi32, #shared>
        %sum = tile.reduce_all sum %n : memref<2x3x4xi32, #shared> -> i64
        %least = tile.reduce_all min %n : memref<2x3x4xi32, #shared> -> i64
        memref.store %sum, %S[%c0] : memref<2xi64>
        memref.store %least, %S[%c1] : memref<2xi64>
      }
    }
    gpu.terminator
  }
  return
}
