// Ops of gpu and nvvm in kernels that say what each thread does: upstream lowers
// them. Each kernel computes what numpy does.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Memory that the launch declares for the block, and a barrier.
// CASE: barrier(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A[::-1]
func.func @barrier(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) workgroup(%s : memref<64xf32, #gpu.address_space<workgroup>>) {
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

// Memory that the launch declares for each thread.
// CASE: private(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A + np.arange(64) % 4
func.func @private(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) private(%p : memref<4xf32, #gpu.address_space<private>>) {
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %A[%tx] : memref<64xf32>
      %ii = arith.index_cast %i : index to i32
      %f = arith.sitofp %ii : i32 to f32
      %w = arith.addf %v, %f : f32
      memref.store %w, %p[%i] : memref<4xf32, #gpu.address_space<private>>
    }
    %m = arith.remui %tx, %c4 : index
    %w = memref.load %p[%m] : memref<4xf32, #gpu.address_space<private>>
    memref.store %w, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Shuffles of all modes; the lane may be outside of the warp.
// CASE: shuffle_xor(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A[np.arange(64) ^ 3]
func.func @shuffle_xor(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %o = arith.constant 3 : i32
    %w = arith.constant 32 : i32
    %z = arith.constant 0.0 : f32
    %s, %ok = gpu.shuffle xor %v, %o, %w : f32
    %r = arith.select %ok, %s, %z : f32
    memref.store %r, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// The same.
// CASE: shuffle_down(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = np.where(np.arange(64) % 32 + 3 < 32, A[np.minimum(np.arange(64) + 3, 63)], 0)
func.func @shuffle_down(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %o = arith.constant 3 : i32
    %w = arith.constant 32 : i32
    %z = arith.constant 0.0 : f32
    %s, %ok = gpu.shuffle down %v, %o, %w : f32
    %r = arith.select %ok, %s, %z : f32
    memref.store %r, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// The same.
// CASE: shuffle_idx(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A[np.arange(64) // 32 * 32 + 3]
func.func @shuffle_idx(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %o = arith.constant 3 : i32
    %w = arith.constant 32 : i32
    %z = arith.constant 0.0 : f32
    %s, %ok = gpu.shuffle idx %v, %o, %w : f32
    %r = arith.select %ok, %s, %z : f32
    memref.store %r, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Reductions of a warp.
// CASE: subgroup_reduce(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = np.repeat(A.reshape(2, 32).sum(1), 32)
func.func @subgroup_reduce(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %s = gpu.subgroup_reduce add %v : (f32) -> f32
    memref.store %s, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Of groups of lanes.
// CASE: subgroup_reduce_cluster(A=ints:64:i32, B=junk:64:i32)
// EXPECT: B = np.repeat(A.reshape(8, 8).max(1), 8)
func.func @subgroup_reduce_cluster(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %s = gpu.subgroup_reduce maxsi %v cluster(size = 8) : (i32) -> i32
    memref.store %s, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// Of elements that are half as wide as a shuffle.
// CASE: subgroup_reduce_f16(A=ints:64:f16, B=junk:64:f16)
// EXPECT: B = np.repeat(A.reshape(2, 32).sum(1), 32)
func.func @subgroup_reduce_f16(%A: memref<64xf16>, %B: memref<64xf16>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf16>
    %s = gpu.subgroup_reduce add %v : (f16) -> f16
    memref.store %s, %B[%tx] : memref<64xf16>
    gpu.terminator
  }
  return
}

// Reductions of a block: shuffles, then shared memory.
// CASE: all_reduce(A=ints:256:f32, B=junk:256:f32)
// EXPECT: B[:] = A.sum()
func.func @all_reduce(%A: memref<256xf32>, %B: memref<256xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 256 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<256xf32>
    %s = gpu.all_reduce add %v uniform {} : (f32) -> f32
    memref.store %s, %B[%tx] : memref<256xf32>
    gpu.terminator
  }
  return
}

// By an op of the kernel.
// CASE: all_reduce_region(A=ints:128:i32, B=junk:128:i32)
// EXPECT: B[:] = A.max()
func.func @all_reduce_region(%A: memref<128xi32>, %B: memref<128xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<128xi32>
    %s = gpu.all_reduce %v uniform {
    ^bb0(%l: i32, %r: i32):
      %m = arith.maxsi %l, %r : i32
      gpu.yield %m : i32
    } : (i32) -> i32
    memref.store %s, %B[%tx] : memref<128xi32>
    gpu.terminator
  }
  return
}

// In a loop, whose blocks the expansion splits.
// CASE: all_reduce_in_loop(A=ints:4x128:f32, B=junk:4:f32)
// EXPECT: B = A.sum(1)
func.func @all_reduce_in_loop(%A: memref<4x128xf32>, %B: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %A[%i, %tx] : memref<4x128xf32>
      %s = gpu.all_reduce add %v uniform {} : (f32) -> f32
      %is = arith.cmpi eq, %tx, %c0 : index
      scf.if %is { memref.store %s, %B[%i] : memref<4xf32> }
    }
    gpu.terminator
  }
  return
}

// Where a thread is in its warp, block and grid.
// CASE: lane_ids(B=junk:128:i32)
// EXPECT: B = np.arange(128) // 32 % 2 * 256 + np.arange(128) % 32 + 64
func.func @lane_ids(%B: memref<128xi32>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %l = gpu.lane_id
    %s = gpu.subgroup_id : index
    %n = gpu.num_subgroups : index
    %z = gpu.subgroup_size : index
    %g = gpu.global_id x
    %a = arith.muli %s, %c256 : index
    %b = arith.addi %a, %l : index
    %c = arith.muli %n, %z : index
    %d = arith.addi %b, %c : index
    %i = arith.index_cast %d : index to i32
    memref.store %i, %B[%g] : memref<128xi32>
    gpu.terminator
  }
  return
}

// Dynamic shared memory of the launch, as typed memory.
// CASE: dynamic(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A[::-1]
func.func @dynamic(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  %sm = arith.constant 512 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %sm {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %d[%c256][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
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

// One thread prints.
// CASE: printf(A=ints:64:f32)
// EXPECT: A = A * 2
func.func @printf(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %is = arith.cmpi eq, %tx, %c3 : index
    scf.if %is { gpu.printf "hello %f %d\n", %v, %tx : f32, index }
    %w = arith.addf %v, %v : f32
    memref.store %w, %A[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Shuffles and barriers of nvvm.
// CASE: nvvm_ops(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A[np.arange(64) ^ 1]
func.func @nvvm_ops(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %mask = arith.constant -1 : i32
    %o = arith.constant 1 : i32
    %c = arith.constant 31 : i32
    %s = nvvm.shfl.sync bfly %mask, %v, %o, %c : f32 -> f32
    nvvm.barrier0
    memref.store %s, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A product of matrices that a warp holds.
// CASE: wmma(A=ints:16x16:f16, B=ints:16x16:f16, C=junk:16x16:f32)
// EXPECT: C = A.astype(float) @ B
func.func @wmma(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %B[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %z = arith.constant 0.0 : f32
    %c = gpu.subgroup_mma_constant_matrix %z : !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %C[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.terminator
  }
  return
}

// Lanes get the value of those after them, of one, and of the first; vectors and
// small types too.
// CASE: turned(A=ints:64:f32, B=junk:64:f32, C=junk:64:f16)
// EXPECT: B = np.roll(A.reshape(2, 32), -5, 1).reshape(64) + np.repeat(A.reshape(2, 32)[:, 3], 32)
// EXPECT: C = np.repeat(A.reshape(2, 32)[:, 0], 32).astype(np.float16)
func.func @turned(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf16>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %third = arith.constant 3 : i32
    %v = memref.load %A[%tx] : memref<64xf32>
    %r, %valid = gpu.rotate %v, 5, 32 : f32
    %b = gpu.subgroup_broadcast %v, specific_lane %third : f32
    %h = arith.truncf %v : f32 to f16
    %f = gpu.subgroup_broadcast %h, first_active_lane : f16
    %s = arith.addf %r, %b : f32
    %zero = arith.constant 0.0 : f32
    %o = arith.select %valid, %s, %zero : f32
    memref.store %o, %B[%tx] : memref<64xf32>
    memref.store %f, %C[%tx] : memref<64xf16>
    gpu.terminator
  }
  return
}
