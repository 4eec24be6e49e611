// Kernels whose tensors are aligned or not, each for itself: rows with gaps, odd
// addresses, odd rows. Every combination gives what Python computes.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --seeds=1 --out=%t

// The launcher says which kernel runs, and what the best one lacked.
// RUN: tile-run %t/sm_90a/masked.json ints:64x96:f16@96 ints:64x96:f16@104 ints:64x96:f32@97 zeros:64x64:f32@67 --emulate --verbose \
// RUN:   | FileCheck %s --check-prefix=MASK
// MASK: launch 0: kernel {{.*}} (variant 3 of 7), {{.*}} block 256x1x1
// MASK-NEXT: launch 0: variant 1 needs: stride 0 of argument 2 is a multiple of 16 bytes, it is 388; stride 0 of argument 3 is a multiple of 16 bytes, it is 268
// MASK-NEXT: ok on emulator
// RUN: tile-run %t/sm_90a/masked.json ints:64x96:f16@96 ints:64x96:f16@104 ints:64x96:f32@96 zeros:64x64:f32@68 --emulate --verbose \
// RUN:   | FileCheck %s --check-prefix=BEST
// BEST: (variant 1 of 7)
// BEST-NOT: needs
// BEST: ok on emulator
// RUN: tile-run %t/sm_80/masked.json ints:64x96:f16@98 ints:64x96:f16@102 ints:64x96:f32@97 zeros:64x64:f32@68 --emulate --verbose \
// RUN:   | FileCheck %s --check-prefix=FOUR
// FOUR: (variant 6 of 7)
// FOUR-NEXT: variant 1 needs: stride 0 of argument 0 is a multiple of 16 bytes, it is 196; stride 0 of argument 1 is a multiple of 16 bytes, it is 204

// How wide accesses are is to be seen in the code of each.
// RUN: FileCheck %s --check-prefix=WIDE < %t/sm_80/masked.ptx
// WIDE-LABEL: .entry masked_kernel(
// WIDE-NOT: cp.async.ca
// WIDE: cp.async.cg.shared.global {{.*}}, 16
// WIDE-NOT: cp.async.ca
// WIDE-LABEL: .entry masked_kernel_1(
// WIDE-DAG: cp.async.cg.shared.global {{.*}}, 16
// WIDE-DAG: cp.async.ca.shared.global {{.*}}, 4
// WIDE-LABEL: .entry masked_kernel_4(
// WIDE-NOT: cp.async.cg
// WIDE: cp.async.ca.shared.global {{.*}}, 4
// WIDE-NOT: cp.async.cg
// WIDE-LABEL: .entry masked_kernel_5(
// RUN: FileCheck %s --check-prefix=EIGHT < %t/sm_80/rows_of_504.ptx
// EIGHT-LABEL: .entry rows_of_504_kernel(
// EIGHT-DAG: cp.async.ca.shared.global {{.*}}, 8
// EIGHT-DAG: cp.async.cg.shared.global {{.*}}, 16
// EIGHT-LABEL: .entry rows_of_504_kernel_{{[0-9]+}}(
// RUN: FileCheck %s --check-prefix=BESIDE < %t/sm_90a/rows_of_504.ptx
// BESIDE-LABEL: .entry rows_of_504_kernel(
// BESIDE-DAG: cp.async.ca.shared.global {{.*}}, 8
// BESIDE-DAG: cp.async.bulk.tensor
// BESIDE-LABEL: .entry rows_of_504_kernel_{{[0-9]+}}(

#shared = #gpu.address_space<workgroup>
#rows = strided<[?, 1]>

// CASE: masked(A=ints:64x96:f16@96, B=ints:64x96:f16@104, M=ints:64x96:f32@96, C=junk:64x64:f32@68)
// CASE: masked(A=ints:64x96:f16@96, B=ints:64x96:f16@104, M=ints:64x96:f32@96, C=junk:64x64:f32@67)
// CASE: masked(A=ints:64x96:f16@96, B=ints:64x96:f16@104, M=ints:64x96:f32@97, C=junk:64x64:f32@68)
// CASE: masked(A=ints:64x96:f16@96, B=ints:64x96:f16@104, M=ints:64x96:f32@99+3, C=junk:64x64:f32@67+1)
// CASE: masked(A=ints:64x96:f16@97, B=ints:64x96:f16@104, M=ints:64x96:f32@96, C=junk:64x64:f32@68)
// CASE: masked(A=ints:64x96:f16@96, B=ints:64x96:f16@104+1, M=ints:64x96:f32@96, C=junk:64x64:f32@67)
// CASE: masked(A=ints:64x95:f16@97, B=ints:64x95:f16@104+8, M=ints:64x95:f32@97, C=junk:64x64:f32@67)
// CASE: masked(A=ints:64x95:f16@98+2, B=ints:64x95:f16@106+6, M=ints:64x95:f32@96, C=junk:64x64:f32@68)
// CASE: masked(A=ints:64x95:f16@98, B=ints:64x95:f16@101, M=ints:64x95:f32@95, C=junk:64x64:f32@67)
// CASE: masked(A=ints:64x0:f16@8, B=ints:64x0:f16@8, M=ints:64x0:f32@4, C=junk:64x64:f32@68)
// EXPECT: C = 0 * C
// EXPECT: for k in range(0, A.shape[1], 64):
// EXPECT:   m = np.zeros((64, 64))
// EXPECT:   m[:, :M[:, k:k + 64].shape[1]] = M[:, k:k + 64]
// EXPECT:   C += A[:, k:k + 64] @ B[:, k:k + 64].T * m
func.func @masked(%A: memref<64x?xf16, #rows>, %B: memref<64x?xf16, #rows>, %M: memref<?x?xf32, #rows>, %C: memref<?x?xf32, #rows>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<64x?xf16, #rows>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x64xf16, #shared>
    %Bs = tile.alloc : memref<64x64xf16, #shared>
    %Ms = tile.alloc : memref<64x64xf32, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x?xf16, #rows>
      %b = tile.region %B[0, %k] [64, 64] : memref<64x?xf16, #rows>
      %m = tile.region %M[0, %k] [64, 64] : memref<?x?xf32, #rows>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #shared>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, memref<64x64xf16, #shared>
      tile.copy %m to %Ms : !tile.region<64x64xf32>, memref<64x64xf32, #shared>
      tile.fill %p, %zero : memref<64x64xf32, #tile.fragment>, f32
      tile.gemm %As, %Bs, %p {transpose_b} : (memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>)
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %p[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %Ms[%i, %j] : memref<64x64xf32, #shared>
        %z = arith.mulf %x, %y : f32
        %o = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
        %s = arith.addf %o, %z : f32
        memref.store %s, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      memref.store %x, %C[%i, %j] : memref<?x?xf32, #rows>
    }
    gpu.terminator
  }
  return
}

// Static rows of 504 bytes move by 8 bytes, beside others that move by TMA.
// CASE: rows_of_504(A=ints:64x252:f16, B=ints:256x64:f16, C=junk:64x64:f32)
// CASE: rows_of_504(A=ints:64x252:f16@+4, B=ints:256x64:f16, C=junk:64x64:f32)
// CASE: rows_of_504(A=ints:64x252:f16@+1, B=ints:256x64:f16@+8, C=junk:64x64:f32)
// CASE: rows_of_504(A=ints:64x252:f16, B=ints:256x64:f16@+1, C=junk:64x64:f32)
// EXPECT: C = A @ B[:252]
func.func @rows_of_504(%A: memref<64x252xf16>, %B: memref<256x64xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xf16, #shared>
    %Bs = tile.alloc : memref<32x64xf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c256 step %c32 {
      %a = tile.region %A[0, %k] [64, 32] : memref<64x252xf16>
      %b = tile.region %B[%k, 0] [32, 64] : memref<256x64xf16>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #shared>
      tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}

// Every type of elements, in rows of any length: cp.async of 16, 8 and 4 bytes, with
// ragged ends, and plain copies.
// CASE: bytes(X=ints:50x96:i8@96, Y=junk:50x96:i8)
// CASE: bytes(X=ints:50x93:i8@104, Y=junk:50x93:i8)
// CASE: bytes(X=ints:50x93:i8@100+4, Y=junk:50x93:i8)
// CASE: bytes(X=ints:50x93:i8@99, Y=junk:50x93:i8)
// EXPECT: Y = X
func.func @bytes(%X: memref<?x?xi8, #rows>, %Y: memref<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %X, %c1 : memref<?x?xi8, #rows>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xi8, #shared>
    %F = tile.alloc : memref<64x64xi8, #tile.fragment>
    scf.for %k = %c0 to %K step %c64 {
      %x = tile.region %X[0, %k] [64, 64] : memref<?x?xi8, #rows>
      %y = tile.region %Y[0, %k] [64, 64] : memref<?x?xi8>
      tile.copy %x to %S : !tile.region<64x64xi8>, memref<64x64xi8, #shared>
      tile.copy %S to %F : memref<64x64xi8, #shared>, memref<64x64xi8, #tile.fragment>
      tile.copy %F to %y : memref<64x64xi8, #tile.fragment>, !tile.region<64x64xi8>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CASE: floats(X=ints:50x96:f32@96, Y=junk:50x96:f32)
// CASE: floats(X=ints:50x93:f32@94, Y=junk:50x93:f32)
// CASE: floats(X=ints:50x93:f32@93+1, Y=junk:50x93:f32)
// EXPECT: Y = X
func.func @floats(%X: memref<?x?xf32, #rows>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %X, %c1 : memref<?x?xf32, #rows>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x32xf32, #shared>
    %F = tile.alloc : memref<64x32xf32, #tile.fragment>
    scf.for %k = %c0 to %K step %c32 {
      %x = tile.region %X[0, %k] [64, 32] : memref<?x?xf32, #rows>
      %y = tile.region %Y[0, %k] [64, 32] : memref<?x?xf32>
      tile.copy %x to %S : !tile.region<64x32xf32>, memref<64x32xf32, #shared>
      tile.copy %S to %F : memref<64x32xf32, #shared>, memref<64x32xf32, #tile.fragment>
      tile.copy %F to %y : memref<64x32xf32, #tile.fragment>, !tile.region<64x32xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
