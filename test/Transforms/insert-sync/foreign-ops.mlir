// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!shared = memref<64x64xf32, #gpu.address_space<workgroup>>

// Ops of other dialects count by their memory effects.
// CHECK-LABEL: func.func @effects
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: affine.load
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: affine.store
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.atomic_rmw
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: vector.load
func.func @effects(%zero: f32, %i: index) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, f32
  %x = affine.load %S[0, 0] : !shared
  affine.store %x, %S[0, 1] : !shared
  %y = memref.atomic_rmw addf %zero, %S[%i, %i] : (f32, !shared) -> f32
  %v = vector.load %S[%i, %i] : !shared, vector<4xf32>
  return
}

// A function that is called may do anything with the tile that it gets.
// CHECK-LABEL: func.func @unknown_effects
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: call
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func private @anything(!shared)
func.func @unknown_effects(%zero: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, f32
  func.call @anything(%S) : (!shared) -> ()
  tile.fill %S, %zero : !shared, f32
  return
}

// A kernel without tile ops is written for threads. Its branches may differ
// between them: a barrier there would never be left.
// CHECK-LABEL: func.func @kernel_of_threads
// CHECK-NOT: tile.
// CHECK: return
func.func @kernel_of_threads(%A: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %is_inside = arith.cmpi ult, %tx, %n : index
    scf.if %is_inside {
      %x = memref.load %A[%tx] : memref<?xf32>
      memref.store %x, %A[%tx] : memref<?xf32>
      %y = memref.load %A[%tx] : memref<?xf32>
      memref.store %y, %A[%tx] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}
