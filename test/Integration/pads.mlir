// What reads outside a tensor give: zero, or the pad value of the window, into
// every memory and through every instruction that may read it.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// The pad is a constant, an argument, and zero; into shared memory and into a
// fragment, with a conversion after the pad.
// CASE: pads(A=ints:20x30:f16, B=junk:4x32x32:f32, p=1.5, i=0, j=0)
// CASE: pads(A=ints:40x40:f16, B=junk:4x32x32:f32, p=-2, i=-8, j=16)
// CASE: pads(A=ints:40x40:f16, B=junk:4x32x32:f32, p=-2, i=3, j=5)
// CASE: pads(A=ints:1x1:f16, B=junk:4x32x32:f32, p=9, i=-31, j=-31)
// CASE: pads(A=ints:0x8:f16, B=junk:4x32x32:f32, p=9, i=0, j=0)
// EXPECT: y, x = np.indices((32, 32)); y += i; x += j
// EXPECT: ok = (y >= 0) & (y < A.shape[0]) & (x >= 0) & (x < A.shape[1])
// EXPECT: W = np.zeros((32, 32)); W[ok] = A[y[ok], x[ok]]
// EXPECT: B[0] = np.where(ok, W, p); B[1] = np.where(ok, W, -7); B[2] = np.where(ok, W, p); B[3] = W
func.func @pads(%A: memref<?x?xf16>, %B: memref<4x32x32xf32>, %p: f16, %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %seven = arith.constant -7.0 : f16
  %zero = arith.constant 0.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x32xf16, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<32x32xf32, #tile.fragment>
    %a0 = tile.region %A[%i, %j] [32, 32] pad %p : f16 in : memref<?x?xf16>
    tile.copy %a0 to %S : !tile.region<32x32xf16>, memref<32x32xf16, #gpu.address_space<workgroup>>
    %b0 = tile.region %B[0, 0, 0] [1, 32, 32] drop [0] : memref<4x32x32xf32>
    tile.copy %S to %b0 : memref<32x32xf16, #gpu.address_space<workgroup>>, !tile.region<32x32xf32>
    %a1 = tile.region %A[%i, %j] [32, 32] pad %seven : f16 in : memref<?x?xf16>
    tile.copy %a1 to %T : !tile.region<32x32xf16>, memref<32x32xf32, #gpu.address_space<workgroup>>
    %b1 = tile.region %B[1, 0, 0] [1, 32, 32] drop [0] : memref<4x32x32xf32>
    tile.copy %T to %b1 : memref<32x32xf32, #gpu.address_space<workgroup>>, !tile.region<32x32xf32>
    tile.copy %a0 to %F : !tile.region<32x32xf16>, memref<32x32xf32, #tile.fragment>
    %b2 = tile.region %B[2, 0, 0] [1, 32, 32] drop [0] : memref<4x32x32xf32>
    tile.copy %F to %b2 : memref<32x32xf32, #tile.fragment>, !tile.region<32x32xf32>
    %a3 = tile.region %A[%i, %j] [32, 32] pad %zero : f16 in : memref<?x?xf16>
    tile.copy %a3 to %S : !tile.region<32x32xf16>, memref<32x32xf16, #gpu.address_space<workgroup>>
    %b3 = tile.region %B[3, 0, 0] [1, 32, 32] drop [0] : memref<4x32x32xf32>
    tile.copy %S to %b3 : memref<32x32xf16, #gpu.address_space<workgroup>>, !tile.region<32x32xf32>
    gpu.terminator
  }
  return
}

// Types that are stored as bytes.
// CASE: bytes(A=ints:3:i1, B=ints:3:i8, C=junk:8:i1, D=junk:8:i8, E=junk:8:i32, p=1, q=-128)
// CASE: bytes(A=ints:8:i1, B=ints:8:i8, C=junk:8:i1, D=junk:8:i8, E=junk:8:i32, p=1, q=-128)
// CASE: bytes(A=ints:0:i1, B=ints:0:i8, C=junk:8:i1, D=junk:8:i8, E=junk:8:i32, p=0, q=3)
// EXPECT: n = len(A); C[:n] = A; C[n:] = p; D[:n] = B; D[n:] = q; E[:] = D
func.func @bytes(%A: memref<?xi1>, %B: memref<?xi8>, %C: memref<8xi1>, %D: memref<8xi8>, %E: memref<8xi32>, %p: i1, %q: i8) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<8xi1, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<8xi8, #tile.fragment>
    %P = tile.alloc : memref<8xi32, #gpu.address_space<private>>
    %a = tile.region %A[0] [8] pad %p : i1 in : memref<?xi1>
    tile.copy %a to %S : !tile.region<8xi1>, memref<8xi1, #gpu.address_space<workgroup>>
    tile.copy %S to %C : memref<8xi1, #gpu.address_space<workgroup>>, memref<8xi1>
    %b = tile.region %B[0] [8] pad %q : i8 in : memref<?xi8>
    tile.copy %b to %T : !tile.region<8xi8>, memref<8xi8, #tile.fragment>
    tile.copy %T to %D : memref<8xi8, #tile.fragment>, memref<8xi8>
    tile.copy %b to %P : !tile.region<8xi8>, memref<8xi32, #gpu.address_space<private>>
    tile.copy %P to %E : memref<8xi32, #gpu.address_space<private>>, memref<8xi32>
    gpu.terminator
  }
  return
}

// -0.0 is a pad like any other: its sign stays. Through every instruction; the
// signs of the elements are asked for, as -0.0 equals 0.
// CASE: minus_zero_f64(A=ones:20x16:f64, B=junk:32x16:i32, i=0)
// CASE: minus_zero_f64(A=ones:40x16:f64, B=junk:32x16:i32, i=-8)
// EXPECT: y = np.arange(32) + i; B[:] = np.where((y >= 0) & (y < len(A)), 1, -1)[:, None]
func.func @minus_zero_f64(%A: memref<?x16xf64>, %B: memref<32x16xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %minus_zero = arith.constant -0.0 : f64
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x16xf64, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, 0] [32, 16] pad %minus_zero : f64 in : memref<?x16xf64>
    tile.copy %a to %S : !tile.region<32x16xf64>, memref<32x16xf64, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 16] {
      %v = memref.load %S[%x, %y] : memref<32x16xf64, #gpu.address_space<workgroup>>
      %w = arith.truncf %v : f64 to f32
      %s = math.copysign %one, %w : f32
      %r = arith.fptosi %s : f32 to i32
      memref.store %r, %B[%x, %y] : memref<32x16xi32>
    }
    gpu.terminator
  }
  return
}

// CASE: minus_zero_f32(A=ones:20x32:f32, B=junk:32x32:i32, i=0)
// CASE: minus_zero_f32(A=ones:40x32:f32, B=junk:32x32:i32, i=-8)
// EXPECT: y = np.arange(32) + i; B[:] = np.where((y >= 0) & (y < len(A)), 1, -1)[:, None]
func.func @minus_zero_f32(%A: memref<?x32xf32>, %B: memref<32x32xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %minus_zero = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, 0] [32, 32] pad %minus_zero : f32 in : memref<?x32xf32>
    tile.copy %a to %S : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 32] {
      %v = memref.load %S[%x, %y] : memref<32x32xf32, #gpu.address_space<workgroup>>
      %w = arith.addf %v, %v : f32
      %s = math.copysign %one, %w : f32
      %r = arith.fptosi %s : f32 to i32
      memref.store %r, %B[%x, %y] : memref<32x32xi32>
    }
    gpu.terminator
  }
  return
}

// CASE: minus_zero_f16(A=ones:20x64:f16, B=junk:32x64:i32, i=0)
// CASE: minus_zero_f16(A=ones:40x64:f16, B=junk:32x64:i32, i=-8)
// EXPECT: y = np.arange(32) + i; B[:] = np.where((y >= 0) & (y < len(A)), 1, -1)[:, None]
func.func @minus_zero_f16(%A: memref<?x64xf16>, %B: memref<32x64xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %minus_zero = arith.constant -0.0 : f16
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, 0] [32, 64] pad %minus_zero : f16 in : memref<?x64xf16>
    tile.copy %a to %S : !tile.region<32x64xf16>, memref<32x64xf16, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 64] {
      %v = memref.load %S[%x, %y] : memref<32x64xf16, #gpu.address_space<workgroup>>
      %w = arith.extf %v : f16 to f32
      %s = math.copysign %one, %w : f32
      %r = arith.fptosi %s : f32 to i32
      memref.store %r, %B[%x, %y] : memref<32x64xi32>
    }
    gpu.terminator
  }
  return
}

// CASE: minus_zero_bf16(A=ones:20x64:bf16, B=junk:32x64:i32, i=0)
// CASE: minus_zero_bf16(A=ones:40x64:bf16, B=junk:32x64:i32, i=-8)
// EXPECT: y = np.arange(32) + i; B[:] = np.where((y >= 0) & (y < len(A)), 1, -1)[:, None]
func.func @minus_zero_bf16(%A: memref<?x64xbf16>, %B: memref<32x64xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %minus_zero = arith.constant -0.0 : bf16
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, 0] [32, 64] pad %minus_zero : bf16 in : memref<?x64xbf16>
    tile.copy %a to %S : !tile.region<32x64xbf16>, memref<32x64xbf16, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 64] {
      %v = memref.load %S[%x, %y] : memref<32x64xbf16, #gpu.address_space<workgroup>>
      %w = arith.extf %v : bf16 to f32
      %s = math.copysign %one, %w : f32
      %r = arith.fptosi %s : f32 to i32
      memref.store %r, %B[%x, %y] : memref<32x64xi32>
    }
    gpu.terminator
  }
  return
}

// CASE: minus_zero_f8e4m3(A=ones:20x64:f8E4M3FN, B=junk:32x64:i32, i=0)
// CASE: minus_zero_f8e4m3(A=ones:40x64:f8E4M3FN, B=junk:32x64:i32, i=-8)
// EXPECT: y = np.arange(32) + i; B[:] = np.where((y >= 0) & (y < len(A)), 1, -1)[:, None]
func.func @minus_zero_f8e4m3(%A: memref<?x64xf8E4M3FN>, %B: memref<32x64xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %minus_zero = arith.constant -0.0 : f8E4M3FN
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf8E4M3FN, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, 0] [32, 64] pad %minus_zero : f8E4M3FN in : memref<?x64xf8E4M3FN>
    tile.copy %a to %S : !tile.region<32x64xf8E4M3FN>, memref<32x64xf8E4M3FN, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 64] {
      %v = memref.load %S[%x, %y] : memref<32x64xf8E4M3FN, #gpu.address_space<workgroup>>
      %w = arith.extf %v : f8E4M3FN to f32
      %s = math.copysign %one, %w : f32
      %r = arith.fptosi %s : f32 to i32
      memref.store %r, %B[%x, %y] : memref<32x64xi32>
    }
    gpu.terminator
  }
  return
}

// CASE: minus_zero_f8e5m2(A=ones:20x64:f8E5M2, B=junk:32x64:i32, i=0)
// CASE: minus_zero_f8e5m2(A=ones:40x64:f8E5M2, B=junk:32x64:i32, i=-8)
// EXPECT: y = np.arange(32) + i; B[:] = np.where((y >= 0) & (y < len(A)), 1, -1)[:, None]
func.func @minus_zero_f8e5m2(%A: memref<?x64xf8E5M2>, %B: memref<32x64xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %minus_zero = arith.constant -0.0 : f8E5M2
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf8E5M2, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, 0] [32, 64] pad %minus_zero : f8E5M2 in : memref<?x64xf8E5M2>
    tile.copy %a to %S : !tile.region<32x64xf8E5M2>, memref<32x64xf8E5M2, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 64] {
      %v = memref.load %S[%x, %y] : memref<32x64xf8E5M2, #gpu.address_space<workgroup>>
      %w = arith.extf %v : f8E5M2 to f32
      %s = math.copysign %one, %w : f32
      %r = arith.fptosi %s : f32 to i32
      memref.store %r, %B[%x, %y] : memref<32x64xi32>
    }
    gpu.terminator
  }
  return
}
