// Structured control flow around tile ops: branches on loaded scalars, loops in
// loops, while-loops, values carried by loops. Barriers and fences must be right
// on every path.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// A branch per block on a flag in global memory; without else the tile keeps
// its first value.
// CASE: guard(F=ints:9:i32, A=ints:144x64:bf16, B=junk:144x64:bf16)
// EXPECT: for i in range(9):
// EXPECT:   rows = slice(16 * i, 16 * i + 16)
// EXPECT:   B[rows] = A[rows] if F[i] > 0 else 3.0
func.func @guard(%F: memref<?xi32>, %A: memref<?x64xbf16>, %B: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %three = arith.constant 3.0 : bf16
  %m = memref.dim %F, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %m, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<16x64xbf16, #gpu.address_space<workgroup>>
    tile.fill %S, %three : memref<16x64xbf16, #gpu.address_space<workgroup>>, bf16
    %row = arith.muli %bx, %c16 : index
    %f = memref.load %F[%bx] : memref<?xi32>
    %p = arith.cmpi sgt, %f, %i0 : i32
    scf.if %p {
      %a = tile.region %A[%row, 0] [16, 64] : memref<?x64xbf16>
      tile.copy %a to %S : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[%row, 0] [16, 64] : memref<?x64xbf16>
    tile.copy %S to %b : memref<16x64xbf16, #gpu.address_space<workgroup>>, !tile.region<16x64xbf16>
    gpu.terminator
  }
  return
}

// Both branches write; the branch is inside a loop and changes every round, and
// so does the number of copies that complete on a barrier.
// CASE: branches(F=ints:7:i32, A=ints:7x64:f32, B=ints:7x64:f32, C=junk:7x64:f32)
// EXPECT: for i in range(7): C[i] = A[i] if F[i] > 0 else B[i] if F[i] < 0 else A[i] + 0
func.func @branches(%F: memref<?xi32>, %A: memref<?x64xf32>, %B: memref<?x64xf32>, %C: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %m = memref.dim %F, %c0 : memref<?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1x64xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %m step %c1 {
      %f = memref.load %F[%i] : memref<?xi32>
      %p = arith.cmpi slt, %f, %i0 : i32
      scf.if %p {
        %b = tile.region %B[%i, 0] [1, 64] : memref<?x64xf32>
        tile.copy %b to %S : !tile.region<1x64xf32>, memref<1x64xf32, #gpu.address_space<workgroup>>
      } else {
        %a = tile.region %A[%i, 0] [1, 64] : memref<?x64xf32>
        tile.copy %a to %S : !tile.region<1x64xf32>, memref<1x64xf32, #gpu.address_space<workgroup>>
        %q = arith.cmpi eq, %f, %i0 : i32
        scf.if %q {
          tile.copy %a to %S : !tile.region<1x64xf32>, memref<1x64xf32, #gpu.address_space<workgroup>>
        }
      }
      %c = tile.region %C[%i, 0] [1, 64] : memref<?x64xf32>
      tile.copy %S to %c : memref<1x64xf32, #gpu.address_space<workgroup>>, !tile.region<1x64xf32>
    }
    gpu.terminator
  }
  return
}

// A while-loop follows a linked list in global memory. The condition region
// copies as well: what it wrote is read after the loop, by other threads.
// CASE: list(N=zeros:6:i32, A=ints:6x32:f32, B=junk:6x32:f32, L=junk:1x16:f32, start=2)
// CASE: list(N=ones:6:i32, A=ints:6x32:f32, B=junk:6x32:f32, L=junk:1x16:f32, start=3)
// CASE: list(N=ones:6:i32, A=ints:6x32:f32, B=junk:6x32:f32, L=junk:1x16:f32, start=0)
// EXPECT: i = start; seen = 0
// EXPECT: while True:
// EXPECT:   L[0] = A[i, 16:] if i >= 0 else 0
// EXPECT:   if i <= 0: break
// EXPECT:   B[i] = A[i]; i = N[i] - 1 if seen else i - 1; seen = 1
func.func @list(%N: memref<?xi32>, %A: memref<?x32xf32>, %B: memref<?x32xf32>, %L: memref<?x16xf32>, %start: i32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1x32xf32, #gpu.address_space<workgroup>>
    %last:2 = scf.while (%i = %start, %seen = %i0) : (i32, i32) -> (i32, i32) {
      %x = arith.index_cast %i : i32 to index
      %a = tile.region %A[%x, 0] [1, 32] : memref<?x32xf32>
      tile.copy %a to %S {instr = #tile.instr<simt>} : !tile.region<1x32xf32>, memref<1x32xf32, #gpu.address_space<workgroup>>
      %more = arith.cmpi sgt, %i, %i0 : i32
      scf.condition(%more) %i, %seen : i32, i32
    } do {
    ^bb0(%i: i32, %seen: i32):
      %x = arith.index_cast %i : i32 to index
      %b = tile.region %B[%x, 0] [1, 32] : memref<?x32xf32>
      tile.copy %S to %b : memref<1x32xf32, #gpu.address_space<workgroup>>, !tile.region<1x32xf32>
      %next = memref.load %N[%x] : memref<?xi32>
      %n1 = arith.subi %next, %i1 : i32
      %d1 = arith.subi %i, %i1 : i32
      %p = arith.cmpi ne, %seen, %i0 : i32
      %n = arith.select %p, %n1, %d1 : i32
      scf.yield %n, %i1 : i32, i32
    }
    %s = tile.region %S[0, 16] [1, 16] : memref<1x32xf32, #gpu.address_space<workgroup>>
    %l = tile.region %L[0, 0] [1, 16] : memref<?x16xf32>
    tile.copy %s to %l : !tile.region<1x16xf32, #gpu.address_space<workgroup>>, !tile.region<1x16xf32>
    gpu.terminator
  }
  return
}

// Three loops deep, with bounds that depend on outer counters; a value carried
// by the loops; the tile of the outer loop is read in the inner one.
// CASE: nest(A=ints:4x64:f32, B=junk:4x4x64:f32, T=junk:1:i32)
// CASE: nest(A=ints:1x64:f32, B=junk:1x1x64:f32, T=junk:1:i32)
// CASE: nest(A=ints:0x64:f32, B=junk:0x0x64:f32, T=junk:1:i32)
// EXPECT: T[0] = 0
// EXPECT: for i in range(len(A)):
// EXPECT:   for j in range(i, len(A)): B[i, j] = A[i]; T[0] += i * j
func.func @nest(%A: memref<?x64xf32>, %B: memref<?x?x64xf32>, %T: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%s0 = %i0) -> i32 {
      %a = tile.region %A[%i, 0] [1, 64] drop [0] : memref<?x64xf32>
      tile.copy %a to %S : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      %s1 = scf.for %j = %i to %m step %c1 iter_args(%s = %s0) -> i32 {
        %b = tile.region %B[%i, %j, 0] [1, 1, 64] drop [0, 1] : memref<?x?x64xf32>
        tile.copy %S to %b : memref<64xf32, #gpu.address_space<workgroup>>, !tile.region<64xf32>
        %ij = arith.muli %i, %j : index
        %x = arith.index_cast %ij : index to i32
        %t = arith.addi %s, %x : i32
        scf.yield %t : i32
      }
      scf.yield %s1 : i32
    }
    memref.store %sum, %T[%c0] : memref<?xi32>
    gpu.terminator
  }
  return
}

// Values and conditions carried from round to round feed a fill.
// CASE: carry(A=ints:5:f32, B=junk:5x8:f32, n=5)
// CASE: carry(A=ints:5:f32, B=junk:5x8:f32, n=0)
// EXPECT: s = np.float32(1.5); odd = False
// EXPECT: for i in range(n):
// EXPECT:   s = s + A[i] if not odd else s * 2; B[i] = s; odd = not odd
func.func @carry(%A: memref<5xf32>, %B: memref<5x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %s0 = arith.constant 1.5 : f32
  %two = arith.constant 2.0 : f32
  %false = arith.constant false
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<8xf32, #tile.fragment>
    %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0, %odd = %false) -> (f32, i1) {
      %next = scf.if %odd -> f32 {
        %d = arith.mulf %s, %two : f32
        scf.yield %d : f32
      } else {
        %a = memref.load %A[%i] : memref<5xf32>
        %t = arith.addf %s, %a : f32
        scf.yield %t : f32
      }
      tile.fill %F, %next : memref<8xf32, #tile.fragment>, f32
      %b = tile.region %B[%i, 0] [1, 8] drop [0] : memref<5x8xf32>
      tile.copy %F to %b : memref<8xf32, #tile.fragment>, !tile.region<8xf32>
      %flip = arith.xori %odd, %true : i1
      scf.yield %next, %flip : f32, i1
    }
    gpu.terminator
  }
  return
}
