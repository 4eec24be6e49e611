// Products whose depth the blocks of a cluster share (tile-split-depth).

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// As asked: rows, columns and depths that no tile divides, and fewer rounds than
// blocks, some of which then have none.
// CASE: asked(A=ints:100x520:bf16, B=ints:72x520:bf16, C=junk:100x72:f32)
// CASE: asked(A=ints:128x64:bf16, B=ints:64x64:bf16, C=junk:128x64:f32)
// CASE: asked(A=ints:70x77:bf16, B=ints:50x77:bf16, C=junk:70x50:f32)
// CASE: asked(A=ints:64x200:bf16@208+8, B=ints:64x200:bf16, C=junk:64x64:f32@80+4)
// EXPECT: C = A.astype(np.float32) @ B.astype(np.float32).T
func.func @asked(%A: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %B: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %C: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %A, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %K = memref.dim %A, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %N = memref.dim %C, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 4 : i64}
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// As chosen: batches in z, two sums, a bias that is read before the loop, and
// elements after it, of which the first block alone stores the result.
// CASE: chosen(A=ints:2x64x1984:f16, B=ints:2x1984x64:f16, D=ints:2x1984x64:f16, bias=ints:64:f32, C=junk:2x64x64:f16)
// EXPECT: x = A.astype(np.float32) @ B.astype(np.float32)
// EXPECT: y = A.astype(np.float32) @ D.astype(np.float32)
// EXPECT: C = round_to(np.maximum(x - y + bias, 0), "f16")
func.func @chosen(%A: memref<2x64x1984xf16>, %B: memref<2x1984x64xf16>, %D: memref<2x1984x64xf16>, %bias: memref<64xf32>, %C: memref<2x64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c1984 = arith.constant 1984 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c2)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %batch = gpu.block_id z
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %Ds = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %x = tile.alloc : memref<64x64xf32, #tile.fragment>
    %y = tile.alloc : memref<64x64xf32, #tile.fragment>
    %row = tile.alloc : memref<64xf32, #tile.fragment>
    %r = tile.region %bias[0] [64] : memref<64xf32>
    tile.copy %r to %row : !tile.region<64xf32>, memref<64xf32, #tile.fragment>
    tile.fill %x, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.fill %y, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c1984 step %c64 {
      %a = tile.region %A[%bz, 0, %k] [1, 64, 64] drop [0] : memref<2x64x1984xf16>
      %b = tile.region %B[%batch, %k, 0] [1, 64, 64] drop [0] : memref<2x1984x64xf16>
      %d = tile.region %D[%batch, %k, 0] [1, 64, 64] drop [0] : memref<2x1984x64xf16>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
      tile.copy %d to %Ds : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %x : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.gemm %As, %Ds, %y : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    tile.parallel (%i, %j) in [64, 64] {
      %p = memref.load %x[%i, %j] : memref<64x64xf32, #tile.fragment>
      %q = memref.load %y[%i, %j] : memref<64x64xf32, #tile.fragment>
      %s = memref.load %row[%j] : memref<64xf32, #tile.fragment>
      %u = arith.subf %p, %q : f32
      %v = arith.addf %u, %s : f32
      %w = arith.maximumf %v, %zero : f32
      memref.store %w, %x[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %c = tile.region %C[%bz, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xf16>
    tile.copy %x to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf16>
    gpu.terminator
  }
  return
}

// Sums of integers, by 256 threads, in a grid of more than one row.
// CASE: integers(A=ints:200x300:i8, B=ints:100x300:i8, C=junk:200x100:i32)
// EXPECT: C = A.astype(np.int32) @ B.astype(np.int32).T
func.func @integers(%A: memref<200x300xi8>, %B: memref<100x300xi8>, %C: memref<200x100xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c300 = arith.constant 300 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c2, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c64 : index
    %zero = arith.constant 0 : i32
    %As = tile.alloc : memref<128x128xi8, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x128xi8, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<128x64xi32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x64xi32, #tile.fragment>, i32
    scf.for %k = %c0 to %c300 step %c128 {
      %a = tile.region %A[%m, %k] [128, 128] : memref<200x300xi8>
      %b = tile.region %B[%n, %k] [64, 128] : memref<100x300xi8>
      tile.copy %a to %As : !tile.region<128x128xi8>, memref<128x128xi8, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x128xi8>, memref<64x128xi8, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x128xi8, #gpu.address_space<workgroup>>, memref<64x128xi8, #gpu.address_space<workgroup>>, memref<128x64xi32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[%m, %n] [128, 64] : memref<200x100xi32>
    tile.copy %acc to %c : memref<128x64xi32, #tile.fragment>, !tile.region<128x64xi32>
    gpu.terminator
  }
  return
}
