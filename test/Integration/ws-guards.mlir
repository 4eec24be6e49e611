// Guards and addresses that are computed in tiles: fragments that copy tensors,
// element loops, reductions, tables made before the loop. The producer
// computes them as well, and without roles copies run ahead by them. Each
// iteration moves rows through shared tiles, so a path that is mistaken shows as
// a wrong row; every run must be proved, and the loops must have their rings.
// The number of stages is a placeholder.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=3,1 --out=%t
// RUN: tile-compile %t/roles-3/ws-guards.mlir --target=sm_90a --ptxas=off -o %t/x > %t/x.log 2>&1 || { cat %t/x.log; exit 1; }
// RUN: FileCheck %s --check-prefix=PROOF --allow-empty --input-file=%t/x.log
// RUN: tile-compile %t/alone-3/ws-guards.mlir --target=sm_90a --ptxas=off -o %t/y > %t/y.log 2>&1 || { cat %t/y.log; exit 1; }
// RUN: FileCheck %s --check-prefix=ALONE --allow-empty --input-file=%t/y.log
// RUN: tile-compile %t/alone-3/ws-guards.mlir --target=sm_80 --ptxas=off -o %t/z > %t/z.log 2>&1 || { cat %t/z.log; exit 1; }
// RUN: FileCheck %s --check-prefix=PROOF --allow-empty --input-file=%t/z.log
// RUN: grep -c cp.async.bulk.tensor %t/x/fragment.ptx %t/x/computed.ptx %t/x/either.ptx %t/x/table.ptx %t/x/reduced.ptx %t/x/wide.ptx %t/x/until.ptx
// RUN: grep -c cp.async.wait_group %t/z/fragment.ptx %t/z/computed.ptx %t/z/either.ptx %t/z/table.ptx %t/z/reduced.ptx %t/z/wide.ptx
// RUN: FileCheck %s --input-file=%t/x.log
// CHECK: stops its threads until memory has answered: what it loads decides about slots of rings
// PROOF-NOT: tile-verify
// PROOF-NOT: consumer-data
// ALONE-NOT: tile-verify/deadlock
// ALONE-NOT: tile-pipeline/dependence
// PROOF-NOT: tile-pipeline/dependence

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Tile = memref<32xf32, #smem>

// The mask of an iteration is a fragment, 21 elements of which the tensor has
// some, and what is outside is false. The row is masked by it as well.
// CASE: fragment(A=ints:40x32:f32, M=ints:40x13:i8, O=junk:40x32:f32, n=17)
// CASE: fragment(A=ints:40x32:f32, M=ones:40x13:i8, O=junk:40x32:f32, n=9)
// CASE: fragment(A=ints:40x32:f32, M=zeros:40x13:i8, O=junk:40x32:f32, n=5)
// CASE: fragment(A=ints:40x32:f32, M=ones:40x21:i8, O=junk:40x32:f32, n=0)
// EXPECT: for i in range(n):
// EXPECT:   if (M[i] != 0).any():
// EXPECT:     O[i] = A[i]
// EXPECT:     O[i][:len(M[i])] = np.where(M[i] != 0, A[i][:len(M[i])], 0)
// EXPECT:     O[i][len(M[i]):21] = 0
func.func @fragment(%A: !In, %M: memref<40x?xi8>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c21 = arith.constant 21 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i8
    %zero = arith.constant 0.0 : f32
    %S = tile.alloc : !Tile
    %b = tile.alloc : memref<21xi8, #frag>
    %m = tile.alloc : memref<21xi1, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %w = tile.region %M[%i, 0] [1, 21] drop [0] : memref<40x?xi8>
      tile.copy %w to %b : !tile.region<21xi8>, memref<21xi8, #frag>
      tile.parallel (%x) in [21] {
        %v = memref.load %b[%x] : memref<21xi8, #frag>
        %p = arith.cmpi ne, %v, %i0 : i8
        memref.store %p, %m[%x] : memref<21xi1, #frag>
      }
      %on = tile.any_of %m : memref<21xi1, #frag>
      scf.if %on {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
        %f = tile.alloc : memref<21xf32, #frag>
        tile.parallel (%x) in [21] {
          %v = memref.load %S[%x] : !Tile
          %p = memref.load %m[%x] : memref<21xi1, #frag>
          %u = arith.select %p, %v, %zero : f32
          memref.store %u, %f[%x] : memref<21xf32, #frag>
        }
        %q = tile.region %O[%i, 0] [1, 21] drop [0] : !In
        tile.copy %f to %q : memref<21xf32, #frag>, !tile.region<21xf32>
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// One predicate under another; a limit from an argument.
// CASE: computed(A=ints:40x32:f32, K=ints:40x8:i32, O=junk:40x32:f32, n=14, limit=0)
// CASE: computed(A=ints:40x32:f32, K=ints:40x8:i32, O=junk:40x32:f32, n=11, limit=-3)
// CASE: computed(A=ints:40x32:f32, K=ints:40x8:i32, O=junk:40x32:f32, n=7, limit=5)
// CASE: computed(A=ints:40x32:f32, K=ints:40x8:i32, O=junk:40x32:f32, n=0, limit=0)
// EXPECT: for i in range(n):
// EXPECT:   p = K[i] > limit
// EXPECT:   if p.any() and (p.all() or (K[i] < 0).any()): O[i] = A[i]
func.func @computed(%A: !In, %K: memref<40x8xi32>, %O: !In, %n: index, %limit: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %S = tile.alloc : !Tile
    %k = tile.alloc : memref<8xi32, #frag>
    %p = tile.alloc : memref<8xi1, #frag>
    %q = tile.alloc : memref<8xi1, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %w = tile.region %K[%i, 0] [1, 8] drop [0] : memref<40x8xi32>
      tile.copy %w to %k : !tile.region<8xi32>, memref<8xi32, #frag>
      tile.parallel (%x) in [8] {
        %v = memref.load %k[%x] : memref<8xi32, #frag>
        %g = arith.cmpi sgt, %v, %limit : i32
        memref.store %g, %p[%x] : memref<8xi1, #frag>
      }
      %some = tile.any_of %p : memref<8xi1, #frag>
      scf.if %some {
        %every = tile.all_of %p : memref<8xi1, #frag>
        tile.parallel (%x) in [8] {
          %v = memref.load %k[%x] : memref<8xi32, #frag>
          %g = arith.cmpi slt, %v, %i0 : i32
          memref.store %g, %q[%x] : memref<8xi1, #frag>
        }
        %low = tile.any_of %q : memref<8xi1, #frag>
        %on = arith.ori %every, %low : i1
        scf.if %on {
          %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
          %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
          tile.copy %a to %S : !Row, !Tile
          tile.copy %S to %o : !Tile, !Row
        }
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// Both branches copy, by a mask that is copied as it is. Their last uses stand at different places: what computes
// the guard goes before both.
// CASE: either(A=ints:40x32:f32, B=ints:40x32:f32, K=ints:40x5:i1, O=junk:40x32:f32, n=13)
// CASE: either(A=ints:40x32:f32, B=ints:40x32:f32, K=zeros:40x5:i1, O=junk:40x32:f32, n=6)
// CASE: either(A=ints:40x32:f32, B=ints:40x32:f32, K=ones:40x5:i1, O=junk:40x32:f32, n=1)
// EXPECT: for i in range(n): O[i] = A[i] if K[i].any() else B[39 - i]
func.func @either(%A: !In, %B: !In, %K: memref<40x5xi1>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c39 = arith.constant 39 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %S = tile.alloc : !Tile
    %T = tile.alloc : !Tile
    %p = tile.alloc : memref<5xi1, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %w = tile.region %K[%i, 0] [1, 5] drop [0] : memref<40x5xi1>
      tile.copy %w to %p : !tile.region<5xi1>, memref<5xi1, #frag>
      %some = tile.any_of %p : memref<5xi1, #frag>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      scf.if %some {
        %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
      } else {
        %j = arith.subi %c39, %i : index
        %b = tile.region %B[%j, 0] [1, 32] drop [0] : !In
        tile.copy %b to %T : !Row, !Tile
        tile.copy %T to %o : !Tile, !Row
      }
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// A table in shared memory, made before the loop, anew for each part.
// CASE: table(A=ints:40x32:f32, K=ints:40:i32, O=junk:40x32:f32, parts=3)
// CASE: table(A=ints:40x32:f32, K=ones:40:i32, O=junk:40x32:f32, parts=2)
// CASE: table(A=ints:40x32:f32, K=zeros:40:i32, O=junk:40x32:f32, parts=4)
// CASE: table(A=ints:40x32:f32, K=ints:40:i32, O=junk:40x32:f32, parts=0)
// EXPECT: for i in range(10 * parts):
// EXPECT:   if (K[i] ^ 1) > 0: O[i] = A[i]
func.func @table(%A: !In, %K: memref<40xi32>, %O: !In, %parts: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %S = tile.alloc : !Tile
    %Ks = tile.alloc : memref<10xi32, #smem>
    scf.for %part = %c0 to %parts step %c1 {
      %first = arith.muli %part, %c10 : index
      tile.parallel (%x) in [10] {
        %j = arith.addi %first, %x : index
        %v = memref.load %K[%j] : memref<40xi32>
        %w = arith.xori %v, %i1 : i32
        memref.store %w, %Ks[%x] : memref<10xi32, #smem>
      }
      scf.for %x = %c0 to %c10 step %c1 {
        %k = memref.load %Ks[%x] : memref<10xi32, #smem>
        %on = arith.cmpi sgt, %k, %i0 : i32
        scf.if %on {
          %i = arith.addi %first, %x : index
          %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
          %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
          tile.copy %a to %S : !Row, !Tile
          tile.copy %S to %o : !Tile, !Row
        }
      } {tile.num_stages = NUM_STAGES : i32}
    }
    gpu.terminator
  }
  return
}

// How many rows, and which: folds of what a tensor holds.
// CASE: reduced(A=ints:40x32:f32, K=ints:5x8:i32, O=junk:40x32:f32)
// CASE: reduced(A=ints:40x32:f32, K=ones:1x8:i32, O=junk:40x32:f32)
// CASE: reduced(A=ints:40x32:f32, K=zeros:4x8:i32, O=junk:40x32:f32)
// CASE: reduced(A=ints:40x32:f32, K=count:3x8:i32, O=junk:40x32:f32)
// EXPECT: for r in range(len(K)):
// EXPECT:   n, skip = max(K[r].max(), 0) & 7, K[r].sum() & 3
// EXPECT:   for i in range(n): O[8 * r + i] = A[8 * r + i + skip]
func.func @reduced(%A: !In, %K: memref<?x8xi32>, %O: !In) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %rows = memref.dim %K, %c0 : memref<?x8xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %i3 = arith.constant 3 : i32
    %i7 = arith.constant 7 : i32
    %S = tile.alloc : !Tile
    %k = tile.alloc : memref<8xi32, #frag>
    %most = tile.alloc : memref<1xi32, #frag>
    %sum = tile.alloc : memref<1xi32, #frag>
    %Ms = tile.alloc : memref<1xi32, #smem>
    %Ns = tile.alloc : memref<1xi32, #smem>
    scf.for %r = %c0 to %rows step %c1 {
      %w = tile.region %K[%r, 0] [1, 8] drop [0] : memref<?x8xi32>
      tile.copy %w to %k : !tile.region<8xi32>, memref<8xi32, #frag>
      tile.fill %sum, %i0 : memref<1xi32, #frag>, i32
      tile.reduce max %k to %most dim 0 {clear} : memref<8xi32, #frag>, memref<1xi32, #frag>
      tile.reduce sum %k to %sum dim 0 : memref<8xi32, #frag>, memref<1xi32, #frag>
      tile.copy %most to %Ms : memref<1xi32, #frag>, memref<1xi32, #smem>
      tile.copy %sum to %Ns : memref<1xi32, #frag>, memref<1xi32, #smem>
      %v0 = memref.load %Ms[%c0] : memref<1xi32, #smem>
      %v1 = memref.load %Ns[%c0] : memref<1xi32, #smem>
      %v2 = arith.maxsi %v0, %i0 : i32
      %v3 = arith.andi %v2, %i7 : i32
      %v4 = arith.andi %v1, %i3 : i32
      %n = arith.index_cast %v3 : i32 to index
      %skip = arith.index_cast %v4 : i32 to index
      %first = arith.muli %r, %c8 : index
      scf.for %x = %c0 to %n step %c1 {
        %i = arith.addi %first, %x : index
        %j = arith.addi %i, %skip : index
        %a = tile.region %A[%j, 0] [1, 32] drop [0] : !In
        %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
        tile.copy %a to %S : !Row, !Tile
        tile.copy %S to %o : !Tile, !Row
      } {tile.num_stages = NUM_STAGES : i32}
    }
    gpu.terminator
  }
  return
}

// Enough elements for four warps that copy; what decides comes from a tile that
// another copy brings to shared memory.
// CASE: wide(A=ints:40x32:f32, M=ints:320x80:f32, O=junk:40x32:f32, n=10)
// CASE: wide(A=ints:40x32:f32, M=zeros:320x80:f32, O=junk:40x32:f32, n=4)
// CASE: wide(A=ints:40x32:f32, M=ones:320x80:f32, O=junk:40x32:f32, n=3)
// EXPECT: for i in range(n):
// EXPECT:   if (M[32 * i:32 * i + 32, :64] < -1).any(): O[i] = A[i]
func.func @wide(%A: !In, %M: memref<320x80xf32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %low = arith.constant -1.0 : f32
    %S = tile.alloc : !Tile
    %Ms = tile.alloc : memref<32x64xf32, #smem>
    %m = tile.alloc : memref<32x64xi1, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %r = arith.muli %i, %c32 : index
      %w = tile.region %M[%r, 0] [32, 64] : memref<320x80xf32>
      tile.copy %w to %Ms : !tile.region<32x64xf32>, memref<32x64xf32, #smem>
      tile.parallel (%y, %x) in [32, 64] {
        %v = memref.load %Ms[%y, %x] : memref<32x64xf32, #smem>
        %p = arith.cmpf olt, %v, %low : f32
        memref.store %p, %m[%y, %x] : memref<32x64xi1, #frag>
      }
      %on = tile.any_of %m : memref<32x64xi1, #frag>
      scf.if %on {
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

// How far a loop goes on is a fold, and so is which row comes next.
// CASE: until(A=ints:40x32:f32, M=ints:40x8:i32, O=junk:40x32:f32, n=20)
// CASE: until(A=ints:40x32:f32, M=ones:40x8:i32, O=junk:40x32:f32, n=9)
// EXPECT: i = 0
// EXPECT: while i < n:
// EXPECT:   d = int(min(max(M[i].max(), 1), 2))
// EXPECT:   O[i] = A[i]
// EXPECT:   i += d
func.func @until(%A: !In, %M: memref<40x8xi32>, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %S = tile.alloc : !Tile
    %m = tile.alloc : memref<8xi32, #frag>
    %x1 = tile.alloc : memref<1xi32, #frag>
    %xs = tile.alloc : memref<1xi32, #smem>
    %end = scf.while (%i = %c0) : (index) -> index {
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %w = tile.region %M[%i, 0] [1, 8] drop [0] : memref<40x8xi32>
      tile.copy %w to %m : !tile.region<8xi32>, memref<8xi32, #frag>
      tile.reduce max %m to %x1 dim 0 {clear} : memref<8xi32, #frag>, memref<1xi32, #frag>
      tile.copy %x1 to %xs : memref<1xi32, #frag>, memref<1xi32, #smem>
      %most = memref.load %xs[%c0] : memref<1xi32, #smem>
      %lo = arith.maxsi %most, %i1 : i32
      %hi = arith.minsi %lo, %i2 : i32
      %d = arith.index_cast %hi : i32 to index
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      tile.copy %S to %o : !Tile, !Row
      %j = arith.addi %i, %d : index
      scf.yield %j : index
    } attributes {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}
