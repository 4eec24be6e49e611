// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!fragment = memref<64x64xbf16, #tile.fragment>

// One case of a switch runs: what another case waited for does not count.
// CHECK-LABEL: func.func @switch
// CHECK: default {
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @switch(%F: !fragment, %i: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  scf.index_switch %i
  case 0 {
    tile.barrier_sync
    scf.yield
  }
  default {
    tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
    scf.yield
  }
  return
}

// What a case wrote reaches what stands after the switch, although a later
// case ends with a barrier.
// CHECK-LABEL: func.func @behind_a_switch
// CHECK: default {
// CHECK: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @behind_a_switch(%F: !fragment, %i: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  scf.index_switch %i
  case 0 {
    tile.fill %S, %zero : !shared, bf16
    scf.yield
  }
  default {
    tile.barrier_sync
    scf.yield
  }
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}

// Only one branch writes: the barrier after them is needed all the same.
// CHECK-LABEL: func.func @one_branch
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @one_branch(%F: !fragment, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  scf.if %go {
    tile.fill %S, %zero : !shared, bf16
  } else {
    tile.barrier_sync
  }
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}

// A loop in a loop: the last write of the inner one meets the first read of the
// outer one, one round later.
// CHECK-LABEL: func.func @nested_loops
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @nested_loops(%F: !fragment, %n: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !shared
  scf.for %i = %c1 to %n step %c1 {
    tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
    scf.for %j = %c1 to %n step %c1 {
      tile.fill %S, %zero : !shared, bf16
    }
  }
  return
}

// A loop that may run no round: its barrier does not count after it.
// CHECK-LABEL: func.func @maybe_no_round
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @maybe_no_round(%F: !fragment, %m: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.remui %m, %c4 : index
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_sync
  }
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, !fragment
  return
}
