// Copies of pipelined loops that neither TMA nor cp.async can do go by way of
// registers: rows at odd places, conversions, element loops, transpositions;
// beside copies that are asynchronous. Without roles, on both targets, each
// number of stages; what must hold with roles as well runs with them.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=0,1,2,3,4 --out=%t
// RUN: tile-compile %t/alone-2/pipelines-registers.mlir --target=sm_80 -o %t/x 2>&1 | FileCheck %s

// CHECK-COUNT-12: [tile-pipeline/register-staged] goes by way of registers
// CHECK: [tile-pipeline/used-outside] is not fetched ahead of its use
// CHECK: [tile-pipeline/plain] stops its threads until memory has answered: it takes 96 registers per thread, and 64 are free
// CHECK: [tile-pipeline/register-staged] goes by way of registers
// CHECK-NOT: [tile-pipeline

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!A = memref<64x77xbf16>
!B = memref<77x48xf32>
!C = memref<64x48xf32>
!As = memref<64x16xbf16, #smem>
!Bs = memref<16x48xbf16, #smem>
!Acc = memref<64x48xf32, #frag>

// A product: A in rows of 154 bytes, B in another type.
// CASE: product(A=ints:64x77:bf16, B=ints:77x48:f32, C=junk:64x48:f32, K=77)
// CASE: product(A=ints:64x77:bf16, B=ints:77x48:f32, C=junk:64x48:f32, K=16)
// CASE: product(A=ints:64x77:bf16, B=ints:77x48:f32, C=junk:64x48:f32, K=0)
// EXPECT: K = -(-K // 16) * 16
// EXPECT: C = A[:, :K] @ B[:K]
func.func @product(%A: !A, %B: !B, %C: !C, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !As
    %Bs = tile.alloc : !Bs
    %acc = tile.alloc : !Acc
    tile.fill %acc, %zero : !Acc, f32
    scf.for %k = %c0 to %K step %c16 {
      %a = tile.region %A[0, %k] [64, 16] : !A
      %b = tile.region %B[%k, 0] [16, 48] : !B
      tile.copy %a to %As : !tile.region<64x16xbf16>, !As
      tile.copy %b to %Bs : !tile.region<16x48xf32>, !Bs
      tile.gemm %As, %Bs, %acc : (!As, !Bs, !Acc)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[0, 0] [64, 48] : !C
    tile.copy %acc to %c : !Acc, !tile.region<64x48xf32>
    gpu.terminator
  }
  return
}

// One factor by asynchronous copies, the other one computed from two tensors by
// an element loop and transposed on the way.
// CASE: computed(A=ints:64x96:bf16, B=ints:48x96:bf16, S=ints:96:f32, C=junk:64x48:f32, n=6)
// CASE: computed(A=ints:64x96:bf16, B=ints:48x96:bf16, S=ints:96:f32, C=junk:64x48:f32, n=1)
// EXPECT: C = A[:, :16 * n] @ (B[:, :16 * n] * S[:16 * n]).T
func.func @computed(%A: memref<64x96xbf16>, %B: memref<48x96xbf16>, %S: memref<96xf32>, %C: !C, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !As
    %Bs = tile.alloc : !Bs
    %acc = tile.alloc : !Acc
    tile.fill %acc, %zero : !Acc, f32
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c16 : index
      %a = tile.region %A[0, %k] [64, 16] {align = 16 : i64} : memref<64x96xbf16>
      tile.copy %a to %As : !tile.region<64x16xbf16>, !As
      tile.parallel (%r, %c) in [16, 48] {
        %at = arith.addi %k, %r : index
        %b = memref.load %B[%c, %at] : memref<48x96xbf16>
        %s = memref.load %S[%at] : memref<96xf32>
        %x = arith.extf %b : bf16 to f32
        %y = arith.mulf %x, %s : f32
        %z = arith.truncf %y : f32 to bf16
        memref.store %z, %Bs[%r, %c] : !Bs
      }
      tile.gemm %As, %Bs, %acc : (!As, !Bs, !Acc)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[0, 0] [64, 48] : !C
    tile.copy %acc to %c : !Acc, !tile.region<64x48xf32>
    gpu.terminator
  }
  return
}

!In = memref<40x33xf32>
!Row = !tile.region<33xf32>
!Tile = memref<33xf32, #smem>

// Odd rows, which no threads divide, under guards: both branches fill the tile, one half of another one
// comes from elsewhere, and the place of a row is fetched.
// CASE: guards(A=ints:40x33:f32, B=ints:40x33:f32, K=count:40:i32, O=junk:40x33:f32, n=7)
// CASE: guards(A=ints:40x33:f32, B=ints:40x33:f32, K=zeros:40:i32, O=junk:40x33:f32, n=3)
// CASE: guards(A=ints:40x33:f32, B=ints:40x33:f32, K=count:40:i32, O=junk:40x33:f32, n=0)
// CASE: guards(A=ints:40x33:f32, B=ints:40x33:f32, K=count:40:i32, O=junk:40x33:f32, n=1)
// EXPECT: for i in range(n):
// EXPECT:   O[i] = A[K[i] + 1] if i % 3 else B[2 * i]
// EXPECT:   if K[i] % 2: O[20 + i, :16], O[20 + i, 16:] = A[i, :16], B[i, 16:]
func.func @guards(%A: !In, %B: !In, %K: memref<40xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %T = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %k = memref.load %K[%i] : memref<40xi32>
      %at = arith.index_cast %k : i32 to index
      %third = arith.remui %i, %c3 : index
      %p = arith.cmpi ne, %third, %c0 : index
      scf.if %p {
        %at1 = arith.addi %at, %c1 : index
        %a = tile.region %A[%at1, 0] [1, 33] drop [0] : !In
        tile.copy %a to %S {instr = #tile.instr<simt>} : !Row, !Tile
      } else {
        %x = arith.muli %i, %c2 : index
        %b = tile.region %B[%x, 0] [1, 33] drop [0] : !In
        tile.copy %b to %S {instr = #tile.instr<simt>} : !Row, !Tile
      }
      %o = tile.region %O[%i, 0] [1, 33] drop [0] : !In
      tile.copy %S to %o : !Tile, !Row
      %half = arith.remui %at, %c2 : index
      %q = arith.cmpi eq, %half, %c1 : index
      scf.if %q {
        %a0 = tile.region %A[%i, 0] [1, 16] drop [0] : !In
        %b1 = tile.region %B[%i, 16] [1, 17] drop [0] : !In
        %t0 = tile.region %T[0] [16] : !Tile
        %t1 = tile.region %T[16] [17] : !Tile
        tile.copy %a0 to %t0 {instr = #tile.instr<simt>} : !tile.region<16xf32>, !tile.region<16xf32, #smem>
        tile.copy %b1 to %t1 {instr = #tile.instr<simt>} : !tile.region<17xf32>, !tile.region<17xf32, #smem>
        %y = arith.addi %i, %c20 : index
        %u = tile.region %O[%y, 0] [1, 33] drop [0] : !In
        tile.copy %T to %u : !Tile, !Row
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A while loop over rows of bytes, the place of each in a list; a transposition
// and a type that is converted.
// CASE: list(A=ints:40x66:i8, K=count:12:i32, O=junk:40x66:i32, P=junk:3x22x40:f32, G=ints:40x3x22:bf16)
// CASE: list(A=ints:40x66:i8, K=zeros:1:i32, O=junk:40x66:i32, P=junk:3x22x40:f32, G=ints:40x3x22:bf16)
// EXPECT: i, row = 0, 0
// EXPECT: while row < len(K):
// EXPECT:   O[i] = A[row]
// EXPECT:   P[:, :, i] = G[row]
// EXPECT:   i, row = i + 1, int(K[row]) + 2
func.func @list(%A: memref<40x66xi8>, %K: memref<?xi32>, %O: memref<40x66xi32>, %P: memref<3x22x40xf32>, %G: memref<40x3x22xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %K, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<66xi32, #smem>
    %T = tile.alloc : memref<22x3xf32, #smem>
    %end:2 = scf.while (%row = %c0, %i = %c0) : (index, index) -> (index, index) {
      %more = arith.cmpi ult, %row, %n : index
      scf.condition(%more) %row, %i : index, index
    } do {
    ^bb0(%row: index, %i: index):
      %a = tile.region %A[%row, 0] [1, 66] drop [0] : memref<40x66xi8>
      %g = tile.region %G[%row, 0, 0] [1, 3, 22] drop [0] : memref<40x3x22xbf16>
      tile.copy %a to %S : !tile.region<66xi8>, memref<66xi32, #smem>
      tile.transpose %g to %T : !tile.region<3x22xbf16>, memref<22x3xf32, #smem>
      %o = tile.region %O[%i, 0] [1, 66] drop [0] : memref<40x66xi32>
      tile.copy %S to %o : memref<66xi32, #smem>, !tile.region<66xi32>
      tile.parallel (%x, %y) in [3, 22] {
        %t = memref.load %T[%y, %x] : memref<22x3xf32, #smem>
        memref.store %t, %P[%x, %y, %i] : memref<3x22x40xf32>
      }
      %k = memref.load %K[%row] : memref<?xi32>
      %k0 = arith.index_cast %k : i32 to index
      %next = arith.addi %k0, %c2 : index
      %j = arith.addi %i, %c1 : index
      scf.yield %next, %j : index, index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Two loops with one tile: what the first one leaves in it matters to nobody.
// CASE: one_tile(A=ints:40x33:f32, B=ints:40x33:f32, O=junk:40x33:f32, n=4)
// CASE: one_tile(A=ints:40x33:f32, B=ints:40x33:f32, O=junk:40x33:f32, n=1)
// EXPECT: O[:n], O[20:20 + n] = A[:n], B[:n]
func.func @one_tile(%A: !In, %B: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 33] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 33] drop [0] : !In
      tile.copy %a to %S {instr = #tile.instr<simt>} : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = 1 : i32}
    scf.for %i = %c0 to %n step %c1 {
      %b = tile.region %B[%i, 0] [1, 33] drop [0] : !In
      %y = arith.addi %i, %c20 : index
      %o = tile.region %O[%y, 0] [1, 33] drop [0] : !In
      tile.copy %b to %S {instr = #tile.instr<simt>} : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A loop in a loop that has the same tile: written as a pipeline, the outer one
// stores it after the inner one, whose plan no longer holds and is made anew.
// CASE: inner_tile(A=ints:40x33:f32, B=ints:40x33:f32, O=junk:40x33:f32, n=3)
// CASE: inner_tile(A=ints:40x33:f32, B=ints:40x33:f32, O=junk:40x33:f32, n=1)
// EXPECT: for i in range(n):
// EXPECT:   O[i] = A[i]
// EXPECT:   for j in range(3): O[10 + 3 * i + j] = B[i + j]
func.func @inner_tile(%A: !In, %B: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 33] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 33] drop [0] : !In
      tile.copy %a to %S {instr = #tile.instr<simt>} : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
      %i3 = arith.muli %i, %c3 : index
      %first = arith.addi %i3, %c10 : index
      scf.for %j = %c0 to %c3 step %c1 {
        %x = arith.addi %i, %j : index
        %y = arith.addi %first, %j : index
        %b = tile.region %B[%x, 0] [1, 33] drop [0] : !In
        %u = tile.region %O[%y, 0] [1, 33] drop [0] : !In
        tile.copy %b to %S {instr = #tile.instr<cp_async>} : !Row, !Tile
        tile.copy %S to %u : !Tile, !Row
      } {tile.num_stages = NUM_STAGES : i32}
    } {tile.num_stages = 1 : i32}
    gpu.terminator
  }
  return
}

// A tile too large for registers is copied in one piece; the small one is not.
// CASE: large(A=ints:40x3072:f32, B=ints:40x33:f32, O=junk:40x3072:f32, P=junk:40x33:f32, n=3)
// EXPECT: O[:n], P[:n] = A[:n], B[:n]
func.func @large(%A: memref<40x3072xf32>, %B: !In, %O: memref<40x3072xf32>, %P: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<3072xf32, #smem>
    %T = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 3072] drop [0] : memref<40x3072xf32>
      %o = tile.region %O[%i, 0] [1, 3072] drop [0] : memref<40x3072xf32>
      %b = tile.region %B[%i, 0] [1, 33] drop [0] : !In
      %p = tile.region %P[%i, 0] [1, 33] drop [0] : !In
      tile.copy %a to %S {instr = #tile.instr<simt>} : !tile.region<3072xf32>, memref<3072xf32, #smem>
      tile.copy %b to %T {instr = #tile.instr<simt>} : !Row, !Tile
      tile.copy %S to %o : memref<3072xf32, #smem>, !tile.region<3072xf32>
      tile.copy %T to %p : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}
