// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// One thread initialises an mbarrier, the one that copies by TMA: the others meet it
// before they use the mbarrier.

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!rows = memref<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The copy is on its way when threads meet.
// CHECK-LABEL: func.func @first_wait
// CHECK: tile.barrier_init
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.copy {{.*}} signal
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.barrier_wait
// CHECK-NOT: tile.barrier_sync
func.func @first_wait(%a: !rows, %f: !frag) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !rows, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  return
}

// The barrier that rounds need before their copy is there in the first one, too.
// CHECK-LABEL: func.func @loop_begins_with_one
// CHECK: tile.barrier_init
// CHECK-NOT: tile.barrier_sync
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy {{.*}} signal
// CHECK-NEXT: tile.barrier_wait
// CHECK-NOT: tile.barrier_sync
func.func @loop_begins_with_one(%a: !rows, %f: !frag, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_expect %b[%c0] bytes 2048 : !b1
    tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !rows, !tile
    tile.barrier_wait %b[%c0] parity %p : !b1
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  }
  return
}

// What only the first round needs stands before the loop, after the copy that
// stands there.
// CHECK-LABEL: func.func @hoisted
// CHECK: tile.barrier_init
// CHECK: tile.copy {{.*}} signal
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.barrier_sync
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.barrier_wait
// CHECK-NOT: tile.barrier_sync
func.func @hoisted(%a: !rows, %f: !frag, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !rows, !tile
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_wait %b[%c0] parity %p : !b1
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  }
  return
}

// All threads arrive, or one thread does.
// CHECK-LABEL: func.func @arrivals
// CHECK: tile.barrier_init
// CHECK-NEXT: tile.barrier_arrive {{.*}} by <leader>
// CHECK-NEXT: tile.barrier_wait {{.*}} {leader}
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.barrier_arrive
// CHECK-NEXT: tile.barrier_wait
func.func @arrivals(%p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 64 : !b1
  tile.barrier_arrive %b[%c0] by <leader> : !b1
  tile.barrier_wait %b[%c0] parity %p {leader} : !b1
  tile.barrier_arrive %b[%c0] : !b1
  tile.barrier_wait %b[%c0] parity %p : !b1
  return
}

// A branch that meets, and threads that come by another way.
// CHECK-LABEL: func.func @branch
// CHECK: tile.barrier_init
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.barrier_wait
// CHECK: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.barrier_wait
func.func @branch(%x: i1, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.if %x {
    tile.barrier_wait %b[%c0] parity %p : !b1
  }
  tile.barrier_wait %b[%c0] parity %p : !b1
  return
}

// Initialised again: who waited has to be through.
// CHECK-LABEL: func.func @again
// CHECK: tile.barrier_wait
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.barrier_init
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.barrier_wait
func.func @again(%p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_wait %b[%c0] parity %p : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_wait %b[%c0] parity %p : !b1
  return
}

// Each role has a leader of its own.
// CHECK-LABEL: func.func @roles
// CHECK: tile.barrier_init
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.specialize
func.func @roles(%p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.specialize {
    tile.role "waits" warps 1 {
      tile.barrier_wait %b[%c0] parity %p : !b1
    }
    tile.role "arrives" warps 1 {
      tile.barrier_arrive %b[%c0] by <leader> : !b1
    }
  }
  return
}
