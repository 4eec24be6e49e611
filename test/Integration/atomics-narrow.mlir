// Atomic updates of 8- and 16-bit integers: sums that wrap around, extremes,
// bits; every neighbour in a word belongs to somebody else.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Fragments to tensors of any pitch and start: whole words where rows are
// aligned, single elements elsewhere. The last word may reach after the tensor.
// CASE: add(A=wide:5x24x16:i8, B=wide:24x16:i8, C=wide:24x16:i16)
// CASE: add(A=wide:5x24x16:i8, B=wide:24x19:i8, C=wide:24x19:i16)
// CASE: add(A=wide:5x24x16:i8, B=wide:23x15:i8, C=wide:23x15:i16)
// CASE: add(A=wide:5x24x16:i8, B=wide:24x16:i8@20+1, C=wide:24x16:i16@20+1)
// CASE: add(A=wide:5x24x16:i8, B=wide:24x16:i8@19+3, C=wide:24x16:i16@18+2)
// EXPECT: h, w = min(24, B.shape[0]), min(16, B.shape[1])
// EXPECT: B[:h, :w] += A.sum(axis=0, dtype=np.int8)[:h, :w]
// EXPECT: C[:h, :w] += A.sum(axis=0, dtype=np.int16)[:h, :w]
func.func @add(%A: memref<5x24x16xi8>, %B: memref<?x?xi8, strided<[?, 1], offset: ?>>, %C: memref<?x?xi16, strided<[?, 1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c5, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<24x16xi8, #fragment>
    %a = tile.region %A[%bx, 0, 0] [1, 24, 16] drop [0] : memref<5x24x16xi8>
    tile.copy %a to %F : !tile.region<24x16xi8>, memref<24x16xi8, #fragment>
    %b = tile.region %B[0, 0] [24, 16] : memref<?x?xi8, strided<[?, 1], offset: ?>>
    %c = tile.region %C[0, 0] [24, 16] : memref<?x?xi16, strided<[?, 1], offset: ?>>
    tile.atomic add %F to %b : memref<24x16xi8, #fragment>, !tile.region<24x16xi8>
    tile.atomic add %F to %c : memref<24x16xi8, #fragment>, !tile.region<24x16xi16>
    gpu.terminator
  }
  return
}

// Every kind, from fragments, shared tiles and scalars, to tensors whose sizes
// are odd.
// CASE: kinds(A=wide:3x7x9:i8, B=wide:7x9:i8, C=wide:7x9:i16, D=wide:7x9:i8, E=wide:7x9:i16, G=wide:7x9:i8, H=wide:7x9:i16, I=wide:7x9:i8, J=wide:5:i8, K=wide:5:i16)
// EXPECT: L = A.astype(np.int16)
// EXPECT: B = np.maximum(B, A.max(axis=0)); C = np.minimum(C, L.min(axis=0))
// EXPECT: D = np.minimum(D, A.min(axis=0)); E = np.maximum(E, L.max(axis=0))
// EXPECT: G = G & A[0] & A[1] & A[2]; H = H ^ L[0] ^ L[1] ^ L[2]
// EXPECT: I = I | A[0] | A[1] | A[2]
// EXPECT: J = J + np.int8(3 * 100 - 256); K = K | 64
func.func @kinds(%A: memref<3x7x9xi8>, %B: memref<7x9xi8>, %C: memref<7x9xi16>, %D: memref<7x9xi8>, %E: memref<7x9xi16>, %G: memref<7x9xi8>, %H: memref<7x9xi16>, %I: memref<7x9xi8>, %J: memref<5xi8>, %K: memref<5xi16>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %hundred = arith.constant 100 : i8
  %bit = arith.constant 64 : i16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<7x9xi8, #fragment>
    %S = tile.alloc : memref<7x9xi8, #shared>
    %a = tile.region %A[%bx, 0, 0] [1, 7, 9] drop [0] : memref<3x7x9xi8>
    tile.copy %a to %F : !tile.region<7x9xi8>, memref<7x9xi8, #fragment>
    tile.copy %a to %S : !tile.region<7x9xi8>, memref<7x9xi8, #shared>
    tile.atomic max %F to %B : memref<7x9xi8, #fragment>, memref<7x9xi8>
    tile.atomic min %S to %C : memref<7x9xi8, #shared>, memref<7x9xi16>
    tile.atomic min %S to %D : memref<7x9xi8, #shared>, memref<7x9xi8>
    tile.atomic max %F to %E : memref<7x9xi8, #fragment>, memref<7x9xi16>
    tile.atomic and %F to %G : memref<7x9xi8, #fragment>, memref<7x9xi8>
    tile.atomic xor %F to %H : memref<7x9xi8, #fragment>, memref<7x9xi16>
    tile.atomic or %S to %I : memref<7x9xi8, #shared>, memref<7x9xi8>
    tile.atomic add %hundred to %J : i8, memref<5xi8>
    tile.atomic or %bit to %K : i16, memref<5xi16>
    gpu.terminator
  }
  return
}

// Bits of predicates.
// CASE: flags(X=wide:200:i8, Y=zeros:37:i1, Z=ones:37:i1)
// EXPECT: p = np.zeros(37 * 6, bool); p[:200] = X > 0; Y = p.reshape(6, 37).any(axis=0)
// EXPECT: q = np.ones(37 * 6, bool); q[:200] = X > -100; Z = q.reshape(6, 37).all(axis=0)
func.func @flags(%X: memref<200xi8>, %Y: memref<37xi1>, %Z: memref<37xi1>) {
  %c1 = arith.constant 1 : index
  %c37 = arith.constant 37 : index
  %c6 = arith.constant 6 : index
  %c32 = arith.constant 32 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0 : i8
  %low = arith.constant -100 : i8
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c6, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %P = tile.alloc : memref<37xi1, #fragment>
    %first = arith.muli %bx, %c37 : index
    tile.parallel (%i) in [37] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %c200 : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<200xi8>
        %p = arith.cmpi sgt, %x, %zero : i8
        %q = arith.cmpi sgt, %x, %low : i8
        memref.atomic_rmw andi %q, %Z[%i] : (i1, memref<37xi1>) -> i1
        memref.atomic_rmw ori %p, %Y[%i] : (i1, memref<37xi1>) -> i1
      }
    }
    gpu.terminator
  }
  return
}

// All threads of many blocks hit the cells of one word: sums that wrap around,
// in shared memory and in the tensor, read after a barrier. The cells lie
// between bytes that the same kernel writes plainly.
// CASE: histogram(X=wide:1000:i8, H=wide:5:i8, S=junk:11:i8)
// CASE: histogram(X=wide:77:i8, H=zeros:5:i8, S=junk:11:i8)
// EXPECT: u = X.astype(np.int64) & 255
// EXPECT: H = H + np.bincount(u % 5, weights=u, minlength=5).astype(np.int64).astype(np.int8)
// EXPECT: last = u[(len(u) - 1) // 100 * 100:]
// EXPECT: S[:] = 7
// EXPECT: S[3:8] = np.bincount(last % 5, weights=last, minlength=5).astype(np.int64).astype(np.int8)
func.func @histogram(%X: memref<?xi8>, %H: memref<5xi8>, %S: memref<11xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %c64 = arith.constant 64 : index
  %five = arith.constant 5 : i32
  %zero = arith.constant 0 : i8
  %seven = arith.constant 7 : i8
  %n = memref.dim %X, %c0 : memref<?xi8>
  %gx = arith.ceildivui %n, %c100 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %T = tile.alloc : memref<11xi8, #shared>
    tile.fill %T, %zero : memref<11xi8, #shared>, i8
    %first = arith.muli %bx, %c100 : index
    tile.parallel (%i) in [100] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %byte = memref.load %X[%k] : memref<?xi8>
        %wide = arith.extui %byte : i8 to i32
        %cell = arith.remui %wide, %five : i32
        %at = arith.index_cast %cell : i32 to index
        memref.atomic_rmw addi %byte, %H[%at] : (i8, memref<5xi8>) -> i8
        %after = arith.addi %at, %c3 : index
        memref.atomic_rmw addi %byte, %T[%after] : (i8, memref<11xi8, #shared>) -> i8
      }
    }
    %last = arith.subi %gx, %c1 : index
    %is_last = arith.cmpi eq, %bx, %last : index
    scf.if %is_last {
      tile.parallel (%i) in [11] {
        %low = arith.cmpi ult, %i, %c3 : index
        %high = arith.cmpi uge, %i, %c8 : index
        %outside = arith.ori %low, %high : i1
        scf.if %outside {
          memref.store %seven, %S[%i] : memref<11xi8>
        } else {
          %sum = memref.load %T[%i] : memref<11xi8, #shared>
          memref.store %sum, %S[%i] : memref<11xi8>
        }
      }
    }
    gpu.terminator
  }
  return
}

// A block updates the even elements while others store the odd ones: no byte is
// lost, and nothing is a race.
// CASE: neighbours(H=ones:9:i8, G=ones:9:i16)
// EXPECT: H = np.where(np.arange(9) % 2, 50 + np.arange(9), 1 + 60 * 5 - 256).astype(np.int8)
// EXPECT: G = np.where(np.arange(9) % 2, 50 + np.arange(9), 1 + 60 * 5).astype(np.int16)
func.func @neighbours(%H: memref<9xi8>, %G: memref<9xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %c61 = arith.constant 61 : index
  %c64 = arith.constant 64 : index
  %five = arith.constant 5 : i8
  %five16 = arith.constant 5 : i16
  %base = arith.constant 50 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c61, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %is_writer = arith.cmpi eq, %bx, %c0 : index
    tile.parallel (%i) in [9] {
      %rest = arith.remui %i, %c2 : index
      %is_odd = arith.cmpi ne, %rest, %c0 : index
      %writes = arith.andi %is_odd, %is_writer : i1
      scf.if %writes {
        %sum = arith.addi %base, %i : index
        %v8 = arith.index_cast %sum : index to i8
        %v16 = arith.index_cast %sum : index to i16
        memref.store %v8, %H[%i] : memref<9xi8>
        memref.store %v16, %G[%i] : memref<9xi16>
      }
      %true = arith.constant true
      %is_even = arith.xori %is_odd, %true : i1
      %is_other = arith.xori %is_writer, %true : i1
      %updates = arith.andi %is_even, %is_other : i1
      scf.if %updates {
        memref.atomic_rmw addi %five, %H[%i] : (i8, memref<9xi8>) -> i8
        memref.atomic_rmw addi %five16, %G[%i] : (i16, memref<9xi16>) -> i16
      }
    }
    gpu.terminator
  }
  return
}

// Unsigned extremes, and the value before: of 150 updates each sees the sum of
// those before it, modulo 256. Half of the flips of a bit find it set.
// CASE: before(X=wide:150:i8, M=zeros:3:i8, W=zeros:3:i16, N=zeros:3:i8, G=zeros:256:i32, B=zeros:3:i8, P=zeros:2:i32)
// EXPECT: u = X.astype(np.uint8)
// EXPECT: M[1] = u.max().astype(np.int8); W[1] = X.astype(np.uint16).max().astype(np.int16)
// EXPECT: N[1] = np.int8(150 - 256); G[:150] = 1
// EXPECT: P[:] = 75
func.func @before(%X: memref<150xi8>, %M: memref<3xi8>, %W: memref<3xi16>, %N: memref<3xi8>, %G: memref<256xi32>, %B: memref<3xi8>, %P: memref<2xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c75 = arith.constant 75 : index
  %c96 = arith.constant 96 : index
  %one = arith.constant 1 : i8
  %mark = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c75 : index
    tile.parallel (%i) in [75] {
      %k = arith.addi %first, %i : index
      %x = memref.load %X[%k] : memref<150xi8>
      %w = arith.extsi %x : i8 to i16
      memref.atomic_rmw maxu %x, %M[%c1] : (i8, memref<3xi8>) -> i8
      memref.atomic_rmw maxu %w, %W[%c1] : (i16, memref<3xi16>) -> i16
      %t = memref.atomic_rmw addi %one, %N[%c1] : (i8, memref<3xi8>) -> i8
      %wide = arith.extui %t : i8 to i32
      %at = arith.index_cast %wide : i32 to index
      memref.atomic_rmw addi %mark, %G[%at] : (i32, memref<256xi32>) -> i32
      %o = memref.atomic_rmw xori %one, %B[%c1] : (i8, memref<3xi8>) -> i8
      %bit = arith.index_cast %o : i8 to index
      memref.atomic_rmw addi %mark, %P[%bit] : (i32, memref<2xi32>) -> i32
    }
    gpu.terminator
  }
  return
}
