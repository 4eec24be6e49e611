// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!tensor = memref<64x64xbf16>
!ring = memref<3x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
!private = memref<64x64xbf16, #gpu.address_space<private>>

// What a copy writes is there after the wait: all threads meet there, once a
// round, however many slots are under way. The last wait is only for the end.
// CHECK-LABEL: func.func @pipeline
func.func @pipeline(%A: !tensor, %P: !private) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %R = tile.alloc {offset = 0} : !ring
  %r0 = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
  // CHECK-NOT: tile.barrier_sync
  tile.copy %A to %r0 {async, instr = #tile.instr<cp_async>} : !tensor, !slot
  tile.cp_async_commit
  // CHECK: scf.for
  scf.for %i = %c0 to %c9 step %c1 {
    %r = tile.region %R[%i, 0, 0] [1, 64, 64] drop [0] : !ring
    // CHECK: tile.cp_async_wait pending 1
    // CHECK-NEXT: tile.barrier_sync
    // CHECK-NOT: tile.barrier_sync
    tile.cp_async_wait pending 1
    tile.copy %A to %r {async, instr = #tile.instr<cp_async>} : !tensor, !slot
    tile.cp_async_commit
    tile.copy %r0 to %P {instr = #tile.instr<simt>} : !slot, !private
  }
  tile.cp_async_wait pending 0
  // CHECK: return
  return
}

// The first wait lets the second copy be under way: threads meet after both.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: tile.cp_async_wait pending 1
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @one_after_the_other(%A: !tensor, %P: !private) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %T = tile.alloc {offset = 8192} : memref<64x64xbf16, #gpu.address_space<workgroup>>
  tile.copy %A to %S {async, instr = #tile.instr<cp_async>} : !tensor, memref<64x64xbf16, #gpu.address_space<workgroup>>
  tile.cp_async_commit
  tile.copy %A to %T {async, instr = #tile.instr<cp_async>} : !tensor, memref<64x64xbf16, #gpu.address_space<workgroup>>
  tile.cp_async_commit
  tile.cp_async_wait pending 1
  tile.copy %S to %P {instr = #tile.instr<simt>} : memref<64x64xbf16, #gpu.address_space<workgroup>>, !private
  tile.cp_async_wait pending 0
  tile.copy %T to %P {instr = #tile.instr<simt>} : memref<64x64xbf16, #gpu.address_space<workgroup>>, !private
  return
}
