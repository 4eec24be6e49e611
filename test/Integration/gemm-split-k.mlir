// A product whose K is split over blocks: each block adds its part to the
// result, and counts itself; sizes need no relation to tiles.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: split(A=ints:64x192:bf16, B=ints:192x64:bf16, C=zeros:64x64:f32, N=zeros:1:i32, parts=3)
// CASE: split(A=ints:100x200:bf16, B=ints:200x72:bf16, C=ints:100x72:f32, N=zeros:1:i32, parts=4)
// CASE: split(A=ints:61x133:bf16, B=ints:133x67:bf16, C=ints:61x67:f32, N=zeros:1:i32, parts=2)
// EXPECT: C = C + A @ B
// EXPECT: N[0] = -(-A.shape[0] // 64) * -(-B.shape[1] // 64) * parts
func.func @split(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %N: memref<1xi32>, %parts: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %cols = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %cols, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %parts)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %first = arith.muli %bz, %c64 : index
    %step = arith.muli %parts, %c64 : index
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %first to %K step %step {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    }
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.atomic add %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    tile.atomic add %one to %N : i32, memref<1xi32>
    gpu.terminator
  }
  return
}
