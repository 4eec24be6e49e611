// Blocks that a predicate leaves out (reference-system.md, 3.1.6, block-sparse
// products with any_of over global, shared and local masks).

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>

// Both roles ask the tensor.
// CASE: global_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=ints:4x32:i1, C=junk:64x64:f32)
// CASE: global_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=zeros:4x32:i1, C=junk:64x64:f32)
// CASE: global_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=ones:4x32:i1, C=junk:64x64:f32)
// EXPECT: C[:] = 0
// EXPECT: for k in range(4):
// EXPECT:   if M[k, :8].any(): C += A[:, 64*k:64*k+64] @ B[64*k:64*k+64]
func.func @global_mask(%A: memref<64x256xbf16>, %B: memref<256x64xbf16>, %M: memref<4x32xi1>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !T
    %Bs = tile.alloc : !T
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %i = %c0 to %c4 step %c1 {
      %k = arith.muli %i, %c64 : index
      %m = tile.region %M[%i, 0] [1, 8] drop [0] : memref<4x32xi1>
      %go = tile.any_of %m : !tile.region<8xi1>
      scf.if %go {
        %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
        %b = tile.region %B[%k, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        tile.copy %a to %As : !R, !T
        tile.copy %b to %Bs : !R, !T
        tile.gemm %As, %Bs, %acc : (!T, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A tile that copies the tensor: both roles ask the tensor.
// CASE: shared_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=ints:4x32:i1, C=junk:64x64:f32)
// CASE: shared_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=zeros:4x32:i1, C=junk:64x64:f32)
// CASE: shared_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=ones:4x32:i1, C=junk:64x64:f32)
// EXPECT: C[:] = 0
// EXPECT: for k in range(4):
// EXPECT:   if M[k, :8].any(): C += A[:, 64*k:64*k+64] @ B[64*k:64*k+64]
func.func @shared_mask(%A: memref<64x256xbf16>, %B: memref<256x64xbf16>, %M: memref<4x32xi1>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !T
    %Bs = tile.alloc : !T
    %acc = tile.alloc : !acc
    %Ms = tile.alloc : memref<8xi1, #smem>
    tile.fill %acc, %zero : !acc, f32
    scf.for %i = %c0 to %c4 step %c1 {
      %k = arith.muli %i, %c64 : index
      %m = tile.region %M[%i, 0] [1, 8] drop [0] : memref<4x32xi1>
      tile.copy %m to %Ms : !tile.region<8xi1>, memref<8xi1, #smem>
      %go = tile.any_of %Ms : memref<8xi1, #smem>
      scf.if %go {
        %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
        %b = tile.region %B[%k, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        tile.copy %a to %As : !R, !T
        tile.copy %b to %Bs : !R, !T
        tile.gemm %As, %Bs, %acc : (!T, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Registers of the computing warps: they keep the copies.
// CASE: local_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=ints:4x32:i1, C=junk:64x64:f32)
// CASE: local_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=zeros:4x32:i1, C=junk:64x64:f32)
// CASE: local_mask(A=ints:64x256:bf16, B=ints:256x64:bf16, M=ones:4x32:i1, C=junk:64x64:f32)
// EXPECT: C[:] = 0
// EXPECT: for k in range(4):
// EXPECT:   if M[k, :8].any(): C += A[:, 64*k:64*k+64] @ B[64*k:64*k+64]
func.func @local_mask(%A: memref<64x256xbf16>, %B: memref<256x64xbf16>, %M: memref<4x32xi1>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !T
    %Bs = tile.alloc : !T
    %acc = tile.alloc : !acc
    %Ms = tile.alloc : memref<8xi1, #tile.fragment>
    tile.fill %acc, %zero : !acc, f32
    scf.for %i = %c0 to %c4 step %c1 {
      %k = arith.muli %i, %c64 : index
      %m = tile.region %M[%i, 0] [1, 8] drop [0] : memref<4x32xi1>
      tile.copy %m to %Ms : !tile.region<8xi1>, memref<8xi1, #tile.fragment>
      %go = tile.any_of %Ms : memref<8xi1, #tile.fragment>
      scf.if %go {
        %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
        %b = tile.region %B[%k, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        tile.copy %a to %As : !R, !T
        tile.copy %b to %Bs : !R, !T
        tile.gemm %As, %Bs, %acc : (!T, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
