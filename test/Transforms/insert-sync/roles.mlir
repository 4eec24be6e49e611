// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!tile = memref<64x64xbf16, #gpu.address_space<workgroup>>
!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
!private = memref<64x64xbf16, #gpu.address_space<private>>

// What was done before the roles part is ordered before they do; inside a role
// its own threads meet; after them all threads meet again, whatever the role
// ordered for itself.
// CHECK-LABEL: func.func @parts
func.func @parts(%v: bf16, %P: !private) attributes {tile.num_threads = 256 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 8192} : !tile
  // CHECK: tile.fill
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.specialize
  tile.fill %S, %v : !tile, bf16
  tile.specialize {
    tile.role "a" warps 4 {
      // CHECK: tile.copy
      // CHECK-NEXT: tile.fill
      // CHECK-NEXT: tile.barrier_sync
      // CHECK-NEXT: tile.copy
      // CHECK-NEXT: {{^ *}}}
      tile.copy %S to %P {instr = #tile.instr<simt>} : !tile, !private
      tile.fill %T, %v : !tile, bf16
      tile.copy %T to %P {instr = #tile.instr<simt>} : !tile, !private
    }
    // CHECK-NEXT: tile.role "b"
    // CHECK-NEXT: tile.copy
    // CHECK-NEXT: {{^ *}}}
    tile.role "b" warps 4 {
      tile.copy %S to %P {instr = #tile.instr<simt>} : !tile, !private
    }
  }
  // CHECK: tile.barrier_sync
  // CHECK-NEXT: tile.copy
  tile.copy %T to %P {instr = #tile.instr<simt>} : !tile, !private
  return
}

// The barriers of a channel order who touches its rings: nobody else meets.
// CHECK-LABEL: func.func @rings
func.func @rings(%v: bf16, %P: !private) attributes {tile.num_threads = 256 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %R = tile.alloc {offset = 0} : !ring
  %full = tile.barrier_alloc {offset = 16384} : !tile.barrier<2>
  %empty = tile.barrier_alloc {offset = 16400} : !tile.barrier<2>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<2>, !tile.barrier<2>, !ring
  // CHECK: tile.specialize
  // CHECK-NOT: tile.barrier_sync
  tile.specialize {
    tile.role "reads" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      scf.for %i = %c0 to %c8 step %c1 {
        tile.barrier_wait %full[%c0] parity %z : !tile.barrier<2>
        tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
      }
    }
    tile.role "fills" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      scf.for %i = %c0 to %c8 step %c1 {
        tile.barrier_wait %empty[%c0] parity %z : !tile.barrier<2>
        tile.fill %r, %v : !slot, bf16
      }
    }
  }
  // CHECK: return
  return
}

// An mbarrier that no channel has: a role that copies for itself waits by parity, and
// none of its threads may miss two copies.
// CHECK-LABEL: func.func @own_copies
// CHECK: tile.role "a"
// CHECK: scf.for
// CHECK: tile.barrier_expect
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_wait
// CHECK: tile.role "b"
func.func @own_copies(%A: memref<?x?xbf16>, %v: bf16, %n: index, %p: i32) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 8192} : !tile
  %bar = tile.barrier_alloc {offset = 16384} : !tile.barrier<1>
  tile.barrier_init %bar arrivals 1 : !tile.barrier<1>
  tile.barrier_sync
  tile.specialize {
    tile.role "a" warps 4 {
      %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
      scf.for %i = %c0 to %n step %c1 {
        tile.barrier_expect %bar[%c0] bytes 8192 : !tile.barrier<1>
        tile.copy %a to %S signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
        tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
      }
    }
    tile.role "b" warps 4 {
      tile.fill %T, %v : !tile, bf16
    }
  }
  return
}

// Who loads a tile and gives it back on an mbarrier fences where TMA fills it: its loads
// may be under way. Not for what threads fill, not for the mbarrier that TMA signals,
// and not after a barrier, but for that of one warp, which does not wait for loads.
// CHECK-LABEL: func.func @gives_back
// CHECK: tile.role "loads"
// CHECK: tile.copy
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive
// CHECK-NOT: tile.fence_proxy
// CHECK: tile.role "met"
// CHECK-NOT: tile.fence_proxy
// CHECK: tile.role "warp"
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive
// CHECK: tile.role "plain"
// CHECK-NOT: tile.fence_proxy
// CHECK: tile.role "fills"
func.func @gives_back(%A: memref<64x64xbf16>, %F: !private, %G: !private, %H: !private, %v: bf16, %p: i32) attributes {tile.num_threads = 448 : i32} {
  %c0 = arith.constant 0 : index
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 8192} : !tile
  %U = tile.alloc {offset = 16384} : !tile
  %full = tile.barrier_alloc {offset = 24576} : !tile.barrier<1>
  %empty = tile.barrier_alloc {offset = 24584} : !tile.barrier<1>
  tile.specialize {
    tile.role "loads" warps 4 {
      tile.barrier_wait %full[%c0] parity %p : !tile.barrier<1>
      tile.copy %S to %F : !tile, !private
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
    }
    tile.role "met" warps 4 {
      tile.copy %U to %H : !tile, !private
      tile.barrier_sync
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
    }
    tile.role "warp" warps 1 {
      tile.copy %U to %H : !tile, !private
      tile.barrier_sync
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
    }
    tile.role "plain" warps 4 {
      tile.barrier_wait %full[%c0] parity %p : !tile.barrier<1>
      tile.copy %T to %G : !tile, !private
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
    }
    tile.role "fills" warps 1 {
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      tile.barrier_expect %full[%c0] bytes 16384 : !tile.barrier<1>
      tile.copy %a to %S signal %full[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
      tile.copy %a to %U signal %full[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
      tile.barrier_wait %empty[%c0] parity %p : !tile.barrier<1>
      tile.fill %T, %v : !tile, bf16
    }
  }
  return
}
