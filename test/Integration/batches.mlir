// Tensors of rank 3 to 5 whose leading dimensions are dropped, one block per
// slice; all rows are aligned or none.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: slices(A=ints:3x40x72:bf16, B=junk:3x40x72:bf16)
// CASE: slices(A=ints:3x33x65:bf16, B=junk:3x33x65:bf16)
// CASE: slices(A=ints:1x1x1:bf16, B=junk:1x1x1:bf16)
// CASE: slices(A=ints:0x40x72:bf16, B=junk:0x40x72:bf16)
// EXPECT: B = A[::-1]
func.func @slices(%A: memref<?x?x?xbf16>, %B: memref<?x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %b = memref.dim %A, %c0 : memref<?x?x?xbf16>
  %m = memref.dim %A, %c1 : memref<?x?x?xbf16>
  %n = memref.dim %A, %c2 : memref<?x?x?xbf16>
  %gx = arith.ceildivui %n, %c64 : index
  %gy = arith.ceildivui %m, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %b)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %i = arith.muli %by, %c32 : index
    %j = arith.muli %bx, %c64 : index
    %last = arith.subi %b, %c1 : index
    %k = arith.subi %last, %bz : index
    %S = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %s = tile.region %A[%bz, %i, %j] [1, 32, 64] drop [0] : memref<?x?x?xbf16>
    %d = tile.region %B[%k, %i, %j] [1, 32, 64] drop [0] : memref<?x?x?xbf16>
    tile.copy %s to %S : !tile.region<32x64xbf16>, memref<32x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %d : memref<32x64xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16>
    gpu.terminator
  }
  return
}

// The dropped dimension is in the middle; the tensor has gaps everywhere.
// CASE: middle(A=ints:24x5x64:f32@400x72x1+8, B=junk:24x64:f16, h=3)
// CASE: middle(A=ints:20x5x60:f32@401x73x1+3, B=junk:20x60:f16, h=0)
// CASE: middle(A=ints:20x5x60:f32@401x73x1+3, B=junk:20x60:f16, h=-1)
// EXPECT: B = A[:, h] if h >= 0 else 0 * B
func.func @middle(%A: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, %B: memref<?x?xf16>, %h: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<32x64xf32, #tile.fragment>
    %s = tile.region %A[0, %h, 0] [32, 1, 64] drop [1] : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
    %d = tile.region %B[0, 0] [32, 64] : memref<?x?xf16>
    tile.copy %s to %S : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
    tile.copy %S to %F : memref<32x64xf32, #gpu.address_space<workgroup>>, memref<32x64xf32, #tile.fragment>
    tile.copy %F to %d : memref<32x64xf32, #tile.fragment>, !tile.region<32x64xf16>
    gpu.terminator
  }
  return
}

// The contiguous dimension is dropped: a column. Last stride 2: every other one.
// CASE: columns(A=ints:40x6:f32, B=ints:40x9:f32@18x2+1, C=junk:2x40:f32, j=4)
// EXPECT: C[0] = A[:, j]; C[1] = B[:, j]
func.func @columns(%A: memref<?x?xf32>, %B: memref<?x?xf32, strided<[?, 2], offset: ?>>, %C: memref<2x40xf32>, %j: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<40xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<40xf32, #tile.fragment>
    %a = tile.region %A[0, %j] [40, 1] drop [1] : memref<?x?xf32>
    %b = tile.region %B[0, %j] [40, 1] drop [1] : memref<?x?xf32, strided<[?, 2], offset: ?>>
    %c = tile.region %C[0, 0] [1, 40] drop [0] : memref<2x40xf32>
    %d = tile.region %C[1, 0] [1, 40] drop [0] : memref<2x40xf32>
    tile.copy %a to %S : !tile.region<40xf32>, memref<40xf32, #gpu.address_space<workgroup>>
    tile.copy %S to %c : memref<40xf32, #gpu.address_space<workgroup>>, !tile.region<40xf32>
    tile.copy %b to %F : !tile.region<40xf32>, memref<40xf32, #tile.fragment>
    tile.copy %F to %d : memref<40xf32, #tile.fragment>, !tile.region<40xf32>
    gpu.terminator
  }
  return
}

// Rank 5: two dropped, three in the tile.
// CASE: deep(A=ints:2x3x4x5x16:f16, B=junk:2x3x4x5x16:f16)
// CASE: deep(A=ints:2x3x3x4x15:f16, B=junk:2x3x3x4x15:f16)
// EXPECT: B = A
func.func @deep(%A: memref<?x?x?x?x?xf16>, %B: memref<?x?x?x?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %p = memref.dim %A, %c0 : memref<?x?x?x?x?xf16>
  %q = memref.dim %A, %c1 : memref<?x?x?x?x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %q, %sy = %p, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x5x16xf16, #gpu.address_space<workgroup>>
    %s = tile.region %A[%by, %bx, 0, 0, 0] [1, 1, 4, 5, 16] drop [0, 1] : memref<?x?x?x?x?xf16>
    %d = tile.region %B[%by, %bx, 0, 0, 0] [1, 1, 4, 5, 16] drop [0, 1] : memref<?x?x?x?x?xf16>
    tile.copy %s to %S : !tile.region<4x5x16xf16>, memref<4x5x16xf16, #gpu.address_space<workgroup>>
    tile.copy %S to %d : memref<4x5x16xf16, #gpu.address_space<workgroup>>, !tile.region<4x5x16xf16>
    gpu.terminator
  }
  return
}
