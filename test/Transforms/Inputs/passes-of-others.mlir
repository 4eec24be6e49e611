// The kernels of passes-of-others.test: products, two products in a row, guards,
// loops, scalars and effects; each line with CASE runs once per way of putting
// passes between ours.

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
#private = #gpu.address_space<private>
!A = memref<64x?xbf16>
!B = memref<?x64xbf16>
!Tile = memref<64x32xbf16, #smem>
!TileB = memref<32x64xbf16, #smem>
!Acc = memref<64x64xf32, #frag>
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Buf = memref<32xf32, #smem>

// CASE: product(A=ints:64x136:bf16, B=ints:136x64:bf16, C=junk:64x64:f32)
// EXPECT: C = A @ B
// CASE: product(A=ints:64x77:bf16, B=ints:77x64:bf16, C=junk:64x64:f32)
// EXPECT: C = A @ B
func.func @product(%A: !A, %B: !B, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : !A
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !Tile
    %Bs = tile.alloc : !TileB
    %acc = tile.alloc : !Acc
    tile.fill %acc, %zero : !Acc, f32
    scf.for %k = %c0 to %K step %c32 {
      %a = tile.region %A[0, %k] [64, 32] : !A
      %b = tile.region %B[%k, 0] [32, 64] : !B
      tile.copy %a to %As : !tile.region<64x32xbf16>, !Tile
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, !TileB
      tile.gemm %As, %Bs, %acc : (!Tile, !TileB, !Acc)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !Acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Scores, their maximum, and a second product of them, as attention has them.
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
    %Qs = tile.alloc : !Tile
    %Ks = tile.alloc : memref<32x32xbf16, #smem>
    %Vs = tile.alloc : !TileB
    %S = tile.alloc : memref<64x32xf32, #frag>
    %P = tile.alloc : memref<64x32xbf16, #frag>
    %max = tile.alloc : memref<64xf32, #frag>
    %acc = tile.alloc : !Acc
    %q = tile.region %Q[0, 0] [64, 32] : memref<64x32xbf16>
    tile.copy %q to %Qs : !tile.region<64x32xbf16>, !Tile
    tile.fill %acc, %zero : !Acc, f32
    tile.fill %max, %low : memref<64xf32, #frag>, f32
    scf.for %n = %c0 to %c96 step %c32 {
      %k = tile.region %K[%n, 0] [32, 32] {align = 16 : i64} : memref<96x32xbf16>
      %v = tile.region %V[%n, 0] [32, 64] {align = 16 : i64} : memref<96x64xbf16>
      tile.copy %k to %Ks : !tile.region<32x32xbf16>, memref<32x32xbf16, #smem>
      tile.copy %v to %Vs : !tile.region<32x64xbf16>, !TileB
      tile.fill %S, %zero : memref<64x32xf32, #frag>, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (!Tile, memref<32x32xbf16, #smem>, memref<64x32xf32, #frag>)
      tile.reduce max %S to %max dim 1 : memref<64x32xf32, #frag>, memref<64xf32, #frag>
      tile.copy %S to %P : memref<64x32xf32, #frag>, memref<64x32xbf16, #frag>
      tile.gemm %P, %Vs, %acc : (memref<64x32xbf16, #frag>, !TileB, !Acc)
    } {tile.num_stages = 2 : i32}
    %o = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    %m = tile.region %M[0] [64] : memref<64xf32>
    tile.copy %acc to %o : !Acc, !tile.region<64x64xf32>
    tile.copy %max to %m : memref<64xf32, #frag>, !tile.region<64xf32>
    gpu.terminator
  }
  return
}

// Guards with else and one in the other, a loop in a loop, values that are carried
// and defined in guards, scalars that both roles need.
// CASE: guards(A=ints:40x32:f32, B=ints:40x32:f32, K=count:40:i32, O=junk:40x32:f32, n=5)
// EXPECT: last = 0
// EXPECT: for t in range(2):
// EXPECT:   for i in range(n):
// EXPECT:     if K[i] % 3:
// EXPECT:       O[20 * t + i] = A[K[i] + 1] if i % 2 else B[2 * i + last]
// EXPECT:       O[20 * t + 10 + i] = B[i]
// EXPECT:     last = K[i]
func.func @guards(%A: !In, %B: !In, %K: memref<40xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Buf
    %T = tile.alloc : !Buf
    %done = scf.for %t = %c0 to %c2 step %c1 iter_args(%before = %c0) -> index {
      %t20 = arith.muli %t, %c20 : index
      %end = scf.for %i = %c0 to %n step %c1 iter_args(%last = %before) -> index {
        %k = memref.load %K[%i] : memref<40xi32>
        %at = arith.index_cast %k : i32 to index
        %third = arith.remui %at, %c3 : index
        %p = arith.cmpi ne, %third, %c0 : index
        scf.if %p {
          %odd = arith.remui %i, %c2 : index
          %q = arith.cmpi eq, %odd, %c1 : index
          scf.if %q {
            %x = arith.addi %at, %c1 : index
            %a = tile.region %A[%x, 0] [1, 32] drop [0] : !In
            tile.copy %a to %S : !Row, !Buf
          } else {
            %i2 = arith.muli %i, %c2 : index
            %x = arith.addi %i2, %last : index
            %b = tile.region %B[%x, 0] [1, 32] drop [0] : !In
            tile.copy %b to %S : !Row, !Buf
          }
          %y = arith.addi %t20, %i : index
          %o = tile.region %O[%y, 0] [1, 32] drop [0] : !In
          tile.copy %S to %o : !Buf, !Row
          %b1 = tile.region %B[%i, 0] [1, 16] drop [0] : !In
          %b2 = tile.region %B[%i, 16] [1, 16] drop [0] : !In
          %t1 = tile.region %T[0] [16] : !Buf
          %t2 = tile.region %T[16] [16] : !Buf
          tile.copy %b1 to %t1 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
          tile.copy %b2 to %t2 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
          %y1 = arith.addi %y, %c10 : index
          %o1 = tile.region %O[%y1, 0] [1, 32] drop [0] : !In
          tile.copy %T to %o1 : !Buf, !Row
        }
        scf.yield %at : index
      } {tile.num_stages = 3 : i32}
      scf.yield %end : index
    }
    gpu.terminator
  }
  return
}

// A while loop that fetches where to go on, a plain copy, scalars in private
// memory, and effects that happen once each.
// CASE: effects(A=ints:40x33:i8, K=count:9:i32, O=junk:40x33:i32, R=zeros:2:i32)
// EXPECT: i, row = 0, 0
// EXPECT: while row < len(K):
// EXPECT:   O[i] = A[row]
// EXPECT:   R[:] = R[0] + row, R[1] + 1
// EXPECT:   i, row = i + 1, int(K[row]) + 2
func.func @effects(%A: memref<40x33xi8>, %K: memref<?xi32>, %O: memref<40x33xi32>, %R: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %n = memref.dim %K, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<33xi32, #smem>
    %count = tile.alloc : memref<i32, #private>
    memref.store %i0, %count[] : memref<i32, #private>
    %end:2 = scf.while (%row = %c0, %i = %c0) : (index, index) -> (index, index) {
      %more = arith.cmpi ult, %row, %n : index
      scf.condition(%more) %row, %i : index, index
    } do {
    ^bb0(%row: index, %i: index):
      %a = tile.region %A[%row, 0] [1, 33] drop [0] : memref<40x33xi8>
      tile.copy %a to %S : !tile.region<33xi8>, memref<33xi32, #smem>
      %o = tile.region %O[%i, 0] [1, 33] drop [0] : memref<40x33xi32>
      tile.copy %S to %o : memref<33xi32, #smem>, !tile.region<33xi32>
      %before = memref.load %count[] : memref<i32, #private>
      %after = arith.addi %before, %i1 : i32
      memref.store %after, %count[] : memref<i32, #private>
      memref.store %after, %R[%c1] : memref<2xi32>
      %row32 = arith.index_cast %row : index to i32
      tile.parallel (%z) in [1] {
        %old = memref.load %R[%z] : memref<2xi32>
        %new = arith.addi %old, %row32 : i32
        memref.store %new, %R[%z] : memref<2xi32>
      }
      %k = memref.load %K[%row] : memref<?xi32>
      %k0 = arith.index_cast %k : i32 to index
      %next = arith.addi %k0, %c2 : index
      %j = arith.addi %i, %c1 : index
      scf.yield %next, %j : index, index
    } attributes {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
