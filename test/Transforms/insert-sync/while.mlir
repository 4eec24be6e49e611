// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!fragment = memref<64x64xbf16, #tile.fragment>

// A while-loop ends after its condition, which has run at least once: what it
// wrote must be visible after the loop, although the body ends with a barrier.
// CHECK-LABEL: func.func @written_by_the_condition
// CHECK: scf.while
// CHECK: tile.fill
// CHECK: } do {
// CHECK: tile.barrier_sync
// CHECK: }
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @written_by_the_condition(%F: !fragment, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  scf.while : () -> () {
    tile.fill %S, %zero : !shared, bf16
    scf.condition(%go)
  } do {
    tile.barrier_sync
    scf.yield
  }
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}

// A write in the body reaches the condition of the next round, and no further.
// CHECK-LABEL: func.func @written_by_the_body
// CHECK: scf.while
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: } do {
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK: }
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.copy
func.func @written_by_the_body(%F: !fragment, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  scf.while : () -> () {
    tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
    scf.condition(%go)
  } do {
    tile.fill %S, %zero : !shared, bf16
    scf.yield
  }
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}
