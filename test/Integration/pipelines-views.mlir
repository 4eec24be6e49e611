// Pipelined loops over tiles that are seen with several shapes and types: each
// iteration has its own slot, whatever name it is read by.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: FileCheck %s --check-prefix=PTX < %t/sm_80/seen.ptx

#smem = #gpu.address_space<workgroup>
!T = memref<4x32xf32, #smem>
!V = memref<8x16xf32, #smem>
!W = memref<2x64xi32, #smem>

// A view outside the loop, one inside, a window of it, and elements.
// PTX: cp.async.commit_group
// PTX: cp.async.wait_group {{[ \t]*}}1;
// CASE: seen(A=ints:4x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=4)
// CASE: seen(A=ints:8x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=8)
// CASE: seen(A=ints:39x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=39)
// CASE: seen(A=ints:52x29:f32@31x1+1, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=52)
// CASE: seen(A=ints:52x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=0)
// EXPECT: T = np.zeros(((n + 3) // 4, 4, 32), np.float32); k = min(n, len(A))
// EXPECT: T.reshape(-1, 32)[:k, :A.shape[1]] = A[:k]
// EXPECT: B = T.reshape(-1, 8, 16).sum(axis=0)
// EXPECT: C = T.view(np.int32).reshape(-1, 2, 64)[:, 1].sum(axis=0, dtype=np.int32)
// EXPECT: D[0] = T[:, 3, 31].sum() + T[:, 1, 4].sum()
func.func @seen(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<8x16xf32>, %C: memref<64xi32>, %D: memref<1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c15 = arith.constant 15 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %T = tile.alloc : !T
    %V = tile.view %T : !T to !V
    %b = tile.alloc : memref<8x16xf32, #tile.fragment>
    %c = tile.alloc : memref<64xi32, #tile.fragment>
    %w = tile.alloc : memref<64xi32, #tile.fragment>
    tile.fill %b, %zero : memref<8x16xf32, #tile.fragment>, f32
    tile.fill %c, %none : memref<64xi32, #tile.fragment>, i32
    %d = scf.for %k = %c0 to %n step %c4 iter_args(%s = %zero) -> (f32) {
      %a = tile.region %A[%k, 0] [4, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      tile.copy %a to %T : !tile.region<4x32xf32>, !T
      tile.parallel (%i, %j) in [8, 16] {
        %x = memref.load %b[%i, %j] : memref<8x16xf32, #tile.fragment>
        %y = memref.load %V[%i, %j] : !V
        %z = arith.addf %x, %y : f32
        memref.store %z, %b[%i, %j] : memref<8x16xf32, #tile.fragment>
      }
      %W = tile.view %T : !T to !W
      %u = tile.region %W[1, 0] [1, 64] drop [0] : !W
      tile.copy %u to %w : !tile.region<64xi32, #smem>, memref<64xi32, #tile.fragment>
      tile.parallel (%i) in [64] {
        %x = memref.load %c[%i] : memref<64xi32, #tile.fragment>
        %y = memref.load %w[%i] : memref<64xi32, #tile.fragment>
        %z = arith.addi %x, %y : i32
        memref.store %z, %c[%i] : memref<64xi32, #tile.fragment>
      }
      %p = memref.load %V[%c7, %c15] : !V
      %q = memref.load %T[%c1, %c4] : !T
      %r = arith.addf %s, %p : f32
      %t = arith.addf %r, %q : f32
      scf.yield %t : f32
    } {tile.num_stages = 3 : i32}
    tile.copy %b to %B : memref<8x16xf32, #tile.fragment>, memref<8x16xf32>
    tile.copy %c to %C : memref<64xi32, #tile.fragment>, memref<64xi32>
    memref.store %d, %D[%c0] : memref<1xf32>
    gpu.terminator
  }
  return
}

// The same without roles, where TMA has barriers of its own.
// CASE: alone(A=ints:4x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=4)
// CASE: alone(A=ints:8x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=8)
// CASE: alone(A=ints:39x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=39)
// CASE: alone(A=ints:52x29:f32@31x1+1, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=52)
// CASE: alone(A=ints:52x32:f32, B=junk:8x16:f32, C=junk:64:i32, D=junk:1:f32, n=0)
// EXPECT: T = np.zeros(((n + 3) // 4, 4, 32), np.float32); k = min(n, len(A))
// EXPECT: T.reshape(-1, 32)[:k, :A.shape[1]] = A[:k]
// EXPECT: B = T.reshape(-1, 8, 16).sum(axis=0)
// EXPECT: C = T.view(np.int32).reshape(-1, 2, 64)[:, 1].sum(axis=0, dtype=np.int32)
// EXPECT: D[0] = T[:, 3, 31].sum() + T[:, 1, 4].sum()
func.func @alone(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<8x16xf32>, %C: memref<64xi32>, %D: memref<1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c15 = arith.constant 15 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %T = tile.alloc : !T
    %V = tile.view %T : !T to !V
    %b = tile.alloc : memref<8x16xf32, #tile.fragment>
    %c = tile.alloc : memref<64xi32, #tile.fragment>
    %w = tile.alloc : memref<64xi32, #tile.fragment>
    tile.fill %b, %zero : memref<8x16xf32, #tile.fragment>, f32
    tile.fill %c, %none : memref<64xi32, #tile.fragment>, i32
    %d = scf.for %k = %c0 to %n step %c4 iter_args(%s = %zero) -> (f32) {
      %a = tile.region %A[%k, 0] [4, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      tile.copy %a to %T : !tile.region<4x32xf32>, !T
      tile.parallel (%i, %j) in [8, 16] {
        %x = memref.load %b[%i, %j] : memref<8x16xf32, #tile.fragment>
        %y = memref.load %V[%i, %j] : !V
        %z = arith.addf %x, %y : f32
        memref.store %z, %b[%i, %j] : memref<8x16xf32, #tile.fragment>
      }
      %W = tile.view %T : !T to !W
      %u = tile.region %W[1, 0] [1, 64] drop [0] : !W
      tile.copy %u to %w : !tile.region<64xi32, #smem>, memref<64xi32, #tile.fragment>
      tile.parallel (%i) in [64] {
        %x = memref.load %c[%i] : memref<64xi32, #tile.fragment>
        %y = memref.load %w[%i] : memref<64xi32, #tile.fragment>
        %z = arith.addi %x, %y : i32
        memref.store %z, %c[%i] : memref<64xi32, #tile.fragment>
      }
      %p = memref.load %V[%c7, %c15] : !V
      %q = memref.load %T[%c1, %c4] : !T
      %r = arith.addf %s, %p : f32
      %t = arith.addf %r, %q : f32
      scf.yield %t : f32
    } {tile.num_stages = 3 : i32}
    tile.copy %b to %B : memref<8x16xf32, #tile.fragment>, memref<8x16xf32>
    tile.copy %c to %C : memref<64xi32, #tile.fragment>, memref<64xi32>
    memref.store %d, %D[%c0] : memref<1xf32>
    gpu.terminator
  }
  return
}
