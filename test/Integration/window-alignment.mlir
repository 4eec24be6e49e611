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
