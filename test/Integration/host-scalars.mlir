// Numbers that a host function computes of its arguments: what arith, math,
// affine and index say, in every type.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=1

// Functions of floats are as exact as the C library: less than one unit of the
// last place away from what numpy has.
// CASE: floats(A=ints:4:f32, x=0.75)
// CASE: floats(A=ints:4:f32, x=2.5)
// WITHIN: result0 = 2**-22
// WITHIN: result1 = 2**-22
// WITHIN: result2 = 2**-7
// WITHIN: result3 = 2**-50
// EXPECT: result0 = np.array(np.float32(1) / np.sqrt(np.float32(x)) * np.exp2(np.float32(x)))
// EXPECT: result1 = np.array(np.tanh(np.float32(x)) + np.log1p(np.float32(x)) - np.float32(x) ** np.float32(3))
// EXPECT: result2 = np.array(np.round(x) + np.ceil(x) - np.floor(x) + 0.25)
// EXPECT: result3 = np.array(np.sin(x) * np.exp(x))
func.func @floats(%A: memref<?xf32>, %x: f32) -> (f32, f32, bf16, f64) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %three = arith.constant 3.0 : f32
  %quarter = arith.constant 0.25 : f32
  %r = math.rsqrt %x : f32
  %e = math.exp2 %x : f32
  %re = arith.mulf %r, %e : f32
  %t = math.tanh %x : f32
  %l = math.log1p %x : f32
  %p = math.powf %x, %three : f32
  %tl = arith.addf %t, %l : f32
  %tlp = arith.subf %tl, %p : f32
  %even = math.roundeven %x : f32
  %up = math.ceil %x : f32
  %down = math.floor %x : f32
  %s0 = arith.addf %even, %up : f32
  %s1 = arith.subf %s0, %down : f32
  %s2 = arith.addf %s1, %quarter : f32
  %b = arith.truncf %s2 : f32 to bf16
  %d = arith.extf %x : f32 to f64
  %sin = math.sin %d : f64
  %exp = math.exp %d : f64
  %se = arith.mulf %sin, %exp : f64
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%bx] : memref<?xf32>
    memref.store %a, %A[%bx] : memref<?xf32>
    gpu.terminator
  }
  return %re, %tlp, %b, %se : f32, f32, bf16, f64
}

// The scale of an attention, computed on the host, is a parameter of a kernel.
// CASE: softmax_scale(A=ints:3x16:f32, O=junk:3x16:f32)
// CASE: softmax_scale(A=ints:2x64:f32, O=junk:2x64:f32)
// EXPECT: O = A / np.sqrt(A.shape[1])
func.func @softmax_scale(%A: memref<?x?xf32>, %O: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.uitofp %i : i64 to f32
  %r = math.sqrt %f : f32
  %s = arith.divf %one, %r : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%by, %bx] : memref<?x?xf32>
    %o = arith.mulf %a, %s : f32
    memref.store %o, %O[%by, %bx] : memref<?x?xf32>
    gpu.terminator
  }
  return
}

// Comparisons, selections, extremes with NaN, conversions and integers.
// CASE: others(A=ints:4:f32, x=nan, n=-40)
// CASE: others(A=ints:4:f32, x=3.7, n=12)
// EXPECT: isnan = x != x
// EXPECT: result0 = np.array(not x < 1); result1 = np.array(isnan)
// EXPECT: result2 = np.array(np.nan if isnan else max(x, 1)); result3 = np.array(1 if isnan else max(x, 1))
// EXPECT: result4 = np.array(3 if not isnan else 0); result5 = np.array(abs(n))
// EXPECT: result6 = np.array(bin(int(n) & 0xFFFF).count("1")); result7 = np.array(16 - int(n & 0xFFFF).bit_length())
// EXPECT: result8 = np.array(n // 8); result9 = np.array(n < 5)
func.func @others(%A: memref<?xf32>, %x: f32, %n: i16) -> (i1, i1, f32, f32, i32, i16, i16, i16, index, i1) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c5 = index.constant 5
  %c8 = index.constant 8
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %uge = arith.cmpf uge, %x, %one : f32
  %uno = arith.cmpf uno, %x, %x : f32
  %most = arith.maximumf %x, %one : f32
  %num = arith.maxnumf %x, %one : f32
  %finite = arith.select %uno, %zero, %x : f32
  %int = arith.fptosi %finite : f32 to i32
  %abs = math.absi %n : i16
  %pop = math.ctpop %n : i16
  %lz = math.ctlz %n : i16
  %i = arith.index_cast %n : i16 to index
  %fl = index.floordivs %i, %c8
  %lt = index.cmp slt(%i, %c5)
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%bx] : memref<?xf32>
    memref.store %a, %A[%bx] : memref<?xf32>
    gpu.terminator
  }
  return %uge, %uno, %most, %num, %int, %abs, %pop, %lz, %fl, %lt : i1, i1, f32, f32, i32, i16, i16, i16, index, i1
}
