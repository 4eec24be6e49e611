// Kernels as other front ends write them: masks, permutations, shapes, loops of
// each thread, votes, histograms.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// Elements that indices name are gathered, doubled and scattered, some of them.
// CASE: gathered(A=ints:128:f32, I=count:32x4:i32, B=zeros:128:f32)
// EXPECT: B = np.where(np.arange(128) % 4 < 3, A[::-1] * 2, 0)
func.func @gathered(%A: memref<128xf32>, %I: memref<32x4xi32>, %B: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %z = arith.constant dense<0.0> : vector<4xf32>
    %c3 = arith.constant 3 : index
    %c127 = arith.constant dense<127> : vector<4xi32>
    %i = vector.load %I[%tx, %c0] : memref<32x4xi32>, vector<4xi32>
    %r = arith.subi %c127, %i : vector<4xi32>
    %m = vector.create_mask %c3 : vector<4xi1>
    %v = vector.gather %A[%c0] [%r], %m, %z : memref<128xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.scatter %B[%c0] [%i], %m, %w : memref<128xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
    gpu.terminator
  }
  return
}

// A ragged end by masks, whose length is known at run time.
// CASE: masked(A=ints:125:f32, B=junk:125:f32, n=125)
// CASE: masked(A=ints:97:f32, B=junk:97:f32, n=97)
// EXPECT: B = A * A
func.func @masked(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %z = arith.constant dense<0.0> : vector<4xf32>
    %c4 = arith.constant 4 : index
    %o = arith.muli %tx, %c4 : index
    %left = arith.subi %n, %o : index
    %m = vector.create_mask %left : vector<4xi1>
    %v = vector.maskedload %A[%o], %m, %z : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %w = arith.mulf %v, %v : vector<4xf32>
    vector.maskedstore %B[%o], %m, %w : memref<?xf32>, vector<4xi1>, vector<4xf32>
    gpu.terminator
  }
  return
}

// Positive elements are pressed together, and taken apart again.
// CASE: compressed(A=ints:32x8:i32, B=zeros:32x8:i32, C=junk:32x8:i32)
// EXPECT: B = np.array([np.concatenate([r[r > 0], np.zeros(8 - (r > 0).sum(), r.dtype)]) for r in A]); C = np.where(A > 0, A, -1)
func.func @compressed(%A: memref<32x8xi32>, %B: memref<32x8xi32>, %C: memref<32x8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %z = arith.constant dense<0> : vector<8xi32>
    %none = arith.constant dense<-1> : vector<8xi32>
    %v = vector.load %A[%tx, %c0] : memref<32x8xi32>, vector<8xi32>
    %m = arith.cmpi sgt, %v, %z : vector<8xi32>
    vector.compressstore %B[%tx, %c0], %m, %v : memref<32x8xi32>, vector<8xi1>, vector<8xi32>
    %w = vector.expandload %B[%tx, %c0], %m, %none : memref<32x8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    vector.store %w, %C[%tx, %c0] : memref<32x8xi32>, vector<8xi32>
    gpu.terminator
  }
  return
}

// Bytes change places.
// CASE: shuffled(A=ints:32x8:i8, B=junk:32x16:i8, C=junk:32x8:i8)
// EXPECT: B[:, 0::2] = A; B[:, 1::2] = A[:, ::-1]; C = A[:, [1, 0, 3, 2, 5, 4, 7, 6]]
func.func @shuffled(%A: memref<32x8xi8>, %B: memref<32x16xi8>, %C: memref<32x8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %v = vector.load %A[%tx, %c0] : memref<32x8xi8>, vector<8xi8>
    %r = vector.shuffle %v, %v [7, 6, 5, 4, 3, 2, 1, 0] : vector<8xi8>, vector<8xi8>
    %b = vector.interleave %v, %r : vector<8xi8> -> vector<16xi8>
    vector.store %b, %B[%tx, %c0] : memref<32x16xi8>, vector<16xi8>
    %even, %odd = vector.deinterleave %v : vector<8xi8> -> vector<4xi8>
    %c = vector.interleave %odd, %even : vector<4xi8> -> vector<8xi8>
    vector.store %c, %C[%tx, %c0] : memref<32x8xi8>, vector<8xi8>
    gpu.terminator
  }
  return
}

// A window that leaves the tensor on two sides, transposed, with a pad that is no zero.
// CASE: window(A=ints:30x6:f32, B=junk:32x4x4:f32)
// EXPECT: P = np.full((40, 12), 7.0, np.float32); P[:30, :6] = A; B = np.stack([P[t:t + 4, 4:8].T for t in range(32)])
func.func @window(%A: memref<?x?xf32>, %B: memref<32x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c4 = arith.constant 4 : index
    %pad = arith.constant 7.0 : f32
    %v = vector.transfer_read %A[%tx, %c4], %pad {permutation_map = affine_map<(i, j) -> (j, i)>} : memref<?x?xf32>, vector<4x4xf32>
    vector.transfer_write %v, %B[%tx, %c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<32x4x4xf32>
    gpu.terminator
  }
  return
}

// A row for all rows, and a column for all columns.
// CASE: broadcast(A=ints:32:f32, C=ints:8:f32, B=junk:32x8:f32)
// EXPECT: B = A[:, None] * C[None, :]
func.func @broadcast(%A: memref<32xf32>, %C: memref<8xf32>, %B: memref<32x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 8 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %o = arith.muli %tx, %c4 : index
    %a = vector.transfer_read %A[%o], %z {in_bounds = [true, true], permutation_map = affine_map<(i) -> (i, 0)>} : memref<32xf32>, vector<4x8xf32>
    %c = vector.transfer_read %C[%c0], %z {in_bounds = [true, true], permutation_map = affine_map<(i) -> (0, i)>} : memref<8xf32>, vector<4x8xf32>
    %p = arith.mulf %a, %c : vector<4x8xf32>
    vector.transfer_write %p, %B[%o, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<32x8xf32>
    gpu.terminator
  }
  return
}

// Loops in tiles with ragged ends, a triangle, and vectors of affine.
// CASE: affine_tiles(A=ints:37x37:f32, B=zeros:37x37:f32, C=junk:32x8:f32)
// EXPECT: B = np.tril(A) + np.triu(np.full_like(A, 3.0), 1); C = A[:32, 5:13]
func.func @affine_tiles(%A: memref<37x37xf32>, %B: memref<37x37xf32>, %C: memref<32x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    affine.for %i = %tx to 37 step 32 {
      affine.for %j = 0 to 37 step 8 {
        affine.for %k = affine_map<(d) -> (d)>(%j) to min affine_map<(d) -> (d + 8, 37)>(%j) {
          affine.if affine_set<(i, k) : (i - k >= 0)>(%i, %k) {
            %v = affine.load %A[%i, %k] : memref<37x37xf32>
            affine.store %v, %B[%i, %k] : memref<37x37xf32>
          } else {
            %w = arith.constant 3.0 : f32
            affine.store %w, %B[%i, %k] : memref<37x37xf32>
          }
        }
      }
    }
    affine.for %j = 0 to 8 step 4 {
      %v = affine.vector_load %A[%tx, %j + 5] : memref<37x37xf32>, vector<4xf32>
      affine.vector_store %v, %C[%tx, %j] : memref<32x8xf32>, vector<4xf32>
    }
    gpu.terminator
  }
  return
}

// Other shapes of the same memory.
// CASE: reshaped(A=ints:8x32:f32, B=junk:32x8:f32, C=junk:256:f32)
// EXPECT: B = A.T; C = A.reshape(4, 2, 32).transpose(1, 0, 2).reshape(256)
func.func @reshaped(%A: memref<8x32xf32>, %B: memref<32x8xf32>, %C: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %t = memref.transpose %B (i, j) -> (j, i) : memref<32x8xf32> to memref<8x32xf32, strided<[1, 8]>>
    %e = memref.expand_shape %A [[0, 1], [2]] output_shape [4, 2, 32] : memref<8x32xf32> into memref<4x2x32xf32>
    %f = memref.reinterpret_cast %C to offset: [0], sizes: [2, 4, 32], strides: [128, 32, 1] : memref<256xf32> to memref<2x4x32xf32>
    %l = memref.collapse_shape %f [[0, 1], [2]] : memref<2x4x32xf32> into memref<8x32xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        %v = memref.load %e[%i, %j, %tx] : memref<4x2x32xf32>
        %r = arith.muli %j, %c4 : index
        %row = arith.addi %r, %i : index
        memref.store %v, %l[%row, %tx] : memref<8x32xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      %v = memref.load %A[%i, %tx] : memref<8x32xf32>
      memref.store %v, %t[%i, %tx] : memref<8x32xf32, strided<[1, 8]>>
    }
    gpu.terminator
  }
  return
}

// Rounds that each thread counts for itself, and a choice among several.
// CASE: collatz(A=count:64:i32, B=junk:64:i32, C=junk:64:f32)
// EXPECT: f = lambda n: 0 if n <= 1 else 1 + f(n // 2 if n % 2 == 0 else 3 * n + 1); B = np.array([f(int(a)) for a in A]); C = np.array([[1.5, 2.5, -1.0][min(i % 4, 2)] for i in range(64)], np.float32)
func.func @collatz(%A: memref<64xi32>, %B: memref<64xi32>, %C: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c4 = arith.constant 4 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %n2 = arith.constant 2 : i32
    %n3 = arith.constant 3 : i32
    %a = memref.load %A[%tx] : memref<64xi32>
    %r:2 = scf.while (%x = %a, %s = %n0) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi sgt, %x, %n1 : i32
      scf.condition(%go) %x, %s : i32, i32
    } do {
    ^bb0(%x: i32, %s: i32):
      %bit = arith.remsi %x, %n2 : i32
      %odd = arith.cmpi ne, %bit, %n0 : i32
      %y = scf.if %odd -> i32 {
        %p = arith.muli %x, %n3 : i32
        %q = arith.addi %p, %n1 : i32
        scf.yield %q : i32
      } else {
        %h = arith.divsi %x, %n2 : i32
        scf.yield %h : i32
      }
      %s1 = arith.addi %s, %n1 : i32
      scf.yield %y, %s1 : i32, i32
    }
    memref.store %r#1, %B[%tx] : memref<64xi32>
    %m = arith.remui %tx, %c4 : index
    %k = scf.index_switch %m -> f32
    case 0 {
      %f = arith.constant 1.5 : f32
      scf.yield %f : f32
    }
    case 1 {
      %f = arith.constant 2.5 : f32
      scf.yield %f : f32
    }
    default {
      %f = arith.constant -1.0 : f32
      scf.yield %f : f32
    }
    memref.store %k, %C[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Bits of numbers of several widths.
// CASE: bits(A=ints:64:i64, B=junk:64:i64, C=ints:64:i8, D=junk:64:i8)
// EXPECT: u = [int(a) % 2**64 for a in A]; B = np.array([bin(x).count('1') * 256 + (64 - x.bit_length()) for x in u]); D = np.array([bin(int(c) % 256).count('1') + (8 - (int(c) % 256).bit_length()) * 10 for c in C])
func.func @bits(%A: memref<64xi64>, %B: memref<64xi64>, %C: memref<64xi8>, %D: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %s = arith.constant 256 : i64
    %a = memref.load %A[%tx] : memref<64xi64>
    %p = math.ctpop %a : i64
    %l = math.ctlz %a : i64
    %q = arith.muli %p, %s : i64
    %r = arith.addi %q, %l : i64
    memref.store %r, %B[%tx] : memref<64xi64>
    %ten = arith.constant 10 : i8
    %c = memref.load %C[%tx] : memref<64xi8>
    %p8 = math.ctpop %c : i8
    %l8 = math.ctlz %c : i8
    %m8 = arith.muli %l8, %ten : i8
    %r8 = arith.addi %p8, %m8 : i8
    memref.store %r8, %D[%tx] : memref<64xi8>
    gpu.terminator
  }
  return
}

// A warp puts what is positive in front: votes and the lanes before one's own.
// CASE: ballot(A=ints:4x32:i32, B=junk:4x32:i32, N=junk:4:i32)
// EXPECT: B[...] = np.stack([np.concatenate([r[r > 0], r[r <= 0] ]) for r in A]); N = (A > 0).sum(1)
func.func @ballot(%A: memref<4x32xi32>, %B: memref<4x32xi32>, %N: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 4 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %all = arith.constant -1 : i32
    %n0 = arith.constant 0 : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %below = nvvm.read.ptx.sreg.lanemask.lt : i32
    %a = memref.load %A[%bx, %tx] : memref<4x32xi32>
    %is = arith.cmpi sgt, %a, %n0 : i32
    %vote = nvvm.vote.sync ballot %all, %is -> i32
    %mine = arith.andi %vote, %below : i32
    %before = math.ctpop %mine : i32
    %total = math.ctpop %vote : i32
    %others = arith.subi %lane, %before : i32
    %behind = arith.addi %total, %others : i32
    %place = arith.select %is, %before, %behind : i32
    %at = arith.index_cast %place : i32 to index
    memref.store %a, %B[%bx, %at] : memref<4x32xi32>
    %first = arith.cmpi eq, %lane, %n0 : i32
    scf.if %first {
      memref.store %total, %N[%bx] : memref<4xi32>
    }
    gpu.terminator
  }
  return
}

// A histogram in shared memory, of several blocks, added to that of all.
// CASE: histogram(A=count:1024:i32, H=zeros:16:i32)
// EXPECT: H = np.bincount((A * 7 + 3) % 13, minlength=16)
func.func @histogram(%A: memref<1024xi32>, %H: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 4 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) workgroup(%s : memref<16xi32, #gpu.address_space<workgroup>>) {
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %n0 = arith.constant 0 : i32
    %n1 = arith.constant 1 : i32
    %n3 = arith.constant 3 : i32
    %n7 = arith.constant 7 : i32
    %n13 = arith.constant 13 : i32
    %has = arith.cmpi ult, %tx, %c16 : index
    scf.if %has { memref.store %n0, %s[%tx] : memref<16xi32, #gpu.address_space<workgroup>> }
    gpu.barrier
    %o = arith.muli %bx, %c256 : index
    %e = arith.addi %o, %c256 : index
    %b = arith.addi %o, %tx : index
    scf.for %i = %b to %e step %cT {
      %v = memref.load %A[%i] : memref<1024xi32>
      %p = arith.muli %v, %n7 : i32
      %q = arith.addi %p, %n3 : i32
      %r = arith.remsi %q, %n13 : i32
      %k = arith.index_cast %r : i32 to index
      %old = memref.atomic_rmw addi %n1, %s[%k] : (i32, memref<16xi32, #gpu.address_space<workgroup>>) -> i32
    }
    gpu.barrier
    scf.if %has {
      %v = memref.load %s[%tx] : memref<16xi32, #gpu.address_space<workgroup>>
      %old = memref.atomic_rmw addi %v, %H[%tx] : (i32, memref<16xi32>) -> i32
    }
    gpu.terminator
  }
  return
}

// Blocks of two dimensions, and ids over the whole grid.
// CASE: plane(A=ints:24x48:f32, B=junk:48x24:f32)
// EXPECT: B = A.T + (np.arange(24)[None, :] * 48 + np.arange(48)[:, None])
func.func @plane(%A: memref<24x48xf32>, %B: memref<48x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 16 : index
  %cU = arith.constant 8 : index
  %cG = arith.constant 3 : index
  %cH = arith.constant 3 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %x = gpu.global_id x
    %y = gpu.global_id y
    %lin = affine.linearize_index [%y, %x] by (24, 48) : index
    %d:2 = affine.delinearize_index %lin into (24, 48) : index, index
    %v = memref.load %A[%d#0, %d#1] : memref<24x48xf32>
    %i = arith.index_cast %lin : index to i32
    %f = arith.sitofp %i : i32 to f32
    %w = arith.addf %v, %f : f32
    memref.store %w, %B[%x, %y] : memref<48x24xf32>
    gpu.terminator
  }
  return
}

// Products of small matrices of f16, summed as f32, a tile for each thread.
// CASE: small_products(A=ints:32x4x8:f16, B=ints:32x8x4:f16, C=ints:32x4x4:f32, M=junk:32x4:f32)
// EXPECT: C = C + A.astype(np.float32) @ B.astype(np.float32); M = C.max(2)
func.func @small_products(%A: memref<32x4x8xf16>, %B: memref<32x8x4xf16>, %C: memref<32x4x4xf32>, %M: memref<32x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %z = arith.constant 0.0 : f16
    %zf = arith.constant 0.0 : f32
    %low = arith.constant dense<-1.0e30> : vector<4xf32>
    %a = vector.transfer_read %A[%tx, %c0, %c0], %z {in_bounds = [true, true]} : memref<32x4x8xf16>, vector<4x8xf16>
    %b = vector.transfer_read %B[%tx, %c0, %c0], %z {in_bounds = [true, true]} : memref<32x8x4xf16>, vector<8x4xf16>
    %c = vector.transfer_read %C[%tx, %c0, %c0], %zf {in_bounds = [true, true]} : memref<32x4x4xf32>, vector<4x4xf32>
    %af = arith.extf %a : vector<4x8xf16> to vector<4x8xf32>
    %bf = arith.extf %b : vector<8x4xf16> to vector<8x4xf32>
    %d = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} %af, %bf, %c : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
    vector.transfer_write %d, %C[%tx, %c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<32x4x4xf32>
    %m = vector.multi_reduction <maxnumf>, %d, %low [1] : vector<4x4xf32> to vector<4xf32>
    vector.store %m, %M[%tx, %c0] : memref<32x4xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}
