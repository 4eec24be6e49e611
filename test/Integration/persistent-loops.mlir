// Kernels with a loop over tiles of their own, whose blocks loop over tiles: three
// loops, one producer.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --sms=1,2,7 --seeds=2 --out=%t

!A = memref<?x?xbf16>
!C = memref<?x?xf32>
!tile = memref<64x64xbf16, #gpu.address_space<workgroup>>
!win = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>

// Five blocks walk over all tiles; the device may have fewer multiprocessors.
// CASE: walk(A=ints:200x72:bf16, B=ints:136x72:bf16, C=junk:200x136:f32)
// CASE: walk(A=ints:64x200:bf16, B=ints:64x200:bf16, C=junk:64x64:f32)
// CASE: walk(A=ints:200x65:bf16, B=ints:131x65:bf16, C=junk:200x131:f32)
// EXPECT: C = A @ B.T
func.func @walk(%A: !A, %B: !A, %C: !C) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %C, %c0 : !C
  %N = memref.dim %C, %c1 : !C
  %K = memref.dim %A, %c1 : !A
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c5, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    scf.for %t = %bx to %tiles step %sx {
      %i = arith.divui %t, %tn : index
      %j = arith.remui %t, %tn : index
      %m = arith.muli %i, %c64 : index
      %n = arith.muli %j, %c64 : index
      tile.fill %acc, %zero : !acc, f32
      scf.for %k = %c0 to %K step %c64 {
        %a = tile.region %A[%m, %k] [64, 64] : !A
        %b = tile.region %B[%n, %k] [64, 64] : !A
        tile.copy %a to %As : !win, !tile
        tile.copy %b to %Bs : !win, !tile
        tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !tile, !acc)
      } {tile.num_stages = 3 : i32}
      %c = tile.region %C[%m, %n] [64, 64] : !C
      tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}

// Blocks of a batch whose work depends on a table: some have nothing to do, and
// the producer skips what the consumers skip.
// CASE: ragged(A=ints:7x64x192:bf16, L=count:7:i32, C=junk:7x64x64:f32)
// EXPECT: C = np.array(C); n = [64 * (l % 4) for l in L]
// EXPECT: for z in range(7): C[z] = A[z][:, :n[z]] @ A[z][:, :n[z]].T
func.func @ragged(%A: memref<7x64x192xbf16>, %L: memref<7xi32>, %C: memref<7x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c7)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    %l = memref.load %L[%bz] : memref<7xi32>
    %li = arith.index_cast %l : i32 to index
    %steps = arith.remui %li, %c4 : index
    %K = arith.muli %steps, %c64 : index
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%bz, 0, %k] [1, 64, 64] drop [0] {align = 16 : i64} : memref<7x64x192xbf16>
      tile.copy %a to %As : !win, !tile
      tile.copy %a to %Bs : !win, !tile
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !tile, !acc)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[%bz, 0, 0] [1, 64, 64] drop [0] : memref<7x64x64xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
