// Tiles that several ops use, and bytes that several tiles use.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Two products read the same tiles, in both orders: A · B and, stored transposed,
// B · A; the second starts from the first.
// CASE: two(A=ints:64x64:bf16, B=ints:64x64:bf16, C=junk:64x64:f32, D=junk:64x64:f32)
// EXPECT: C = A @ B; D = A @ B + A.T @ B.T
func.func @two(%A: memref<64x64xbf16>, %B: memref<64x64xbf16>, %C: memref<64x64xf32>, %D: memref<64x64xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
    %b = tile.region %B[0, 0] [64, 64] : memref<64x64xbf16>
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.fill %c, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %c : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    tile.copy %c to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    tile.gemm %As, %Bs, %c {transpose_a, transpose_b} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    tile.copy %c to %D : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}

// A product of products: the first goes through shared memory, rounded, to be the
// operand of the second. Its tile may take the bytes of A and B.
// CASE: chain(A=ints:64x64:bf16, B=ints:64x64:bf16, W=ints:64x128:bf16, C=junk:64x128:f32)
// EXPECT: C = round_to(A @ B, "bf16") @ W
func.func @chain(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %W: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Ps = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Ws = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
    %p = tile.alloc : memref<64x64xf32, #tile.fragment>
    %c = tile.alloc : memref<64x128xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
    %b = tile.region %B[0, 0] [64, 64] : memref<?x?xbf16>
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %Bs, %p clear %true : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    tile.copy %p to %Ps : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    %w = tile.region %W[0, 0] [64, 128] : memref<?x?xbf16>
    tile.copy %w to %Ws : !tile.region<64x128xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>
    tile.gemm %Ps, %Ws, %c clear %true : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<64x128xf32, #tile.fragment>)
    %d = tile.region %C[0, 0] [64, 128] : memref<?x?xf32>
    tile.copy %c to %d : memref<64x128xf32, #tile.fragment>, !tile.region<64x128xf32>
    gpu.terminator
  }
  return
}

// Five tiles in turn, 320 KiB together: they fit because no two live at once. The
// loop reuses them from its second round on.
// CASE: turns(A=ints:10x128x128:f32, B=junk:10x128x128:f32, n=2)
// CASE: turns(A=ints:10x128x128:f32, B=junk:10x128x128:f32, n=0)
// EXPECT: B[:5 * n] = A[:5 * n]
func.func @turns(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      %k0 = arith.muli %i, %c5 : index
      %S0 = tile.alloc : memref<128x128xf32, #gpu.address_space<workgroup>>
      %a0 = tile.region %A[%k0, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      %b0 = tile.region %B[%k0, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      tile.copy %a0 to %S0 : !tile.region<128x128xf32>, memref<128x128xf32, #gpu.address_space<workgroup>>
      tile.copy %S0 to %b0 : memref<128x128xf32, #gpu.address_space<workgroup>>, !tile.region<128x128xf32>
      %k1 = arith.addi %k0, %c1 : index
      %S1 = tile.alloc : memref<128x128xf32, #gpu.address_space<workgroup>>
      %a1 = tile.region %A[%k1, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      %b1 = tile.region %B[%k1, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      tile.copy %a1 to %S1 : !tile.region<128x128xf32>, memref<128x128xf32, #gpu.address_space<workgroup>>
      tile.copy %S1 to %b1 : memref<128x128xf32, #gpu.address_space<workgroup>>, !tile.region<128x128xf32>
      %k2 = arith.addi %k1, %c1 : index
      %S2 = tile.alloc : memref<128x128xf32, #gpu.address_space<workgroup>>
      %a2 = tile.region %A[%k2, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      %b2 = tile.region %B[%k2, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      tile.copy %a2 to %S2 : !tile.region<128x128xf32>, memref<128x128xf32, #gpu.address_space<workgroup>>
      tile.copy %S2 to %b2 : memref<128x128xf32, #gpu.address_space<workgroup>>, !tile.region<128x128xf32>
      %k3 = arith.addi %k2, %c1 : index
      %S3 = tile.alloc : memref<128x128xf32, #gpu.address_space<workgroup>>
      %a3 = tile.region %A[%k3, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      %b3 = tile.region %B[%k3, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      tile.copy %a3 to %S3 : !tile.region<128x128xf32>, memref<128x128xf32, #gpu.address_space<workgroup>>
      tile.copy %S3 to %b3 : memref<128x128xf32, #gpu.address_space<workgroup>>, !tile.region<128x128xf32>
      %k4 = arith.addi %k3, %c1 : index
      %S4 = tile.alloc : memref<128x128xf32, #gpu.address_space<workgroup>>
      %a4 = tile.region %A[%k4, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      %b4 = tile.region %B[%k4, 0, 0] [1, 128, 128] drop [0] : memref<?x?x?xf32>
      tile.copy %a4 to %S4 : !tile.region<128x128xf32>, memref<128x128xf32, #gpu.address_space<workgroup>>
      tile.copy %S4 to %b4 : memref<128x128xf32, #gpu.address_space<workgroup>>, !tile.region<128x128xf32>
    }
    gpu.terminator
  }
  return
}

// Scalars in shared memory: one thread stores, all load what it stored.
// CASE: scalars(A=ints:8x8:f32, B=junk:8x8:f32, i=3)
// CASE: scalars(A=ints:8x8:f32, B=junk:8x8:f32, i=0)
// EXPECT: S = A.copy(); S[i, i] = 9; S[i, 7] = S[i, i] + A[0, 1]; B = S
func.func @scalars(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %nine = arith.constant 9.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<8x8xf32, #gpu.address_space<workgroup>>
    tile.copy %A to %S : memref<8x8xf32>, memref<8x8xf32, #gpu.address_space<workgroup>>
    %t = memref.load %S[%c0, %c1] : memref<8x8xf32, #gpu.address_space<workgroup>>
    memref.store %nine, %S[%i, %i] : memref<8x8xf32, #gpu.address_space<workgroup>>
    %u = memref.load %S[%i, %i] : memref<8x8xf32, #gpu.address_space<workgroup>>
    %v = arith.addf %u, %t : f32
    memref.store %v, %S[%i, %c7] : memref<8x8xf32, #gpu.address_space<workgroup>>
    tile.copy %S to %B : memref<8x8xf32, #gpu.address_space<workgroup>>, memref<8x8xf32>
    gpu.terminator
  }
  return
}

// A kernel that reads what it wrote: the tensor is read again after a store, by
// whole tiles and by scalars.
// CASE: again(A=ints:16x64:bf16, S=junk:1:bf16)
// EXPECT: A[:8] = A[8:]; S[0] = A[3, 5]
func.func @again(%A: memref<16x64xbf16>, %S: memref<1xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %T = tile.alloc : memref<8x64xbf16, #gpu.address_space<workgroup>>
    %low = tile.region %A[0, 0] [8, 64] : memref<16x64xbf16>
    %high = tile.region %A[8, 0] [8, 64] : memref<16x64xbf16>
    tile.copy %high to %T : !tile.region<8x64xbf16>, memref<8x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %T to %low : memref<8x64xbf16, #gpu.address_space<workgroup>>, !tile.region<8x64xbf16>
    %v = memref.load %A[%c3, %c5] : memref<16x64xbf16>
    memref.store %v, %S[%c0] : memref<1xbf16>
    tile.copy %low to %T : !tile.region<8x64xbf16>, memref<8x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %T to %high : memref<8x64xbf16, #gpu.address_space<workgroup>>, !tile.region<8x64xbf16>
    gpu.terminator
  }
  return
}
