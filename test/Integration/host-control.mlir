// Host functions with loops, branches and calls around launches.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#shared = #gpu.address_space<workgroup>

// O = A * s, one block per 32 elements.
func.func private @scale(%A: memref<?xf32>, %s: f32, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %O, %c0 : memref<?xf32>
  %gx = arith.ceildivui %n, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c32 : index
    %i = arith.addi %first, %tx : index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %a = memref.load %A[%i] : memref<?xf32>
      %o = arith.mulf %a, %s : f32
      memref.store %o, %O[%i] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// Two buffers in turn, as often as the caller says.
// CASE: turns(A=ints:45:f32, n=0, O=junk:45:f32)
// CASE: turns(A=ints:45:f32, n=1, O=junk:45:f32)
// CASE: turns(A=ints:45:f32, n=6, O=junk:45:f32)
// CASE: turns(A=ints:45:f32, n=-3, O=junk:45:f32)
// CASE: turns(A=ints:0:f32, n=2, O=junk:0:f32)
// EXPECT: O = A * 2.0 ** max(n, 0)
func.func @turns(%A: memref<?xf32>, %n: i32, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %x = memref.alloc(%m) : memref<?xf32>
  %y = memref.alloc(%m) : memref<?xf32>
  memref.copy %A, %x : memref<?xf32> to memref<?xf32>
  %r:2 = scf.for %i = %i0 to %n step %i1 iter_args(%p = %x, %q = %y) -> (memref<?xf32>, memref<?xf32>) : i32 {
    func.call @scale(%p, %two, %q) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield %q, %p : memref<?xf32>, memref<?xf32>
  }
  memref.copy %r#0, %O : memref<?xf32> to memref<?xf32>
  return
}

// A new workspace in each iteration; the next one reads it.
// CASE: fresh(A=ints:20:f32, n=0)
// CASE: fresh(A=ints:20:f32, n=5)
// EXPECT: result0 = A * 3.0 ** n
func.func @fresh(%A: memref<?xf32>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %A) -> (memref<?xf32>) {
    %w = memref.alloc(%m) : memref<?xf32>
    func.call @scale(%p, %three, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield %w : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// What an inner loop hands to the outer one is used after it.
// CASE: nested(A=ints:12:f32, n=2, m=3, O=junk:12:f32)
// CASE: nested(A=ints:12:f32, n=3, m=0, O=junk:12:f32)
// CASE: nested(A=ints:12:f32, n=0, m=3, O=junk:12:f32)
// EXPECT: O = A * 2.0 ** (n * m) if n else O
func.func @nested(%A: memref<12xf32>, %n: index, %m: index, %O: memref<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.cast %A : memref<12xf32> to memref<?xf32>
  %o = memref.cast %O : memref<12xf32> to memref<?xf32>
  %size = memref.dim %a, %c0 : memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (memref<?xf32>) {
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%q = %p) -> (memref<?xf32>) {
      %w = memref.alloc(%size) : memref<?xf32>
      func.call @scale(%q, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
      scf.yield %w : memref<?xf32>
    }
    func.call @scale(%s, %one, %o) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield %s : memref<?xf32>
  }
  return
}

// Either branch, or none; the number of the loop is a factor.
// CASE: branches(A=ints:33:f32, n=5, flag=1, O=junk:33:f32)
// CASE: branches(A=ints:33:f32, n=5, flag=0, O=junk:33:f32)
// EXPECT: O = A * (sum(i if i % 2 else 10 for i in range(n)) if flag else 1)
func.func @branches(%A: memref<?xf32>, %n: index, %flag: i1, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ten = arith.constant 10.0 : f32
  %factor = scf.if %flag -> (f32) {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %rest = arith.remui %i, %c2 : index
      %is_odd = arith.cmpi eq, %rest, %c1 : index
      %add = scf.if %is_odd -> (f32) {
        %int = arith.index_cast %i : index to i32
        %real = arith.sitofp %int : i32 to f32
        scf.yield %real : f32
      } else {
        scf.yield %ten : f32
      }
      %next = arith.addf %s, %add : f32
      scf.yield %next : f32
    }
    scf.yield %sum : f32
  } else {
    scf.yield %one : f32
  }
  scf.if %flag {
    func.call @scale(%A, %factor, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  } else {
    memref.copy %A, %O : memref<?xf32> to memref<?xf32>
  }
  return
}

// One of two memrefs: by a branch, by a selection; a workspace only where it is
// needed.
// CASE: either(A=ints:17:f32, B=ints:17:f32, flag=1)
// CASE: either(A=ints:17:f32, B=ints:17:f32, flag=0)
// EXPECT: result0 = 2 * A if flag else B; result1 = A if flag else B
func.func @either(%A: memref<?xf32>, %B: memref<?xf32>, %flag: i1) -> (memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %r = scf.if %flag -> (memref<?xf32>) {
    %w = memref.alloc(%m) : memref<?xf32>
    func.call @scale(%A, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield %w : memref<?xf32>
  } else {
    scf.yield %B : memref<?xf32>
  }
  %s = arith.select %flag, %A, %B : memref<?xf32>
  return %r, %s : memref<?xf32>, memref<?xf32>
}

// Functions that call functions, and return what they made.
func.func private @doubled(%A: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %w = memref.alloc(%m) : memref<?xf32>
  func.call @scale(%A, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return %w : memref<?xf32>
}
func.func private @half_of(%n: index) -> index {
  %c2 = arith.constant 2 : index
  %h = arith.ceildivui %n, %c2 : index
  return %h : index
}
// CASE: calls(A=ints:9:f32, O=junk:9:f32)
// EXPECT: O[:5] = 4 * A[:5]
func.func @calls(%A: memref<?xf32>, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?xf32>
  %h = func.call @half_of(%m) : (index) -> index
  %b = func.call @doubled(%A) : (memref<?xf32>) -> memref<?xf32>
  %c = func.call @doubled(%b) : (memref<?xf32>) -> memref<?xf32>
  %from = memref.subview %c[0] [%h] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %to = memref.subview %O[0] [%h] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %from, %to : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  return
}

// A launch per group of rows, whose bounds the host computes: a window bounded
// at run time is a view of the host.
// CASE: groups(A=ints:10x64:bf16, size=4, O=junk:10x64:bf16)
// CASE: groups(A=ints:3x64:bf16, size=100, O=junk:3x64:bf16)
// CASE: groups(A=ints:0x64:bf16, size=4, O=junk:0x64:bf16)
// EXPECT: O = A
func.func @groups(%A: memref<?x64xbf16>, %size: index, %O: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %A, %c0 : memref<?x64xbf16>
  scf.for %first = %c0 to %m step %size {
    %left = arith.subi %m, %first : index
    %rows = arith.minui %left, %size : index
    %a = memref.subview %A[%first, 0] [%rows, 64] [1, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    %o = memref.subview %O[%first, 0] [%rows, 64] [1, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    %gy = arith.ceildivui %rows, %c32 : index
    gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %gy, %sz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      %i = arith.muli %by, %c32 : index
      %S = tile.alloc : memref<32x64xbf16, #shared>
      %from = tile.region %a[%i, 0] [32, 64] : memref<?x64xbf16, strided<[64, 1], offset: ?>>
      %to = tile.region %o[%i, 0] [32, 64] : memref<?x64xbf16, strided<[64, 1], offset: ?>>
      tile.copy %from to %S : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
      tile.copy %S to %to : memref<32x64xbf16, #shared>, !tile.region<32x64xbf16>
      gpu.terminator
    }
  }
  return
}

// Loops of unsigned numbers, and of steps that jump over the end; what a round
// hands on changes all at once.
// CASE: counted(A=ints:5:f32)
// EXPECT: result0 = A * 2.0 ** 3; result1 = np.array(9); result2 = np.array(0)
func.func @counted(%A: memref<?xf32>) -> (memref<?xf32>, i8, i8) {
  %c0 = arith.constant 0 : index
  %lower = arith.constant 120 : i8
  %upper = arith.constant -120 : i8
  %step = arith.constant 6 : i8
  %three = arith.constant 3 : i8
  %zero = arith.constant 0 : i8
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %r:4 = scf.for unsigned %i = %lower to %upper step %step iter_args(%p = %A, %k = %zero, %x = %zero, %y = %three) -> (memref<?xf32>, i8, i8, i8) : i8 {
    %w = memref.alloc(%m) : memref<?xf32>
    func.call @scale(%p, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    %next = arith.addi %k, %three : i8
    scf.yield %w, %next, %y, %x : memref<?xf32>, i8, i8, i8
  }
  return %r#0, %r#1, %r#3 : memref<?xf32>, i8, i8
}

// Calls with one buffer twice: what is called is not told that they are apart.
func.func private @smooth(%A: memref<64x64xf32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2.0 : f32
    %S = tile.alloc : memref<16x64xf32, #shared>
    %F = tile.alloc : memref<16x64xf32, #tile.fragment>
    // The window above the one that is written: the last round reads what the
    // one before it wrote, where both are one buffer.
    scf.for %i = %c16 to %c64 step %c16 {
      %above = arith.subi %i, %c16 : index
      %a = tile.region %A[%above, 0] [16, 64] : memref<64x64xf32>
      %o = tile.region %O[%i, 0] [16, 64] : memref<64x64xf32>
      tile.copy %a to %S : !tile.region<16x64xf32>, memref<16x64xf32, #shared>
      tile.copy %S to %F : memref<16x64xf32, #shared>, memref<16x64xf32, #tile.fragment>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %F[%x, %y] : memref<16x64xf32, #tile.fragment>
        %w = arith.mulf %v, %two : f32
        memref.store %w, %F[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
      tile.copy %F to %o : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}
// CASE: in_place(A=ints:64x64:f32)
// EXPECT: A[16:] = np.concatenate([A[:16] * 2, A[:16] * 4, A[:16] * 8])
func.func @in_place(%A: memref<64x64xf32>) {
  func.call @smooth(%A, %A) : (memref<64x64xf32>, memref<64x64xf32>) -> ()
  return
}

// Loops of affine and branches of cf, as front ends have them.
// CASE: rows(A=ints:70:f32, O=junk:70:f32)
// EXPECT: O = np.concatenate([A[:40] * np.array([1, 3, 5, 7]).repeat(10), O[40:]])
func.func @rows(%A: memref<70xf32>, %O: memref<70xf32>) {
  affine.for %i = 0 to 4 {
    %first = affine.apply affine_map<(d0) -> (d0 * 10)>(%i)
    %s = memref.subview %A[%first] [10] [1] : memref<70xf32> to memref<10xf32, strided<[1], offset: ?>>
    %d = memref.subview %O[%first] [10] [1] : memref<70xf32> to memref<10xf32, strided<[1], offset: ?>>
    %twice = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    %n = arith.index_cast %twice : index to i32
    %f = arith.sitofp %n : i32 to f32
    func.call @scale_window(%s, %f, %d)
        : (memref<10xf32, strided<[1], offset: ?>>, f32, memref<10xf32, strided<[1], offset: ?>>) -> ()
  }
  return
}
func.func private @scale_window(%A: memref<10xf32, strided<[1], offset: ?>>, %s: f32,
                                %O: memref<10xf32, strided<[1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c10, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%tx] : memref<10xf32, strided<[1], offset: ?>>
    %o = arith.mulf %a, %s : f32
    memref.store %o, %O[%tx] : memref<10xf32, strided<[1], offset: ?>>
    gpu.terminator
  }
  return
}

// CASE: large_or_small(A=ints:45:f32, n=2, O=junk:45:f32)
// CASE: large_or_small(A=ints:45:f32, n=1, O=junk:45:f32)
// EXPECT: O = A * (4 if n > 1 else 2)
func.func @large_or_small(%A: memref<?xf32>, %n: i32, %O: memref<?xf32>) {
  %i1 = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  %four = arith.constant 4.0 : f32
  %is_large = arith.cmpi sgt, %n, %i1 : i32
  cf.cond_br %is_large, ^large, ^small
^large:
  func.call @scale(%A, %four, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return
^small:
  func.call @scale(%A, %two, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return
}

// A switch of the host around a launch, and one that results in a number.
// CASE: switched(A=ints:45:f32, n=2, O=zeros:45:f32)
// CASE: switched(A=ints:45:f32, n=5, O=zeros:45:f32)
// CASE: switched(A=ints:45:f32, n=7, O=zeros:45:f32)
// EXPECT: O = np.zeros_like(A) if n == 7 else A * (2 if n == 2 else 3 if n == 5 else 4)
func.func @switched(%A: memref<45xf32>, %n: i32, %O: memref<45xf32>) {
  %c1 = arith.constant 1 : index
  %c45 = arith.constant 45 : index
  %f2 = arith.constant 2.0 : f32
  %f3 = arith.constant 3.0 : f32
  %f4 = arith.constant 4.0 : f32
  %i = arith.index_cast %n : i32 to index
  %s = scf.index_switch %i -> f32
  case 2 {
    scf.yield %f2 : f32
  }
  case 5 {
    scf.yield %f3 : f32
  }
  default {
    scf.yield %f4 : f32
  }
  scf.index_switch %i
  case 7 {
    scf.yield
  }
  default {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c45, %ny = %c1, %nz = %c1) {
      %a = memref.load %A[%tx] : memref<45xf32>
      %o = arith.mulf %a, %s : f32
      memref.store %o, %O[%tx] : memref<45xf32>
      gpu.terminator
    }
    scf.yield
  }
  return
}

// Tokens ask for no more than the order of the source.
// CASE: tokens(A=ints:45:f32, O=junk:45:f32)
// EXPECT: O = A + A
func.func @tokens(%A: memref<45xf32>, %O: memref<45xf32>) {
  %c1 = arith.constant 1 : index
  %c45 = arith.constant 45 : index
  %t0 = gpu.wait async
  %W, %t1 = gpu.alloc async [%t0] () : memref<45xf32>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c45, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%tx] : memref<45xf32>
    %o = arith.addf %a, %a : f32
    memref.store %o, %W[%tx] : memref<45xf32>
    gpu.terminator
  }
  %t3 = gpu.memcpy async [%t2] %O, %W : memref<45xf32>, memref<45xf32>
  %t4 = gpu.dealloc async [%t3] %W : memref<45xf32>
  gpu.wait [%t4]
  return
}
