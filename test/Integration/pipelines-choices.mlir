// Copies under an scf.if that gives values: they are pipelined like those under
// any guard, and what the branches yield is chosen again where it is used. Each
// iteration moves rows through shared tiles, so a slot, a path or a value that is
// mistaken shows as a wrong row. The number of stages is a placeholder:
// pipelines.py runs all of them, with roles and without.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=1,3 --seeds=2 --out=%t

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Tile = memref<32xf32, #smem>

// A count of what may still be done: the next guard depends on what this one
// yields.
// CASE: budget(A=ints:40x32:f32, K=ints:40:i32, O=junk:40x32:f32, n=11, left=100)
// CASE: budget(A=ints:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, n=9, left=4)
// CASE: budget(A=ints:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, n=9, left=0)
// CASE: budget(A=ints:40x32:f32, K=zeros:40:i32, O=junk:40x32:f32, n=7, left=3)
// CASE: budget(A=ints:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, n=0, left=3)
// EXPECT: for i in range(n):
// EXPECT:   if left > 0:
// EXPECT:     O[i] = A[i]
// EXPECT:     left -= 1 if K[i] > 0 else 0
// EXPECT: O[39] = left
func.func @budget(%A: !In, %K: memref<40xi32>, %O: !In, %n: index, %left: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c39 = arith.constant 39 : index
  %none = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%now = %left) -> (i32) {
      %on = arith.cmpi sgt, %now, %none : i32
      %next = scf.if %on -> (i32) {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
        %k = memref.load %K[%i] : memref<40xi32>
        %p = arith.cmpi sgt, %k, %none : i32
        %one = arith.extui %p : i1 to i32
        %less = arith.subi %now, %one : i32
        scf.yield %less : i32
      } else {
        scf.yield %now : i32
      }
      scf.yield %next : i32
    } {tile.num_stages = NUM_STAGES : i32}
    %f = tile.alloc : memref<32xf32, #frag>
    %v = arith.sitofp %r : i32 to f32
    tile.fill %f, %v : memref<32xf32, #frag>, f32
    %last = tile.region %O[%c39, 0] [1, 32] drop [0] : !In
    tile.copy %f to %last : memref<32xf32, #frag>, !Row
    gpu.terminator
  }
  return
}

// Both branches copy; one of them holds another choice. What is chosen is the
// row that the next copy takes, the row that this one goes to, and a factor.
// The table ends where the loop does: no branch may read it further.
// CASE: nested(A=ints:40x32:f32, B=ints:40x32:f32, K=ints:11:i32, O=junk:40x32:f32)
// CASE: nested(A=ints:40x32:f32, B=ints:40x32:f32, K=zeros:5:i32, O=junk:40x32:f32)
// CASE: nested(A=ints:40x32:f32, B=ints:40x32:f32, K=ones:1:i32, O=junk:40x32:f32)
// EXPECT: n = len(K)
// EXPECT: row = 0
// EXPECT: for i in range(n):
// EXPECT:   to, factor = (2 * i, 2.0) if row % 2 else (2 * i + 1, 1.0)
// EXPECT:   if K[i] > 0:
// EXPECT:     C, row = (A[row], row + 2) if K[i] > 1 else (B[row], row + 1)
// EXPECT:   else:
// EXPECT:     C, row = A[i], 3 if K[n - 1 - i] < 0 else row
// EXPECT:   O[to] = C * factor
func.func @nested(%A: !In, %B: !In, %K: memref<?xi32>, %O: !In) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %K, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %f1 = arith.constant 1.0 : f32
    %f2 = arith.constant 2.0 : f32
    %S = tile.alloc : !Tile
    %f = tile.alloc : memref<32xf32, #frag>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%row = %c0) -> (index) {
      %k = memref.load %K[%i] : memref<?xi32>
      %p = arith.cmpi sgt, %k, %i0 : i32
      %q = arith.cmpi sgt, %k, %i1 : i32
      %next = scf.if %p -> (index) {
        %inc = scf.if %q -> (index) {
          %a = tile.region %A[%row, 0] [1, 32] drop [0] : !In
          tile.copy %a to %S : !Row, !Tile
          scf.yield %c2 : index
        } else {
          %b = tile.region %B[%row, 0] [1, 32] drop [0] : !In
          tile.copy %b to %S : !Row, !Tile
          scf.yield %c1 : index
        }
        %sum = arith.addi %row, %inc : index
        scf.yield %sum : index
      } else {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        %j = arith.subi %n, %i : index
        %l = arith.subi %j, %c1 : index
        %m = memref.load %K[%l] : memref<?xi32>
        %s = arith.cmpi slt, %m, %i0 : i32
        %t = arith.select %s, %c3, %row : index
        scf.yield %t : index
      }
      %bit = arith.remui %row, %c2 : index
      %odd = arith.cmpi ne, %bit, %c0 : index
      %twice = arith.muli %i, %c2 : index
      %to, %factor = scf.if %odd -> (index, f32) {
        tile.copy %S to %f : !Tile, memref<32xf32, #frag>
        scf.yield %twice, %f2 : index, f32
      } else {
        tile.copy %S to %f : !Tile, memref<32xf32, #frag>
        %u = arith.addi %twice, %c1 : index
        scf.yield %u, %f1 : index, f32
      }
      tile.parallel (%x) in [32] {
        %v = memref.load %f[%x] : memref<32xf32, #frag>
        %w = arith.mulf %v, %factor : f32
        memref.store %w, %f[%x] : memref<32xf32, #frag>
      }
      %o = tile.region %O[%to, 0] [1, 32] drop [0] : !In
      tile.copy %f to %o : memref<32xf32, #frag>, !Row
      scf.yield %next : index
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A branch yields what is computed from the tile that it has copied: the copies
// run ahead, and what is yielded stays where it is.
// CASE: computed(A=ints:40x32:f32, K=ints:40:i32, O=junk:40x32:f32, n=12)
// CASE: computed(A=ones:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, n=3)
// CASE: computed(A=ints:40x32:f32, K=zeros:40:i32, O=junk:40x32:f32, n=6)
// CASE: computed(A=ints:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, n=0)
// EXPECT: sum, seen = 0.0, 0
// EXPECT: for i in range(n):
// EXPECT:   if K[i] > 0:
// EXPECT:     O[i] = A[i]
// EXPECT:     sum += 8 * A[i][3]
// EXPECT:     big = (A[i] > 1).any()
// EXPECT:     seen += 1
// EXPECT:   else: big = True
// EXPECT:   if big: O[20 + i] = sum
// EXPECT: O[39] = sum + seen
func.func @computed(%A: !In, %K: memref<40xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c39 = arith.constant 39 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %true = arith.constant true
    %S = tile.alloc : !Tile
    %m = tile.alloc : memref<32xi1, #frag>
    %f = tile.alloc : memref<32xf32, #frag>
    %sum, %seen = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %c = %i0) -> (f32, i32) {
      %k = memref.load %K[%i] : memref<40xi32>
      %on = arith.cmpi sgt, %k, %i0 : i32
      %s2, %c2, %big = scf.if %on -> (f32, i32, i1) {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
        tile.parallel (%x) in [32] {
          %v = memref.load %S[%x] : !Tile
          %p = arith.cmpf ogt, %v, %one : f32
          memref.store %p, %m[%x] : memref<32xi1, #frag>
        }
        %any = tile.any_of %m : memref<32xi1, #frag>
        %part = scf.for %x = %c0 to %c8 step %c1 iter_args(%t = %s) -> (f32) {
          %v = memref.load %S[%c3] : !Tile
          %u = arith.addf %t, %v : f32
          scf.yield %u : f32
        }
        %d = arith.addi %c, %i1 : i32
        scf.yield %part, %d, %any : f32, i32, i1
      } else {
        scf.yield %s, %c, %true : f32, i32, i1
      }
      scf.if %big {
        %j = arith.addi %i, %c20 : index
        %o = tile.region %O[%j, 0] [1, 32] drop [0] : !In
        tile.fill %f, %s2 : memref<32xf32, #frag>, f32
        tile.copy %f to %o : memref<32xf32, #frag>, !Row
      }
      scf.yield %s2, %c2 : f32, i32
    } {tile.num_stages = NUM_STAGES : i32}
    %w = arith.sitofp %seen : i32 to f32
    %v = arith.addf %sum, %w : f32
    tile.fill %f, %v : memref<32xf32, #frag>, f32
    %last = tile.region %O[%c39, 0] [1, 32] drop [0] : !In
    tile.copy %f to %last : memref<32xf32, #frag>, !Row
    gpu.terminator
  }
  return
}

// An scf.while whose body chooses how far it goes on.
// CASE: steps(A=ints:40x32:f32, K=ones:41:i32, O=junk:40x32:f32, n=9)
// CASE: steps(A=ints:40x32:f32, K=zeros:41:i32, O=junk:40x32:f32, n=9)
// CASE: steps(A=ints:40x32:f32, K=ints:41:i32, O=junk:40x32:f32, n=23)
// CASE: steps(A=ints:40x32:f32, K=ints:41:i32, O=junk:40x32:f32, n=0)
// EXPECT: i = 0
// EXPECT: while i < n:
// EXPECT:   if K[i] > 0: O[i] = A[i]; i += 1
// EXPECT:   else: i += 3
func.func @steps(%A: !In, %K: memref<41xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %end = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %k = memref.load %K[%i] : memref<41xi32>
      %p = arith.cmpi sgt, %k, %i0 : i32
      %next = scf.if %p -> (index) {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
        %j = arith.addi %i, %c1 : index
        scf.yield %j : index
      } else {
        %j = arith.addi %i, %c3 : index
        scf.yield %j : index
      }
      scf.yield %next : index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}
