// CASE: counted(A=ints:45:f32, n=0)
// CASE: counted(A=ints:45:f32, n=6)
// CASE: counted(A=ints:0:f32, n=2)
// EXPECT: result0 = A * 2.0 ** n
memref.global "private" constant @steps : memref<3xi32> = dense<[1, 4, 2]>


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
