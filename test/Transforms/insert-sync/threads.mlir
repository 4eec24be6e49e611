// RUN: %tile_opt_passes 'tile-insert-sync' %s | FileCheck %s

// What each thread does is its own business: the branch may be taken by some
// threads only.
// CHECK-LABEL: func.func @thread_code
// CHECK-NOT: tile.
func.func @thread_code(%A: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %inside = arith.cmpi ult, %tx, %n : index
    scf.if %inside {
      %a = memref.load %A[%tx] : memref<?xf32>
      memref.store %a, %A[%tx] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// What the block does is done once: others wait for it.
// CHECK-LABEL: func.func @block_code
// CHECK: memref.store
// CHECK: tile.barrier_sync
// CHECK-NEXT: memref.load
func.func @block_code(%A: memref<?xf32>, %n: index, %v: f32) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    memref.store %v, %A[%bx] : memref<?xf32>
    %a = memref.load %A[%n] : memref<?xf32>
    memref.store %a, %A[%n] : memref<?xf32>
    gpu.terminator
  }
  return
}
