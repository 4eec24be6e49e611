// Host functions: several launches that depend on each other, blocks of several
// dimensions, requirements, options of a kernel.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// The second launch reads what the first wrote, the third what both did; each
// has a grid of its own, and one has none at all.
// CASE: chain(A=ints:40x48:bf16, B=junk:40x48:bf16, C=junk:48x40:f32)
// CASE: chain(A=ints:1x1:bf16, B=junk:1x1:bf16, C=junk:1x1:f32)
// CASE: chain(A=ints:0x5:bf16, B=junk:0x5:bf16, C=junk:5x0:f32)
// EXPECT: B = A; C = A.T + 0
func.func @chain(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %A, %c0 : memref<?x?xbf16>
  %n = memref.dim %A, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %n, %c32 : index
  %gy = arith.ceildivui %m, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %i = arith.muli %by, %c16 : index
    %j = arith.muli %bx, %c32 : index
    %S = tile.alloc : memref<16x32xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%i, %j] [16, 32] : memref<?x?xbf16>
    %b = tile.region %B[%i, %j] [16, 32] : memref<?x?xbf16>
    tile.copy %a to %S : !tile.region<16x32xbf16>, memref<16x32xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %b : memref<16x32xbf16, #gpu.address_space<workgroup>>, !tile.region<16x32xbf16>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = memref.load %B[%by, %bx] : memref<?x?xbf16>
    %w = arith.extf %v : bf16 to f32
    memref.store %w, %C[%bx, %by] : memref<?x?xf32>
    gpu.terminator
  }
  return
}

// Threads are numbered along x first, in whatever dimensions they are launched.
// CASE: cube(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A
func.func @cube(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c2, %nz = %c2) {
    %S = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %A to %S : memref<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    tile.copy %S to %F : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
    tile.copy %F to %B : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}

// Without tile ops a kernel may say what each thread does; then every thread
// stores, also after a branch of its own.
// CASE: threads(A=ints:300:f32, B=junk:300:f32, C=junk:4:i32)
// CASE: threads(A=ints:1:f32, B=junk:1:f32, C=junk:4:i32)
// EXPECT: B = 2 * A; C[:] = [32, 2, 2, 128]
func.func @threads(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %gx = arith.ceildivui %n, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c2, %nz = %c2) {
    %p = arith.muli %tz, %ny : index
    %q = arith.addi %p, %ty : index
    %r = arith.muli %q, %nx : index
    %t = arith.addi %r, %tx : index
    %u = arith.muli %bx, %c128 : index
    %i = arith.addi %u, %t : index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %a = memref.load %A[%i] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      memref.store %b, %B[%i] : memref<?xf32>
    }
    %is_first = arith.cmpi eq, %i, %c0 : index
    scf.if %is_first {
      %x = arith.index_cast %nx : index to i32
      %y = arith.index_cast %ny : index to i32
      %z = arith.index_cast %nz : index to i32
      %xy = arith.muli %x, %y : i32
      %xyz = arith.muli %xy, %z : i32
      memref.store %x, %C[%c0] : memref<4xi32>
      memref.store %y, %C[%c1] : memref<4xi32>
      memref.store %z, %C[%c2] : memref<4xi32>
      memref.store %xyz, %C[%c3] : memref<4xi32>
    }
    gpu.terminator
  }
  return
}

// Grids of three dimensions; scalar stores by one thread of each block.
// CASE: grid(A=junk:3x4x5:i32)
// EXPECT: z, y, x = np.indices((3, 4, 5)); A = x + 10 * y + 100 * z
func.func @grid(%A: memref<3x4x5xi32>) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c32 = arith.constant 32 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c5, %sy = %c4, %sz = %c3)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c4, %nz = %c1) {
    %t0 = arith.muli %bz, %c10 : index
    %t1 = arith.addi %t0, %by : index
    %t2 = arith.muli %t1, %c10 : index
    %t3 = arith.addi %t2, %bx : index
    %v = arith.index_cast %t3 : index to i32
    memref.store %v, %A[%bz, %by, %bx] : memref<3x4x5xi32>
    gpu.terminator
  }
  return
}

// Options do not change results; a requirement that holds neither.
// CASE: options(A=ints:32x64:bf16, B=junk:32x64:bf16)
// EXPECT: B = A
func.func @options(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %A, %c0 : memref<?x?xbf16>
  %rows = memref.dim %B, %c0 : memref<?x?xbf16>
  %same = arith.cmpi eq, %m, %rows : index
  tile.require %same, "A and B have the same rows"
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {min_blocks = 2 : i64, registers = 64 : i64}
    %S = tile.alloc {alignment = 2048 : i64} : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 64] : memref<?x?xbf16>
    %b = tile.region %B[0, 0] [32, 64] : memref<?x?xbf16>
    tile.copy %a to %S {eviction = #tile.eviction<first>} : !tile.region<32x64xbf16>, memref<32x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %b {eviction = #tile.eviction<last>, vector_width = 2 : i64} : memref<32x64xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16>
    gpu.terminator
  }
  return
}
