// Reductions and shuffles of gpu of every width, and of any number of warps.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// Three warps: only the first lane of the last step has all sums.
// CASE: block_three_warps(A=ints:96:i32, B=junk:96:i32)
// EXPECT: B = np.full(96, A.sum())
func.func @block_three_warps(%A: memref<96xi32>, %B: memref<96xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xi32>
    %s = gpu.all_reduce add %v uniform {} : (i32) -> (i32)
    memref.store %s, %B[%tx] : memref<96xi32>
    gpu.terminator
  }
  return
}

// CASE: block_part_of_warp(A=ints:48:i32, B=junk:48:i32)
// EXPECT: B = np.full(48, A.sum())
func.func @block_part_of_warp(%A: memref<48xi32>, %B: memref<48xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 48 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<48xi32>
    %s = gpu.all_reduce add %v uniform {} : (i32) -> (i32)
    memref.store %s, %B[%tx] : memref<48xi32>
    gpu.terminator
  }
  return
}

// CASE: block_seven_warps(A=ints:224:f32, B=junk:224:f32)
// EXPECT: B = np.full(224, A.sum())
func.func @block_seven_warps(%A: memref<224xf32>, %B: memref<224xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 224 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<224xf32>
    %s = gpu.all_reduce add %v uniform {} : (f32) -> (f32)
    memref.store %s, %B[%tx] : memref<224xf32>
    gpu.terminator
  }
  return
}

// Numbers of other widths than a word.
// CASE: block_f64(A=ints:96:f64, B=junk:96:f64)
// EXPECT: B = np.full(96, A.astype(np.float64).sum())
func.func @block_f64(%A: memref<96xf64>, %B: memref<96xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xf64>
    %s = gpu.all_reduce add %v uniform {} : (f64) -> (f64)
    memref.store %s, %B[%tx] : memref<96xf64>
    gpu.terminator
  }
  return
}

// CASE: block_i64(A=ints:96:i64, B=junk:96:i64)
// EXPECT: B = np.full(96, A.astype(np.float64).sum())
func.func @block_i64(%A: memref<96xi64>, %B: memref<96xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xi64>
    %s = gpu.all_reduce add %v uniform {} : (i64) -> (i64)
    memref.store %s, %B[%tx] : memref<96xi64>
    gpu.terminator
  }
  return
}

// CASE: block_f16(A=ints:96:f16, B=junk:96:f16)
// EXPECT: B = np.full(96, A.astype(np.float64).sum())
func.func @block_f16(%A: memref<96xf16>, %B: memref<96xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xf16>
    %s = gpu.all_reduce add %v uniform {} : (f16) -> (f16)
    memref.store %s, %B[%tx] : memref<96xf16>
    gpu.terminator
  }
  return
}

// CASE: block_bf16(A=ints:96:bf16, B=junk:96:bf16)
// EXPECT: B = np.full(96, A.astype(np.float64).sum())
func.func @block_bf16(%A: memref<96xbf16>, %B: memref<96xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xbf16>
    %s = gpu.all_reduce add %v uniform {} : (bf16) -> (bf16)
    memref.store %s, %B[%tx] : memref<96xbf16>
    gpu.terminator
  }
  return
}

// CASE: block_i16(A=ints:96:i16, B=junk:96:i16)
// EXPECT: B = np.full(96, A.astype(np.float64).sum())
func.func @block_i16(%A: memref<96xi16>, %B: memref<96xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xi16>
    %s = gpu.all_reduce add %v uniform {} : (i16) -> (i16)
    memref.store %s, %B[%tx] : memref<96xi16>
    gpu.terminator
  }
  return
}

// CASE: block_i8(A=ints:96:i8, B=junk:96:i8)
// EXPECT: B = np.full(96, A.astype(np.float64).sum())
func.func @block_i8(%A: memref<96xi8>, %B: memref<96xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xi8>
    %s = gpu.all_reduce add %v uniform {} : (i8) -> (i8)
    memref.store %s, %B[%tx] : memref<96xi8>
    gpu.terminator
  }
  return
}

// All threads come here, which the op does not say.
// CASE: block_in_branches(A=ints:96:i32, n=3, B=junk:96:i32)
// CASE: block_in_branches(A=ints:96:i32, n=0, B=junk:96:i32)
// EXPECT: B = np.full(96, A.sum() * n)
func.func @block_in_branches(%A: memref<96xi32>, %n: index, %B: memref<96xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<96xi32>
    %z = arith.constant 0 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> i32 {
      %s = gpu.all_reduce add %v {} : (i32) -> (i32)
      %b = arith.addi %a, %s : i32
      scf.yield %b : i32
    }
    memref.store %r, %B[%tx] : memref<96xi32>
    gpu.terminator
  }
  return
}

// Reductions of a warp.
// CASE: sg_f64(A=ints:32:f64, B=junk:32:f64)
// EXPECT: B = np.full(32, A.sum())
func.func @sg_f64(%A: memref<32xf64>, %B: memref<32xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xf64>
    %s = gpu.subgroup_reduce add %v : (f64) -> f64
    memref.store %s, %B[%tx] : memref<32xf64>
    gpu.terminator
  }
  return
}

// CASE: sg_i64(A=ints:32:i64, B=junk:32:i64)
// EXPECT: B = np.full(32, A.sum())
func.func @sg_i64(%A: memref<32xi64>, %B: memref<32xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xi64>
    %s = gpu.subgroup_reduce add %v : (i64) -> i64
    memref.store %s, %B[%tx] : memref<32xi64>
    gpu.terminator
  }
  return
}

// CASE: sg_vec(A=ints:64x4:f32, B=junk:64x4:f32)
// EXPECT: B = A.reshape(8, 8, 4).sum(axis=1).repeat(8, axis=0)
func.func @sg_vec(%A: memref<64x4xf32>, %B: memref<64x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %c0v = arith.constant 0 : index
    %v = vector.load %A[%tx, %c0v] : memref<64x4xf32>, vector<4xf32>
    %s = gpu.subgroup_reduce add %v cluster(size = 8) : (vector<4xf32>) -> vector<4xf32>
    vector.store %s, %B[%tx, %c0v] : memref<64x4xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// CASE: sg_stride(A=ints:64:i32, B=junk:64:i32)
// EXPECT: t = A.reshape(2, 4, 8).max(axis=1); B = np.stack([t] * 4, axis=1).reshape(64)
func.func @sg_stride(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<64xi32>
    %s = gpu.subgroup_reduce maxsi %v cluster(size = 4, stride = 8) : (i32) -> i32
    memref.store %s, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// Shuffles.
// CASE: sh_f64(A=ints:32:f64, B=junk:32:f64)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_f64(%A: memref<32xf64>, %B: memref<32xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xf64>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : f64
    memref.store %s, %B[%tx] : memref<32xf64>
    gpu.terminator
  }
  return
}

// CASE: sh_i64(A=ints:32:i64, B=junk:32:i64)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_i64(%A: memref<32xi64>, %B: memref<32xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xi64>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : i64
    memref.store %s, %B[%tx] : memref<32xi64>
    gpu.terminator
  }
  return
}

// CASE: sh_f16(A=ints:32:f16, B=junk:32:f16)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_f16(%A: memref<32xf16>, %B: memref<32xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xf16>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : f16
    memref.store %s, %B[%tx] : memref<32xf16>
    gpu.terminator
  }
  return
}

// CASE: sh_bf16(A=ints:32:bf16, B=junk:32:bf16)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_bf16(%A: memref<32xbf16>, %B: memref<32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xbf16>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : bf16
    memref.store %s, %B[%tx] : memref<32xbf16>
    gpu.terminator
  }
  return
}

// CASE: sh_i16(A=ints:32:i16, B=junk:32:i16)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_i16(%A: memref<32xi16>, %B: memref<32xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xi16>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : i16
    memref.store %s, %B[%tx] : memref<32xi16>
    gpu.terminator
  }
  return
}

// CASE: sh_i8(A=ints:32:i8, B=junk:32:i8)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_i8(%A: memref<32xi8>, %B: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xi8>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : i8
    memref.store %s, %B[%tx] : memref<32xi8>
    gpu.terminator
  }
  return
}

// CASE: sh_v4(A=ints:32x4:f16, B=junk:32x4:f16)
// EXPECT: B = A[np.arange(32) ^ 5]
func.func @sh_v4(%A: memref<32x4xf16>, %B: memref<32x4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = vector.load %A[%tx, %c0] : memref<32x4xf16>, vector<4xf16>
    %o = arith.constant 5 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<4xf16>
    vector.store %s, %B[%tx, %c0] : memref<32x4xf16>, vector<4xf16>
    gpu.terminator
  }
  return
}

// CASE: shuffle_modes(A=ints:32:f32, B=junk:32:f32)
// EXPECT: p = np.pad(A, 3); B = p[:32] + p[6:38] + A[3]
func.func @shuffle_modes(%A: memref<32xf32>, %B: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%tx] : memref<32xf32>
    %one = arith.constant 3 : i32
    %w = arith.constant 32 : i32
    %u, %pu = gpu.shuffle up %v, %one, %w : f32
    %d, %pd = gpu.shuffle down %v, %one, %w : f32
    %i, %pi = gpu.shuffle idx %v, %one, %w : f32
    %z = arith.constant 0.0 : f32
    %uu = arith.select %pu, %u, %z : f32
    %dd = arith.select %pd, %d, %z : f32
    %s = arith.addf %uu, %dd : f32
    %t = arith.addf %s, %i : f32
    memref.store %t, %B[%tx] : memref<32xf32>
    gpu.terminator
  }
  return
}

// Reductions and scans of vectors.
// CASE: vec_multi(A=ints:8x4:f32, B=junk:8:f32)
// EXPECT: B = A.sum(axis=1)
func.func @vec_multi(%A: memref<8x4xf32>, %B: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %pad = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x4xf32>, vector<8x4xf32>
    %z = arith.constant dense<0.0> : vector<8xf32>
    %s = vector.multi_reduction <add>, %v, %z [1] : vector<8x4xf32> to vector<8xf32>
    %in = arith.cmpi eq, %tx, %c0 : index
    scf.if %in {
    vector.transfer_write %s, %B[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
    }
    gpu.terminator
  }
  return
}

// CASE: vector_scan(A=ints:8x4:f32, B=junk:8x4:f32)
// EXPECT: B = np.cumsum(A, axis=1)
func.func @vector_scan(%A: memref<8x4xf32>, %B: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %pad = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%tx, %c0], %pad {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
    %z = arith.constant 0.0 : f32
    %init = vector.broadcast %z : f32 to vector<1xf32>
    %q = vector.shape_cast %v : vector<4xf32> to vector<4x1xf32>
    %s, %acc = vector.scan <add>, %q, %init {inclusive = true, reduction_dim = 0 : i64} : vector<4x1xf32>, vector<1xf32>
    %w = vector.shape_cast %s : vector<4x1xf32> to vector<4xf32>
    vector.transfer_write %w, %B[%tx, %c0] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
    gpu.terminator
  }
  return
}
