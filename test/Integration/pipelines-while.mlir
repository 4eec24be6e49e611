// Pipelined `scf.while` loops. What decides about iterations runs ahead with the
// copies: as often as the loop decides, and of the same values, so that no load
// of a condition leaves its tensor. Rows that no iteration writes keep their
// value. pipelines.py runs all numbers of stages, with roles and without.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=0,1,2,3,4 --out=%t

#smem = #gpu.address_space<workgroup>
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Tile = memref<32xf32, #smem>

// Any number of iterations; after the loop its results are those of the last
// decision, which are not what the body gets.
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=0)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=1)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=2)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=3)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=4)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=5)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=6)
// CASE: counted(A=ints:40x32:f32, O=junk:40x32:f32, R=junk:2:i32, n=9)
// EXPECT: for i in range(n): O[2 * i] = A[i + 3]
// EXPECT: R[:] = 2 * n, n + 7
func.func @counted(%A: !In, %O: !In, %R: memref<2xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i7 = arith.constant 7 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %last:2 = scf.while (%i = %i0, %b = %i7) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi slt, %i, %n : i32
      %twice = arith.muli %i, %i2 : i32
      scf.condition(%more) %twice, %b : i32, i32
    } do {
    ^bb0(%w: i32, %b: i32):
      %y = arith.index_cast %w : i32 to index
      %h = arith.divui %w, %i2 : i32
      %h3 = arith.addi %h, %i2 : i32
      %h4 = arith.addi %h3, %i1 : i32
      %x = arith.index_cast %h4 : i32 to index
      %ay = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %oy = tile.region %O[%y, 0] [1, 32] drop [0] : !In
      tile.copy %ay to %S : !Row, !Tile
      tile.copy %S to %oy : !Tile, !Row
      %next = arith.addi %h, %i1 : i32
      %b1 = arith.addi %b, %i1 : i32
      scf.yield %next, %b1 : i32, i32
    } attributes {tile.num_stages = NUM_STAGES : i32}
    memref.store %last#0, %R[%c0] : memref<2xi32>
    memref.store %last#1, %R[%c1] : memref<2xi32>
    gpu.terminator
  }
  return
}

// A list: the next row comes from a tensor, which is read where the loop reads
// it and nowhere else. A value counts the rows.
// CASE: list(A=ints:40x32:f32, K=count:10:i32, O=junk:40x32:f32, R=junk:1:i32, first=0)
// CASE: list(A=ints:40x32:f32, K=count:10:i32, O=junk:40x32:f32, R=junk:1:i32, first=8)
// CASE: list(A=ints:40x32:f32, K=count:10:i32, O=junk:40x32:f32, R=junk:1:i32, first=-1)
// CASE: list(A=ints:40x32:f32, K=zeros:1:i32, O=junk:40x32:f32, R=junk:1:i32, first=0)
// EXPECT: k, row = 0, first
// EXPECT: while 0 <= row < len(K):
// EXPECT:   O[k] = A[row]
// EXPECT:   k, row = k + 1, int(K[row]) + 2
// EXPECT: R[:] = k
func.func @list(%A: !In, %K: memref<?xi32>, %O: !In, %R: memref<1xi32>, %first: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i2 = arith.constant 2 : i32
  %size = memref.dim %K, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %length = arith.index_cast %size : index to i32
    %end:2 = scf.while (%row = %first, %k = %c0) : (i32, index) -> (i32, index) {
      %more = arith.cmpi ult, %row, %length : i32
      scf.condition(%more) %row, %k : i32, index
    } do {
    ^bb0(%row: i32, %k: index):
      %x = arith.index_cast %row : i32 to index
      %ak = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %ok = tile.region %O[%k, 0] [1, 32] drop [0] : !In
      tile.copy %ak to %S : !Row, !Tile
      tile.copy %S to %ok : !Tile, !Row
      %next = memref.load %K[%x] : memref<?xi32>
      %next2 = arith.addi %next, %i2 : i32
      %k1 = arith.addi %k, %c1 : index
      scf.yield %next2, %k1 : i32, index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    %count = arith.index_cast %end#1 : index to i32
    memref.store %count, %R[%c0] : memref<1xi32>
    gpu.terminator
  }
  return
}

// An early end: the mask has no element after the last iteration. Guards with
// an else branch; the loop runs several times, each from where it ended.
// CASE: early(A=ints:40x32:f32, B=ints:40x32:f32, K=ones:7:i32, O=junk:40x32:f32, n=7, m=2)
// CASE: early(A=ints:40x32:f32, B=ints:40x32:f32, K=ones:1:i32, O=junk:40x32:f32, n=0, m=1)
// CASE: early(A=ints:40x32:f32, B=ints:40x32:f32, K=count:6:i32, O=junk:40x32:f32, n=6, m=3)
// CASE: early(A=ints:40x32:f32, B=ints:40x32:f32, K=zeros:5:i32, O=junk:40x32:f32, n=5, m=2)
// CASE: early(A=ints:40x32:f32, B=ints:40x32:f32, K=ones:1:i32, O=junk:40x32:f32, n=1, m=1)
// EXPECT: for t in range(m):
// EXPECT:   i = t
// EXPECT:   while i < n and K[i] != 0:
// EXPECT:     O[10 * t + i] = A[i] if i % 3 else B[2 * i]
// EXPECT:     i += 1
func.func @early(%A: !In, %B: !In, %K: memref<?xi32>, %O: !In, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %i0 = arith.constant 0 : i32
  %false = arith.constant false
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %t = %c0 to %m step %c1 {
      %end = scf.while (%i = %t) : (index) -> index {
        %in = arith.cmpi ult, %i, %n : index
        %more = scf.if %in -> i1 {
          %k = memref.load %K[%i] : memref<?xi32>
          %set = arith.cmpi ne, %k, %i0 : i32
          scf.yield %set : i1
        } else {
          scf.yield %false : i1
        }
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %t10 = arith.muli %t, %c10 : index
        %y = arith.addi %t10, %i : index
        %third = arith.remui %i, %c3 : index
        %p = arith.cmpi ne, %third, %c0 : index
        scf.if %p {
          %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
          tile.copy %a to %S : !Row, !Tile
        } else {
          %x = arith.muli %i, %c2 : index
          %b = tile.region %B[%x, 0] [1, 32] drop [0] : !In
          tile.copy %b to %S : !Row, !Tile
        }
        %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %S to %o : !Tile, !Row
        %j = arith.addi %i, %c1 : index
        scf.yield %j : index
      } attributes {tile.num_stages = NUM_STAGES : i32}
    }
    gpu.terminator
  }
  return
}

// The copied data decides: nothing can run ahead.
// CASE: data(A=count:40x32:f32, O=junk:40x32:f32, limit=100.0)
// CASE: data(A=count:40x32:f32, O=junk:40x32:f32, limit=-1.0)
// EXPECT: i = 0
// EXPECT: while True:
// EXPECT:   O[i] = A[i]
// EXPECT:   if not A[i, 0] < limit: break
// EXPECT:   i += 1
func.func @data(%A: !In, %O: !In, %limit: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %end:2 = scf.while (%i = %c0, %go = %true) : (index, i1) -> (index, i1) {
      scf.condition(%go) %i, %go : index, i1
    } do {
    ^bb0(%i: index, %go: i1):
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
      %first = memref.load %S[%c0] : !Tile
      %again = arith.cmpf olt, %first, %limit : f32
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %again : index, i1
    } attributes {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A while loop in a loop of copies, and a loop of copies in a while loop.
// CASE: nested(A=ints:40x32:f32, O=junk:40x32:f32, n=4, m=3)
// CASE: nested(A=ints:40x32:f32, O=junk:40x32:f32, n=3, m=0)
// CASE: nested(A=ints:40x32:f32, O=junk:40x32:f32, n=1, m=6)
// EXPECT: for i in range(n):
// EXPECT:   for j in range(m): O[m * i + j] = A[i + 2 * j]
// EXPECT:   O[20 + i] = A[30 + i]
// EXPECT:   for j in range(2): O[30 + 2 * i + j] = A[i + j]
func.func @nested(%A: !In, %O: !In, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %c30 = arith.constant 30 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %T = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %x0 = arith.addi %i, %c30 : index
      %y0 = arith.addi %i, %c20 : index
      %a0 = tile.region %A[%x0, 0] [1, 32] drop [0] : !In
      tile.copy %a0 to %S : !Row, !Tile
      %im = arith.muli %i, %m : index
      %end = scf.while (%j = %c0) : (index) -> index {
        %more = arith.cmpi ult, %j, %m : index
        scf.condition(%more) %j : index
      } do {
      ^bb0(%j: index):
        %j2 = arith.muli %j, %c2 : index
        %x = arith.addi %i, %j2 : index
        %y = arith.addi %im, %j : index
        %ay = tile.region %A[%x, 0] [1, 32] drop [0] : !In
        %oy = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %ay to %T : !Row, !Tile
        tile.copy %T to %oy : !Tile, !Row
        %next = arith.addi %j, %c1 : index
        scf.yield %next : index
      } attributes {tile.num_stages = NUM_STAGES : i32}
      %o0 = tile.region %O[%y0, 0] [1, 32] drop [0] : !In
      tile.copy %S to %o0 : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    %end = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %i2 = arith.muli %i, %c2 : index
      %y0 = arith.addi %i2, %c30 : index
      scf.for %j = %c0 to %c2 step %c1 {
        %x = arith.addi %i, %j : index
        %y = arith.addi %y0, %j : index
        %ay = tile.region %A[%x, 0] [1, 32] drop [0] : !In
        %oy = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %ay to %T : !Row, !Tile
        tile.copy %T to %oy : !Tile, !Row
      } {tile.num_stages = NUM_STAGES : i32}
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A counted loop that fetches what it hands over: the tensor ends with the loop.
// CASE: chained(A=ints:40x32:f32, K=ones:5:i32, O=junk:40x32:f32)
// CASE: chained(A=ints:40x32:f32, K=count:1:i32, O=junk:40x32:f32)
// EXPECT: at = 4
// EXPECT: for i in range(len(K)):
// EXPECT:   O[i] = A[at]
// EXPECT:   at += K[i]
func.func @chained(%A: !In, %K: memref<?xi32>, %O: !In) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i4 = arith.constant 4 : i32
  %n = memref.dim %K, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %i4) -> i32 {
      %x = arith.index_cast %at : i32 to index
      %ai = tile.region %A[%x, 0] [1, 32] drop [0] : !In
      %oi = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %ai to %S : !Row, !Tile
      tile.copy %S to %oi : !Tile, !Row
      %k = memref.load %K[%i] : memref<?xi32>
      %next = arith.addi %at, %k : i32
      scf.yield %next : i32
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

#frag = #tile.fragment
!Q = memref<64x32xbf16, #smem>
!V = memref<32x64xbf16, #smem>
!Acc = memref<64x64xf32, #frag>

// Two products in a row, the second one of what the first one gives.
// CASE: attention(Q=ints:64x32:bf16, K=ints:96x32:bf16, V=ints:96x64:bf16, O=junk:64x64:f32, M=junk:64:f32)
// EXPECT: S = Q @ K.T
// EXPECT: O, M = S @ V, S.max(axis=1)
func.func @attention(%Q: memref<64x32xbf16>, %K: memref<96x32xbf16>, %V: memref<96x64xbf16>, %O: memref<64x64xf32>, %M: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %Qs = tile.alloc : !Q
    %Ks = tile.alloc : memref<32x32xbf16, #smem>
    %Vs = tile.alloc : !V
    %S = tile.alloc : memref<64x32xf32, #frag>
    %P = tile.alloc : memref<64x32xbf16, #frag>
    %max = tile.alloc : memref<64xf32, #frag>
    %acc = tile.alloc : !Acc
    %q = tile.region %Q[0, 0] [64, 32] : memref<64x32xbf16>
    tile.copy %q to %Qs : !tile.region<64x32xbf16>, !Q
    tile.fill %acc, %zero : !Acc, f32
    tile.fill %max, %low : memref<64xf32, #frag>, f32
    %end = scf.while (%n = %c0) : (index) -> index {
      %more = arith.cmpi ult, %n, %c96 : index
      scf.condition(%more) %n : index
    } do {
    ^bb0(%n: index):
      %k = tile.region %K[%n, 0] [32, 32] {align = 16 : i64} : memref<96x32xbf16>
      %v = tile.region %V[%n, 0] [32, 64] {align = 16 : i64} : memref<96x64xbf16>
      tile.copy %k to %Ks : !tile.region<32x32xbf16>, memref<32x32xbf16, #smem>
      tile.copy %v to %Vs : !tile.region<32x64xbf16>, !V
      tile.fill %S, %zero : memref<64x32xf32, #frag>, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (!Q, memref<32x32xbf16, #smem>, memref<64x32xf32, #frag>)
      tile.reduce max %S to %max dim 1 : memref<64x32xf32, #frag>, memref<64xf32, #frag>
      tile.copy %S to %P : memref<64x32xf32, #frag>, memref<64x32xbf16, #frag>
      tile.gemm %P, %Vs, %acc : (memref<64x32xbf16, #frag>, !V, !Acc)
      %next = arith.addi %n, %c32 : index
      scf.yield %next : index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    %o = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    %m = tile.region %M[0] [64] : memref<64xf32>
    tile.copy %acc to %o : !Acc, !tile.region<64x64xf32>
    tile.copy %max to %m : memref<64xf32, #frag>, !tile.region<64xf32>
    gpu.terminator
  }
  return
}
