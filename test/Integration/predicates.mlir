// Predicates of masks in global and shared memory and in fragments decide for
// the whole block, also around barriers.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Each block row of a mask guards copies through shared memory. Windows that
// leave the tensor count as false.
// CASE: guarded(M=zeros:4x5:i1, A=ints:64:f32, X=junk:4x64:f32, Y=junk:4x64:f32)
// CASE: guarded(M=ones:4x5:i1, A=ints:64:f32, X=junk:4x64:f32, Y=junk:4x64:f32)
// CASE: guarded(M=wide:4x5:i1, A=ints:64:f32, X=junk:4x64:f32, Y=junk:4x64:f32)
// CASE: guarded(M=wide:4x100:i1, A=ints:64:f32, X=junk:4x64:f32, Y=junk:4x64:f32)
// CASE: guarded(M=ones:4x4:i1, A=ints:64:f32, X=junk:4x64:f32, Y=junk:4x64:f32)
// EXPECT: P = np.zeros((4, 5), bool)
// EXPECT: P[:, :min(5, M.shape[1])] = M[:, :5]
// EXPECT: for r in range(4):
// EXPECT:   if P[r].any(): X[r] = A
// EXPECT:   if P[r].all(): Y[r] = A
func.func @guarded(%M: memref<?x?xi1>, %A: memref<64xf32>, %X: memref<4x64xf32>, %Y: memref<4x64xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xf32, #shared>
    %m = tile.region %M[%bx, 0] [1, 5] : memref<?x?xi1>
    %x = tile.region %X[%bx, 0] [1, 64] drop [0] : memref<4x64xf32>
    %y = tile.region %Y[%bx, 0] [1, 64] drop [0] : memref<4x64xf32>
    %any = tile.any_of %m : !tile.region<1x5xi1>
    scf.if %any {
      tile.copy %A to %S : memref<64xf32>, memref<64xf32, #shared>
      tile.copy %S to %x : memref<64xf32, #shared>, !tile.region<64xf32>
    }
    %all = tile.all_of %m : !tile.region<1x5xi1>
    scf.if %all {
      tile.copy %A to %S : memref<64xf32>, memref<64xf32, #shared>
      tile.copy %S to %y : memref<64xf32, #shared>, !tile.region<64xf32>
    }
    gpu.terminator
  }
  return
}

// Large masks, in all three memories; the shared one is written just before.
// CASE: memories(M=wide:33x40:i1, X=junk:8:i32)
// CASE: memories(M=zeros:33x40:i1, X=junk:8:i32)
// CASE: memories(M=ones:33x40:i1, X=junk:8:i32)
// EXPECT: X = np.array([M.any(), M.all(), M.any(), M.all(), M.any(), M.all(), M[5:9, 7].any(), M[5:9, 7].all()], np.int32)
func.func @memories(%M: memref<33x40xi1>, %X: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<33x40xi1, #shared>
    %F = tile.alloc : memref<33x40xi1, #fragment>
    tile.copy %M to %S : memref<33x40xi1>, memref<33x40xi1, #shared>
    tile.copy %M to %F : memref<33x40xi1>, memref<33x40xi1, #fragment>
    %w = tile.region %S[5, 7] [4, 1] drop [1] : memref<33x40xi1, #shared>
    %p0 = tile.any_of %M : memref<33x40xi1>
    %p1 = tile.all_of %M : memref<33x40xi1>
    %p2 = tile.any_of %S : memref<33x40xi1, #shared>
    %p3 = tile.all_of %S : memref<33x40xi1, #shared>
    %p4 = tile.any_of %F : memref<33x40xi1, #fragment>
    %p5 = tile.all_of %F : memref<33x40xi1, #fragment>
    %p6 = tile.any_of %w : !tile.region<4xi1, #shared>
    %p7 = tile.all_of %w : !tile.region<4xi1, #shared>
    %i0 = arith.extui %p0 : i1 to i32
    %i1 = arith.extui %p1 : i1 to i32
    %i2 = arith.extui %p2 : i1 to i32
    %i3 = arith.extui %p3 : i1 to i32
    %i4 = arith.extui %p4 : i1 to i32
    %i5 = arith.extui %p5 : i1 to i32
    %i6 = arith.extui %p6 : i1 to i32
    %i7 = arith.extui %p7 : i1 to i32
    memref.store %i0, %X[%c0] : memref<8xi32>
    memref.store %i1, %X[%c1] : memref<8xi32>
    memref.store %i2, %X[%c2] : memref<8xi32>
    memref.store %i3, %X[%c3] : memref<8xi32>
    memref.store %i4, %X[%c4] : memref<8xi32>
    memref.store %i5, %X[%c5] : memref<8xi32>
    memref.store %i6, %X[%c6] : memref<8xi32>
    memref.store %i7, %X[%c7] : memref<8xi32>
    gpu.terminator
  }
  return
}
