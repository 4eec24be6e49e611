// Atomic updates of tensors and shared tiles: every element once per block,
// whatever holds it, with ragged and misaligned windows.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Five blocks add one tile to the same window; the tensor may end inside it,
// and its rows may begin anywhere.
// CASE: add(A=ints:64x32:f32, B=ints:64x32:f32)
// CASE: add(A=ints:64x32:f32, B=ints:100x50:f32)
// CASE: add(A=ints:64x32:f32, B=ints:61x29:f32)
// CASE: add(A=ints:64x32:f32, B=ints:64x32:f32@36+1)
// CASE: add(A=ints:64x32:f32, B=ints:64x32:f32@38+2)
// EXPECT: h, w = min(64, B.shape[0]), min(32, B.shape[1])
// EXPECT: B[:h, :w] += 5 * A[:h, :w]
func.func @add(%A: memref<64x32xf32>, %B: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c5, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<64x32xf32, #fragment>
    tile.copy %A to %F : memref<64x32xf32>, memref<64x32xf32, #fragment>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.atomic add %F to %b : memref<64x32xf32, #fragment>, !tile.region<64x32xf32>
    gpu.terminator
  }
  return
}

// 16-bit floats go in pairs where rows allow; a fragment that all threads hold
// a copy of is added once.
// CASE: halves(A=ints:24x16:f32, B=ints:24x16:f16, C=ints:24x16:bf16, D=ints:3:f16, E=ints:3:bf16)
// EXPECT: B = B + 3 * A.astype(np.float16)
// EXPECT: C = C + 3 * A
// EXPECT: D = D + 3 * A[0, :3].astype(np.float16)
// EXPECT: E = E + 3 * A[0, :3]
func.func @halves(%A: memref<24x16xf32>, %B: memref<24x16xf16>, %C: memref<24x16xbf16>, %D: memref<3xf16>, %E: memref<3xbf16>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<24x16xf32, #fragment>
    %G = tile.alloc : memref<3xf32, #fragment>
    tile.copy %A to %F : memref<24x16xf32>, memref<24x16xf32, #fragment>
    %a = tile.region %A[0, 0] [1, 3] drop [0] : memref<24x16xf32>
    tile.copy %a to %G : !tile.region<3xf32>, memref<3xf32, #fragment>
    tile.atomic add %F to %B : memref<24x16xf32, #fragment>, memref<24x16xf16>
    tile.atomic add %F to %C : memref<24x16xf32, #fragment>, memref<24x16xbf16>
    tile.atomic add %G to %D : memref<3xf32, #fragment>, memref<3xf16>
    tile.atomic add %G to %E : memref<3xf32, #fragment>, memref<3xbf16>
    gpu.terminator
  }
  return
}

// What the hardware has no instruction for: a loop around compare-and-swap.
// CASE: floats(A=normal:4x100:f32, B=normal:100:f32, C=normal:100:f64, D=normal:100:f16, E=normal:100:bf16)
// EXPECT: B = np.maximum(B, A.max(axis=0))
// EXPECT: C = np.minimum(C, A.astype(np.float64).min(axis=0))
// EXPECT: D = np.maximum(D, round_to(A, 'f16').max(axis=0))
// EXPECT: E = np.minimum(E, round_to(A, 'bf16').min(axis=0))
func.func @floats(%A: memref<4x100xf32>, %B: memref<100xf32>, %C: memref<100xf64>, %D: memref<100xf16>, %E: memref<100xbf16>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<100xf32, #fragment>
    %S = tile.alloc : memref<100xf32, #shared>
    %a = tile.region %A[%bx, 0] [1, 100] drop [0] : memref<4x100xf32>
    tile.copy %a to %F : !tile.region<100xf32>, memref<100xf32, #fragment>
    tile.copy %F to %S : memref<100xf32, #fragment>, memref<100xf32, #shared>
    tile.atomic max %F to %B : memref<100xf32, #fragment>, memref<100xf32>
    tile.atomic min %S to %C : memref<100xf32, #shared>, memref<100xf64>
    tile.atomic max %F to %D : memref<100xf32, #fragment>, memref<100xf16>
    tile.atomic min %S to %E : memref<100xf32, #shared>, memref<100xbf16>
    gpu.terminator
  }
  return
}

// Integers of 32 and 64 bits, signed.
// CASE: integers(A=wide:3x7x9:i32, B=wide:7x9:i32, C=wide:7x9:i64, D=wide:7x9:i32, E=wide:7x9:i64, G=wide:7x9:i32, H=wide:7x9:i64)
// EXPECT: L = A.astype(np.int64)
// EXPECT: B = B + A.sum(axis=0, dtype=np.int32)
// EXPECT: C = C + L.sum(axis=0)
// EXPECT: D = np.maximum(D, A.max(axis=0))
// EXPECT: E = np.minimum(E, L.min(axis=0))
// EXPECT: G = G & A[0] & A[1] & A[2]
// EXPECT: H = H ^ L[0] ^ L[1] ^ L[2]
func.func @integers(%A: memref<3x7x9xi32>, %B: memref<7x9xi32>, %C: memref<7x9xi64>, %D: memref<7x9xi32>, %E: memref<7x9xi64>, %G: memref<7x9xi32>, %H: memref<7x9xi64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<7x9xi32, #fragment>
    %S = tile.alloc : memref<7x9xi32, #shared>
    %a = tile.region %A[%bx, 0, 0] [1, 7, 9] drop [0] : memref<3x7x9xi32>
    tile.copy %a to %F : !tile.region<7x9xi32>, memref<7x9xi32, #fragment>
    tile.copy %a to %S : !tile.region<7x9xi32>, memref<7x9xi32, #shared>
    tile.atomic add %F to %B : memref<7x9xi32, #fragment>, memref<7x9xi32>
    tile.atomic add %S to %C : memref<7x9xi32, #shared>, memref<7x9xi64>
    tile.atomic max %F to %D : memref<7x9xi32, #fragment>, memref<7x9xi32>
    tile.atomic min %S to %E : memref<7x9xi32, #shared>, memref<7x9xi64>
    tile.atomic and %F to %G : memref<7x9xi32, #fragment>, memref<7x9xi32>
    tile.atomic xor %S to %H : memref<7x9xi32, #shared>, memref<7x9xi64>
    gpu.terminator
  }
  return
}

// A scalar is added once per block to each element of a window; a counter is a
// window of one. Shared tiles are updated too, and read after a barrier.
// CASE: scalars(X=zeros:1:i32, Y=ints:10x10:f32, Z=junk:40x3:i32, n=7)
// EXPECT: X = X + 6
// EXPECT: Y[8:, 1:4] += 6 * 2.5
// EXPECT: Z = np.full((40, 3), 14, np.int32)
func.func @scalars(%X: memref<1xi32>, %Y: memref<?x?xf32>, %Z: memref<40x3xi32>, %n: i32) {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %v = arith.constant 2.5 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c6, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<40x3xi32, #shared>
    %F = tile.alloc : memref<40x3xi32, #fragment>
    tile.fill %S, %zero : memref<40x3xi32, #shared>, i32
    tile.fill %F, %n : memref<40x3xi32, #fragment>, i32
    tile.atomic add %one to %X : i32, memref<1xi32>
    %y = tile.region %Y[8, 1] [4, 3] : memref<?x?xf32>
    tile.atomic add %v to %y : f32, !tile.region<4x3xf32>
    tile.atomic add %F to %S : memref<40x3xi32, #fragment>, memref<40x3xi32, #shared>
    tile.atomic add %n to %S : i32, memref<40x3xi32, #shared>
    tile.copy %S to %F : memref<40x3xi32, #shared>, memref<40x3xi32, #fragment>
    %zero_block = arith.constant 0 : index
    %is_first = arith.cmpi eq, %bx, %zero_block : index
    scf.if %is_first {
      tile.copy %F to %Z : memref<40x3xi32, #fragment>, memref<40x3xi32>
    }
    gpu.terminator
  }
  return
}
