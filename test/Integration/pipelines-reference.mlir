// Pipelined loops that broke a reference system at some time (reference-system.md,
// 7, with its number; 3.1 with the name of its test), each with roles and without,
// all numbers of stages, on both targets. docs/ReferenceFacts.md lists the others.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=0,1,2,3 --out=%t

#smem = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>
#frag = #tile.fragment
!In = memref<40x32xf16>
!Row = !tile.region<32xf16>
!Tile = memref<32xf16, #smem>
!Half = !tile.region<16xf16>

// 3.1.2, predicated_copy_preserves_shared_fill_correctness (451): a tile is filled with
// zeros, then one half of it is copied, or the other, or none.
// CASE: below(A=ints:40x32:f16, K=count:40:i32, O=junk:40x32:f16, n=1)
// CASE: below(A=ints:40x32:f16, K=count:40:i32, O=junk:40x32:f16, n=8)
// EXPECT: for i in range(n):
// EXPECT:   O[i] = 0
// EXPECT:   if K[i] % 3 != 1: O[i, :16] = A[i, :16]
// EXPECT:   if K[i] % 3 == 2: O[i, 16:] = A[i, 16:]
func.func @below(%A: !In, %K: memref<40xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %k = memref.load %K[%i] : memref<40xi32>
      %m = arith.remui %k, %i3 : i32
      tile.fill %S, %zero : !Tile, f16
      %p = arith.cmpi ne, %m, %i1 : i32
      scf.if %p {
        %a = tile.region %A[%i, 0] [1, 16] drop [0] {align = 16 : i64} : !In
        %s = tile.region %S[0] [16] : !Tile
        tile.copy %a to %s : !Half, !tile.region<16xf16, #smem>
      }
      %q = arith.cmpi eq, %m, %i2 : i32
      scf.if %q {
        %a = tile.region %A[%i, 16] [1, 16] drop [0] {align = 16 : i64} : !In
        %s = tile.region %S[16] [16] : !Tile
        tile.copy %a to %s : !Half, !tile.region<16xf16, #smem>
      }
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// 2744: the body changes the variable that its guard reads, before the guard and
// after it.
// CASE: variable(A=ints:40x32:f16, O=junk:40x32:f16, n=9)
// CASE: variable(A=ints:40x32:f16, O=junk:40x32:f16, n=0)
// EXPECT: v = 0
// EXPECT: for i in range(n):
// EXPECT:   if v % 3 != 2: O[i] = A[2 * i]; v += 2
// EXPECT:   else: O[20 + i] = A[v]; v += 3
// EXPECT:   v += i
func.func @variable(%A: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %v = tile.alloc : memref<i32, #private>
    memref.store %i0, %v[] : memref<i32, #private>
    scf.for %i = %c0 to %n step %c1 {
      %v0 = memref.load %v[] : memref<i32, #private>
      %at = arith.index_cast %v0 : i32 to index
      %m = arith.remui %at, %c3 : index
      %p = arith.cmpi ne, %m, %c2 : index
      scf.if %p {
        %x = arith.muli %i, %c2 : index
        %a = tile.region %A[%x, 0] [1, 32] drop [0] {align = 16 : i64} : !In
        tile.copy %a to %S : !Row, !Tile
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %S to %o : !Tile, !Row
        %v1 = arith.addi %v0, %i2 : i32
        memref.store %v1, %v[] : memref<i32, #private>
      } else {
        %a = tile.region %A[%at, 0] [1, 32] drop [0] {align = 16 : i64} : !In
        tile.copy %a to %S : !Row, !Tile
        %y = arith.addi %i, %c20 : index
        %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
        tile.copy %S to %o : !Tile, !Row
        %v1 = arith.addi %v0, %i3 : i32
        memref.store %v1, %v[] : memref<i32, #private>
      }
      %v2 = memref.load %v[] : memref<i32, #private>
      %w = arith.index_cast %i : index to i32
      %v3 = arith.addi %v2, %w : i32
      memref.store %v3, %v[] : memref<i32, #private>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// 2737, 2953, 2031: rows with a layout of the user, which is expanded by the
// slots, and the same bytes as another type.
// CASE: typed(A=ints:40x64:i16, O=junk:40x64:i16, P=junk:40x128:i8, n=5)
// CASE: typed(A=ints:40x64:i16, O=junk:40x64:i16, P=junk:40x128:i8, n=2)
// EXPECT: O[:n], P[:n] = A[:n], A[:n].view(np.int8)
func.func @typed(%A: memref<40x64xi16>, %O: memref<40x64xi16>, %P: memref<40x128xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"linear">} : memref<64xi16, #smem>
    %B = tile.view %S : memref<64xi16, #smem> to memref<128xi8, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 64] drop [0] {align = 16 : i64} : memref<40x64xi16>
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<40x64xi16>
      %p = tile.region %P[%i, 0] [1, 128] drop [0] : memref<40x128xi8>
      tile.copy %a to %S : !tile.region<64xi16>, memref<64xi16, #smem>
      tile.copy %S to %o : memref<64xi16, #smem>, !tile.region<64xi16>
      tile.copy %B to %p : memref<128xi8, #smem>, !tile.region<128xi8>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// 2636: rows that leave the tensor give 3 there, which no asynchronous copy can do.
// 2204: a tile that is filled before the loop, one that lives inside only.
// CASE: outside(A=ints:21x32:f16, B=ints:32:f16, O=junk:40x32:f16, n=6)
// EXPECT: for i in range(n):
// EXPECT:   T = np.full((4, 32), 3); k = max(0, min(4, 21 - 4 * i))
// EXPECT:   T[:k] = A[4 * i:4 * i + k]
// EXPECT:   O[4 * i:4 * i + 4] = T * 2 + B
func.func @outside(%A: memref<21x32xf16>, %B: memref<32xf16>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %three = arith.constant 3.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %Bs = tile.alloc : !Tile
    %S = tile.alloc : memref<4x32xf16, #smem>
    %b = tile.region %B[0] [32] : memref<32xf16>
    tile.copy %b to %Bs : !Row, !Tile
    scf.for %i = %c0 to %n step %c1 {
      %D = tile.alloc : memref<4x32xf16, #smem>
      %r = arith.muli %i, %c4 : index
      %a = tile.region %A[%r, 0] [4, 32] pad %three : f16 in : memref<21x32xf16>
      tile.copy %a to %S : !tile.region<4x32xf16>, memref<4x32xf16, #smem>
      tile.parallel (%x, %y) in [4, 32] {
        %s = memref.load %S[%x, %y] : memref<4x32xf16, #smem>
        %t = arith.addf %s, %s : f16
        memref.store %t, %D[%x, %y] : memref<4x32xf16, #smem>
      }
      tile.parallel (%x, %y) in [4, 32] {
        %d = memref.load %D[%x, %y] : memref<4x32xf16, #smem>
        %e = memref.load %Bs[%y] : !Tile
        %t = arith.addf %d, %e : f16
        %row = arith.addi %r, %x : index
        memref.store %t, %O[%row, %y] : !In
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// 2008: two products read one tile, once as it lies and once transposed. 2547: a
// product ahead of the loop starts the sum.
// CASE: both(A=ints:64x64:bf16, B=ints:160x32:bf16, C=junk:64x32:f32, n=5)
// CASE: both(A=ints:64x64:bf16, B=ints:160x32:bf16, C=junk:64x32:f32, n=0)
// EXPECT: C = A[:, :32] @ B[:32]
// EXPECT: for i in range(n): C += A[:, :32] @ B[32*i:32*i+32] + A[:, 32:] @ B[32*i:32*i+32].T
func.func @both(%A: memref<64x64xbf16>, %B: memref<160x32xbf16>, %C: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %A0 = tile.alloc : memref<64x32xbf16, #smem>
    %A1 = tile.alloc : memref<64x32xbf16, #smem>
    %B0 = tile.alloc : memref<32x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x32xbf16, #smem>
    %acc = tile.alloc : memref<64x32xf32, #frag>
    %a0 = tile.region %A[0, 0] [64, 32] : memref<64x64xbf16>
    %a1 = tile.region %A[0, 32] [64, 32] : memref<64x64xbf16>
    %b0 = tile.region %B[0, 0] [32, 32] : memref<160x32xbf16>
    tile.copy %a0 to %A0 : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    tile.copy %a1 to %A1 : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    tile.copy %b0 to %B0 : !tile.region<32x32xbf16>, memref<32x32xbf16, #smem>
    tile.fill %acc, %zero : memref<64x32xf32, #frag>, f32
    tile.gemm %A0, %B0, %acc : (memref<64x32xbf16, #smem>, memref<32x32xbf16, #smem>, memref<64x32xf32, #frag>)
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c32 : index
      %b = tile.region %B[%k, 0] [32, 32] {align = 16 : i64} : memref<160x32xbf16>
      tile.copy %b to %Bs : !tile.region<32x32xbf16>, memref<32x32xbf16, #smem>
      tile.gemm %A0, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x32xbf16, #smem>, memref<64x32xf32, #frag>)
      tile.gemm %A1, %Bs, %acc {transpose_b} : (memref<64x32xbf16, #smem>, memref<32x32xbf16, #smem>, memref<64x32xf32, #frag>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[0, 0] [64, 32] : memref<64x32xf32>
    tile.copy %acc to %c : memref<64x32xf32, #frag>, !tile.region<64x32xf32>
    gpu.terminator
  }
  return
}

// 2620: a running sum of a part of a wider tile that comes with each iteration.
// CASE: part(A=ints:40x64:i32, O=junk:40x24:i32, n=9)
// CASE: part(A=ints:40x64:i32, O=junk:40x24:i32, n=1)
// EXPECT: O[:4*n] = A[:4*n, 17:41].cumsum(axis=1)
func.func @part(%A: memref<40x64xi32>, %O: memref<40x24xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x64xi32, #smem>
    %f = tile.alloc : memref<4x24xi32, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %r = arith.muli %i, %c4 : index
      %a = tile.region %A[%r, 0] [4, 64] {align = 16 : i64} : memref<40x64xi32>
      tile.copy %a to %S : !tile.region<4x64xi32>, memref<4x64xi32, #smem>
      %s = tile.region %S[0, 17] [4, 24] : memref<4x64xi32, #smem>
      tile.scan sum %s to %f dim 1 : !tile.region<4x24xi32, #smem>, memref<4x24xi32, #frag>
      %o = tile.region %O[%r, 0] [4, 24] : memref<40x24xi32>
      tile.copy %f to %o : memref<4x24xi32, #frag>, !tile.region<4x24xi32>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}
