// A window of aligned rows that starts at an odd column: accesses are no wider
// than the column allows.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: off(X=ints:64x64:f32, Y=junk:64x64:bf16, o=3)
// CASE: off(X=ints:64x64:f32, Y=junk:64x64:bf16, o=16)
// EXPECT: Y = Y.copy()
// EXPECT: Y[:32, :32] = X[1:33, 1:33]
// EXPECT: Y[32:, :32] = X[1:33, o:o + 32]
func.func @off(%X: memref<64x64xf32>, %Y: memref<64x64xbf16>, %o: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x32xbf16, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %x = tile.region %X[1, 1] [32, 32] {align = 16 : i64} : memref<64x64xf32>
    %xo = tile.region %X[1, %o] [32, 32] {align = 16 : i64} : memref<64x64xf32>
    %y = tile.region %Y[0, 0] [32, 32] : memref<64x64xbf16>
    %y2 = tile.region %Y[32, 0] [32, 32] : memref<64x64xbf16>
    tile.copy %x to %S : !tile.region<32x32xf32>, memref<32x32xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %y : memref<32x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x32xbf16>
    tile.copy %xo to %T : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
    tile.copy %T to %y2 : memref<32x32xf32, #gpu.address_space<workgroup>>, !tile.region<32x32xbf16>
    gpu.terminator
  }
  return
}

// Weights of 4 bits, two in a byte: the column of the window is half of a counter
// of steps of 64, so that the rows move as those of any other tensor.
// CASE: packed(W=ints:128x96:i8, Y=junk:128x96:i8)
// CASE: packed(W=ints:50x41:i8, Y=junk:50x41:i8)
// EXPECT: Y = W
func.func @packed(%W: memref<?x?xi8>, %Y: memref<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %bytes = memref.dim %W, %c1 : memref<?x?xi8>
  %K = arith.muli %bytes, %c2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<128x32xi8, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<128x32xi8, #tile.fragment>
    scf.for %k = %c0 to %K step %c64 {
      %byte = arith.divui %k, %c2 : index
      %w = tile.region %W[0, %byte] [128, 32] : memref<?x?xi8>
      tile.copy %w to %s : !tile.region<128x32xi8>, memref<128x32xi8, #gpu.address_space<workgroup>>
      tile.copy %s to %f : memref<128x32xi8, #gpu.address_space<workgroup>>, memref<128x32xi8, #tile.fragment>
      %y = tile.region %Y[0, %byte] [128, 32] : memref<?x?xi8>
      tile.copy %f to %y : memref<128x32xi8, #tile.fragment>, !tile.region<128x32xi8>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
