// Windows of shared tiles at offsets that only the kernel knows: copies into and
// out of them, fills of them, with every layout that the tile may have.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// A tile is put together from four windows and taken apart in other ones.
// CASE: shuffle(A=ints:64x64:bf16, B=junk:64x64:bf16, i=32, j=32)
// CASE: shuffle(A=ints:64x64:bf16, B=junk:64x64:bf16, i=7, j=19)
// CASE: shuffle(A=ints:61x57:bf16, B=junk:60x64:bf16, i=0, j=1)
// EXPECT: P = np.zeros((96, 96)); P[:A.shape[0], :A.shape[1]] = A
// EXPECT: S = np.full((64, 64), 5.0); S[:32, :32] = P[:32, :32]
// EXPECT: S[i:i + 32, j:j + 32] = P[j:j + 32, i:i + 32]
// EXPECT: S[j:j + 8, i:i + 8] = -4
// EXPECT: W = np.roll(S, -i, axis=0); B = np.concatenate([S[i:], S[:i]])[:B.shape[0]]
// EXPECT: B = np.where(np.arange(64)[:len(B), None] < 64 - i, B, 77)
func.func @shuffle(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %five = arith.constant 5.0 : bf16
  %four = arith.constant -4.0 : bf16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.fill %S, %five : memref<64x64xbf16, #gpu.address_space<workgroup>>, bf16
    %a0 = tile.region %A[0, 0] [32, 32] : memref<?x?xbf16>
    %s0 = tile.region %S[0, 0] [32, 32] : memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %a0 to %s0 : !tile.region<32x32xbf16>, !tile.region<32x32xbf16, #gpu.address_space<workgroup>>
    %a1 = tile.region %A[%j, %i] [32, 32] : memref<?x?xbf16>
    %s1 = tile.region %S[%i, %j] [32, 32] : memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %a1 to %s1 : !tile.region<32x32xbf16>, !tile.region<32x32xbf16, #gpu.address_space<workgroup>>
    %s2 = tile.region %S[%j, %i] [8, 8] : memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.fill %s2, %four : !tile.region<8x8xbf16, #gpu.address_space<workgroup>>, bf16
    %n = arith.subi %c64, %i : index
    scf.for %r = %c0 to %n step %c1 {
      %k = arith.addi %r, %i : index
      %s = tile.region %S[%k, 0] [1, 64] : memref<64x64xbf16, #gpu.address_space<workgroup>>
      %b = tile.region %B[%r, 0] [1, 64] : memref<?x?xbf16>
      tile.copy %s to %b : !tile.region<1x64xbf16, #gpu.address_space<workgroup>>, !tile.region<1x64xbf16>
    }
    gpu.terminator
  }
  return
}

// Fragments from and to windows of a shared tile, and dropped dimensions.
// CASE: rows(A=ints:3x16x32:f32, B=junk:3x16x32:f16)
// EXPECT: B = A[::-1]
func.func @rows(%A: memref<3x16x32xf32>, %B: memref<3x16x32xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<3x16x32xf32, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<16x32xf32, #tile.fragment>
    %P = tile.alloc : memref<3x16x32xf16, #gpu.address_space<workgroup>>
    tile.copy %A to %S : memref<3x16x32xf32>, memref<3x16x32xf32, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %c3 step %c1 {
      %r = arith.subi %c2, %k : index
      %s = tile.region %S[%r, 0, 0] [1, 16, 32] drop [0] : memref<3x16x32xf32, #gpu.address_space<workgroup>>
      tile.copy %s to %T : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, memref<16x32xf32, #tile.fragment>
      %p = tile.region %P[%k, 0, 0] [1, 16, 32] drop [0] : memref<3x16x32xf16, #gpu.address_space<workgroup>>
      tile.copy %T to %p : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xf16, #gpu.address_space<workgroup>>
    }
    tile.copy %P to %B : memref<3x16x32xf16, #gpu.address_space<workgroup>>, memref<3x16x32xf16>
    gpu.terminator
  }
  return
}
