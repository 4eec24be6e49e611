// A launch without clusters is one of clusters of one block, on any chip: its own
// tiles are all that a rank can name.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: alone(A=ints:37x20:f16, B=junk:20x37:f16, n=junk:1:i32)
// EXPECT: B = A.T; n[0] = 37
func.func @alone(%A: memref<37x20xf16>, %B: memref<20x37xf16>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %s = tile.alloc : memref<37x20xf16, #gpu.address_space<workgroup>>
    %t = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
    %rs = tile.remote %s at %c0 : memref<37x20xf16, #gpu.address_space<workgroup>>
    %rt = tile.remote %t at %c0 : memref<1xi32, #gpu.address_space<workgroup>>
    tile.fill %t, %i0 : memref<1xi32, #gpu.address_space<workgroup>>, i32
    tile.copy %A to %rs : memref<37x20xf16>, memref<37x20xf16, #tile.cluster>
    tile.cluster_sync
    tile.parallel (%i, %j) in [20, 37] {
      %x = memref.load %rs[%j, %i] : memref<37x20xf16, #tile.cluster>
      memref.store %x, %B[%i, %j] : memref<20x37xf16>
    }
    tile.parallel (%i) in [37] {
      %old = memref.atomic_rmw addi %i1, %rt[%c0] : (i32, memref<1xi32, #tile.cluster>) -> i32
    }
    tile.cluster_sync
    tile.copy %t to %n : memref<1xi32, #gpu.address_space<workgroup>>, memref<1xi32>
    gpu.terminator
  }
  return
}
