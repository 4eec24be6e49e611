// Ops of index, affine, complex, cf, func, llvm and math in kernels that say what
// each thread does.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Ops of index, which are as wide as those of arith.
// CASE: index_ops(B=junk:64:i32)
// EXPECT: t = np.arange(64) * 2; B = np.where(np.arange(64) < 32, np.maximum(-(-t // 3) - t // 3, t // 3), -1)
func.func @index_ops(%B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %a = index.add %tx, %bx
    %two = index.constant 2
    %m = index.mul %a, %two
    %d = index.divs %m, %c3
    %ce = index.ceildivs %m, %c3
    %x = index.sub %ce, %d
    %mx = index.maxs %x, %d
    %cmp = index.cmp slt(%tx, %c32)
    %i = index.casts %mx : index to i32
    %z = arith.constant -1 : i32
    %r = arith.select %cmp, %i, %z : i32
    memref.store %r, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// Loops, accesses and maps of affine.
// CASE: affine_ops(A=ints:64x64:f32, B=junk:64:f32)
// EXPECT: B = A[:, 1::2].sum(1) + np.minimum(np.arange(64), 40) % 3
func.func @affine_ops(%A: memref<64x64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %z = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to 32 iter_args(%x = %z) -> f32 {
      %v = affine.load %A[symbol(%tx), 2 * %i + 1] : memref<64x64xf32>
      %y = arith.addf %x, %v : f32
      affine.yield %y : f32
    }
    %m = affine.min affine_map<(d0) -> (d0, 40)>(%tx)
    %q = affine.apply affine_map<(d0) -> (d0 mod 3)>(%m)
    %qi = arith.index_cast %q : index to i32
    %qf = arith.sitofp %qi : i32 to f32
    %w = arith.addf %r, %qf : f32
    memref.store %w, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Complex numbers.
// CASE: complex_ops(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = (A * A - 1 + A) + (2 * A + 1) + (A * A + 1)
// WITHIN: B = 2**-18, 1
func.func @complex_ops(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %one = arith.constant 1.0 : f32
    %z = complex.create %v, %one : complex<f32>
    %s = complex.mul %z, %z : complex<f32>
    %t = complex.add %s, %z : complex<f32>
    %re = complex.re %t : complex<f32>
    %im = complex.im %t : complex<f32>
    %a = complex.abs %z : complex<f32>
    %b = arith.mulf %a, %a : f32
    %c = arith.addf %re, %im : f32
    %d = arith.addf %b, %c : f32
    memref.store %d, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A complex function, by real ones.
// CASE: complex_exp(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = np.exp(A) * np.cos(A)
// WITHIN: B = 2**-18, 1
func.func @complex_exp(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %z = complex.create %v, %v : complex<f32>
    %e = complex.exp %z : complex<f32>
    %re = complex.re %e : complex<f32>
    memref.store %re, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A loop of blocks.
// CASE: cf_ops(A=ints:64:i32, B=junk:64:i32)
// EXPECT: B = 5 - A
func.func @cf_ops(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %z = arith.constant 0 : i32
    cf.br ^head(%v, %z : i32, i32)
  ^head(%x: i32, %n: i32):
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %lt = arith.cmpi slt, %x, %five : i32
    cf.cond_br %lt, ^body, ^end
  ^body:
    %x1 = arith.addi %x, %one : i32
    %n1 = arith.addi %n, %one : i32
    cf.br ^head(%x1, %n1 : i32, i32)
  ^end:
    memref.store %n, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// A switch.
// CASE: cf_switch(A=ints:64:i32, B=junk:64:i32)
// EXPECT: B = np.where(A == 1, 20, 10)
func.func @cf_switch(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %a = arith.constant 10 : i32
    %b = arith.constant 20 : i32
    cf.switch %v : i32, [
      default: ^end(%a : i32),
      1: ^end(%b : i32)
    ]
  ^end(%r: i32):
    memref.store %r, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// A condition that holds.
// CASE: cf_assert(A=ints:64:i32)
// EXPECT: A = A + 5
func.func @cf_assert(%A: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %f = arith.constant 5 : i32
    %lt = arith.cmpi slt, %v, %f : i32
    cf.assert %lt, "too large"
    %w = arith.addi %v, %f : i32
    memref.store %w, %A[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

func.func private @twice(%x: f32) -> f32 { %y = arith.addf %x, %x : f32
 return %y : f32 }
func.func private @put(%x: f32, %m: memref<64xf32>, %i: index) { memref.store %x, %m[%i] : memref<64xf32>
 return }

// A function that is inlined, and one that is given a tensor.
// CASE: call(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A * 2
func.func @call(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %w = func.call @twice(%v) : (f32) -> f32
    func.call @put(%w, %B, %tx) : (f32, memref<64xf32>, index) -> ()
    gpu.terminator
  }
  return
}

func.func private @thrice(%x: f32) -> f32 attributes {no_inline} { %y = arith.addf %x, %x : f32
 %z = arith.addf %y, %x : f32
 return %z : f32 }
func.func private @put2(%x: f32, %m: memref<64xf32>, %i: index) attributes {no_inline} { memref.store %x, %m[%i] : memref<64xf32>
 return }

// Functions that are called.
// CASE: call_no_inline(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = A * 3
func.func @call_no_inline(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %w = func.call @thrice(%v) : (f32) -> f32
    func.call @put2(%w, %B, %tx) : (f32, memref<64xf32>, index) -> ()
    gpu.terminator
  }
  return
}

// Inline assembly, intrinsics and instructions of llvm.
// CASE: llvm_ops(A=ints:64:i32, B=junk:64:i32)
// EXPECT: r = A + 7; B = r + np.array([bin(int(x)).count("1") for x in r])
func.func @llvm_ops(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %r = llvm.inline_asm "add.s32 $0, $1, 7;", "=r,r" %v : (i32) -> i32
    %p = llvm.intr.ctpop(%r) : (i32) -> i32
    %q = llvm.add %p, %r : i32
    memref.store %q, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// Functions that convert-gpu-to-nvvm would make calls of.
// CASE: remf_math(A=ints:64:f32, B=junk:64:f32)
// EXPECT: B = np.fmod(A + 7.5, 3) + np.floor(np.sqrt(A + 7.5))[np.arange(64) ^ 1]
func.func @remf_math(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xf32>
    %t = arith.constant 3.0 : f32
    %h = arith.constant 7.5 : f32
    %u = arith.addf %v, %h : f32
    %r = arith.remf %u, %t : f32
    %q = math.sqrt %u : f32
    %o = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %q, %o, %w : f32
    %f = math.floor %s : f32
    %x = arith.addf %r, %f : f32
    memref.store %x, %B[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Registers of nvvm are ids of threads, too.
// CASE: nvvm_ids(A=ints:64:i32, B=junk:64:i32)
// EXPECT: B = A + 1
func.func @nvvm_ids(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %i = arith.index_cast %t : i32 to index
    %v = memref.load %A[%i] : memref<64xi32>
    %o = arith.constant 1 : i32
    %w = arith.addi %v, %o : i32
    memref.store %w, %B[%i] : memref<64xi32>
    gpu.terminator
  }
  return
}
