// Pipelined loops with element loops and predicates on tiles that have versions.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/pipelines.py %s --stages=1,3 --out=%t

#smem = #gpu.address_space<workgroup>
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Tile = memref<32xf32, #smem>

// An element loop that reads the slot, a mask that is copied with it.
// CASE: elements(A=ints:40x32:f32, B=ints:40x32:f32, O=junk:40x32:f32, n=7)
// CASE: elements(A=ints:40x32:f32, B=ints:40x32:f32, O=junk:40x32:f32, n=0)
// EXPECT: for i in range(n): O[i] = A[i] + B[i] * 2
func.func @elements(%A: !In, %B: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %two = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %T = tile.alloc : !Tile
    %f = tile.alloc : memref<32xf32, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %b to %T : !Row, !Tile
      tile.parallel (%j) in [32] {
        %x = memref.load %S[%j] : !Tile
        %y = memref.load %T[%j] : !Tile
        %z = arith.mulf %y, %two : f32
        %w = arith.addf %x, %z : f32
        memref.store %w, %f[%j] : memref<32xf32, #tile.fragment>
      }
      tile.copy %f to %o : memref<32xf32, #tile.fragment>, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A guard that looks at a tile of booleans, copied or in memory.
// CASE: masked(A=ints:40x32:f32, M=ints:40x32:i1, O=junk:40x32:f32, n=9)
// CASE: masked(A=ints:40x32:f32, M=zeros:40x32:i1, O=junk:40x32:f32, n=5)
// EXPECT: for i in range(n):
// EXPECT:   if M[i].any(): O[i] = A[i]
func.func @masked(%A: !In, %M: memref<40x32xi1>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %Ms = tile.alloc : memref<32xi1, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %m = tile.region %M[%i, 0] [1, 32] drop [0] : memref<40x32xi1>
      tile.copy %m to %Ms : !tile.region<32xi1>, memref<32xi1, #smem>
      %any = tile.any_of %Ms : memref<32xi1, #smem>
      scf.if %any {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// The same of memory that nobody writes: it is looked at where it is needed.
// CASE: looked_up(A=ints:40x32:f32, M=ints:40x32:i1, O=junk:40x32:f32, n=9)
// EXPECT: for i in range(n):
// EXPECT:   if M[i].any(): O[i] = A[i]
func.func @looked_up(%A: !In, %M: memref<40x32xi1>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %m = tile.region %M[%i, 0] [1, 32] drop [0] : memref<40x32xi1>
      %any = tile.any_of %m : !tile.region<32xi1>
      scf.if %any {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Updates from slots, and what was there before them: into a fragment, and into
// a shared tile that a later step reads.
// CASE: updates(A=ints:40x32:f32, C=ints:32:f32, H=wide:32:i8, B=ints:40x32:i8, O=junk:40x32:f32, P=junk:40x32:i8, n=7)
// CASE: updates(A=ints:40x32:f32, C=ints:32:f32, H=wide:32:i8, B=ints:40x32:i8, O=junk:40x32:f32, P=junk:40x32:i8, n=1)
// EXPECT: for i in range(n):
// EXPECT:   O[i] = C; C = C + A[i]; P[i] = H; H = H + B[i]
func.func @updates(%A: !In, %C: memref<32xf32>, %H: memref<32xi8>, %B: memref<40x32xi8>, %O: !In, %P: memref<40x32xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %T = tile.alloc : memref<32xi8, #smem>
    %f = tile.alloc : memref<32xf32, #tile.fragment>
    %g = tile.alloc : memref<32xi8, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : memref<40x32xi8>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      %p = tile.region %P[%i, 0] [1, 32] drop [0] : memref<40x32xi8>
      tile.copy %a to %S : !Row, !Tile
      tile.copy %b to %T : !tile.region<32xi8>, memref<32xi8, #smem>
      tile.atomic add %S to %C old %f : !Tile, memref<32xf32>, memref<32xf32, #tile.fragment>
      tile.atomic add %T to %H old %g : memref<32xi8, #smem>, memref<32xi8>, memref<32xi8, #smem>
      tile.copy %f to %o : memref<32xf32, #tile.fragment>, !Row
      tile.copy %g to %p : memref<32xi8, #smem>, !tile.region<32xi8>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}
