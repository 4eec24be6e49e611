// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: cat %t/sm_90a/aligned.ptx | FileCheck %s
// CHECK-NOT: ld.global.b32
// CHECK: ld.global{{.*}}.v4.b32
// CHECK-NOT: st.global.b32
// CHECK: st.global{{.*}}.v4.b32

// Vectors at any element: MLIR promises the alignment of one.
// CASE: unaligned_f32(A=ints:68:f32, B=junk:65:f32)
// EXPECT: B[1:] = A[3:67] * 2
func.func @unaligned_f32(%A: memref<68xf32>, %B: memref<65xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %o = arith.muli %tx, %c4 : index
    %i = arith.addi %o, %c3 : index
    %j = arith.addi %o, %c1 : index
    %v = vector.load %A[%i] : memref<68xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %B[%j] : memref<65xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// CASE: unaligned_f16(A=ints:68:f16, B=junk:65:f16)
// EXPECT: B[1:] = A[3:67]
func.func @unaligned_f16(%A: memref<68xf16>, %B: memref<65xf16>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %o = arith.muli %tx, %c4 : index
    %i = arith.addi %o, %c3 : index
    %j = arith.addi %o, %c1 : index
    %v = vector.load %A[%i] : memref<68xf16>, vector<4xf16>
    vector.store %v, %B[%j] : memref<65xf16>, vector<4xf16>
    gpu.terminator
  }
  return
}

// CASE: unaligned_i8(A=ints:260:i8, B=junk:259:i8)
// EXPECT: B[3:] = A[1:257]
func.func @unaligned_i8(%A: memref<260xi8>, %B: memref<259xi8>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %o = arith.muli %tx, %c16 : index
    %i = arith.addi %o, %c1 : index
    %j = arith.addi %o, %c3 : index
    %v = vector.load %A[%i] : memref<260xi8>, vector<16xi8>
    vector.store %v, %B[%j] : memref<259xi8>, vector<16xi8>
    gpu.terminator
  }
  return
}

// Rows of five.
// CASE: unaligned_rows(A=ints:16x5:f32, B=junk:16x7:f32)
// EXPECT: B[:, 1:5] = A[:, :4]
func.func @unaligned_rows(%A: memref<16x5xf32>, %B: memref<16x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%tx, %c0], %z {in_bounds = [true]} : memref<16x5xf32>, vector<4xf32>
    vector.transfer_write %v, %B[%tx, %c1] {in_bounds = [true]} : vector<4xf32>, memref<16x7xf32>
    gpu.terminator
  }
  return
}

// A tensor that itself begins anywhere.
// CASE: unaligned_begin(A=ints:64:f32@1+3, B=junk:64:f32@1+1)
// EXPECT: B = A
func.func @unaligned_begin(%A: memref<64xf32, strided<[1], offset: ?>>, %B: memref<64xf32, strided<[1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %o = arith.muli %tx, %c4 : index
    %v = vector.load %A[%o] : memref<64xf32, strided<[1], offset: ?>>, vector<4xf32>
    vector.store %v, %B[%o] : memref<64xf32, strided<[1], offset: ?>>, vector<4xf32>
    gpu.terminator
  }
  return
}

// Shared tiles and arrays of threads.
// CASE: unaligned_shared(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A
func.func @unaligned_shared(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1)
             workgroup(%s : memref<80xf32, #gpu.address_space<workgroup>>)
             private(%p : memref<8xf32, #gpu.address_space<private>>) {
    %o = arith.muli %tx, %c4 : index
    %i = arith.addi %o, %c3 : index
    %v = vector.load %A[%o] : memref<64xf32>, vector<4xf32>
    vector.store %v, %s[%i] : memref<80xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    %w = vector.load %s[%i] : memref<80xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    vector.store %w, %p[%c1] : memref<8xf32, #gpu.address_space<private>>, vector<4xf32>
    %u = vector.load %p[%c1] : memref<8xf32, #gpu.address_space<private>>, vector<4xf32>
    vector.store %u, %B[%o] : memref<64xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// What is stated or computed is one access.
// CASE: aligned(A=ints:16x32:f32, B=junk:16x32:f32)
// EXPECT: B = A * 2
func.func @aligned(%A: memref<16x32xf32>, %B: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %a = memref.assume_alignment %A, 16 : memref<16x32xf32>
    scf.for %i = %c0 to %c32 step %c4 {
      %v = vector.load %a[%tx, %i] : memref<16x32xf32>, vector<4xf32>
      %w = arith.addf %v, %v : vector<4xf32>
      vector.store %w, %B[%tx, %i] {alignment = 16} : memref<16x32xf32>, vector<4xf32>
    }
    gpu.terminator
  }
  return
}
