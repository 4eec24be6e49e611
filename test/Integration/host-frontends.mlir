// Host functions as front ends write them: loops that end by a condition,
// numbers that are read from tensors, variables in memory, branches of blocks.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

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

// The sum of a tensor, in one element.
func.func private @sum(%A: memref<?xf32>, %S: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %a = memref.load %A[%i] : memref<?xf32>
      %next = arith.addf %s, %a : f32
      scf.yield %next : f32
    }
    memref.store %sum, %S[] : memref<f32>
    gpu.terminator
  }
  return
}

// As XLA writes a while loop: the condition is a comparison of scalars.
// CASE: counted(A=ints:45:f32, n=0)
// CASE: counted(A=ints:45:f32, n=6)
// CASE: counted(A=ints:0:f32, n=2)
// EXPECT: result0 = A * 2.0 ** n
func.func @counted(%A: memref<?xf32>, %n: i32) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %r:2 = scf.while (%i = %i0, %p = %A) : (i32, memref<?xf32>) -> (i32, memref<?xf32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %p : i32, memref<?xf32>
  } do {
  ^bb0(%i: i32, %p: memref<?xf32>):
    %w = memref.alloc(%m) : memref<?xf32>
    func.call @scale(%p, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    %next = arith.addi %i, %i1 : i32
    scf.yield %next, %w : i32, memref<?xf32>
  }
  return %r#1 : memref<?xf32>
}

// Until it has converged: the kernel computes what the condition reads.
// CASE: converged(A=ones:45:f32, limit=100)
// EXPECT: A[:] = 4; result0 = 2
// CASE: converged(A=ones:45:f32, limit=30)
// EXPECT: result0 = 0
// CASE: converged(A=ones:1:f32, limit=1000)
// EXPECT: A[:] = 1024; result0 = 10
func.func @converged(%A: memref<?xf32>, %limit: f32) -> i32 {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  %S = memref.alloc() : memref<f32>
  %r = scf.while (%i = %i0) : (i32) -> i32 {
    func.call @sum(%A, %S) : (memref<?xf32>, memref<f32>) -> ()
    %sum = memref.load %S[] : memref<f32>
    %more = arith.cmpf olt, %sum, %limit : f32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    func.call @scale(%A, %two, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    %next = arith.addi %i, %i1 : i32
    scf.yield %next : i32
  }
  memref.dealloc %S : memref<f32>
  return %r : i32
}

// A condition that hands on something else than what is carried.
// CASE: collatz(A=ints:9:f32, n=6)
// EXPECT: result0 = 8; result1 = A * 8
// CASE: collatz(A=ints:9:f32, n=1)
// EXPECT: result0 = 0; result1 = A * 0
func.func @collatz(%A: memref<?xf32>, %n: i64) -> (i64, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %l0 = arith.constant 0 : i64
  %l1 = arith.constant 1 : i64
  %l2 = arith.constant 2 : i64
  %l3 = arith.constant 3 : i64
  %m = memref.dim %A, %c0 : memref<?xf32>
  %steps = scf.while (%x = %n, %k = %l0) : (i64, i64) -> i64 {
    %more = arith.cmpi ne, %x, %l1 : i64
    scf.condition(%more) %k : i64
  } do {
  ^bb0(%k: i64):
    %next = arith.addi %k, %l1 : i64
    // What is carried is computed from the number of the step alone.
    %x = func.call @step(%n, %next) : (i64, i64) -> i64
    scf.yield %x, %next : i64, i64
  }
  %s = arith.sitofp %steps : i64 to f32
  %O = memref.alloc(%m) : memref<?xf32>
  func.call @scale(%A, %s, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return %steps, %O : i64, memref<?xf32>
}

func.func private @step(%n: i64, %k: i64) -> i64 {
  %l0 = arith.constant 0 : i64
  %l1 = arith.constant 1 : i64
  %l2 = arith.constant 2 : i64
  %l3 = arith.constant 3 : i64
  %r = scf.for %i = %l0 to %k step %l1 iter_args(%x = %n) -> (i64) : i64 {
    %rest = arith.remsi %x, %l2 : i64
    %is_odd = arith.cmpi eq, %rest, %l1 : i64
    %half = arith.divsi %x, %l2 : i64
    %three = arith.muli %x, %l3 : i64
    %more = arith.addi %three, %l1 : i64
    %next = arith.select %is_odd, %more, %half : i64
    scf.yield %next : i64
  }
  return %r : i64
}

// As torch-mlir writes a size that is data: an element of a tensor of i64.
// CASE: sized(A=ints:45:f32, N=count:3:i64)
// EXPECT: result0 = A[:2] * 3
func.func @sized(%A: memref<?xf32>, %N: memref<?xi64>) -> memref<?xf32> {
  %c2 = arith.constant 2 : index
  %three = arith.constant 3.0 : f32
  %n64 = memref.load %N[%c2] : memref<?xi64>
  %n = arith.index_cast %n64 : i64 to index
  %part = memref.subview %A[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %a = memref.cast %part : memref<?xf32, strided<[1]>> to memref<?xf32>
  %O = memref.alloc(%n) : memref<?xf32>
  func.call @scale(%a, %three, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return %O : memref<?xf32>
}

// Ragged groups: where each begins is in a table that the host reads.
// CASE: ragged(A=ints:45:f32, Ends=count:5:i32, O=zeros:45:f32)
// EXPECT: O = np.where(np.arange(45) < 32, (np.arange(45) % 8 <= np.arange(45) // 8) * A * (np.arange(45) // 8 + 1), 0)
func.func @ragged(%A: memref<?xf32>, %Ends: memref<?xi32>, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %g = %c0 to %c4 step %c1 {
    %next = arith.addi %g, %c1 : index
    %e = memref.load %Ends[%next] : memref<?xi32>
    %size = arith.index_cast %e : i32 to index
    %at = arith.muli %g, %c8 : index
    %a = memref.subview %A[%at] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %o = memref.subview %O[%at] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %w = memref.alloc(%size) : memref<?xf32>
    %v = memref.alloc(%size) : memref<?xf32>
    memref.copy %a, %w : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32>
    %i = arith.index_cast %next : index to i32
    %s = arith.sitofp %i : i32 to f32
    func.call @scale(%w, %s, %v) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    memref.copy %v, %o : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    memref.dealloc %w : memref<?xf32>
    memref.dealloc %v : memref<?xf32>
  }
  return
}

// A flag that a kernel has computed decides about the next one.
// CASE: flagged(A=ones:45:f32, O=junk:45:f32)
// EXPECT: O = A * 45
// CASE: flagged(A=zeros:45:f32, O=junk:45:f32)
// EXPECT: O = A - 0
func.func @flagged(%A: memref<?xf32>, %O: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %S = memref.alloc() : memref<f32>
  func.call @sum(%A, %S) : (memref<?xf32>, memref<f32>) -> ()
  %s = memref.load %S[] : memref<f32>
  %is = arith.cmpf une, %s, %zero : f32
  scf.if %is {
    func.call @scale(%A, %s, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  } else {
    func.call @scale(%A, %one, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  }
  return
}

// Scalars that host code keeps in memory, as from C.
// CASE: variables(A=ints:33:f32, n=5)
// EXPECT: result0 = A * sum(range(5))
func.func @variables(%A: memref<?xf32>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %v = memref.alloca() : memref<f32>
  memref.store %zero, %v[] : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    %int = arith.index_cast %i : index to i32
    %real = arith.sitofp %int : i32 to f32
    %old = memref.load %v[] : memref<f32>
    %new = arith.addf %old, %real : f32
    memref.store %new, %v[] : memref<f32>
  }
  %s = memref.load %v[] : memref<f32>
  %O = memref.alloc(%m) : memref<?xf32>
  func.call @scale(%A, %s, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return %O : memref<?xf32>
}

// Scalars that are handed to kernels as tensors of one element.
// CASE: boxed(A=ints:33:f32, x=2.5, O=junk:33:f32)
// EXPECT: O = A * 5
func.func @boxed(%A: memref<?xf32>, %x: f32, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %box = memref.alloc() : memref<2xf32>
  memref.store %x, %box[%c0] : memref<2xf32>
  memref.store %two, %box[%c1] : memref<2xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%bx] : memref<?xf32>
    %s = memref.load %box[%c0] : memref<2xf32>
    %t = memref.load %box[%c1] : memref<2xf32>
    %st = arith.mulf %s, %t : f32
    %o = arith.mulf %a, %st : f32
    memref.store %o, %O[%bx] : memref<?xf32>
    gpu.terminator
  }
  return
}

// A loop of blocks, as from a program without structure.
// CASE: blocks(A=ints:12:f32, n=3)
// CASE: blocks(A=ints:12:f32, n=0)
// EXPECT: A *= 2.0 ** n
func.func @blocks(%A: memref<?xf32>, %n: i32) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  cf.br ^head(%i0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  func.call @scale(%A, %two, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  %next = arith.addi %i, %i1 : i32
  cf.br ^head(%next : i32)
^exit:
  return
}

// What must hold.
// CASE: asserted(A=ints:12:f32, O=junk:12:f32)
// EXPECT: O = A * 2
func.func @asserted(%A: memref<?xf32>, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %n = memref.dim %O, %c0 : memref<?xf32>
  %is = arith.cmpi eq, %m, %n : index
  cf.assert %is, "the extents differ"
  func.call @scale(%A, %two, %O) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return
}

// affine around launches, as from Polygeist.
// CASE: affines(A=ints:12:f32, n=5)
// EXPECT: A *= 4 if n > 3 else 2
func.func @affines(%A: memref<?xf32>, %n: index) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to min affine_map<(d0) -> (d0 - 3, 7)> (%n) step 2 {
    func.call @scale(%A, %two, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  }
  affine.if affine_set<(d0) : (d0 - 1 >= 0)> (%n) {
    func.call @scale(%A, %two, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  }
  return
}

// Regions that run once, with scopes of memory.
// CASE: scopes(A=ints:12:f32)
// EXPECT: A *= 6
func.func @scopes(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  memref.alloca_scope {
    %w = memref.alloca(%m) : memref<?xf32>
    func.call @scale(%A, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.execute_region {
      func.call @scale(%w, %three, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
      scf.yield
    }
  }
  return
}

// As bufferization with ownership leaves it.
// CASE: owned(A=ints:12:f32, is=1)
// EXPECT: result0 = A * 2
// CASE: owned(A=ints:12:f32, is=0)
// EXPECT: result0 = A * 1
func.func @owned(%A: memref<?xf32>, %is: i1) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?xf32>
  %w = memref.alloc(%m) : memref<?xf32>
  %r = scf.if %is -> (memref<?xf32>) {
    func.call @scale(%A, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield %w : memref<?xf32>
  } else {
    scf.yield %A : memref<?xf32>
  }
  %result = bufferization.clone %r : memref<?xf32> to memref<?xf32>
  bufferization.dealloc (%w : memref<?xf32>) if (%true)
  return %result : memref<?xf32>
}

// Streams and events of the gpu dialect.
// CASE: streams(A=ints:12:f32, O=junk:12:f32)
// EXPECT: O = A * 2
func.func @streams(%A: memref<?xf32>, %O: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %t0 = gpu.wait async
  %w, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
  %t2 = gpu.memcpy async [%t1] %w, %A : memref<?xf32>, memref<?xf32>
  %t3 = gpu.launch async [%t2] blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %a = memref.load %w[%bx] : memref<?xf32>
    %o = arith.mulf %a, %two : f32
    memref.store %o, %O[%bx] : memref<?xf32>
    gpu.terminator
  }
  %t4 = gpu.dealloc async [%t3] %w : memref<?xf32>
  gpu.wait [%t4]
  return
}

// What a dimension of run time is; ranks; min and max of index.
// CASE: dims(A=ints:6x7:f32, d=1)
// EXPECT: result0 = A.shape[int(d)]; A *= A.shape[int(d)]
func.func @dims(%A: memref<?x?xf32>, %d: index) -> index {
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %d : memref<?x?xf32>
  %flat = memref.collapse_shape %A [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %i = arith.index_cast %n : index to i32
  %s = arith.sitofp %i : i32 to f32
  func.call @scale(%flat, %s, %flat) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return %n : index
}

// A number of a constant tensor.
memref.global "private" constant @steps : memref<3xi32> = dense<[1, 4, 2]>
// CASE: table(A=ints:6:f32, i=1)
// EXPECT: A *= 4
func.func @table(%A: memref<?xf32>, %i: index) {
  %steps = memref.get_global @steps : memref<3xi32>
  %k = memref.load %steps[%i] : memref<3xi32>
  %s = arith.sitofp %k : i32 to f32
  func.call @scale(%A, %s, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return
}

// Copies written as loops over elements.
// CASE: elements(A=ints:3x5:f32)
// EXPECT: A[:] = A[:, ::-1].copy()
func.func @elements(%A: memref<3x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %k = arith.subi %c4, %j : index
      %a = memref.load %A[%i, %j] : memref<3x5xf32>
      %b = memref.load %A[%i, %k] : memref<3x5xf32>
      memref.store %a, %A[%i, %k] : memref<3x5xf32>
      memref.store %b, %A[%i, %j] : memref<3x5xf32>
    }
  }
  %flat = memref.collapse_shape %A [[0, 1]] : memref<3x5xf32> into memref<15xf32>
  %all = memref.cast %flat : memref<15xf32> to memref<?xf32>
  func.call @scale(%all, %one, %all) : (memref<?xf32>, f32, memref<?xf32>) -> ()
  return
}

// A loop that runs at the same time in any order is one in order.
// CASE: parallels(A=ints:24:f32)
// EXPECT: A *= 2
func.func @parallels(%A: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c3) step (%c1) {
    %at = arith.muli %i, %c8 : index
    %part = memref.subview %A[%at] [8] [1] : memref<?xf32> to memref<8xf32, strided<[1], offset: ?>>
    %w = memref.alloc(%c8) : memref<?xf32>
    %v = memref.cast %w : memref<?xf32> to memref<8xf32>
    memref.copy %part, %v : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    func.call @scale(%w, %two, %w) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    memref.copy %v, %part : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
    scf.reduce
  }
  return
}

// A switch around calls of what launches, and one in a helper.
// CASE: chosen(A=ints:6:f32, i=0)
// EXPECT: A *= 2
// CASE: chosen(A=ints:6:f32, i=3)
// EXPECT: A *= 15
// CASE: chosen(A=ints:6:f32, i=7)
// EXPECT: pass
func.func @chosen(%A: memref<?xf32>, %i: index) {
  %s = call @factor(%i) : (index) -> f32
  scf.index_switch %i
  case 0 {
    func.call @scale(%A, %s, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield
  }
  case 3 {
    %three = arith.constant 3.0 : f32
    func.call @scale(%A, %s, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    func.call @scale(%A, %three, %A) : (memref<?xf32>, f32, memref<?xf32>) -> ()
    scf.yield
  }
  default {
  }
  return
}

func.func private @factor(%i: index) -> f32 {
  %two = arith.constant 2.0 : f32
  %five = arith.constant 5.0 : f32
  %s = scf.index_switch %i -> f32
  case 3 {
    scf.yield %five : f32
  }
  default {
    scf.yield %two : f32
  }
  return %s : f32
}
