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
