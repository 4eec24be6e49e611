// Windows that start before the tensor, end after it or miss it: reads
// give zero, writes are dropped.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: shift(A=ints:20x30:f32, B=junk:32x32:f32, i=0, j=0)
// CASE: shift(A=ints:20x32:f32, B=junk:32x32:f32, i=-3, j=-5)
// CASE: shift(A=ints:100x64:f32, B=junk:32x32:f32, i=70, j=40)
// CASE: shift(A=ints:100x64:f32, B=junk:32x32:f32, i=-32, j=0)
// CASE: shift(A=ints:100x64:f32, B=junk:32x32:f32, i=100, j=-64)
// CASE: shift(A=ints:100x64:f32, B=junk:32x32:f32, i=1000000000, j=-1000000000)
// CASE: shift(A=ints:100x64:f32@68+4, B=junk:30x20:f32@21+1, i=1, j=3)
// EXPECT: P = np.zeros((32, 32), np.float32)
// EXPECT: for y in range(32):
// EXPECT:   for x in range(32):
// EXPECT:     if 0 <= y + i < A.shape[0] and 0 <= x + j < A.shape[1]: P[y, x] = A[y + i, x + j]
// EXPECT: B = P[:B.shape[0], :B.shape[1]]
func.func @shift(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32, strided<[?, 1], offset: ?>>, %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, %j] [32, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %a to %S : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[0, 0] [32, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %S to %b : memref<32x32xf32, #gpu.address_space<workgroup>>, !tile.region<32x32xf32>
    gpu.terminator
  }
  return
}

// A static subview is a window.
// CASE: sub(A=ints:64x64:f32, B=junk:64x64:f32, i=16, j=8)
// EXPECT: B[i:i+32, j:j+32] = A[i:i+32, j:j+32]
func.func @sub(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %a = memref.subview %A[%i, %j] [32, 32] [1, 1] : memref<?x?xf32> to memref<32x32xf32, strided<[?, 1], offset: ?>>
    %b = memref.subview %B[%i, %j] [32, 32] [1, 1] : memref<?x?xf32> to memref<32x32xf32, strided<[?, 1], offset: ?>>
    tile.copy %a to %S : memref<32x32xf32, strided<[?, 1], offset: ?>>, memref<32x32xf32, #gpu.address_space<workgroup>>
    tile.copy %S to %b : memref<32x32xf32, #gpu.address_space<workgroup>>, memref<32x32xf32, strided<[?, 1], offset: ?>>
    gpu.terminator
  }
  return
}
