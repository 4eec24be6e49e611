// Vectors of every width in kernels of other front ends: odd lengths, parts,
// reductions, functions, calls.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// Rows of three: a vector of twelve bytes.
// CASE: threes(A=ints:33x3:f32, B=junk:33x3:f32, C=junk:32:f32)
// EXPECT: B[:32] = A[1:, [2, 0, 1]]; B[32] = -1; C = A[1:].prod(1)
func.func @threes(%A: memref<33x3xf32>, %B: memref<33x3xf32>, %C: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %i = arith.addi %tx, %c1 : index
    %v = vector.load %A[%i, %c0] : memref<33x3xf32>, vector<3xf32>
    %w = vector.shuffle %v, %v [2, 0, 1] : vector<3xf32>, vector<3xf32>
    vector.store %w, %B[%tx, %c0] : memref<33x3xf32>, vector<3xf32>
    %p = vector.reduction <mul>, %v : vector<3xf32> into f32
    memref.store %p, %C[%tx] : memref<32xf32>
    %c32 = arith.constant 32 : index
    %m = arith.constant dense<-1.0> : vector<3xf32>
    %is = arith.cmpi eq, %tx, %c0 : index
    scf.if %is { vector.store %m, %B[%c32, %c0] : memref<33x3xf32>, vector<3xf32> }
    gpu.terminator
  }
  return
}

// Numbers of 64 bits, two at any place.
// CASE: wide_pairs(A=ints:65:f64, B=ints:65:i64, C=junk:65:f64, D=junk:65:i64)
// EXPECT: C[1:] = A[:64] + 1; C[0] = 0; D[:64] = B[1:] * 3; D[64] = 0
func.func @wide_pairs(%A: memref<65xf64>, %B: memref<65xi64>, %C: memref<65xf64>, %D: memref<65xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant dense<1.0> : vector<2xf64>
    %three = arith.constant dense<3> : vector<2xi64>
    %zf = arith.constant 0.0 : f64
    %zi = arith.constant 0 : i64
    %o = arith.muli %tx, %c2 : index
    %o1 = arith.addi %o, %c1 : index
    %v = vector.load %A[%o] : memref<65xf64>, vector<2xf64>
    %w = arith.addf %v, %one : vector<2xf64>
    vector.store %w, %C[%o1] : memref<65xf64>, vector<2xf64>
    %x = vector.load %B[%o1] : memref<65xi64>, vector<2xi64>
    %y = arith.muli %x, %three : vector<2xi64>
    vector.store %y, %D[%o] : memref<65xi64>, vector<2xi64>
    memref.store %zf, %C[%c0] : memref<65xf64>
    memref.store %zi, %D[%c64] : memref<65xi64>
    gpu.terminator
  }
  return
}

// Vectors of bf16 in f32 and back, in a loop that carries them.
// CASE: carried(A=ints:16x8x8:bf16, B=junk:16x8:bf16, M=junk:16x8:f32)
// EXPECT: B = A.astype(np.float32).sum(1); M = A.astype(np.float32).max(1)
func.func @carried(%A: memref<16x8x8xbf16>, %B: memref<16x8xbf16>, %M: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 16 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c8 = arith.constant 8 : index
    %z = arith.constant dense<0.0> : vector<8xf32>
    %low = arith.constant dense<-1.0e30> : vector<8xf32>
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %z, %m = %low) -> (vector<8xf32>, vector<8xf32>) {
      %v = vector.load %A[%tx, %i, %c0] : memref<16x8x8xbf16>, vector<8xbf16>
      %f = arith.extf %v : vector<8xbf16> to vector<8xf32>
      %t = arith.addf %s, %f : vector<8xf32>
      %n = arith.maximumf %m, %f : vector<8xf32>
      scf.yield %t, %n : vector<8xf32>, vector<8xf32>
    }
    %b = arith.truncf %r#0 : vector<8xf32> to vector<8xbf16>
    vector.store %b, %B[%tx, %c0] : memref<16x8xbf16>, vector<8xbf16>
    vector.store %r#1, %M[%tx, %c0] : memref<16x8xf32>, vector<8xf32>
    gpu.terminator
  }
  return
}

// Parts of vectors put in, cut out and multiplied out.
// CASE: pieces(A=ints:32x4:f32, B=junk:32x4x4:f32, C=junk:32x2x4:f32)
// EXPECT: B = A[:, :, None] * A[:, None, :]; C = np.stack([np.concatenate([A[:, 1:3], A[:, 0:2]], 1), np.concatenate([A[:, 2:], A[:, 2:]], 1)], 1)
func.func @pieces(%A: memref<32x4xf32>, %B: memref<32x4x4xf32>, %C: memref<32x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %z = arith.constant dense<0.0> : vector<2x4xf32>
    %v = vector.load %A[%tx, %c0] : memref<32x4xf32>, vector<4xf32>
    %o = vector.outerproduct %v, %v : vector<4xf32>, vector<4xf32>
    vector.transfer_write %o, %B[%tx, %c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<32x4x4xf32>
    %p = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    %q = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    %r = vector.extract_strided_slice %v {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    %a = vector.insert_strided_slice %p, %z {offsets = [0, 0], strides = [1]} : vector<2xf32> into vector<2x4xf32>
    %b = vector.insert_strided_slice %q, %a {offsets = [0, 2], strides = [1]} : vector<2xf32> into vector<2x4xf32>
    %c = vector.insert_strided_slice %r, %b {offsets = [1, 0], strides = [1]} : vector<2xf32> into vector<2x4xf32>
    %d = vector.insert_strided_slice %r, %c {offsets = [1, 2], strides = [1]} : vector<2xf32> into vector<2x4xf32>
    %e = vector.shape_cast %d : vector<2x4xf32> to vector<8xf32>
    %f = memref.collapse_shape %C [[0], [1, 2]] : memref<32x2x4xf32> into memref<32x8xf32>
    vector.store %e, %f[%tx, %c0] : memref<32x8xf32>, vector<8xf32>
    gpu.terminator
  }
  return
}

// Every reduction of integers.
// CASE: reductions(A=ints:32x8:i32, B=junk:32x6:i32)
// EXPECT: B = np.stack([A.sum(1), A.min(1), A.max(1), np.bitwise_and.reduce(A, 1), np.bitwise_or.reduce(A, 1), np.bitwise_xor.reduce(A, 1)], 1)
func.func @reductions(%A: memref<32x8xi32>, %B: memref<32x6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %v = vector.load %A[%tx, %c0] : memref<32x8xi32>, vector<8xi32>
    %a = vector.reduction <add>, %v : vector<8xi32> into i32
    %b = vector.reduction <minsi>, %v : vector<8xi32> into i32
    %c = vector.reduction <maxsi>, %v : vector<8xi32> into i32
    %d = vector.reduction <and>, %v : vector<8xi32> into i32
    %e = vector.reduction <or>, %v : vector<8xi32> into i32
    %f = vector.reduction <xor>, %v : vector<8xi32> into i32
    %w = vector.from_elements %a, %b, %c, %d, %e, %f : vector<6xi32>
    vector.store %w, %B[%tx, %c0] : memref<32x6xi32>, vector<6xi32>
    gpu.terminator
  }
  return
}

// Carries and high halves, and division of every kind.
// CASE: carries(A=wide:64:i32, D=ints:64:i32, B=junk:64x4:i32, Q=junk:64x3:i32)
// EXPECT: u = A.astype(np.int64) & 0xffffffff; s = u + u[::-1]; p = A.astype(np.int64) * A[::-1]; w = lambda x: (x & 0xffffffff).astype(np.uint32).view(np.int32); B = np.stack([w(s), s >> 32, w(p), w(p >> 32)], 1); e = D.astype(np.int64); Q = np.stack([e // 3, -((-e) // 3), np.sign(e) * (abs(e) // 3)], 1)
func.func @carries(%A: memref<64xi32>, %D: memref<64xi32>, %B: memref<64x4xi32>, %Q: memref<64x3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c63 = arith.constant 63 : index
    %n3 = arith.constant 3 : i32
    %j = arith.subi %c63, %tx : index
    %a = memref.load %A[%tx] : memref<64xi32>
    %b = memref.load %A[%j] : memref<64xi32>
    %s, %o = arith.addui_extended %a, %b : i32, i1
    %oi = arith.extui %o : i1 to i32
    %l, %h = arith.mulsi_extended %a, %b : i32
    %v = vector.from_elements %s, %oi, %l, %h : vector<4xi32>
    vector.store %v, %B[%tx, %c0] : memref<64x4xi32>, vector<4xi32>
    %d = memref.load %D[%tx] : memref<64xi32>
    %x = arith.floordivsi %d, %n3 : i32
    %y = arith.ceildivsi %d, %n3 : i32
    %z = arith.divsi %d, %n3 : i32
    %q = vector.from_elements %x, %y, %z : vector<3xi32>
    vector.store %q, %Q[%tx, %c0] : memref<64x3xi32>, vector<3xi32>
    gpu.terminator
  }
  return
}

// A vector at any place of a shared tile that copies fill.
// CASE: tile_shifted(A=ints:32x40:f32, B=junk:32x32:f32)
// EXPECT: B = A[:, 3:35] * 2
func.func @tile_shifted(%A: memref<32x40xf32>, %B: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 256 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %As = tile.alloc : memref<32x40xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [32, 40] : memref<32x40xf32>
    tile.copy %a to %As : !tile.region<32x40xf32>, memref<32x40xf32, #gpu.address_space<workgroup>>
    %r = arith.divui %tx, %c8 : index
    %q = arith.remui %tx, %c8 : index
    %o = arith.muli %q, %c4 : index
    %i = arith.addi %o, %c3 : index
    %v = vector.load %As[%r, %i] : memref<32x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %B[%r, %o] : memref<32x32xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// A helper that is called with vectors and parts of a tensor.
// CASE: helped(A=ints:32x12:f32, B=junk:32x12:f32)
// EXPECT: B = np.concatenate([A[:, :5], A[:, 5:9] * A[:, 1:5], A[:, 9:]], 1)
func.func @helped(%A: memref<32x12xf32>, %B: memref<32x12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c5 = arith.constant 5 : index
    %c12 = arith.constant 12 : index
    %v = vector.load %A[%tx, %c1] : memref<32x12xf32>, vector<4xf32>
    %w = vector.load %A[%tx, %c5] : memref<32x12xf32>, vector<4xf32>
    scf.for %i = %c0 to %c12 step %c1 {
      %x = memref.load %A[%tx, %i] : memref<32x12xf32>
      memref.store %x, %B[%tx, %i] : memref<32x12xf32>
    }
    %s = memref.subview %B[%tx, 5] [1, 4] [1, 1] : memref<32x12xf32> to memref<4xf32, strided<[1], offset: ?>>
    func.call @put_product(%v, %w, %s) : (vector<4xf32>, vector<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
    gpu.terminator
  }
  return
}

// Vectors that a choice of tensors is loaded from.
// CASE: chosen(A=ints:64:f32, B=ints:64:f32, C=junk:64:f32)
// EXPECT: C = np.where(np.arange(64) // 4 % 2 == 0, A, B)
func.func @chosen(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 16 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %o = arith.muli %tx, %c4 : index
    %m = arith.remui %tx, %c2 : index
    %is = arith.cmpi eq, %m, %c0 : index
    %p = arith.select %is, %A, %B : memref<64xf32>
    %v = vector.load %p[%o] : memref<64xf32>, vector<4xf32>
    vector.store %v, %C[%o] : memref<64xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// A wide vector at any place, and one that says it is aligned.
// CASE: very_wide(A=ints:513:f32, B=junk:512:f32)
// EXPECT: B = A[1:]
func.func @very_wide(%A: memref<513xf32>, %B: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %c16 = arith.constant 16 : index
    %o = arith.muli %tx, %c16 : index
    %i = arith.addi %o, %c1 : index
    %v = vector.load %A[%i] : memref<513xf32>, vector<16xf32>
    vector.store %v, %B[%o] {alignment = 64} : memref<512xf32>, vector<16xf32>
    gpu.terminator
  }
  return
}

// Functions of vectors of f16 and f64.
// CASE: functions(A=ints:32x4:f16, B=junk:32x4:f16, C=ints:32x2:f64, D=junk:32x2:f64)
// EXPECT: B = np.sqrt(np.abs(A.astype(np.float32))); D = np.floor(np.exp2(C) * 4) + np.copysign(1, C)
// WITHIN: B = 2**-10
func.func @functions(%A: memref<32x4xf16>, %B: memref<32x4xf16>, %C: memref<32x2xf64>, %D: memref<32x2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %one = arith.constant dense<1.0> : vector<2xf64>
    %four = arith.constant dense<4.0> : vector<2xf64>
    %v = vector.load %A[%tx, %c0] : memref<32x4xf16>, vector<4xf16>
    %a = math.absf %v : vector<4xf16>
    %b = math.sqrt %a : vector<4xf16>
    vector.store %b, %B[%tx, %c0] : memref<32x4xf16>, vector<4xf16>
    %w = vector.load %C[%tx, %c0] : memref<32x2xf64>, vector<2xf64>
    %e = math.exp2 %w : vector<2xf64>
    %f = arith.mulf %e, %four : vector<2xf64>
    %g = math.floor %f : vector<2xf64>
    %h = math.copysign %one, %w : vector<2xf64>
    %i = arith.addf %g, %h : vector<2xf64>
    vector.store %i, %D[%tx, %c0] : memref<32x2xf64>, vector<2xf64>
    gpu.terminator
  }
  return
}

// Scalars of llvm's own functions.
// CASE: intrinsics(A=wide:64:i32, B=junk:64x4:i32)
// EXPECT: u = A.astype(np.int64) & 0xffffffff; w = lambda x: (x & 0xffffffff).astype(np.uint32).view(np.int32); rev = np.array([int(format(int(x), '032b')[::-1], 2) for x in u]); swap = np.array([int.from_bytes(int(x).to_bytes(4, 'little'), 'big') for x in u]); B = np.stack([w(rev), w(swap), w((u << 7) | (u >> 25)), np.minimum(A, 100)], 1)
func.func @intrinsics(%A: memref<64xi32>, %B: memref<64x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cU = arith.constant 1 : index
  %cG = arith.constant 1 : index
  %cH = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %cH, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %cU, %nz = %c1) {
    %n7 = arith.constant 7 : i32
    %n100 = arith.constant 100 : i32
    %a = memref.load %A[%tx] : memref<64xi32>
    %r = llvm.intr.bitreverse(%a) : (i32) -> i32
    %s = llvm.intr.bswap(%a) : (i32) -> i32
    %f = llvm.intr.fshl(%a, %a, %n7) : (i32, i32, i32) -> i32
    %m = llvm.intr.smin(%a, %n100) : (i32, i32) -> i32
    %v = vector.from_elements %r, %s, %f, %m : vector<4xi32>
    vector.store %v, %B[%tx, %c0] : memref<64x4xi32>, vector<4xi32>
    gpu.terminator
  }
  return
}

func.func private @put_product(%v: vector<4xf32>, %w: vector<4xf32>, %m: memref<4xf32, strided<[1], offset: ?>>) attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %p = arith.mulf %v, %w : vector<4xf32>
  vector.store %p, %m[%c0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
  return
}
