// Products of 8-bit floats by mma take every number as it is, the tiny ones
// included: the identity times a matrix of numbers of the whole range.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_89 --target=sm_80 --out=%t --seeds=1

// CASE: e4m3(B=wide:64x32:f8E4M3FN, C=junk:32x64:f32)
// EXPECT: C = B.T
func.func @e4m3(%B: memref<64x32xf8E4M3FN>, %C: memref<32x64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f8E4M3FN
  %one = arith.constant 1.0 : f8E4M3FN
  %none = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [32, 32] {
      %same = arith.cmpi eq, %i, %j : index
      %v = arith.select %same, %one, %zero : f8E4M3FN
      memref.store %v, %As[%i, %j] : memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[0, 0] [64, 32] : memref<64x32xf8E4M3FN>
    %c = tile.region %C[0, 0] [32, 64] : memref<32x64xf32>
    tile.copy %b to %Bs : !tile.region<64x32xf8E4M3FN>, memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    tile.fill %acc, %none : memref<32x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc {transpose_b, instr = #tile.instr<mma>} : (memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<32x64xf32, #tile.fragment>)
    tile.copy %acc to %c : memref<32x64xf32, #tile.fragment>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// CASE: e5m2(B=wide:64x32:f8E5M2, C=junk:32x64:f32)
// EXPECT: C = B.T
func.func @e5m2(%B: memref<64x32xf8E5M2>, %C: memref<32x64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %none = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x32xf8E5M2, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [32, 32] {
      %same = arith.cmpi eq, %i, %j : index
      %v = arith.select %same, %one, %zero : f8E5M2
      memref.store %v, %As[%i, %j] : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[0, 0] [64, 32] : memref<64x32xf8E5M2>
    %c = tile.region %C[0, 0] [32, 64] : memref<32x64xf32>
    tile.copy %b to %Bs : !tile.region<64x32xf8E5M2>, memref<64x32xf8E5M2, #gpu.address_space<workgroup>>
    tile.fill %acc, %none : memref<32x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc {transpose_b, instr = #tile.instr<mma>} : (memref<32x32xf8E5M2, #gpu.address_space<workgroup>>, memref<64x32xf8E5M2, #gpu.address_space<workgroup>>, memref<32x64xf32, #tile.fragment>)
    tile.copy %acc to %c : memref<32x64xf32, #tile.fragment>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// Factors of two types.
// CASE: mixed(B=wide:64x32:f8E4M3FN, C=junk:32x64:f32)
// EXPECT: C = B.T
func.func @mixed(%B: memref<64x32xf8E4M3FN>, %C: memref<32x64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %none = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [32, 32] {
      %same = arith.cmpi eq, %i, %j : index
      %v = arith.select %same, %one, %zero : f8E5M2
      memref.store %v, %As[%i, %j] : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[0, 0] [64, 32] : memref<64x32xf8E4M3FN>
    %c = tile.region %C[0, 0] [32, 64] : memref<32x64xf32>
    tile.copy %b to %Bs : !tile.region<64x32xf8E4M3FN>, memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    tile.fill %acc, %none : memref<32x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc {transpose_b, instr = #tile.instr<mma>} : (memref<32x32xf8E5M2, #gpu.address_space<workgroup>>, memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<32x64xf32, #tile.fragment>)
    tile.copy %acc to %c : memref<32x64xf32, #tile.fragment>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// CASE: mixed_f16(B=wide:64x32:f8E4M3FN, C=junk:32x64:f16)
// EXPECT: C = B.T
func.func @mixed_f16(%B: memref<64x32xf8E4M3FN>, %C: memref<32x64xf16>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %none = arith.constant 0.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<32x64xf16, #tile.fragment>
    tile.parallel (%i, %j) in [32, 32] {
      %same = arith.cmpi eq, %i, %j : index
      %v = arith.select %same, %one, %zero : f8E5M2
      memref.store %v, %As[%i, %j] : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[0, 0] [64, 32] : memref<64x32xf8E4M3FN>
    %c = tile.region %C[0, 0] [32, 64] : memref<32x64xf16>
    tile.copy %b to %Bs : !tile.region<64x32xf8E4M3FN>, memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    tile.fill %acc, %none : memref<32x64xf16, #tile.fragment>, f16
    tile.gemm %As, %Bs, %acc {transpose_b, instr = #tile.instr<mma>} : (memref<32x32xf8E5M2, #gpu.address_space<workgroup>>, memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<32x64xf16, #tile.fragment>)
    tile.copy %acc to %c : memref<32x64xf16, #tile.fragment>, !tile.region<32x64xf16>
    gpu.terminator
  }
  return
}
