// Ops of other dialects beside tile ops, which say what the block does.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// An op of vector on a shared tile, whose elements then lie row by row. One thread stores.
// CASE: tile_vector(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[3, 8:12] = A[3, 8:12] * 2
func.func @tile_vector(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %As[%c3, %c8], %z {in_bounds = [true]} : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.transfer_write %w, %As[%c3, %c8] {in_bounds = [true]} : vector<4xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A window of a shared tile, and threads that store what is theirs.
// CASE: tile_subview(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[8:10] = A[8:10] * 2
func.func @tile_subview(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %s = memref.subview %As[8, 0] [8, 64] [1, 1] : memref<64x64xf32, #gpu.address_space<workgroup>> to memref<8x64xf32, strided<[64, 1], offset: 512>, #gpu.address_space<workgroup>>
    %q = arith.divui %tx, %c64 : index
    %r = arith.remui %tx, %c64 : index
    %v = memref.load %s[%q, %r] : memref<8x64xf32, strided<[64, 1], offset: 512>, #gpu.address_space<workgroup>>
    %w = arith.addf %v, %v : f32
    memref.store %w, %s[%q, %r] : memref<8x64xf32, strided<[64, 1], offset: 512>, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Loads and stores by thread ids beside tile ops.
// CASE: tile_thread_ids(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[0:2] = A[0:2] * 2
func.func @tile_thread_ids(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %q = arith.divui %tx, %c64 : index
    %r = arith.remui %tx, %c64 : index
    %v = memref.load %As[%q, %r] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %w = arith.addf %v, %v : f32
    memref.store %w, %As[%q, %r] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// No barrier in a branch that some threads take.
// CASE: tile_guarded(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[np.arange(5), np.arange(5)] *= 2
func.func @tile_guarded(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %is = arith.cmpi ult, %tx, %c5 : index
    scf.if %is {
      %v = memref.load %As[%tx, %tx] : memref<64x64xf32, #gpu.address_space<workgroup>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %As[%tx, %tx] : memref<64x64xf32, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// One thread, and not the first.
// CASE: tile_guard_one(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[2, 2] *= 2
func.func @tile_guard_one(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %is = arith.cmpi eq, %tx, %c5 : index
    scf.if %is {
      %v = memref.load %As[%c2, %c2] : memref<64x64xf32, #gpu.address_space<workgroup>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %As[%c2, %c2] : memref<64x64xf32, #gpu.address_space<workgroup>>
    }
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A barrier between tile ops.
// CASE: tile_barrier(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A
func.func @tile_barrier(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A reduction of the block, whose result one thread stores.
// CASE: tile_all_reduce(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[0, 0] = A[0:2].sum()
func.func @tile_all_reduce(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %q = arith.divui %tx, %c64 : index
    %r = arith.remui %tx, %c64 : index
    %v = memref.load %As[%q, %r] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %s = gpu.all_reduce add %v uniform {} : (f32) -> f32
    memref.store %s, %As[%c0, %c0] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Lanes that exchange elements of a tile.
// CASE: tile_shuffle(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[1, :32] = A[1, np.arange(32) ^ 1]
func.func @tile_shuffle(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 32 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %l = gpu.lane_id
    %v = memref.load %As[%c1, %l] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %o = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %v, %o, %w : f32
    memref.store %s, %As[%c1, %l] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Dynamic shared memory of the launch lies before the tiles.
// CASE: tile_dynamic(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[0, 0] = 7
func.func @tile_dynamic(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  %sm = arith.constant 512 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %sm {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %d[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xf32, #gpu.address_space<workgroup>>
    %f = arith.constant 7.0 : f32
    memref.store %f, %s[%tx] : memref<128xf32, #gpu.address_space<workgroup>>
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %x = memref.load %s[%c5] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %x, %As[%c0, %c0] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Memory that the launch declares, beside tiles.
// CASE: tile_attribution(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[0, 0] = 7
func.func @tile_attribution(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) workgroup(%s : memref<128xf32, #gpu.address_space<workgroup>>) {
    %f = arith.constant 7.0 : f32
    memref.store %f, %s[%tx] : memref<128xf32, #gpu.address_space<workgroup>>
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %x = memref.load %s[%c5] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %x, %As[%c0, %c0] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Ops of index in an element loop.
// CASE: tile_index_loop(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: i = np.arange(64); B = A + (i[:, None] + i[None, :]) % 3
func.func @tile_index_loop(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %As to %F : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      %s = index.add %i, %j
      %m = index.remu %s, %c3
      %ci = index.castu %m : index to i32
      %f = arith.uitofp %ci : i32 to f32
      %y = arith.addf %x, %f : f32
      memref.store %y, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Complex numbers in an element loop.
// CASE: tile_complex_loop(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A * A - 1
func.func @tile_complex_loop(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %As to %F : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      %one = arith.constant 1.0 : f32
      %z = complex.create %x, %one : complex<f32>
      %s = complex.mul %z, %z : complex<f32>
      %y = complex.re %s : complex<f32>
      memref.store %y, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A loop of affine around tile ops.
// CASE: tile_affine(A=ints:256x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.reshape(4, 64, 64).sum(0)
func.func @tile_affine(%A: memref<256x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %z = arith.constant 0.0 : f32
    tile.fill %F, %z : memref<64x64xf32, #tile.fragment>, f32
    affine.for %k = 0 to 4 {
      %o = affine.apply affine_map<(d0) -> (d0 * 64)>(%k)
      %a = tile.region %A[%o, %c0] [64, 64] : memref<256x64xf32>
      tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %As[%i, %j] : memref<64x64xf32, #gpu.address_space<workgroup>>
        %w = arith.addf %x, %y : f32
        memref.store %w, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
    }
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Blocks and branches around tile ops.
// CASE: tile_cf(A=ints:64x64:f32, B=junk:64x64:f32, p=1)
// EXPECT: B = A
func.func @tile_cf(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    cf.cond_br %p, ^a, ^b
  ^a:
    %b0 = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b0 : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    cf.br ^b
  ^b:
    gpu.terminator
  }
  return
}

// A pipelined loop that prints, with roles or without.
// CASE: tile_printf_loop(A=ints:256x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.reshape(4, 64, 64).sum(0)
func.func @tile_printf_loop(%A: memref<256x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %z = arith.constant 0.0 : f32
    tile.fill %F, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c256 step %c64 {
      %a = tile.region %A[%k, %c0] [64, 64] : memref<256x64xf32>
      tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %As[%i, %j] : memref<64x64xf32, #gpu.address_space<workgroup>>
        %w = arith.addf %x, %y : f32
        memref.store %w, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      gpu.printf "k = %d\n", %k : index
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A pipelined loop with a barrier of its own has no roles.
// CASE: tile_loop_barrier(A=ints:256x64:f32, B=junk:64x64:f32, C=zeros:256:f32)
// EXPECT: B = A.reshape(4, 64, 64).sum(0)
func.func @tile_loop_barrier(%A: memref<256x64xf32>, %B: memref<64x64xf32>, %C: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %z = arith.constant 0.0 : f32
    tile.fill %F, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c256 step %c64 {
      %a = tile.region %A[%k, %c0] [64, 64] : memref<256x64xf32>
      tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %As[%i, %j] : memref<64x64xf32, #gpu.address_space<workgroup>>
        %w = arith.addf %x, %y : f32
        memref.store %w, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      gpu.barrier
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A tile that an op of vector reads is not fetched ahead.
// CASE: tile_loop_vec(A=ints:256x64:f32, B=junk:64x64:f32, C=zeros:256:f32)
// EXPECT: B = A.reshape(4, 64, 64).sum(0); C[::64] = A[::64, :4].sum(1)
func.func @tile_loop_vec(%A: memref<256x64xf32>, %B: memref<64x64xf32>, %C: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %z = arith.constant 0.0 : f32
    tile.fill %F, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c256 step %c64 {
      %a = tile.region %A[%k, %c0] [64, 64] : memref<256x64xf32>
      tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %As[%i, %j] : memref<64x64xf32, #gpu.address_space<workgroup>>
        %w = arith.addf %x, %y : f32
        memref.store %w, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      %vv = vector.transfer_read %As[%c0, %c0], %z {in_bounds = [true]} : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %vr = vector.reduction <add>, %vv : vector<4xf32> into f32
      memref.store %vr, %C[%k] : memref<256xf32>
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

func.func private @scale_tile(%t: memref<64x64xf32, #gpu.address_space<workgroup>>, %s: f32) {
  tile.parallel (%i, %j) in [64, 64] {
    %x = memref.load %t[%i, %j] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %y = func.call @mul2(%x, %s) : (f32, f32) -> f32
    memref.store %y, %t[%i, %j] : memref<64x64xf32, #gpu.address_space<workgroup>>
  }
  return
}
func.func private @mul2(%x: f32, %y: f32) -> f32 { %z = arith.mulf %x, %y : f32
  return %z : f32 }

// A function of tile ops, and one of an element, are inlined.
// CASE: tile_call(A=ints:64x64:f32, B=junk:64x64:f32, s=3)
// EXPECT: B = A * 3
func.func @tile_call(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    func.call @scale_tile(%As, %s) : (memref<64x64xf32, #gpu.address_space<workgroup>>, f32) -> ()
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

func.func private @mul3(%x: f32, %y: f32) -> f32 attributes {no_inline} { %z = arith.mulf %x, %y : f32
  return %z : f32 }

// An element loop that calls a function.
// CASE: tile_call_noinline(A=ints:64x64:f32, B=junk:64x64:f32, s=3)
// EXPECT: B = A * 3
func.func @tile_call_noinline(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %As to %F : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %F[%i, %j] : memref<64x64xf32, #tile.fragment>
      %y = func.call @mul3(%x, %s) : (f32, f32) -> f32
      memref.store %y, %F[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// An array of each thread beside tile ops: each thread stores.
// CASE: tile_alloca(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[0, 1] = A[2, 2]
func.func @tile_alloca(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %p = memref.alloca() : memref<4xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %As[%i, %i] : memref<64x64xf32, #gpu.address_space<workgroup>>
      memref.store %v, %p[%i] : memref<4xf32>
    }
    %v = memref.load %p[%c2] : memref<4xf32>
    memref.store %v, %As[%c0, %c1] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

memref.global "private" constant @tab : memref<4xf32> = dense<[1.0, 2.0, 3.0, 5.0]>

// A table in the module beside tile ops.
// CASE: tile_global(A=ints:64x64:f32, B=junk:64x64:f32)
// EXPECT: B = A.copy(); B[0, 1] = 3
func.func @tile_global(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
    %g = memref.get_global @tab : memref<4xf32>
    %v = memref.load %g[%c2] : memref<4xf32>
    memref.store %v, %As[%c0, %c1] : memref<64x64xf32, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %As to %b : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A product, then a barrier.
// CASE: tile_wgmma_printf(A=ints:64x64:bf16, B=ints:64x64:bf16, C=junk:64x64:f32)
// EXPECT: C = A.astype(float) @ B
func.func @tile_wgmma_printf(%A: memref<64x64xbf16>, %B: memref<64x64xbf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %z = arith.constant 0.0 : f32
    tile.fill %F, %z : memref<64x64xf32, #tile.fragment>, f32
    %a = tile.region %A[%c0, %c0] [64, 64] : memref<64x64xbf16>
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    %b = tile.region %B[%c0, %c0] [64, 64] : memref<64x64xbf16>
    tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %Bs, %F : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    gpu.barrier
    %cc = tile.region %C[%c0, %c0] [64, 64] : memref<64x64xf32>
    tile.copy %F to %cc : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
