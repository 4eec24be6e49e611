// Scalar arguments of every type reach the kernel, as operands of arithmetic,
// as values of fills, as bounds, steps, offsets and conditions.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// One value of each type.
// CASE: types(A=junk:6:f32, f=2.5, h=-0.5, b=1.25, d=3.0, i=-7, l=123456789012, s=-3, c=100, p=1, n=-9)
// CASE: types(A=junk:6:f32, f=-1, h=0, b=0, d=-3.0, i=7, l=-5, s=30000, c=-100, p=0, n=2000000)
// EXPECT: l32 = (l + 2**31) % 2**32 - 2**31
// EXPECT: A = np.array([f + h + b + d, i, l32, s + c, 11 if p else 22, n])
func.func @types(%A: memref<?xf32>, %f: f32, %h: f16, %b: bf16, %d: f64,
                 %i: i32, %l: i64, %s: i16, %c: i8, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %yes = arith.constant 11.0 : f32
  %no = arith.constant 22.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %hf = arith.extf %h : f16 to f32
    %bf = arith.extf %b : bf16 to f32
    %df = arith.truncf %d : f64 to f32
    %s0 = arith.addf %f, %hf : f32
    %s1 = arith.addf %s0, %bf : f32
    %s2 = arith.addf %s1, %df : f32
    memref.store %s2, %A[%c0] : memref<?xf32>
    %if = arith.sitofp %i : i32 to f32
    memref.store %if, %A[%c1] : memref<?xf32>
    %l32 = arith.trunci %l : i64 to i32
    %lf = arith.sitofp %l32 : i32 to f32
    memref.store %lf, %A[%c2] : memref<?xf32>
    %se = arith.extsi %s : i16 to i32
    %ce = arith.extsi %c : i8 to i32
    %sc = arith.addi %se, %ce : i32
    %scf = arith.sitofp %sc : i32 to f32
    memref.store %scf, %A[%c3] : memref<?xf32>
    %pf = arith.select %p, %yes, %no : f32
    memref.store %pf, %A[%c4] : memref<?xf32>
    %ni = arith.index_cast %n : index to i64
    %nf = arith.sitofp %ni : i64 to f32
    memref.store %nf, %A[%c5] : memref<?xf32>
    gpu.terminator
  }
  return
}

// A fill takes the value; a loop takes bounds and step; a window takes the
// offset. No round at all when the range is empty.
// CASE: loop(A=junk:40x16:f32, v=1.5, lo=0, hi=5, step=1)
// CASE: loop(A=junk:40x16:f32, v=1.5, lo=3, hi=9, step=4)
// CASE: loop(A=junk:40x16:f32, v=-2, lo=4, hi=4, step=1)
// CASE: loop(A=junk:40x16:f32, v=-2, lo=4, hi=-4, step=3)
// EXPECT: for k in range(lo, hi, step): A[4 * k:4 * k + 4] = v
func.func @loop(%A: memref<?x?xf32>, %v: f32, %lo: index, %hi: index, %step: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x16xf32, #gpu.address_space<workgroup>>
    tile.fill %S, %v : memref<4x16xf32, #gpu.address_space<workgroup>>, f32
    scf.for %k = %lo to %hi step %step {
      %row = arith.muli %k, %c4 : index
      %a = tile.region %A[%row, 0] [4, 16] : memref<?x?xf32>
      tile.copy %S to %a : memref<4x16xf32, #gpu.address_space<workgroup>>, !tile.region<4x16xf32>
    }
    gpu.terminator
  }
  return
}

// The grid depends on scalars and extents.
// CASE: grid(A=junk:5x7:i32, base=100)
// CASE: grid(A=junk:1x1:i32, base=-1)
// CASE: grid(A=junk:0x3:i32, base=0)
// EXPECT: y, x = np.indices(A.shape); A = base + 10 * y + x
func.func @grid(%A: memref<?x?xi32>, %base: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %m, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %t = arith.muli %by, %c10 : index
    %u = arith.addi %t, %bx : index
    %i = arith.index_cast %u : index to i32
    %v = arith.addi %base, %i : i32
    memref.store %v, %A[%by, %bx] : memref<?x?xi32>
    gpu.terminator
  }
  return
}

// Functions of scalars.
// CASE: math(A=normal:1:f32, B=junk:3:f32)
// EXPECT: B[0] = np.sqrt(A[0] * A[0]); B[1] = max(A[0], np.float32(0.25)); B[2] = np.floor(A[0])
func.func @math(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %q = arith.constant 0.25 : f32
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%c0] : memref<?xf32>
    %m = arith.mulf %a, %a : f32
    %s = math.sqrt %m : f32
    memref.store %s, %B[%c0] : memref<?xf32>
    %x = arith.maximumf %a, %q : f32
    memref.store %x, %B[%c1] : memref<?xf32>
    %f = math.floor %a : f32
    memref.store %f, %B[%c2] : memref<?xf32>
    gpu.terminator
  }
  return
}
