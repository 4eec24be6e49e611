// 4-bit floats of every byte, to every type; arithmetic and conversions of 8-bit
// floats and of integers in element loops.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// CASE: unpack(A=count:256:i8, H=junk:512:f16, B=junk:512:bf16, F=junk:512:f32, U=junk:512:f8E4M3FN, V=junk:512:f8E5M2)
// EXPECT: byte = A.astype(np.int32) & 255; pair = np.stack([byte & 15, byte >> 4], 1).reshape(-1)
// EXPECT: table = np.array([0, .5, 1, 1.5, 2, 3, 4, 6]); value = np.copysign(table[pair & 7], np.where(pair & 8, -1., 1.))
// EXPECT: H = B = F = U = V = value
func.func @unpack(%A: memref<256xi8>, %H: memref<512xf16>, %B: memref<512xbf16>, %F: memref<512xf32>, %U: memref<512xf8E4M3FN>, %V: memref<512xf8E5M2>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<512xbf16, #gpu.address_space<workgroup>>
    tile.parallel (%i) in [512] {
      %k = arith.divui %i, %c2 : index
      %pair = memref.load %A[%k] : memref<256xi8>
      %h = tile.unpack_fp4 %pair[%i] : f16
      %b = tile.unpack_fp4 %pair[%i] : bf16
      %f = tile.unpack_fp4 %pair[%i] : f32
      %u = tile.unpack_fp4 %pair[%i] : f8E4M3FN
      %v = tile.unpack_fp4 %pair[%i] : f8E5M2
      memref.store %h, %H[%i] : memref<512xf16>
      memref.store %b, %s[%i] : memref<512xbf16, #gpu.address_space<workgroup>>
      memref.store %f, %F[%i] : memref<512xf32>
      memref.store %u, %U[%i] : memref<512xf8E4M3FN>
      memref.store %v, %V[%i] : memref<512xf8E5M2>
    }
    %b = tile.region %B[0] [512] : memref<512xbf16>
    tile.copy %s to %b : memref<512xbf16, #gpu.address_space<workgroup>>, !tile.region<512xbf16>
    gpu.terminator
  }
  return
}

// CASE: arithmetic(A=normal:60x20:f8E4M3FN, B=normal:60x20:f8E5M2, X=junk:60x20:f8E4M3FN, Y=junk:60x20:f8E5M2, I=junk:60x20:i32, M=junk:60x20:i1)
// CASE: arithmetic(A=wide:60x20:f8E4M3FN, B=wide:60x20:f8E5M2, X=junk:60x20:f8E4M3FN, Y=junk:60x20:f8E5M2, I=junk:60x20:i32, M=junk:60x20:i1)
// EXPECT: b = round_to(B, "f8E4M3FN"); X = round_to(round_to(A * b, "f8E4M3FN") + A, "f8E4M3FN")
// EXPECT: Y = round_to(np.maximum(B, 0), "f8E5M2"); I = (A * 16).astype(np.int32) * 3; M = A < b
func.func @arithmetic(%A: memref<60x20xf8E4M3FN>, %B: memref<60x20xf8E5M2>, %X: memref<60x20xf8E4M3FN>, %Y: memref<60x20xf8E5M2>,
                      %I: memref<60x20xi32>, %M: memref<60x20xi1>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %three = arith.constant 3 : i32
  %sixteen = arith.constant 16.0 : f32
  %zero = arith.constant 0.0 : f8E5M2
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<60x20xf8E4M3FN, #tile.fragment>
    %wa = tile.region %A[0, 0] [60, 20] : memref<60x20xf8E4M3FN>
    tile.copy %wa to %f : !tile.region<60x20xf8E4M3FN>, memref<60x20xf8E4M3FN, #tile.fragment>
    tile.parallel (%i, %j) in [60, 20] {
      %a = memref.load %f[%i, %j] : memref<60x20xf8E4M3FN, #tile.fragment>
      %b5 = memref.load %B[%i, %j] : memref<60x20xf8E5M2>
      %bw = arith.extf %b5 : f8E5M2 to f16
      %b = arith.truncf %bw : f16 to f8E4M3FN
      %p = arith.mulf %a, %b : f8E4M3FN
      %x = arith.addf %p, %a : f8E4M3FN
      memref.store %x, %X[%i, %j] : memref<60x20xf8E4M3FN>
      %y = arith.maximumf %b5, %zero : f8E5M2
      memref.store %y, %Y[%i, %j] : memref<60x20xf8E5M2>
      %aw = arith.extf %a : f8E4M3FN to f32
      %a16 = arith.mulf %aw, %sixteen : f32
      %k = arith.fptosi %a16 : f32 to i32
      %k3 = arith.muli %k, %three : i32
      memref.store %k3, %I[%i, %j] : memref<60x20xi32>
      %less = arith.cmpf olt, %a, %b : f8E4M3FN
      memref.store %less, %M[%i, %j] : memref<60x20xi1>
    }
    gpu.terminator
  }
  return
}

// Functions of 8-bit floats are those of f32, rounded once; predicates; integers.
// CASE: functions(A=normal:999:f8E4M3FN, B=normal:999:f8E4M3FN, C=junk:10x999:f8E4M3FN, D=junk:3x999:i1, K=ints:999:i64)
// CASE: functions(A=wide:999:f8E4M3FN, B=wide:999:f8E4M3FN, C=junk:10x999:f8E4M3FN, D=junk:3x999:i1, K=ints:999:i64)
// EXPECT: old = np.seterr(all="ignore"); x, w = A, B; y = np.abs(x)
// EXPECT: C = np.stack([y, np.ceil(x), np.floor(x), np.trunc(x), np.rint(x), np.sqrt(y), np.copysign(y, w), x * w + x, np.exp2(np.rint(x)), np.clip(x, -1, 2)])
// EXPECT: D = np.stack([x != x, np.abs(w) < np.inf, np.isinf(x)]); K = (2 * K + 1) * np.trunc(np.clip(x, -9, 9)).astype(np.int64)
func.func @functions(%A: memref<?xf8E4M3FN>, %B: memref<?xf8E4M3FN>, %C: memref<10x?xf8E4M3FN>, %D: memref<3x?xi1>, %K: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c160 = arith.constant 160 : index
  %low = arith.constant -1.0 : f8E4M3FN
  %high = arith.constant 2.0 : f8E4M3FN
  %nine = arith.constant 9.0 : f8E4M3FN
  %minus_nine = arith.constant -9.0 : f8E4M3FN
  %one = arith.constant 1 : i64
  %n = memref.dim %A, %c0 : memref<?xf8E4M3FN>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    tile.parallel (%i) in [1000] {
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf8E4M3FN>
        %w = memref.load %B[%i] : memref<?xf8E4M3FN>
        %y = math.absf %x : f8E4M3FN
        %f1 = math.ceil %x : f8E4M3FN
        %f2 = math.floor %x : f8E4M3FN
        %f3 = math.trunc %x : f8E4M3FN
        %f4 = math.roundeven %x : f8E4M3FN
        %f5 = math.sqrt %y : f8E4M3FN
        %f6 = math.copysign %y, %w : f8E4M3FN
        %f7 = math.fma %x, %w, %x : f8E4M3FN
        %f8 = math.exp2 %f4 : f8E4M3FN
        %f9 = math.clampf %x to [%low, %high] : f8E4M3FN
        %r0 = arith.constant 0 : index
        memref.store %y, %C[%r0, %i] : memref<10x?xf8E4M3FN>
        %r1 = arith.constant 1 : index
        memref.store %f1, %C[%r1, %i] : memref<10x?xf8E4M3FN>
        %r2 = arith.constant 2 : index
        memref.store %f2, %C[%r2, %i] : memref<10x?xf8E4M3FN>
        %r3 = arith.constant 3 : index
        memref.store %f3, %C[%r3, %i] : memref<10x?xf8E4M3FN>
        %r4 = arith.constant 4 : index
        memref.store %f4, %C[%r4, %i] : memref<10x?xf8E4M3FN>
        %r5 = arith.constant 5 : index
        memref.store %f5, %C[%r5, %i] : memref<10x?xf8E4M3FN>
        %r6 = arith.constant 6 : index
        memref.store %f6, %C[%r6, %i] : memref<10x?xf8E4M3FN>
        %r7 = arith.constant 7 : index
        memref.store %f7, %C[%r7, %i] : memref<10x?xf8E4M3FN>
        %r8 = arith.constant 8 : index
        memref.store %f8, %C[%r8, %i] : memref<10x?xf8E4M3FN>
        %r9 = arith.constant 9 : index
        memref.store %f9, %C[%r9, %i] : memref<10x?xf8E4M3FN>
        %d0 = math.isnan %x : f8E4M3FN
        %d1 = math.isfinite %w : f8E4M3FN
        %d2 = math.isinf %x : f8E4M3FN
        memref.store %d0, %D[%r0, %i] : memref<3x?xi1>
        memref.store %d1, %D[%r1, %i] : memref<3x?xi1>
        memref.store %d2, %D[%r2, %i] : memref<3x?xi1>
        %k = memref.load %K[%i] : memref<?xi64>
        %k2 = arith.addi %k, %k : i64
        %k3 = arith.addi %k2, %one : i64
        %q = math.clampf %x to [%minus_nine, %nine] : f8E4M3FN
        %t = arith.fptosi %q : f8E4M3FN to i64
        %u = arith.sitofp %t : i64 to f8E4M3FN
        %v = arith.fptosi %u : f8E4M3FN to i64
        %z = arith.muli %k3, %v : i64
        memref.store %z, %K[%i] : memref<?xi64>
      }
    }
    gpu.terminator
  }
  return
}

// Weights of 4 bits, widened between the copies and the products of a pipeline.
// CASE: w4(A=ints:50x100:f16, W=wide:100x31:i8, C=junk:50x62:f32)
// CASE: w4(A=ints:48x64:f16, W=wide:64x32:i8, C=junk:48x64:f32)
// EXPECT: b = W.astype(np.int32) & 255; p = np.stack([b & 15, b >> 4], 2).reshape(W.shape[0], -1)
// EXPECT: t = np.array([0, .5, 1, 1.5, 2, 3, 4, 6]); v = np.copysign(t[p & 7], np.where(p & 8, -1., 1.))
// EXPECT: C = A.astype(np.float64) @ v
func.func @w4(%A: memref<?x?xf16>, %W: memref<?x?xi8>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %W, %c0 : memref<?x?xi8>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %P = tile.alloc : memref<32x32xi8, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %a = tile.region %A[0, %k] [64, 32] : memref<?x?xf16>
      %w = tile.region %W[%k, 0] [32, 32] : memref<?x?xi8>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
      tile.copy %w to %P : !tile.region<32x32xi8>, memref<32x32xi8, #gpu.address_space<workgroup>>
      tile.parallel (%i, %j) in [32, 64] {
        %h = arith.divui %j, %c2 : index
        %q = memref.load %P[%i, %h] : memref<32x32xi8, #gpu.address_space<workgroup>>
        %x = tile.unpack_fp4 %q[%j] : f16
        memref.store %x, %Bs[%i, %j] : memref<32x64xf16, #gpu.address_space<workgroup>>
      }
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
