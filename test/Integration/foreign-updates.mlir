// Updates of elements and addresses, as memref has them.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// Kinds that tile.atomic does not have.
// CASE: rmw_maxnumf_f32(A=normal:64:f32, B=ones:1:f32)
// EXPECT: B = np.array([A.max()])
func.func @rmw_maxnumf_f32(%A: memref<64xf32>, %B: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xf32>
    %o = memref.atomic_rmw maxnumf %v, %B[%c0] : (f32, memref<1xf32>) -> f32
    gpu.terminator
  }
  return
}

// CASE: rmw_minnumf_f16(A=normal:64:f16, B=ones:1:f16)
// EXPECT: B = np.array([A.min()])
func.func @rmw_minnumf_f16(%A: memref<64xf16>, %B: memref<1xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xf16>
    %o = memref.atomic_rmw minnumf %v, %B[%c0] : (f16, memref<1xf16>) -> f16
    gpu.terminator
  }
  return
}

// CASE: rmw_mulf_f32(A=ones:64:f32, B=ones:1:f32)
// EXPECT: B = np.array([2.0 ** 64])
func.func @rmw_mulf_f32(%A: memref<64xf32>, %B: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2.0 : f32
    %o = memref.atomic_rmw mulf %two, %B[%c0] : (f32, memref<1xf32>) -> f32
    gpu.terminator
  }
  return
}

// Each thread does it, with no id of one in sight.
// CASE: rmw_muli_i32(A=ones:64:i32, B=ones:1:i32)
// EXPECT: B = np.array([3 ** 64 % 2 ** 32]).astype(np.uint32).view(np.int32)
func.func @rmw_muli_i32(%A: memref<64xi32>, %B: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %three = arith.constant 3 : i32
    %o = memref.atomic_rmw muli %three, %B[%c0] : (i32, memref<1xi32>) -> i32
    gpu.terminator
  }
  return
}

// CASE: rmw_assign(A=ints:64:i32, B=count:64:i32, C=junk:64:i32)
// EXPECT: C = B; B = A
func.func @rmw_assign(%A: memref<64xi32>, %B: memref<64xi32>, %C: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xi32>
    %o = memref.atomic_rmw assign %v, %B[%tx] : (i32, memref<64xi32>) -> i32
    memref.store %o, %C[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// Code of the program.
// CASE: generic_atomic(A=normal:64:f32, B=zeros:1:f32)
// EXPECT: B = np.array([max(A.max(), 0)])
func.func @generic_atomic(%A: memref<64xf32>, %B: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xf32>
    %o = memref.generic_atomic_rmw %B[%c0] : memref<1xf32> {
    ^bb(%cur: f32):
      %m = arith.maximumf %cur, %v : f32
      memref.atomic_yield %m : f32
    }
    gpu.terminator
  }
  return
}

// CASE: gat_i32(A=ints:64:i32, B=zeros:1:i32)
// EXPECT: B = np.array([max(A.max(), 0)])
func.func @gat_i32(%A: memref<64xi32>, %B: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xi32>
    %o = memref.generic_atomic_rmw %B[%c0] : memref<1xi32> {
    ^bb(%cur: i32):
      %m = arith.maxsi %cur, %v : i32
      memref.atomic_yield %m : i32
    }
    gpu.terminator
  }
  return
}

// A byte between others.
// CASE: code_i8(A=ints:64:i8, B=count:3:i8)
// EXPECT: B[1] += A.sum()
func.func @code_i8(%A: memref<64xi8>, %B: memref<3xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xi8>
    %o = memref.generic_atomic_rmw %B[%c1] : memref<3xi8> {
    ^bb(%was: i8):
      %m = arith.addi %was, %v : i8
      memref.atomic_yield %m : i8
    }
    gpu.terminator
  }
  return
}

// CASE: code_math(A=ints:64:bf16, B=zeros:2:bf16)
// EXPECT: B[1] = A.max()
func.func @code_math(%A: memref<64xbf16>, %B: memref<2xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xbf16>
    %o = memref.generic_atomic_rmw %B[%c1] : memref<2xbf16> {
    ^bb(%was: bf16):
      %m = arith.maxnumf %was, %v : bf16
      %t = math.absf %m : bf16
      memref.atomic_yield %t : bf16
    }
    gpu.terminator
  }
  return
}

// Addresses, which are wider than an index.
// CASE: llvm_ptr(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = 3 * A
func.func @llvm_ptr(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %pi = memref.extract_aligned_pointer_as_index %A : memref<64xf32> -> index
    %pl = arith.index_cast %pi : index to i64
    %p = llvm.inttoptr %pl : i64 to !llvm.ptr<1>
    %i = arith.index_cast %tx : index to i64
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %q : !llvm.ptr<1> -> f32
    %c = llvm.mlir.constant(3.0 : f32) : f32
    %w = llvm.fmul %v, %c : f32
    memref.store %w, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// CASE: ptr_sub(A=ints:8x8:f32, B=junk:8:f32)
// EXPECT: B = np.full(8, A[0, 0])
func.func @ptr_sub(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %X = memref.subview %A[%tx, 2] [1, 4] [1, 1] : memref<8x8xf32> to memref<4xf32, strided<[1], offset: ?>>
    %pi = memref.extract_aligned_pointer_as_index %X : memref<4xf32, strided<[1], offset: ?>> -> index
    %pl = arith.index_castui %pi : index to i64
    %p = llvm.inttoptr %pl : i64 to !llvm.ptr
    %v = llvm.load %p : !llvm.ptr -> f32
    memref.store %v, %B[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}
