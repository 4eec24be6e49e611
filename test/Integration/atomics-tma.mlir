// Updates from shared memory: by TMA where rows are aligned, by threads where
// they are not, and on chips without TMA.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>

// The tile is written before and after the update; several blocks update the
// same window, which may end outside the tensor.
// CASE: add(A=ints:40x64:f32, B=ints:40x64:f32)
// CASE: add(A=ints:40x64:f32, B=ints:100x80:f32)
// CASE: add(A=ints:40x64:f32, B=ints:37x60:f32)
// CASE: add(A=ints:40x64:f32, B=ints:37x61:f32)
// CASE: add(A=ints:40x64:f32, B=ints:40x64:f32@68+4)
// CASE: add(A=ints:40x64:f32, B=ints:40x64:f32@68+1)
// EXPECT: h, w = min(40, B.shape[0]), min(64, B.shape[1])
// EXPECT: B[:h, :w] += 3 * A[:h, :w] + 3
func.func @add(%A: memref<40x64xf32>, %B: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<40x64xf32, #shared>
    tile.copy %A to %S : memref<40x64xf32>, memref<40x64xf32, #shared>
    %b = tile.region %B[0, 0] [40, 64] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.atomic add %S to %b : memref<40x64xf32, #shared>, !tile.region<40x64xf32>
    tile.fill %S, %one : memref<40x64xf32, #shared>, f32
    tile.atomic add %S to %b : memref<40x64xf32, #shared>, !tile.region<40x64xf32>
    gpu.terminator
  }
  return
}

// 16-bit floats and integers, at offsets that blocks choose.
// CASE: types(A=ints:32x64:bf16, I=wide:32x64:i32, B=ints:70x128:bf16, M=wide:70x128:i32, X=wide:70x128:i32)
// EXPECT: for y in range(0, 70, 32):
// EXPECT:   h = min(32, 70 - y)
// EXPECT:   for x in (0, 64):
// EXPECT:     B[y:y+h, x:x+64] += A[:h]
// EXPECT:     M[y:y+h, x:x+64] = np.maximum(M[y:y+h, x:x+64], I[:h])
// EXPECT:     X[y:y+h, x:x+64] ^= I[:h]
func.func @types(%A: memref<32x64xbf16>, %I: memref<32x64xi32>, %B: memref<?x?xbf16>, %M: memref<?x?xi32>, %X: memref<?x?xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c3, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %y = arith.muli %by, %c32 : index
    %x = arith.muli %bx, %c64 : index
    %S = tile.alloc : memref<32x64xbf16, #shared>
    %T = tile.alloc : memref<32x64xi32, #shared>
    tile.copy %A to %S : memref<32x64xbf16>, memref<32x64xbf16, #shared>
    tile.copy %I to %T : memref<32x64xi32>, memref<32x64xi32, #shared>
    %b = tile.region %B[%y, %x] [32, 64] : memref<?x?xbf16>
    %m = tile.region %M[%y, %x] [32, 64] : memref<?x?xi32>
    %w = tile.region %X[%y, %x] [32, 64] : memref<?x?xi32>
    tile.atomic add %S to %b : memref<32x64xbf16, #shared>, !tile.region<32x64xbf16>
    tile.atomic max %T to %m : memref<32x64xi32, #shared>, !tile.region<32x64xi32>
    tile.atomic xor %T to %w : memref<32x64xi32, #shared>, !tile.region<32x64xi32>
    gpu.terminator
  }
  return
}
