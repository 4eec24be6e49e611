// Functions of floats against numpy, within the bounds that
// docs/Rationale/MathFunctions.md states. More numbers and types: math-types.test

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// CASE: exponentials(A=span:1601:f32, E=junk:1601:f32, M=junk:1601:f32, T=junk:1601:f32, R=junk:1601:f32, S=junk:1601:f32, C=junk:1601:f32)
// CASE: exponentials(A=normal:777:f32, E=junk:777:f32, M=junk:777:f32, T=junk:777:f32, R=junk:777:f32, S=junk:777:f32, C=junk:777:f32)
// CASE: exponentials(A=wide:999:f32, E=junk:999:f32, M=junk:999:f32, T=junk:999:f32, R=junk:999:f32, S=junk:999:f32, C=junk:999:f32)
// EXPECT: old = np.seterr(all="ignore"); x = A.astype(np.float64); erf = np.vectorize(__import__("math").erf)
// EXPECT: E = np.exp(x).astype(np.float32); M = np.expm1(x).astype(np.float32); T = np.tanh(x); R = erf(x)
// EXPECT: S = np.sin(x); C = np.cos(x)
// WITHIN: E = 2**-21; M = 2**-21; T = 2**-21; R = 2**-21; S = 2**-21; C = 2**-21
func.func @exponentials(%A: memref<?xf32>, %E: memref<?xf32>, %M: memref<?xf32>, %T: memref<?xf32>, %R: memref<?xf32>, %S: memref<?xf32>, %C: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %threads = arith.constant 96 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c1000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c1000 : index
    tile.parallel (%k) in [1000] {
      %i = arith.addi %first, %k : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf32>
        %E0 = math.exp %x : f32
        memref.store %E0, %E[%i] : memref<?xf32>
        %M0 = math.expm1 %x : f32
        memref.store %M0, %M[%i] : memref<?xf32>
        %T0 = math.tanh %x : f32
        memref.store %T0, %T[%i] : memref<?xf32>
        %R0 = math.erf %x : f32
        memref.store %R0, %R[%i] : memref<?xf32>
        %S0 = math.sin %x : f32
        memref.store %S0, %S[%i] : memref<?xf32>
        %C0 = math.cos %x : f32
        memref.store %C0, %C[%i] : memref<?xf32>
      }
    }
    gpu.terminator
  }
  return
}

// Numbers below 1 as well, near 1, and 0.
// CASE: logarithms(A=span:1601:f32, L=junk:1601:f32, B=junk:1601:f32, D=junk:1601:f32, P=junk:1601:f32, Q=junk:1601:f32, W=junk:1601:f32)
// CASE: logarithms(A=wide:999:f32, L=junk:999:f32, B=junk:999:f32, D=junk:999:f32, P=junk:999:f32, Q=junk:999:f32, W=junk:999:f32)
// CASE: logarithms(A=zeros:7:f32, L=junk:7:f32, B=junk:7:f32, D=junk:7:f32, P=junk:7:f32, Q=junk:7:f32, W=junk:7:f32)
// EXPECT: old = np.seterr(all="ignore"); x = np.abs(A.astype(np.float64))
// EXPECT: L = np.log(x); B = np.log2(x); D = np.log10(x); P = np.log1p(x); Q = 1 / np.sqrt(x); W = A.astype(np.float64) ** 3
// WITHIN: L = 2**-21; B = 2**-21; D = 2**-21; P = 2**-21; Q = 2**-21; W = 2**-20
func.func @logarithms(%A: memref<?xf32>, %L: memref<?xf32>, %B: memref<?xf32>, %D: memref<?xf32>, %P: memref<?xf32>, %Q: memref<?xf32>, %W: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %threads = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c1000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c1000 : index
    tile.parallel (%k) in [1000] {
      %i = arith.addi %first, %k : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf32>
        %three = arith.constant 3.0 : f32
        %y = math.absf %x : f32
        %L0 = math.log %y : f32
        memref.store %L0, %L[%i] : memref<?xf32>
        %B0 = math.log2 %y : f32
        memref.store %B0, %B[%i] : memref<?xf32>
        %D0 = math.log10 %y : f32
        memref.store %D0, %D[%i] : memref<?xf32>
        %P0 = math.log1p %y : f32
        memref.store %P0, %P[%i] : memref<?xf32>
        %Q0 = math.rsqrt %y : f32
        memref.store %Q0, %Q[%i] : memref<?xf32>
        %w = math.powf %x, %three : f32
        memref.store %w, %W[%i] : memref<?xf32>
      }
    }
    gpu.terminator
  }
  return
}

// One instruction, where fastmath allows it.
// CASE: fast(A=normal:300:f32, D=junk:300:f32, E=junk:300:f32, L=junk:300:f32, T=junk:300:f32, S=junk:300:f32, U=junk:300:f32, V=junk:300:f32, W=junk:300:f32)
// EXPECT: W = A.astype(np.float64) ** 3 + 20; x = A.astype(np.float64); U = np.tan(x / 4) + 2; V = np.sin(x) + 2 * np.cos(x) + 4; D = np.exp2(10 * A.astype(np.float32)); E = np.exp(x); L = np.log(np.abs(x)) + 100; T = np.tanh(x); S = np.sin(x) + 2
// WITHIN: D = 2**-21; E = 2**-18; L = 2**-20; T = 2**-10; S = 2**-18; U = 2**-18; V = 2**-18; W = 2**-18
func.func @fast(%A: memref<?xf32>, %D: memref<?xf32>, %E: memref<?xf32>, %L: memref<?xf32>, %T: memref<?xf32>, %S: memref<?xf32>, %U: memref<?xf32>, %V: memref<?xf32>, %W: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %threads = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %ten = arith.constant 10.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c1000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c1000 : index
    tile.parallel (%k) in [1000] {
      %i = arith.addi %first, %k : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf32>
        %y = math.absf %x : f32
        %hundred = arith.constant 100.0 : f32
        %e = math.exp %x fastmath<afn> : f32
        %x2 = arith.mulf %x, %ten : f32
        %e2 = math.exp2 %x2 fastmath<afn> : f32
        memref.store %e2, %D[%i] : memref<?xf32>
        memref.store %e, %E[%i] : memref<?xf32>
        %l = math.log %y fastmath<afn> : f32
        %l1 = arith.addf %l, %hundred : f32
        memref.store %l1, %L[%i] : memref<?xf32>
        %t = math.tanh %x fastmath<afn> : f32
        memref.store %t, %T[%i] : memref<?xf32>
        %s = math.sin %x fastmath<afn> : f32
        %s1 = arith.addf %s, %two : f32
        memref.store %s1, %S[%i] : memref<?xf32>
        %quarter = arith.constant 0.25 : f32
        %four = arith.constant 4.0 : f32
        %x4 = arith.mulf %x, %quarter : f32
        %u = math.tan %x4 fastmath<afn> : f32
        %u1 = arith.addf %u, %two : f32
        memref.store %u1, %U[%i] : memref<?xf32>
        %s2, %c2 = math.sincos %x fastmath<afn> : f32
        %v = math.fma %c2, %two, %s2 : f32
        %v1 = arith.addf %v, %four : f32
        memref.store %v1, %V[%i] : memref<?xf32>
        %three = arith.constant 3.0 : f32
        %twenty = arith.constant 20.0 : f32
        %w = math.powf %x, %three fastmath<afn> : f32
        %w1 = arith.addf %w, %twenty : f32
        memref.store %w1, %W[%i] : memref<?xf32>
      }
    }
    gpu.terminator
  }
  return
}

// What LLVM has by itself, the kinds of minima and maxima, and 16-bit types.
// CASE: native(A=normal:500:f16, F=junk:500:f16, X=junk:500:bf16, N=junk:500:f32, K=junk:500:i32, Q=junk:500:f32)
// EXPECT: x = A.astype(np.float32); b = round_to(x, "bf16")
// EXPECT: F = np.floor(A) + np.ceil(A) * np.abs(A); X = round_to(round_to(b + b, "bf16") * b, "bf16")
// EXPECT: bad = np.sqrt(np.where(x < 0, np.nan, x).astype(np.float64)).astype(np.float32)
// EXPECT: N = np.where(x < 0, 2, np.minimum(bad, 2)).astype(np.float32); Q = np.where(x < 0, np.nan, np.maximum(bad, 1)).astype(np.float32)
// EXPECT: K = np.vectorize(lambda v: bin(int(v)).count("1"))(np.abs(np.trunc(x * np.float32(100)))).astype(np.int32)
func.func @native(%A: memref<?xf16>, %F: memref<?xf16>, %X: memref<?xbf16>, %N: memref<?xf32>, %K: memref<?xi32>, %Q: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %threads = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf16>
  %blocks = arith.ceildivui %n, %c1000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c1000 : index
    tile.parallel (%k) in [1000] {
      %i = arith.addi %first, %k : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf16>
        %fl = math.floor %x : f16
        %ce = math.ceil %x : f16
        %ab = math.absf %x : f16
        %t = arith.mulf %ce, %ab : f16
        %f = arith.addf %fl, %t : f16
        memref.store %f, %F[%i] : memref<?xf16>
        %w = arith.extf %x : f16 to f32
        %b = arith.truncf %w : f32 to bf16
        %bb = arith.addf %b, %b : bf16
        %bm = arith.mulf %bb, %b : bf16
        memref.store %bm, %X[%i] : memref<?xbf16>
        %sq = math.sqrt %w : f32
        %mn = arith.minnumf %sq, %two : f32
        memref.store %mn, %N[%i] : memref<?xf32>
        %mx = arith.maximumf %sq, %one : f32
        memref.store %mx, %Q[%i] : memref<?xf32>
        %hundred = arith.constant 100.0 : f32
        %h = arith.mulf %w, %hundred : f32
        %ki = arith.fptosi %h : f32 to i32
        %ka = math.absi %ki : i32
        %kp = math.ctpop %ka : i32
        memref.store %kp, %K[%i] : memref<?xi32>
      }
    }
    gpu.terminator
  }
  return
}

// Which numbers are none, finite, infinite; bounds. Of every type.
// CASE: kinds_f16(A=wide:301:f16, P=junk:3x301:i1, C=junk:301:f16)
// EXPECT: old = np.seterr(all="ignore"); x = round_to(round_to(A * A, "f16") * A, "f16"); x = round_to(np.where(np.arange(301) % 7 < 5, x, x - x), "f16")
// EXPECT: P = np.stack([x != x, np.isfinite(x), np.isinf(x)]); C = np.where(x != x, x, np.clip(x, -2, 0.5))
func.func @kinds_f16(%A: memref<?xf16>, %P: memref<3x?xi1>, %C: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %threads = arith.constant 96 : index
  %low = arith.constant -2.0 : f16
  %high = arith.constant 0.5 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.parallel (%i) in [301] {
      %a = memref.load %A[%i] : memref<?xf16>
      %a2 = arith.mulf %a, %a : f16
      %a3 = arith.mulf %a2, %a : f16
      %zero = arith.subf %a3, %a3 : f16
      %k = arith.remui %i, %c7 : index
      %keep = arith.cmpi ult, %k, %c5 : index
      %x = arith.select %keep, %a3, %zero : f16
      %p0 = math.isnan %x : f16
      %p1 = math.isfinite %x : f16
      %p2 = math.isinf %x : f16
      %y = math.clampf %x to [%low, %high] : f16
      memref.store %p0, %P[%c0, %i] : memref<3x?xi1>
      memref.store %p1, %P[%c1, %i] : memref<3x?xi1>
      memref.store %p2, %P[%c2, %i] : memref<3x?xi1>
      memref.store %y, %C[%i] : memref<?xf16>
    }
    gpu.terminator
  }
  return
}

// CASE: kinds_bf16(A=wide:301:bf16, P=junk:3x301:i1, C=junk:301:bf16)
// EXPECT: old = np.seterr(all="ignore"); x = round_to(round_to(A * A, "bf16") * A, "bf16"); x = round_to(np.where(np.arange(301) % 7 < 5, x, x - x), "bf16")
// EXPECT: P = np.stack([x != x, np.isfinite(x), np.isinf(x)]); C = np.where(x != x, x, np.clip(x, -2, 0.5))
func.func @kinds_bf16(%A: memref<?xbf16>, %P: memref<3x?xi1>, %C: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %threads = arith.constant 96 : index
  %low = arith.constant -2.0 : bf16
  %high = arith.constant 0.5 : bf16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.parallel (%i) in [301] {
      %a = memref.load %A[%i] : memref<?xbf16>
      %a2 = arith.mulf %a, %a : bf16
      %a3 = arith.mulf %a2, %a : bf16
      %zero = arith.subf %a3, %a3 : bf16
      %k = arith.remui %i, %c7 : index
      %keep = arith.cmpi ult, %k, %c5 : index
      %x = arith.select %keep, %a3, %zero : bf16
      %p0 = math.isnan %x : bf16
      %p1 = math.isfinite %x : bf16
      %p2 = math.isinf %x : bf16
      %y = math.clampf %x to [%low, %high] : bf16
      memref.store %p0, %P[%c0, %i] : memref<3x?xi1>
      memref.store %p1, %P[%c1, %i] : memref<3x?xi1>
      memref.store %p2, %P[%c2, %i] : memref<3x?xi1>
      memref.store %y, %C[%i] : memref<?xbf16>
    }
    gpu.terminator
  }
  return
}

// CASE: kinds_f32(A=wide:301:f32, P=junk:3x301:i1, C=junk:301:f32)
// EXPECT: old = np.seterr(all="ignore"); x = round_to(round_to(A * A, "f32") * A, "f32"); x = round_to(np.where(np.arange(301) % 7 < 5, x, x - x), "f32")
// EXPECT: P = np.stack([x != x, np.isfinite(x), np.isinf(x)]); C = np.where(x != x, x, np.clip(x, -2, 0.5))
func.func @kinds_f32(%A: memref<?xf32>, %P: memref<3x?xi1>, %C: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %threads = arith.constant 96 : index
  %low = arith.constant -2.0 : f32
  %high = arith.constant 0.5 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.parallel (%i) in [301] {
      %a = memref.load %A[%i] : memref<?xf32>
      %a2 = arith.mulf %a, %a : f32
      %a3 = arith.mulf %a2, %a : f32
      %zero = arith.subf %a3, %a3 : f32
      %k = arith.remui %i, %c7 : index
      %keep = arith.cmpi ult, %k, %c5 : index
      %x = arith.select %keep, %a3, %zero : f32
      %p0 = math.isnan %x : f32
      %p1 = math.isfinite %x : f32
      %p2 = math.isinf %x : f32
      %y = math.clampf %x to [%low, %high] : f32
      memref.store %p0, %P[%c0, %i] : memref<3x?xi1>
      memref.store %p1, %P[%c1, %i] : memref<3x?xi1>
      memref.store %p2, %P[%c2, %i] : memref<3x?xi1>
      memref.store %y, %C[%i] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// CASE: kinds_f64(A=wide:301:f64, P=junk:3x301:i1, C=junk:301:f64)
// EXPECT: old = np.seterr(all="ignore"); x = round_to(round_to(A * A, "f64") * A, "f64"); x = round_to(np.where(np.arange(301) % 7 < 5, x, x - x), "f64")
// EXPECT: P = np.stack([x != x, np.isfinite(x), np.isinf(x)]); C = np.where(x != x, x, np.clip(x, -2, 0.5))
func.func @kinds_f64(%A: memref<?xf64>, %P: memref<3x?xi1>, %C: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %threads = arith.constant 96 : index
  %low = arith.constant -2.0 : f64
  %high = arith.constant 0.5 : f64
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.parallel (%i) in [301] {
      %a = memref.load %A[%i] : memref<?xf64>
      %a2 = arith.mulf %a, %a : f64
      %a3 = arith.mulf %a2, %a : f64
      %zero = arith.subf %a3, %a3 : f64
      %k = arith.remui %i, %c7 : index
      %keep = arith.cmpi ult, %k, %c5 : index
      %x = arith.select %keep, %a3, %zero : f64
      %p0 = math.isnan %x : f64
      %p1 = math.isfinite %x : f64
      %p2 = math.isinf %x : f64
      %y = math.clampf %x to [%low, %high] : f64
      memref.store %p0, %P[%c0, %i] : memref<3x?xi1>
      memref.store %p1, %P[%c1, %i] : memref<3x?xi1>
      memref.store %p2, %P[%c2, %i] : memref<3x?xi1>
      memref.store %y, %C[%i] : memref<?xf64>
    }
    gpu.terminator
  }
  return
}
