// Products of f64 by mma.sync: odd sizes, factors transposed, pipelined, one
// factor in registers. sm_90a takes 16 steps of K at once, then 8, then 4.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2
// RUN: cat %t/sm_80/*.ptx | FileCheck %s --check-prefix=SM80
// SM80-NOT: mma.sync.aligned.m16
// SM80: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// SM80-NOT: mma.sync.aligned.m16
// RUN: cat %t/sm_90a/product.ptx %t/sm_90a/transposed.ptx | FileCheck %s --check-prefix=SM90
// RUN: FileCheck %s --check-prefix=PARTS --input-file=%t/sm_90a/parts.ptx
// SM90-NOT: mma.sync.aligned.m8
// SM90: mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64
// SM90-NOT: mma.sync.aligned.m8
// PARTS: mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64
// PARTS: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
// PARTS: mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// CASE: product(A=ints:70x45:f64, B=ints:45x51:f64, C=ints:70x51:f64)
// CASE: product(A=ints:128x64:f64, B=ints:64x64:f64, C=ints:128x64:f64)
// CASE: product(A=ints:1x1:f64, B=ints:1x3:f64, C=ints:1x3:f64)
// EXPECT: C = C + A @ B
func.func @product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %m = memref.dim %C, %c0 : memref<?x?xf64>
  %n = memref.dim %C, %c1 : memref<?x?xf64>
  %k = memref.dim %A, %c1 : memref<?x?xf64>
  %gm = arith.ceildivui %m, %c64 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x16xf64, #shared>
    %Bs = tile.alloc : memref<16x64xf64, #shared>
    %acc = tile.alloc : memref<64x64xf64, #fragment>
    %i = arith.muli %by, %c64 : index
    %j = arith.muli %bx, %c64 : index
    %c = tile.region %C[%i, %j] [64, 64] : memref<?x?xf64>
    tile.copy %c to %acc : !tile.region<64x64xf64>, memref<64x64xf64, #fragment>
    scf.for %kk = %c0 to %k step %c16 {
      %a = tile.region %A[%i, %kk] [64, 16] : memref<?x?xf64>
      %b = tile.region %B[%kk, %j] [16, 64] : memref<?x?xf64>
      tile.copy %a to %As : !tile.region<64x16xf64>, memref<64x16xf64, #shared>
      tile.copy %b to %Bs : !tile.region<16x64xf64>, memref<16x64xf64, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x16xf64, #shared>, memref<16x64xf64, #shared>, memref<64x64xf64, #fragment>)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %c : memref<64x64xf64, #fragment>, !tile.region<64x64xf64>
    gpu.terminator
  }
  return
}

// CASE: transposed(A=ints:45x70:f64, B=ints:51x45:f64, C=junk:70x51:f64)
// EXPECT: C = A.T @ B.T
func.func @transposed(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %threads = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %C, %c0 : memref<?x?xf64>
  %n = memref.dim %C, %c1 : memref<?x?xf64>
  %k = memref.dim %A, %c0 : memref<?x?xf64>
  %gm = arith.ceildivui %m, %c32 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<16x32xf64, #shared>
    %Bs = tile.alloc : memref<64x16xf64, #shared>
    %acc = tile.alloc : memref<32x64xf64, #fragment>
    tile.fill %acc, %zero : memref<32x64xf64, #fragment>, f64
    %i = arith.muli %by, %c32 : index
    %j = arith.muli %bx, %c64 : index
    scf.for %kk = %c0 to %k step %c16 {
      %a = tile.region %A[%kk, %i] [16, 32] : memref<?x?xf64>
      %b = tile.region %B[%j, %kk] [64, 16] : memref<?x?xf64>
      tile.copy %a to %As : !tile.region<16x32xf64>, memref<16x32xf64, #shared>
      tile.copy %b to %Bs : !tile.region<64x16xf64>, memref<64x16xf64, #shared>
      tile.gemm %As, %Bs, %acc {transpose_a, transpose_b} : (memref<16x32xf64, #shared>, memref<64x16xf64, #shared>, memref<32x64xf64, #fragment>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[%i, %j] [32, 64] : memref<?x?xf64>
    tile.copy %acc to %c : memref<32x64xf64, #fragment>, !tile.region<32x64xf64>
    gpu.terminator
  }
  return
}

// 28 steps of K are 16, 8 and 4; a warp has more columns than rows.
// CASE: parts(A=ints:35x61:f64, B=ints:70x61:f64, C=junk:35x70:f64)
// EXPECT: C = A @ B.T
func.func @parts(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 28 : index
  %bm = arith.constant 32 : index
  %bn = arith.constant 64 : index
  %threads = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %C, %c0 : memref<?x?xf64>
  %n = memref.dim %C, %c1 : memref<?x?xf64>
  %k = memref.dim %A, %c1 : memref<?x?xf64>
  %gm = arith.ceildivui %m, %bm : index
  %gn = arith.ceildivui %n, %bn : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<32x28xf64, #shared>
    %Bs = tile.alloc : memref<64x28xf64, #shared>
    %acc = tile.alloc : memref<32x64xf64, #fragment>
    tile.fill %acc, %zero : memref<32x64xf64, #fragment>, f64
    %i = arith.muli %by, %bm : index
    %j = arith.muli %bx, %bn : index
    scf.for %kk = %c0 to %k step %bk {
      %a = tile.region %A[%i, %kk] [32, 28] : memref<?x?xf64>
      %b = tile.region %B[%j, %kk] [64, 28] : memref<?x?xf64>
      tile.copy %a to %As : !tile.region<32x28xf64>, memref<32x28xf64, #shared>
      tile.copy %b to %Bs : !tile.region<64x28xf64>, memref<64x28xf64, #shared>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<32x28xf64, #shared>, memref<64x28xf64, #shared>, memref<32x64xf64, #fragment>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[%i, %j] [32, 64] : memref<?x?xf64>
    tile.copy %acc to %c : memref<32x64xf64, #fragment>, !tile.region<32x64xf64>
    gpu.terminator
  }
  return
}

// A comes from registers, and a warp has more rows than columns.
// CASE: registers(A=ints:45x70:f64, B=ints:45x51:f64, C=junk:70x51:f64)
// EXPECT: C = A.T @ B
func.func @registers(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 24 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 16 : index
  %threads = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %C, %c0 : memref<?x?xf64>
  %n = memref.dim %C, %c1 : memref<?x?xf64>
  %k = memref.dim %A, %c0 : memref<?x?xf64>
  %gm = arith.ceildivui %m, %bm : index
  %gn = arith.ceildivui %n, %bn : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<24x64xf64, #shared>
    %Af = tile.alloc : memref<24x64xf64, #fragment>
    %Bs = tile.alloc : memref<24x16xf64, #shared>
    %acc = tile.alloc : memref<64x16xf64, #fragment>
    tile.fill %acc, %zero : memref<64x16xf64, #fragment>, f64
    %i = arith.muli %by, %bm : index
    %j = arith.muli %bx, %bn : index
    scf.for %kk = %c0 to %k step %bk {
      %a = tile.region %A[%kk, %i] [24, 64] : memref<?x?xf64>
      %b = tile.region %B[%kk, %j] [24, 16] : memref<?x?xf64>
      tile.copy %a to %As : !tile.region<24x64xf64>, memref<24x64xf64, #shared>
      tile.copy %As to %Af : memref<24x64xf64, #shared>, memref<24x64xf64, #fragment>
      tile.copy %b to %Bs : !tile.region<24x16xf64>, memref<24x16xf64, #shared>
      tile.gemm %Af, %Bs, %acc {transpose_a} : (memref<24x64xf64, #fragment>, memref<24x16xf64, #shared>, memref<64x16xf64, #fragment>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[%i, %j] [64, 16] : memref<?x?xf64>
    tile.copy %acc to %c : memref<64x16xf64, #fragment>, !tile.region<64x16xf64>
    gpu.terminator
  }
  return
}
