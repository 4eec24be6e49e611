// Ops of memref and vector in kernels that say what each thread does.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// A vector that is too wide for one access.
// CASE: vector_transfer(A=ints:64x8:f32, B=junk:64x8:f32)
// EXPECT: B = A * 2
func.func @vector_transfer(%A: memref<64x8xf32>, %B: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%tx, %c0], %z {in_bounds = [true]} : memref<64x8xf32>, vector<8xf32>
    %w = arith.addf %v, %v : vector<8xf32>
    vector.transfer_write %w, %B[%tx, %c0] {in_bounds = [true]} : vector<8xf32>, memref<64x8xf32>
    gpu.terminator
  }
  return
}

// A vector that our lowering loads, and upstream computes with.
// CASE: vector_mixed(A=ints:64x4:f32, B=junk:64x4:f32, C=junk:64:f32)
// EXPECT: B = A * A + A; C = (A * A + A).sum(1) + A[:, 2]
func.func @vector_mixed(%A: memref<64x4xf32>, %B: memref<64x4xf32>, %C: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = vector.load %A[%tx, %c0] : memref<64x4xf32>, vector<4xf32>
    %f = vector.fma %v, %v, %v : vector<4xf32>
    vector.store %f, %B[%tx, %c0] : memref<64x4xf32>, vector<4xf32>
    %s = vector.reduction <add>, %f : vector<4xf32> into f32
    %e = vector.extract %v[2] : f32 from vector<4xf32>
    %t = arith.addf %s, %e : f32
    memref.store %t, %C[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A vector of which a part is outside of the tensor.
// CASE: vector_edge(A=ints:250:f32, B=junk:250:f32)
// EXPECT: B = A * A
func.func @vector_edge(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %z = arith.constant 0.0 : f32
    %o = arith.muli %tx, %c4 : index
    %v = vector.transfer_read %A[%o], %z : memref<?xf32>, vector<4xf32>
    %w = arith.mulf %v, %v : vector<4xf32>
    vector.transfer_write %w, %B[%o] : vector<4xf32>, memref<?xf32>
    gpu.terminator
  }
  return
}

// Two dimensions, transposed.
// CASE: vector_2d(A=ints:64x4x4:f32, B=junk:64x4x4:f32)
// EXPECT: B = A.transpose(0, 2, 1)
func.func @vector_2d(%A: memref<64x4x4xf32>, %B: memref<64x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%tx, %c0, %c0], %z {in_bounds = [true, true]} : memref<64x4x4xf32>, vector<4x4xf32>
    %t = vector.transpose %v, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
    vector.transfer_write %t, %B[%tx, %c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<64x4x4xf32>
    gpu.terminator
  }
  return
}

// A product of small matrices in registers.
// CASE: vector_contract(A=ints:4x4:f32, B=ints:4x4:f32, C=junk:4x4:f32)
// EXPECT: C = A @ B
func.func @vector_contract(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %z = arith.constant 0.0 : f32
    %i0 = arith.cmpi eq, %tx, %c0 : index
    scf.if %i0 {
    %a = vector.transfer_read %A[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
    %b = vector.transfer_read %B[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
    %c = arith.constant dense<0.0> : vector<4x4xf32>
    %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>
    vector.transfer_write %d, %C[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
    }
    gpu.terminator
  }
  return
}

// Functions of vectors, element by element.
// CASE: vector_math(A=ints:64x4:f32, B=junk:64x4:f32)
// EXPECT: B = np.tanh(np.sqrt(np.exp(A)))
// WITHIN: B = 2**-20
func.func @vector_math(%A: memref<64x4xf32>, %B: memref<64x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = vector.load %A[%tx, %c0] : memref<64x4xf32>, vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    %q = math.sqrt %e : vector<4xf32>
    %t = math.tanh %q : vector<4xf32>
    vector.store %t, %B[%tx, %c0] : memref<64x4xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// A window of a tensor with a stride.
// CASE: subview(A=ints:64x64:f32, B=junk:64x16:f32)
// EXPECT: B = A[:, 8:40:2]
func.func @subview(%A: memref<64x64xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %s = memref.subview %A[%tx, 8] [1, 16] [1, 2] : memref<64x64xf32> to memref<16xf32, strided<[2], offset: ?>>
    scf.for %i = %c0 to %c16 step %c1 {
      %v = memref.load %s[%i] : memref<16xf32, strided<[2], offset: ?>>
      memref.store %v, %B[%tx, %i] : memref<?x?xf32>
    }
    gpu.terminator
  }
  return
}

// A window that is known at run time, and its size.
// CASE: subview_dyn(A=ints:64x40:f32, B=junk:64:f32, n=12)
// EXPECT: B = A[:, 12:24].sum(1)
func.func @subview_dyn(%A: memref<?x?xf32>, %B: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %s = memref.subview %A[%tx, %n] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %d = memref.dim %s, %c0 : memref<?xf32, strided<[1], offset: ?>>
    %z = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %d step %c1 iter_args(%x = %z) -> f32 {
      %v = memref.load %s[%i] : memref<?xf32, strided<[1], offset: ?>>
      %y = arith.addf %x, %v : f32
      scf.yield %y : f32
    }
    memref.store %r, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// An array of each thread.
// CASE: alloca(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A * 2
func.func @alloca(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %p = memref.alloca() : memref<4xf32>
    %v = memref.load %A[%tx] : memref<64xf32>
    scf.for %i = %c0 to %c4 step %c1 { memref.store %v, %p[%i] : memref<4xf32> }
    %m = arith.remui %tx, %c4 : index
    %w = memref.load %p[%m] : memref<4xf32>
    %x = arith.addf %v, %w : f32
    memref.store %x, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 5.0]>

// A table in the module.
// CASE: global_const(B=junk:64:f32)
// EXPECT: B = np.tile(np.array([1., 2., 3., 5.]), 16)
func.func @global_const(%B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %g = memref.get_global @table : memref<4xf32>
    %m = arith.remui %tx, %c4 : index
    %w = memref.load %g[%m] : memref<4xf32>
    memref.store %w, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

memref.global "private" @buffer : memref<64xf32, #gpu.address_space<workgroup>>

// Shared memory in the module.
// CASE: global_shared(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A[::-1]
func.func @global_shared(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %s = memref.get_global @buffer : memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %A[%tx] : memref<64xf32>
    memref.store %v, %s[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c63 = arith.constant 63 : index
    %r = arith.subi %c63, %tx : index
    %w = memref.load %s[%r] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Other extents of the same elements.
// CASE: casts(A=ints:64x4:f32, B=junk:256:f32)
// EXPECT: B = np.tile(A.reshape(-1)[:64], 4)
func.func @casts(%A: memref<64x4xf32>, %B: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %c = memref.collapse_shape %A [[0, 1]] : memref<64x4xf32> into memref<256xf32>
    %e = memref.expand_shape %c [[0, 1]] output_shape [32, 8] : memref<256xf32> into memref<32x8xf32>
    %q = arith.divui %tx, %c8 : index
    %r = arith.remui %tx, %c8 : index
    %v = memref.load %e[%q, %r] : memref<32x8xf32>
    %rc = memref.reinterpret_cast %B to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<256xf32> to memref<4x64xf32, strided<[64, 1]>>
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %v, %rc[%i, %tx] : memref<4x64xf32, strided<[64, 1]>>
    }
    gpu.terminator
  }
  return
}

// One of two tensors.
// CASE: select_memref(A=ints:64:f32, B=ints:64:f32, C=junk:64:f32, p=1)
// EXPECT: C = A
func.func @select_memref(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>, %p: i1) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %s = arith.select %p, %A, %B : memref<64xf32>
    %v = memref.load %s[%tx] : memref<64xf32>
    memref.store %v, %C[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Tensors that a loop carries.
// CASE: iter_memref(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A + 3; A = A + 2
func.func @iter_memref(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %A, %y = %B) -> (memref<64xf32>, memref<64xf32>) {
      %v = memref.load %x[%tx] : memref<64xf32>
      %one = arith.constant 1.0 : f32
      %w = arith.addf %v, %one : f32
      memref.store %w, %y[%tx] : memref<64xf32>
      scf.yield %y, %x : memref<64xf32>, memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// A copy of a row.
// CASE: copy(A=ints:64x8:f32, B=junk:64x8:f32)
// EXPECT: B = A
func.func @copy(%A: memref<64x8xf32>, %B: memref<64x8xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %a = memref.subview %A[%tx, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %b = memref.subview %B[%tx, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %a, %b : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
    gpu.terminator
  }
  return
}

// An atomic update of a window.
// CASE: atomic(A=ints:64:i32, B=zeros:4:i32)
// EXPECT: B[2] = A.sum()
func.func @atomic(%A: memref<64xi32>, %B: memref<4xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %s = memref.subview %B[1] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: 1>>
    %o = memref.atomic_rmw addi %v, %s[%c1] : (i32, memref<2xi32, strided<[1], offset: 1>>) -> i32
    gpu.terminator
  }
  return
}

// An extent whose dimension each thread chooses.
// CASE: dim_dyn(A=ints:5x7:f32, B=junk:2:i32)
// EXPECT: B = np.array([5, 7])
func.func @dim_dyn(%A: memref<?x?xf32>, %B: memref<2xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %is = arith.cmpi ult, %tx, %c2 : index
    scf.if %is {
      %d = memref.dim %A, %tx : memref<?x?xf32>
      %i = arith.index_cast %d : index to i32
      memref.store %i, %B[%tx] : memref<2xi32>
    }
    gpu.terminator
  }
  return
}
