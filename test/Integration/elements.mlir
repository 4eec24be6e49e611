// Element loops: every memory, broadcasts, guards, state, ragged edges, strided
// and misaligned tensors, several numbers of threads.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// An epilogue on fragments: row and column broadcasts, a ragged edge.
// CASE: epilogue(X=ints:64x48:f32, S=ints:64:f32, B=ints:48:f32, Y=junk:64x48:f32)
// CASE: epilogue(X=ints:61x45:f32, S=ints:61:f32, B=ints:45:f32, Y=junk:61x45:f32@45+3)
// EXPECT: Y = np.maximum(X * S[:, None] + B[None, :], 0)
func.func @epilogue(%X: memref<?x?xf32>, %S: memref<?xf32>, %B: memref<?xf32>, %Y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %X, %c0 : memref<?x?xf32>
  %N = memref.dim %X, %c1 : memref<?x?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %acc = tile.alloc : memref<64x48xf32, #tile.fragment>
    %scale = tile.alloc : memref<64xf32, #tile.fragment>
    %x = tile.region %X[0, 0] [64, 48] : memref<?x?xf32>
    %s = tile.region %S[0] [64] : memref<?xf32>
    tile.copy %x to %acc : !tile.region<64x48xf32>, memref<64x48xf32, #tile.fragment>
    tile.copy %s to %scale : !tile.region<64xf32>, memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [64, 48] {
      %row = arith.cmpi slt, %i, %M : index
      %col = arith.cmpi slt, %j, %N : index
      %in = arith.andi %row, %col : i1
      %a = memref.load %acc[%i, %j] : memref<64x48xf32, #tile.fragment>
      %f = memref.load %scale[%i] : memref<64xf32, #tile.fragment>
      scf.if %in {
        %b = memref.load %B[%j] : memref<?xf32>
        %m = arith.mulf %a, %f : f32
        %y = arith.addf %m, %b : f32
        %z = arith.maximumf %y, %zero : f32
        memref.store %z, %Y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      }
    }
    gpu.terminator
  }
  return
}

// Tensors only, blocks of a grid, a number of threads that divides nothing.
// CASE: grid(A=ints:70x101:f16, B=ints:70x101:f32, C=junk:70x101:i32)
// CASE: grid(A=ints:33x64:f16@80+1, B=ints:33x64:f32@65+3, C=junk:33x64:i32@64+8)
// EXPECT: C = (A.astype(np.float64) - 2 * B).astype(np.int32)
func.func @grid(%A: memref<?x?xf16, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                %C: memref<?x?xi32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %c40 = arith.constant 40 : index
  %c96 = arith.constant 96 : index
  %two = arith.constant 2.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf16, strided<[?, 1], offset: ?>>
  %N = memref.dim %A, %c1 : memref<?x?xf16, strided<[?, 1], offset: ?>>
  %gy = arith.ceildivui %M, %c24 : index
  %gx = arith.ceildivui %N, %c40 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c24 : index
    %n = arith.muli %bx, %c40 : index
    tile.parallel (%i, %j) in [24, 40] {
      %r = arith.addi %m, %i : index
      %c = arith.addi %n, %j : index
      %row = arith.cmpi ult, %r, %M : index
      %col = arith.cmpi ult, %c, %N : index
      %in = arith.andi %row, %col : i1
      scf.if %in {
        %a = memref.load %A[%r, %c] : memref<?x?xf16, strided<[?, 1], offset: ?>>
        %b = memref.load %B[%r, %c] : memref<?x?xf32, strided<[?, 1], offset: ?>>
        %w = arith.extf %a : f16 to f32
        %t = arith.mulf %b, %two : f32
        %d = arith.subf %w, %t : f32
        %v = arith.fptosi %d : f32 to i32
        memref.store %v, %C[%r, %c] : memref<?x?xi32, strided<[?, 1], offset: ?>>
      }
    }
    gpu.terminator
  }
  return
}

// Through shared memory: reversed, transposed and shifted indices.
// CASE: shuffle(A=count:32x32:i32, B=junk:32x32:i32, C=junk:31x32:i32)
// EXPECT: B = A[::-1].T * 3 + 1; C = (A * 3 + 1)[1:] ^ (A * 3 + 1)[:-1]
func.func @shuffle(%A: memref<32x32xi32>, %B: memref<32x32xi32>, %C: memref<31x32xi32>) {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32x32xi32, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [32, 32] {
      %a = memref.load %A[%i, %j] : memref<32x32xi32>
      %t = arith.muli %a, %three : i32
      %v = arith.addi %t, %one : i32
      memref.store %v, %s[%i, %j] : memref<32x32xi32, #gpu.address_space<workgroup>>
    }
    tile.parallel (%i, %j) in [32, 32] {
      %k = arith.subi %c31, %j : index
      %v = memref.load %s[%k, %i] : memref<32x32xi32, #gpu.address_space<workgroup>>
      memref.store %v, %B[%i, %j] : memref<32x32xi32>
    }
    tile.parallel (%i, %j) in [31, 32] {
      %k = arith.addi %i, %c1 : index
      %x = memref.load %s[%k, %j] : memref<32x32xi32, #gpu.address_space<workgroup>>
      %y = memref.load %s[%i, %j] : memref<32x32xi32, #gpu.address_space<workgroup>>
      %v = arith.xori %x, %y : i32
      memref.store %v, %C[%i, %j] : memref<31x32xi32>
    }
    gpu.terminator
  }
  return
}

// State of one element: a private array, a loop whose length differs, a select.
// Also elements of three dimensions, one of extent 1.
// CASE: state(A=count:3x1x21:i32, B=junk:3x1x21:i32, k=5)
// EXPECT: n = np.arange(21) % 4; d = A + k
// EXPECT: B = np.where(d % 2 == 0, sum(np.where(q < n, d + q, 0) for q in range(4)), -d)
func.func @state(%A: memref<3x1x21xi32>, %B: memref<3x1x21xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    tile.parallel (%h, %i, %j) in [3, 1, 21] {
      %p = tile.alloc : memref<4xi32, #gpu.address_space<private>>
      %a = memref.load %A[%h, %i, %j] : memref<3x1x21xi32>
      %d = arith.addi %a, %k : i32
      %n = arith.remui %j, %c4 : index
      scf.for %q = %c0 to %c4 step %c1 {
        %q32 = arith.index_cast %q : index to i32
        %dq = arith.addi %d, %q32 : i32
        memref.store %dq, %p[%q] : memref<4xi32, #gpu.address_space<private>>
      }
      %sum = scf.for %q = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
        %x = memref.load %p[%q] : memref<4xi32, #gpu.address_space<private>>
        %t = arith.addi %s, %x : i32
        scf.yield %t : i32
      }
      %odd = arith.remsi %d, %two : i32
      %even = arith.cmpi eq, %odd, %zero : i32
      %neg = arith.subi %zero, %d : i32
      %v = arith.select %even, %sum, %neg : i32
      memref.store %v, %B[%h, %i, %j] : memref<3x1x21xi32>
    }
    gpu.terminator
  }
  return
}

// A fragment that is read and written in a loop over time; what a guard leaves
// out keeps its value.
// CASE: steps(A=ints:16x40:f32, n=3, c=11)
// EXPECT: f = A.copy()
// EXPECT: for t in range(n): f[:, :c] = f[:, :c] * 2 + t
// EXPECT: A = f
func.func @steps(%A: memref<16x40xf32>, %n: index, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<16x40xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [16, 40] : memref<16x40xf32>
    tile.copy %a to %f : !tile.region<16x40xf32>, memref<16x40xf32, #tile.fragment>
    scf.for %t = %c0 to %n step %c1 {
      %ti = arith.index_cast %t : index to i32
      %tf = arith.sitofp %ti : i32 to f32
      tile.parallel (%i, %j) in [16, 40] {
        %in = arith.cmpi ult, %j, %c : index
        scf.if %in {
          %x = memref.load %f[%i, %j] : memref<16x40xf32, #tile.fragment>
          %y = math.fma %x, %two, %tf : f32
          memref.store %y, %f[%i, %j] : memref<16x40xf32, #tile.fragment>
        }
      }
    }
    tile.copy %f to %a : memref<16x40xf32, #tile.fragment>, !tile.region<16x40xf32>
    gpu.terminator
  }
  return
}

// After a product: the accumulator is read as it lies, also transposed, into
// fragments of other types, with a scale that only rows have.
// CASE: product(A=ints:64x32:f16, B=ints:32x64:f16, S=ints:64:f32, C=junk:64x64:f32, T=junk:64x64:f16)
// EXPECT: P = A.astype(np.float32) @ B.astype(np.float32)
// EXPECT: C = P * S[:, None]; T = round_to((P - 1).T, "f16")
func.func @product(%A: memref<64x32xf16>, %B: memref<32x64xf16>, %S: memref<64xf32>, %C: memref<64x64xf32>, %T: memref<64x64xf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %t = tile.alloc : memref<64x64xf16, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<64x32xf16>
    %b = tile.region %B[0, 0] [32, 64] : memref<32x64xf16>
    %tt = tile.region %T[0, 0] [64, 64] : memref<64x64xf16>
    tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
    tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #gpu.address_space<workgroup>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %s = memref.load %S[%i] : memref<64xf32>
      %y = arith.mulf %x, %s : f32
      memref.store %y, %C[%i, %j] : memref<64x64xf32>
      %u = arith.subf %x, %one : f32
      %h = arith.truncf %u : f32 to f16
      memref.store %h, %t[%j, %i] : memref<64x64xf16, #tile.fragment>
    }
    tile.copy %t to %tt : memref<64x64xf16, #tile.fragment>, !tile.region<64x64xf16>
    gpu.terminator
  }
  return
}

// Predicates are bytes; the loop has a layout of its own, which is kept.
// CASE: predicates(A=ints:8x64:i8, B=ints:8x64:i8, C=junk:8x64:i1)
// EXPECT: C = (A < B) & (A != 0)
func.func @predicates(%A: memref<8x64xi8>, %B: memref<8x64xi8>, %C: memref<8x64xi1>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %p = tile.alloc : memref<8x64xi1, #tile.fragment>
    %q = tile.alloc : memref<8x64xi1, #gpu.address_space<workgroup>>
    %c = tile.region %C[0, 0] [8, 64] : memref<8x64xi1>
    tile.parallel (%i, %j) in [8, 64] {
      %a = memref.load %A[%i, %j] : memref<8x64xi8>
      %b = memref.load %B[%i, %j] : memref<8x64xi8>
      %less = arith.cmpi slt, %a, %b : i8
      memref.store %less, %p[%i, %j] : memref<8x64xi1, #tile.fragment>
      %set = arith.cmpi ne, %a, %zero : i8
      memref.store %set, %q[%i, %j] : memref<8x64xi1, #gpu.address_space<workgroup>>
    } {layout = #tile.layout<"bases<reg=(d1:1*4, d0:4*2), lane=(d1:4*16, d0:1*2), warp=(d0:2*2) -> d0:8, d1:64>">}
    tile.parallel (%i, %j) in [8, 64] {
      %x = memref.load %p[%i, %j] : memref<8x64xi1, #tile.fragment>
      %y = memref.load %q[%i, %j] : memref<8x64xi1, #gpu.address_space<workgroup>>
      %z = arith.andi %x, %y : i1
      memref.store %z, %p[%i, %j] : memref<8x64xi1, #tile.fragment>
    }
    tile.copy %p to %c : memref<8x64xi1, #tile.fragment>, !tile.region<8x64xi1>
    gpu.terminator
  }
  return
}

// Fragments that live in other threads than the loop wants are moved: a column
// becomes a row.
// CASE: exchange(A=ints:32x1:f32, B=ints:32:f32, C=junk:32x32:f32)
// EXPECT: C = A * B[None, :]
func.func @exchange(%A: memref<32x1xf32>, %B: memref<32xf32>, %C: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %x = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=() -> d0:32, d1:1>">} : memref<32x1xf32, #tile.fragment>
    %y = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=() -> d0:32>">} : memref<32xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [32, 1] : memref<32x1xf32>
    %b = tile.region %B[0] [32] : memref<32xf32>
    tile.copy %a to %x : !tile.region<32x1xf32>, memref<32x1xf32, #tile.fragment>
    tile.copy %b to %y : !tile.region<32xf32>, memref<32xf32, #tile.fragment>
    tile.parallel (%i, %j) in [32, 32] {
      %u = memref.load %x[%i, %c0] : memref<32x1xf32, #tile.fragment>
      %v = memref.load %y[%j] : memref<32xf32, #tile.fragment>
      %w = arith.mulf %u, %v : f32
      memref.store %w, %C[%i, %j] : memref<32x32xf32>
    }
    gpu.terminator
  }
  return
}

// A fragment and its transpose in one body: each has a layout of its own.
// CASE: both_ways(A=ints:21x21:i32, B=junk:21x21:i32)
// EXPECT: B = 3 * A - A.T
func.func @both_ways(%A: memref<21x21xi32>, %B: memref<21x21xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %three = arith.constant 3 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<21x21xi32, #tile.fragment>
    tile.copy %A to %t : memref<21x21xi32>, memref<21x21xi32, #tile.fragment>
    tile.parallel (%i, %j) in [21, 21] {
      %v = memref.load %t[%i, %j] : memref<21x21xi32, #tile.fragment>
      %w = memref.load %t[%j, %i] : memref<21x21xi32, #tile.fragment>
      %v3 = arith.muli %v, %three : i32
      %s = arith.subi %v3, %w : i32
      memref.store %s, %B[%i, %j] : memref<21x21xi32>
    }
    gpu.terminator
  }
  return
}

// More threads than elements: a body that reads memory which it writes runs once
// for each element. %s and %B are changed in place; the factor is a fragment.
// CASE: in_place(A=ints:17:i32, B=ints:17:i32)
// EXPECT: B = 3 * B * (A + 2) + 3 * A * A + 5
func.func @in_place(%A: memref<17xi32>, %B: memref<17xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c384 = arith.constant 384 : index
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c384, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<17xi32, #tile.fragment>
    %s = tile.alloc : memref<17xi32, #gpu.address_space<workgroup>>
    tile.copy %A to %f : memref<17xi32>, memref<17xi32, #tile.fragment>
    tile.copy %A to %s : memref<17xi32>, memref<17xi32, #gpu.address_space<workgroup>>
    tile.parallel (%i) in [17] {
      %y = memref.load %f[%i] : memref<17xi32, #tile.fragment>
      %w = scf.for %k = %c0 to %c3 step %c1 iter_args(%sum = %five) -> (i32) {
        %x = memref.load %s[%i] : memref<17xi32, #gpu.address_space<workgroup>>
        %z = arith.muli %x, %y : i32
        %next = arith.addi %sum, %z : i32
        scf.yield %next : i32
      }
      memref.store %w, %s[%i] : memref<17xi32, #gpu.address_space<workgroup>>
    }
    tile.parallel (%i) in [17] {
      %y = memref.load %f[%i] : memref<17xi32, #tile.fragment>
      %t = arith.addi %y, %two : i32
      %v = memref.load %s[%i] : memref<17xi32, #gpu.address_space<workgroup>>
      %w = scf.for %k = %c0 to %c3 step %c1 iter_args(%sum = %v) -> (i32) {
        %x = memref.load %B[%i] : memref<17xi32>
        %z = arith.muli %x, %t : i32
        %next = arith.addi %sum, %z : i32
        scf.yield %next : i32
      }
      memref.store %w, %B[%i] : memref<17xi32>
    }
    gpu.terminator
  }
  return
}

// The same with a fragment that the body writes, under a guard: a running
// maximum in shared memory, and by how much it grew.
// CASE: growth(A=ints:9x70:i32, M=junk:70:i32, G=junk:70:i32)
// EXPECT: M = np.maximum(A.max(0), 0); steps = np.maximum.accumulate(np.maximum(A, 0), 0)
// EXPECT: G = np.diff(np.concatenate([np.zeros((1, 70), np.int32), steps]), axis=0).sum(0) * 10 + (A <= np.concatenate([np.zeros((1, 70), np.int32), steps[:-1]])).sum(0)
func.func @growth(%A: memref<9x70xi32>, %M: memref<70xi32>, %G: memref<70xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %max = tile.alloc : memref<70xi32, #gpu.address_space<workgroup>>
    %row = tile.alloc : memref<70xi32, #tile.fragment>
    %grew = tile.alloc : memref<70xi32, #tile.fragment>
    tile.fill %max, %zero : memref<70xi32, #gpu.address_space<workgroup>>, i32
    tile.fill %grew, %zero : memref<70xi32, #tile.fragment>, i32
    scf.for %k = %c0 to %c9 step %c1 {
      %a = tile.region %A[%k, 0] [1, 70] drop [0] : memref<9x70xi32>
      tile.copy %a to %row : !tile.region<70xi32>, memref<70xi32, #tile.fragment>
      tile.parallel (%i) in [70] {
        %x = memref.load %row[%i] : memref<70xi32, #tile.fragment>
        %m = memref.load %max[%i] : memref<70xi32, #gpu.address_space<workgroup>>
        %g = memref.load %grew[%i] : memref<70xi32, #tile.fragment>
        %more = arith.cmpi sgt, %x, %m : i32
        scf.if %more {
          %d = arith.subi %x, %m : i32
          %d10 = arith.muli %d, %ten : i32
          %h = arith.addi %g, %d10 : i32
          memref.store %h, %grew[%i] : memref<70xi32, #tile.fragment>
          memref.store %x, %max[%i] : memref<70xi32, #gpu.address_space<workgroup>>
        } else {
          %h = arith.addi %g, %one : i32
          memref.store %h, %grew[%i] : memref<70xi32, #tile.fragment>
        }
      }
    }
    tile.copy %max to %M : memref<70xi32, #gpu.address_space<workgroup>>, memref<70xi32>
    tile.copy %grew to %G : memref<70xi32, #tile.fragment>, memref<70xi32>
    gpu.terminator
  }
  return
}
