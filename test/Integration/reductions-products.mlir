// Rows and columns of accumulators, as softmax and split products need them:
// the layout is that of the instruction, mma.sync or wgmma.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// One warpgroup: a row is held by four lanes of one warp.
// CASE: rows(A=ints:64x32:bf16, B=ints:32x96:bf16, X=junk:64:f32, S=ints:64:f32)
// EXPECT: C = A @ B
// EXPECT: X = C.max(axis=1)
// EXPECT: S = S + C.sum(axis=1)
func.func @rows(%A: memref<64x32xbf16>, %B: memref<32x96xbf16>, %X: memref<64xf32>, %S: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x96xbf16, #shared>
    %acc = tile.alloc : memref<64x96xf32, #fragment>
    %max = tile.alloc : memref<64xf32, #fragment>
    %sum = tile.alloc : memref<64xf32, #fragment>
    tile.copy %A to %As : memref<64x32xbf16>, memref<64x32xbf16, #shared>
    tile.copy %B to %Bs : memref<32x96xbf16>, memref<32x96xbf16, #shared>
    tile.copy %S to %sum : memref<64xf32>, memref<64xf32, #fragment>
    tile.fill %acc, %zero : memref<64x96xf32, #fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #shared>, memref<32x96xbf16, #shared>, memref<64x96xf32, #fragment>)
    tile.reduce max %acc to %max dim 1 {clear} : memref<64x96xf32, #fragment>, memref<64xf32, #fragment>
    tile.reduce sum %acc to %sum dim 1 : memref<64x96xf32, #fragment>, memref<64xf32, #fragment>
    tile.copy %max to %X : memref<64xf32, #fragment>, memref<64xf32>
    tile.copy %sum to %S : memref<64xf32, #fragment>, memref<64xf32>
    gpu.terminator
  }
  return
}

// Two warpgroups or eight warps; columns pass between warps, and the old value
// takes part once.
// CASE: columns(A=ints:128x16:f16, B=ints:16x48:f16, X=ints:48:f32, Y=junk:1x48:f32)
// EXPECT: C = (A.astype(np.float32) @ B.astype(np.float32))
// EXPECT: X = X + abs(C).sum(axis=0)
// EXPECT: Y = C.min(axis=0, keepdims=True)
func.func @columns(%A: memref<128x16xf16>, %B: memref<16x48xf16>, %X: memref<48xf32>, %Y: memref<1x48xf32>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x16xf16, #shared>
    %Bs = tile.alloc : memref<16x48xf16, #shared>
    %acc = tile.alloc : memref<128x48xf32, #fragment>
    %sum = tile.alloc : memref<48xf32, #fragment>
    %min = tile.alloc : memref<1x48xf32, #shared>
    tile.copy %A to %As : memref<128x16xf16>, memref<128x16xf16, #shared>
    tile.copy %B to %Bs : memref<16x48xf16>, memref<16x48xf16, #shared>
    tile.copy %X to %sum : memref<48xf32>, memref<48xf32, #fragment>
    tile.fill %acc, %zero : memref<128x48xf32, #fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<128x16xf16, #shared>, memref<16x48xf16, #shared>, memref<128x48xf32, #fragment>)
    tile.reduce abssum %acc to %sum dim 0 : memref<128x48xf32, #fragment>, memref<48xf32, #fragment>
    tile.reduce min %acc to %min dim 0 {clear} : memref<128x48xf32, #fragment>, memref<1x48xf32, #shared>
    tile.copy %sum to %X : memref<48xf32, #fragment>, memref<48xf32>
    tile.copy %min to %Y : memref<1x48xf32, #shared>, memref<1x48xf32>
    gpu.terminator
  }
  return
}

// The result meets every row of another fragment again: a product of integers,
// whose row maxima a loop accumulates.
// CASE: loop(A=ints:256x32:i8, B=ints:32x64:i8, X=junk:64:i32)
// EXPECT: C = A.astype(np.int32) @ B.astype(np.int32)
// EXPECT: X = np.maximum(C.reshape(4, 64, 64).max(axis=2).max(axis=0), -5)
func.func @loop(%A: memref<256x32xi8>, %B: memref<32x64xi8>, %X: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %low = arith.constant -5 : i32
  %zero = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xi8, #shared>
    %Bs = tile.alloc : memref<32x64xi8, #shared>
    %acc = tile.alloc : memref<64x64xi32, #fragment>
    %max = tile.alloc : memref<64xi32, #fragment>
    tile.fill %max, %low : memref<64xi32, #fragment>, i32
    tile.copy %B to %Bs : memref<32x64xi8>, memref<32x64xi8, #shared>
    scf.for %m = %c0 to %c256 step %c64 {
      %a = tile.region %A[%m, 0] [64, 32] : memref<256x32xi8>
      tile.copy %a to %As : !tile.region<64x32xi8>, memref<64x32xi8, #shared>
      tile.fill %acc, %zero : memref<64x64xi32, #fragment>, i32
      tile.gemm %As, %Bs, %acc : (memref<64x32xi8, #shared>, memref<32x64xi8, #shared>, memref<64x64xi32, #fragment>)
      tile.reduce max %acc to %max dim 1 : memref<64x64xi32, #fragment>, memref<64xi32, #fragment>
    }
    tile.copy %max to %X : memref<64xi32, #fragment>, memref<64xi32>
    gpu.terminator
  }
  return
}
