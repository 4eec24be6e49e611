// Pipelined loops under every kind of control flow. Each iteration moves a row
// through a shared tile to a row of the output, so a slot or an iteration that
// is mistaken shows as a wrong row, and rows that no iteration writes keep their
// value. The number of stages is a placeholder: pipelines.py runs all of them.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=1,2,3 --out=%t

#smem = #gpu.address_space<workgroup>
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Tile = memref<32xf32, #smem>

// Any start, end and step.
// CASE: bounds(A=ints:40x32:f32, O=junk:40x32:f32, lo=0, hi=0, st=1)
// CASE: bounds(A=ints:40x32:f32, O=junk:40x32:f32, lo=5, hi=3, st=1)
// CASE: bounds(A=ints:40x32:f32, O=junk:40x32:f32, lo=0, hi=1, st=1)
// CASE: bounds(A=ints:40x32:f32, O=junk:40x32:f32, lo=3, hi=5, st=1)
// CASE: bounds(A=ints:40x32:f32, O=junk:40x32:f32, lo=1, hi=9, st=2)
// CASE: bounds(A=ints:40x32:f32, O=junk:40x32:f32, lo=2, hi=39, st=7)
// EXPECT: for i in range(lo, hi, st): O[39 - i] = A[i]
func.func @bounds(%A: !In, %O: !In, %lo: index, %hi: index, %st: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c39 = arith.constant 39 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %lo to %hi step %st {
      %j = arith.subi %c39, %i : index
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%j, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A 64-bit loop, and one that compares unsigned.
// CASE: wide(A=ints:40x32:f32, O=junk:40x32:f32, lo=3, hi=12)
// CASE: wide(A=ints:40x32:f32, O=junk:40x32:f32, lo=7, hi=8)
// EXPECT: for i in range(lo, hi): O[i] = A[i]
// EXPECT: for i in range(lo, hi, 2): O[i + 20] = A[i]
func.func @wide(%A: !In, %O: !In, %lo: i64, %hi: i64) {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %w = %lo to %hi step %one : i64 {
      %i = arith.index_cast %w : i64 to index
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    scf.for unsigned %w = %lo to %hi step %two : i64 {
      %i = arith.index_cast %w : i64 to index
      %j = arith.addi %i, %c20 : index
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%j, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Guards around everything, around a part, with else, nested; the mask is in
// memory. Both tiles are one buffer in both branches.
// CASE: guards(A=ints:40x32:f32, B=ints:40x32:f32, K=ints:40:i32, O=junk:40x32:f32, n=13)
// CASE: guards(A=ints:40x32:f32, B=ints:40x32:f32, K=zeros:40:i32, O=junk:40x32:f32, n=7)
// CASE: guards(A=ints:40x32:f32, B=ints:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, n=2)
// EXPECT: for i in range(n):
// EXPECT:   if K[i] > 0:
// EXPECT:     O[i] = A[i] if K[i] > 1 else B[i]
// EXPECT:     if i % 3 != 1: O[i + 20] = O[i]
func.func @guards(%A: !In, %B: !In, %K: memref<40xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %k = memref.load %K[%i] : memref<40xi32>
      %p = arith.cmpi sgt, %k, %i0 : i32
      scf.if %p {
        %q = arith.cmpi sgt, %k, %i1 : i32
        scf.if %q {
          %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
          tile.copy %a to %S : !Row, !Tile
        } else {
          %b = tile.region %B[%i, 0] [1, 32] drop [0] : !In
          tile.copy %b to %S : !Row, !Tile
        }
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %S to %o : !Tile, !Row
        // It looks like a slot, and is none.
        %m = arith.remui %i, %c3 : index
        %r = arith.cmpi ne, %m, %c1 : index
        scf.if %r {
          %j = arith.addi %i, %c20 : index
          %u = tile.region %O[%j, 0] [1, 32] drop [0] : !In
          tile.copy %S to %u : !Tile, !Row
        }
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A copy that only one branch reads; a tile of each branch; a value that is
// defined inside a guard.
// CASE: branches(A=ints:40x32:f32, B=ints:40x32:f32, K=count:40:i32, O=junk:40x32:f32, n=11)
// CASE: branches(A=ints:40x32:f32, B=ints:40x32:f32, K=count:40:i32, O=junk:40x32:f32, n=0)
// EXPECT: for i in range(n):
// EXPECT:   if i % 2: O[i] = A[i]
// EXPECT:   else: O[i + 20] = B[K[i]]
func.func @branches(%A: !In, %B: !In, %K: memref<40xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %T = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      %m = arith.remui %i, %c2 : index
      %p = arith.cmpi eq, %m, %c1 : index
      scf.if %p {
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %S to %o : !Tile, !Row
      } else {
        %k = memref.load %K[%i] : memref<40xi32>
        %r = arith.index_cast %k : i32 to index
        %b = tile.region %B[%r, 0] [1, 32] drop [0] : !In
        %j = arith.addi %i, %c20 : index
        %o = tile.region %O[%j, 0] [1, 32] drop [0] : !In
        tile.copy %b to %T : !Row, !Tile
        tile.copy %T to %o : !Tile, !Row
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Loops in an outer loop whose trips do not fit the ring, two of them, which
// share a tile; the second one runs backwards.
// CASE: outer(A=ints:40x32:f32, O=junk:40x32:f32, n=5)
// CASE: outer(A=ints:40x32:f32, O=junk:40x32:f32, n=1)
// EXPECT: for t in range(n):
// EXPECT:   for i in range(t): O[4 * t + i] = A[i + t]
// EXPECT:   for i in range(3): O[20 + 3 * t + i] = A[39 - i - t]
func.func @outer(%A: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c39 = arith.constant 39 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %t = %c0 to %n step %c1 {
      %t4 = arith.muli %t, %c4 : index
      %t3 = arith.muli %t, %c3 : index
      scf.for %i = %c0 to %t step %c1 {
        %x = arith.addi %i, %t : index
        %y = arith.addi %i, %t4 : index
        %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
      } {tile.num_stages = NUM_STAGES : i32}
      scf.for %i = %c0 to %c3 step %c1 {
        %x0 = arith.subi %c39, %i : index
        %x = arith.subi %x0, %t : index
        %y0 = arith.addi %i, %c20 : index
        %y = arith.addi %y0, %t3 : index
        %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
      } {tile.num_stages = NUM_STAGES : i32}
    }
    gpu.terminator
  }
  return
}

// Carried scalars: one that copies use, one that the consumer uses, one for
// later; after the loop all have their last value.
// CASE: carried(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:3:i32, n=7)
// CASE: carried(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:3:i32, n=0)
// CASE: carried(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:3:i32, n=1)
// EXPECT: x, y, z = 0, 39, 5
// EXPECT: for i in range(n):
// EXPECT:   O[y] = A[x]
// EXPECT:   x, y, z = x + i, y - 2, x
// EXPECT: R[:] = x, y, z
func.func @carried(%A: !In, %O: !In, %R: memref<3xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %c39 = arith.constant 39 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c39, %z = %c5) -> (index, index, index) {
      %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
      %nx1 = arith.addi %x, %i : index
      %ny1 = arith.subi %y, %c2 : index
      scf.yield %nx1, %ny1, %x : index, index, index
    } {tile.num_stages = NUM_STAGES : i32}
    %r0 = arith.index_cast %r#0 : index to i32
    %r1 = arith.index_cast %r#1 : index to i32
    %r2 = arith.index_cast %r#2 : index to i32
    memref.store %r0, %R[%c0] : memref<3xi32>
    memref.store %r1, %R[%c1] : memref<3xi32>
    memref.store %r2, %R[%c2] : memref<3xi32>
    gpu.terminator
  }
  return
}

// Scalars in private memory: one counts copies as they are issued, one counts
// uses; both effects happen once per iteration, and in order.
// CASE: effects(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=9)
// CASE: effects(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=0)
// EXPECT: for i in range(n): O[2 * i] = A[i]
// EXPECT: R[:] = 2 * n, n
func.func @effects(%A: !In, %O: !In, %R: memref<2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %x = tile.alloc : memref<2xi32, #gpu.address_space<private>>
    memref.store %i0, %x[%c0] : memref<2xi32, #gpu.address_space<private>>
    memref.store %i0, %x[%c1] : memref<2xi32, #gpu.address_space<private>>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      %j = memref.load %x[%c0] : memref<2xi32, #gpu.address_space<private>>
      %j2 = arith.addi %j, %i2 : i32
      memref.store %j2, %x[%c0] : memref<2xi32, #gpu.address_space<private>>
      %k = memref.load %x[%c1] : memref<2xi32, #gpu.address_space<private>>
      %k1 = arith.addi %k, %i1 : i32
      memref.store %k1, %x[%c1] : memref<2xi32, #gpu.address_space<private>>
      %row = arith.index_cast %j : i32 to index
      %o = tile.region %O[%row, 0] [1, 32] drop [0] : !In
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    %r0 = memref.load %x[%c0] : memref<2xi32, #gpu.address_space<private>>
    %r1 = memref.load %x[%c1] : memref<2xi32, #gpu.address_space<private>>
    memref.store %r0, %R[%c0] : memref<2xi32>
    memref.store %r1, %R[%c1] : memref<2xi32>
    gpu.terminator
  }
  return
}

// Two halves of a tile; a second tile that is copied twice in an iteration, the
// second time after its first use.
// CASE: parts(A=ints:40x32:f32, B=ints:40x32:f32, O=junk:40x32:f32, n=6)
// CASE: parts(A=ints:40x32:f32, B=ints:40x32:f32, O=junk:40x32:f32, n=1)
// EXPECT: for i in range(n):
// EXPECT:   O[i, :16], O[i, 16:] = A[i, :16], B[i, 16:]
// EXPECT:   O[10 + i] = A[2 * i]
// EXPECT:   O[20 + i] = B[3 * i]
func.func @parts(%A: !In, %B: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %T = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 16] drop [0] : !In
      %b = tile.region %B[%i, 16] [1, 16] drop [0] : !In
      %s0 = tile.region %S[0] [16] : !Tile
      %s1 = tile.region %S[16] [16] : !Tile
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %s0 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
      tile.copy %b to %s1 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
      tile.copy %S to %o : !Tile, !Row
      %i2 = arith.muli %i, %c2 : index
      %i3 = arith.muli %i, %c3 : index
      %j1 = arith.addi %i, %c10 : index
      %j2 = arith.addi %i, %c20 : index
      %a2 = tile.region %A[%i2, 0] [1, 32] drop [0] : !In
      %b3 = tile.region %B[%i3, 0] [1, 32] drop [0] : !In
      %o1 = tile.region %O[%j1, 0] [1, 32] drop [0] : !In
      %o2 = tile.region %O[%j2, 0] [1, 32] drop [0] : !In
      tile.copy %a2 to %T : !Row, !Tile
      tile.copy %T to %o1 : !Tile, !Row
      tile.copy %b3 to %T : !Row, !Tile
      tile.copy %T to %o2 : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A pipelined loop in a pipelined loop, and an inner loop without.
// CASE: nested(A=ints:40x32:f32, O=junk:40x32:f32, n=4, m=3)
// CASE: nested(A=ints:40x32:f32, O=junk:40x32:f32, n=3, m=0)
// CASE: nested(A=ints:40x32:f32, O=junk:40x32:f32, n=1, m=6)
// EXPECT: for i in range(n):
// EXPECT:   for j in range(m): O[m * i + j] = A[i + 2 * j]
// EXPECT:   for j in range(2): O[20 + 2 * i + j] = A[30 + i]
func.func @nested(%A: !In, %O: !In, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %T = tile.alloc : !Tile
      %x0 = arith.addi %i, %c30 : index
      %a0 = tile.region %A[%x0, 0] [1, 32] drop [0] : !In
      tile.copy %a0 to %S : !Row, !Tile
      %first = arith.muli %i, %m : index
      scf.for %j = %c0 to %m step %c1 {
        %j2 = arith.muli %j, %c2 : index
        %x = arith.addi %i, %j2 : index
        %y = arith.addi %first, %j : index
        %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %a to %T : !Row, !Tile
        tile.copy %T to %o : !Tile, !Row
      } {tile.num_stages = NUM_STAGES : i32}
      scf.for %j = %c0 to %c2 step %c1 {
        %i2 = arith.muli %i, %c2 : index
        %y0 = arith.addi %i2, %c20 : index
        %y = arith.addi %y0, %j : index
        %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %S to %o : !Tile, !Row
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// An index that the loop itself fetches, and an output that it overwrites.
// CASE: indexed(A=ints:40x32:f32, K=count:40x4:i32, O=junk:40x32:f32, n=8)
// EXPECT: for i in range(n): O[i + 1] = A[K[i, 1] % 40]
func.func @indexed(%A: !In, %K: memref<40x4xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %k = memref.load %K[%i, %c1] : memref<40x4xi32>
      %r0 = arith.index_cast %k : i32 to index
      %r = arith.remui %r0, %c40 : index
      %j = arith.addi %i, %c1 : index
      %a = tile.region %A[%r, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%j, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// In place: the loop reads rows that it has written before.
// CASE: in_place(A=ints:40x32:f32, n=9)
// EXPECT: for i in range(n): A[i + 1] = A[i]
func.func @in_place(%A: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %A[%j, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A while loop; more of them in pipelines-while.mlir.
// CASE: while(A=ints:40x32:f32, O=junk:40x32:f32, n=5)
// EXPECT: for i in range(n): O[i] = A[i]
func.func @while(%A: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %end = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Windows that are made ahead of the loop, as loop-invariant code motion leaves
// them: they are windows of the slot all the same.
// CASE: hoisted(A=ints:40x32:f32, B=ints:40x32:f32, O=junk:40x32:f32, n=6)
// CASE: hoisted(A=ints:40x32:f32, B=ints:40x32:f32, O=junk:40x32:f32, n=1)
// EXPECT: for i in range(n): O[i, :16], O[i, 16:] = A[i, :16], B[i, 16:]
func.func @hoisted(%A: !In, %B: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %s0 = tile.region %S[0] [16] : !Tile
    %s1 = tile.region %S[16] [16] : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 16] drop [0] : !In
      %b = tile.region %B[%i, 16] [1, 16] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %s0 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
      tile.copy %b to %s1 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Static trips: 1, 2, 3 and 5 iterations, in straight code and with a loop.
// CASE: static(A=ints:40x32:f32, O=junk:40x32:f32)
// EXPECT: for k, n in enumerate([0, 1, 2, 3, 5]):
// EXPECT:   for i in range(n): O[6 * k + i] = A[k + i]
func.func @static(%A: !In, %O: !In) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %c0 step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    scf.for %i = %c0 to %c1 step %c1 {
      %x = arith.addi %i, %c1 : index
      %y6 = arith.constant 6 : index
      %y = arith.addi %i, %y6 : index
      %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    scf.for %i = %c0 to %c2 step %c1 {
      %x = arith.addi %i, %c2 : index
      %y12 = arith.constant 12 : index
      %y = arith.addi %i, %y12 : index
      %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    scf.for %i = %c0 to %c3 step %c1 {
      %x = arith.addi %i, %c3 : index
      %y18 = arith.constant 18 : index
      %y = arith.addi %i, %y18 : index
      %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    scf.for %i = %c0 to %c5 step %c1 {
      %y24 = arith.constant 24 : index
      %x4 = arith.constant 4 : index
      %x = arith.addi %i, %x4 : index
      %y = arith.addi %i, %y24 : index
      %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}
