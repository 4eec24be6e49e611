// RUN: %tile_opt_passes 'tile-lower-channels' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-lower-channels' %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: %tile_opt_passes 'tile-lower-channels,tile-pack-shared-memory{target=sm_90a},tile-insert-sync' %s | FileCheck %s --check-prefix=PACKED

// The 4 cases of "lower_shared_barrier" (B1) to (B4) and the 3 of "fuse_mbarrier" (M1)
// to (M3) of the list of a reference system (§3.1.6). There the program gives a count
// per mbarrier; here counts follow from the agents of a channel.

#smem = #gpu.address_space<workgroup>
!ring = memref<1x64x64xbf16, #smem>
!rings = memref<2x64x64xbf16, #smem>
!tile = memref<64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!tensor = memref<64x64xbf16>
!window = !tile.region<64x64xbf16>
!private = memref<64x64xbf16, #gpu.address_space<private>>

// (B1) One mbarrier at which 128 threads arrive: one init, and one meeting of all
// threads before any of them uses it.
// CHECK-LABEL: func.func @one_barrier
// CHECK: %[[FULL:.*]] = tile.barrier_alloc : !tile.barrier<1>
// CHECK-NEXT: tile.barrier_init %[[FULL]] arrivals 128
// CHECK: tile.barrier_init %{{.*}} arrivals 4
// CHECK-NOT: tile.barrier_init
// CHECK: tile.specialize
// PACKED-LABEL: func.func @one_barrier
// PACKED: tile.barrier_init
// PACKED: tile.barrier_sync
// PACKED-NOT: tile.barrier_sync
// PACKED: tile.specialize
func.func @one_barrier(%A: !tensor, %P: !private) attributes {tile.num_threads = 256 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 1 {simt_threads = 128, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.wait %ch[%z, %z]
      tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.acquire %ch[%z, %z]
      tile.copy %A to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<simt>} : !tensor, !slot
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// (B2) Counts 1, 1, 128, 128: two rows of two, and still one meeting.
// CHECK-LABEL: func.func @two_rows
// CHECK: %[[ONE:.*]] = tile.barrier_alloc : !tile.barrier<2>
// CHECK-NEXT: tile.barrier_init %[[ONE]] arrivals 1 :
// CHECK: tile.barrier_init %[[MANY:.*]] arrivals 128 :
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.specialize
// PACKED-LABEL: func.func @two_rows
// PACKED: tile.barrier_init
// PACKED: tile.barrier_sync
// PACKED-NOT: tile.barrier_sync
// PACKED: tile.specialize
func.func @two_rows(%A: !tensor, %P: !private) attributes {tile.num_threads = 256 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !rings
  %Q = tile.alloc : !rings
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !rings
  %dh = tile.channel(%Q) depth 2 {simt_threads = 128, consumer_warps = 4} : !rings
  tile.specialize {
    tile.role "consumer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !rings
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !rings
      tile.wait %ch[%z, %z]
      tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
      tile.release %ch[%z, %z]
      tile.wait %dh[%z, %z]
      tile.copy %q to %P {instr = #tile.instr<simt>} : !slot, !private
      tile.release %dh[%z, %z]
    }
    tile.role "producer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !rings
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !rings
      // (M2) Two channels: bytes and arrivals of one are not put together with those
      // of the other.
      // CHECK: tile.role "producer"
      // CHECK: tile.barrier_expect %[[ONE]][%{{[^ ]*}}] bytes 8192 :
      // CHECK-NEXT: tile.copy {{.*}} signal %[[ONE]]
      // CHECK-NEXT: tile.copy %{{[^ ]*}} to %{{[^ ]*}} {instr = #tile.instr<simt>}
      // CHECK-NOT: tile.barrier_expect
      // CHECK: tile.barrier_arrive %[[MANY]]
      tile.acquire %ch[%z, %z]
      tile.acquire %dh[%z, %z]
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !window, !slot
      tile.copy %A to %q signal %dh[%c0] of !tile.channel {instr = #tile.instr<simt>} : !tensor, !slot
      tile.commit %ch[%z, %z]
      tile.commit %dh[%z, %z]
    }
  }
  return
}

// (M2) The same of two channels that TMA fills.
// CHECK-LABEL: func.func @different_barriers
// CHECK: tile.role "producer"
// CHECK-DAG: tile.barrier_expect %[[F:.*]][%{{[^ ]*}}] bytes 8192 :
// CHECK-DAG: tile.barrier_expect %[[G:.*]][%{{[^ ]*}}] bytes 8192 :
// CHECK-NOT: tile.barrier_expect
// CHECK: return
func.func @different_barriers(%A: !tensor, %P: !private) attributes {tile.num_threads = 160 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %ch = tile.channel(%R) depth 1 {tma, consumer_warps = 4} : !ring
  %dh = tile.channel(%Q) depth 1 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.wait %ch[%z, %z]
      tile.wait %dh[%z, %z]
      tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
      tile.copy %q to %P {instr = #tile.instr<simt>} : !slot, !private
      tile.release %ch[%z, %z]
      tile.release %dh[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.acquire %ch[%z, %z]
      tile.acquire %dh[%z, %z]
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !window, !slot
      tile.copy %a to %q signal %dh[%c0] of !tile.channel {instr = #tile.instr<tma>} : !window, !slot
      tile.commit %ch[%z, %z]
      tile.commit %dh[%z, %z]
    }
  }
  return
}

// (B3) No mbarrier: nothing.
// CHECK-LABEL: func.func @no_barrier
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @no_barrier(%A: !tensor) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !tile
  tile.copy %A to %S {instr = #tile.instr<simt>} : !tensor, !tile
  return
}

// (B4) A barrier that the user wrote, in a kernel without TMA, comes through packing
// with one init and the meeting that stands after it.
// CHECK-LABEL: func.func @without_tma
// PACKED-LABEL: func.func @without_tma
// PACKED: %[[BAR:.*]] = tile.barrier_alloc {offset = 0 : i64}
// PACKED-NEXT: tile.barrier_init %[[BAR]] arrivals 128
// PACKED-NEXT: tile.barrier_sync
// PACKED-NOT: tile.barrier_init
// PACKED: tile.barrier_arrive %[[BAR]]
// PACKED-NEXT: tile.barrier_wait %[[BAR]]
func.func @without_tma(%p: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    tile.barrier_init %bar arrivals 128 : !tile.barrier<1>
    tile.barrier_sync
    tile.barrier_arrive %bar[%c0] : !tile.barrier<1>
    tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
    gpu.terminator
  }
  return
}

// (M1) Bytes, copies and the arrival of one mbarrier: one instruction expects all
// bytes and arrives. (M3) It does so in a role; without roles plain copies that stand
// together are expected together (tma.mlir, groups.mlir).
// CHECK-LABEL: func.func @one_expect
// CHECK: tile.role "producer"
// CHECK: tile.barrier_expect %{{[^ ]*}} bytes 16384 :
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier_expect
// CHECK-NOT: tile.barrier_arrive
// CHECK: return
func.func @one_expect(%A: !tensor, %P: !private) attributes {tile.num_threads = 160 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %ch = tile.channel(%R, %Q) depth 1 {tma, consumer_warps = 4} : !ring, !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.wait %ch[%z, %z]
      tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.acquire %ch[%z, %z]
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !window, !slot
      tile.copy %a to %q signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !window, !slot
      tile.commit %ch[%z, %z]
    }
  }
  return
}
