// RUN: %tile_opt_passes 'tile-insert-sync' %s | FileCheck %s

!shared = memref<64x64xf32, #gpu.address_space<workgroup>>
!fragment = memref<64x64xf32, #tile.fragment>

// Tiles that do not live at the same time may come to share bytes: packing runs
// as well after this pass as before it.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @one_after_the_other(%F: !fragment, %zero: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  tile.fill %T, %zero : !shared, f32
  tile.copy %T to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}

// The first one is read again: no bytes are shared, and the fill disturbs
// nobody.
// CHECK-LABEL: func.func @at_the_same_time
// CHECK: tile.copy
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
func.func @at_the_same_time(%F: !fragment, %zero: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  tile.fill %T, %zero : !shared, f32
  tile.copy %T to %F {instr = #tile.instr<simt>} : !shared, !fragment
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}
