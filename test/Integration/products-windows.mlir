// Windows of shared tiles as factors: slices along K at offsets that only the loop
// knows, blocks of rows, windows of rings, windows at any offset for mma.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: grep -q wgmma.mma_async %t/sm_90a/slices.ptx
// RUN: grep -q wgmma.mma_async %t/sm_90a/blocks.ptx

// K in slices of 32 columns of A and rows of B.
// CASE: slices(A=ints:64x128:bf16, B=ints:128x48:bf16, C=junk:64x48:f32)
// CASE: slices(A=ints:61x113:bf16, B=ints:113x45:bf16, C=junk:61x45:f32)
// EXPECT: C = A @ B
func.func @slices(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 32 : index
  %depth = arith.constant 128 : index
  %threads = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
    %as = tile.region %A[0, 0] [64, 128] : memref<?x?xbf16>
    tile.copy %as to %As : !tile.region<64x128xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<128x48xbf16, #gpu.address_space<workgroup>>
    %bs = tile.region %B[0, 0] [128, 48] : memref<?x?xbf16>
    tile.copy %bs to %Bs : !tile.region<128x48xbf16>, memref<128x48xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x48xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x48xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %depth step %step {
      %x = tile.region %As[0, %k] [64, 32] : memref<64x128xbf16, #gpu.address_space<workgroup>>
      %y = tile.region %Bs[%k, 0] [32, 48] : memref<128x48xbf16, #gpu.address_space<workgroup>>
      tile.gemm %x, %y, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x48xbf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
    }
    %oacc = tile.region %C[0, 0] [64, 48] : memref<?x?xf32>
    tile.copy %acc to %oacc : memref<64x48xf32, #tile.fragment>, !tile.region<64x48xf32>
    gpu.terminator
  }
  return
}

// Two blocks of rows of A, and two of B, which is stored N x K.
// CASE: blocks(A=ints:128x64:f16, B=ints:96x64:f16, C=junk:128x96:f32)
// CASE: blocks(A=ints:125x61:f16, B=ints:90x61:f16, C=junk:125x90:f32)
// EXPECT: C = A @ B.T
func.func @blocks(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
    %as = tile.region %A[0, 0] [128, 64] : memref<?x?xf16>
    tile.copy %as to %As : !tile.region<128x64xf16>, memref<128x64xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<96x64xf16, #gpu.address_space<workgroup>>
    %bs = tile.region %B[0, 0] [96, 64] : memref<?x?xf16>
    tile.copy %bs to %Bs : !tile.region<96x64xf16>, memref<96x64xf16, #gpu.address_space<workgroup>>
    %acc00 = tile.alloc : memref<64x48xf32, #tile.fragment>
    tile.fill %acc00, %zero : memref<64x48xf32, #tile.fragment>, f32
    %x00 = tile.region %As[0, 0] [64, 64] : memref<128x64xf16, #gpu.address_space<workgroup>>
    %y00 = tile.region %Bs[0, 0] [48, 64] : memref<96x64xf16, #gpu.address_space<workgroup>>
    tile.gemm %x00, %y00, %acc00 {transpose_b} : (!tile.region<64x64xf16, #gpu.address_space<workgroup>>, !tile.region<48x64xf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
    %oacc00 = tile.region %C[0, 0] [64, 48] : memref<?x?xf32>
    tile.copy %acc00 to %oacc00 : memref<64x48xf32, #tile.fragment>, !tile.region<64x48xf32>
    %acc01 = tile.alloc : memref<64x48xf32, #tile.fragment>
    tile.fill %acc01, %zero : memref<64x48xf32, #tile.fragment>, f32
    %x01 = tile.region %As[0, 0] [64, 64] : memref<128x64xf16, #gpu.address_space<workgroup>>
    %y01 = tile.region %Bs[48, 0] [48, 64] : memref<96x64xf16, #gpu.address_space<workgroup>>
    tile.gemm %x01, %y01, %acc01 {transpose_b} : (!tile.region<64x64xf16, #gpu.address_space<workgroup>>, !tile.region<48x64xf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
    %oacc01 = tile.region %C[0, 48] [64, 48] : memref<?x?xf32>
    tile.copy %acc01 to %oacc01 : memref<64x48xf32, #tile.fragment>, !tile.region<64x48xf32>
    %acc10 = tile.alloc : memref<64x48xf32, #tile.fragment>
    tile.fill %acc10, %zero : memref<64x48xf32, #tile.fragment>, f32
    %x10 = tile.region %As[64, 0] [64, 64] : memref<128x64xf16, #gpu.address_space<workgroup>>
    %y10 = tile.region %Bs[0, 0] [48, 64] : memref<96x64xf16, #gpu.address_space<workgroup>>
    tile.gemm %x10, %y10, %acc10 {transpose_b} : (!tile.region<64x64xf16, #gpu.address_space<workgroup>>, !tile.region<48x64xf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
    %oacc10 = tile.region %C[64, 0] [64, 48] : memref<?x?xf32>
    tile.copy %acc10 to %oacc10 : memref<64x48xf32, #tile.fragment>, !tile.region<64x48xf32>
    %acc11 = tile.alloc : memref<64x48xf32, #tile.fragment>
    tile.fill %acc11, %zero : memref<64x48xf32, #tile.fragment>, f32
    %x11 = tile.region %As[64, 0] [64, 64] : memref<128x64xf16, #gpu.address_space<workgroup>>
    %y11 = tile.region %Bs[48, 0] [48, 64] : memref<96x64xf16, #gpu.address_space<workgroup>>
    tile.gemm %x11, %y11, %acc11 {transpose_b} : (!tile.region<64x64xf16, #gpu.address_space<workgroup>>, !tile.region<48x64xf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
    %oacc11 = tile.region %C[64, 48] [64, 48] : memref<?x?xf32>
    tile.copy %acc11 to %oacc11 : memref<64x48xf32, #tile.fragment>, !tile.region<64x48xf32>
    gpu.terminator
  }
  return
}

// Windows that start anywhere: mma reads them by addresses.
// CASE: anywhere(A=ints:48x64:f16, B=ints:64x40:f16, C=junk:32x16:f32)
// EXPECT: C = A[5:37, 8:40] @ B[9:41, 3:19]
func.func @anywhere(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 64 : index
  %depth = arith.constant 64 : index
  %threads = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<48x64xf16, #gpu.address_space<workgroup>>
    %as = tile.region %A[0, 0] [48, 64] : memref<?x?xf16>
    tile.copy %as to %As : !tile.region<48x64xf16>, memref<48x64xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x40xf16, #gpu.address_space<workgroup>>
    %bs = tile.region %B[0, 0] [64, 40] : memref<?x?xf16>
    tile.copy %bs to %Bs : !tile.region<64x40xf16>, memref<64x40xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<32x16xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x16xf32, #tile.fragment>, f32
    %x = tile.region %As[5, 8] [32, 32] : memref<48x64xf16, #gpu.address_space<workgroup>>
    %y = tile.region %Bs[9, 3] [32, 16] : memref<64x40xf16, #gpu.address_space<workgroup>>
    tile.gemm %x, %y, %acc {instr = #tile.instr<mma>} : (!tile.region<32x32xf16, #gpu.address_space<workgroup>>, !tile.region<32x16xf16, #gpu.address_space<workgroup>>, memref<32x16xf32, #tile.fragment>)
    %oacc = tile.region %C[0, 0] [32, 16] : memref<?x?xf32>
    tile.copy %acc to %oacc : memref<32x16xf32, #tile.fragment>, !tile.region<32x16xf32>
    gpu.terminator
  }
  return
}
