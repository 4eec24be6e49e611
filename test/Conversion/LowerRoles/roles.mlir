// RUN: %tile_opt_passes 'tile-lower-roles{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-lower-roles{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: %tile_opt_passes 'tile-lower-roles{target=sm_80}' %s | FileCheck %s --check-prefix=SM80

!tile = memref<64xf32, #gpu.address_space<workgroup>>

// One arm per role, in the order of the warps. Ops say who executes them. A role
// of one warp has no named barrier; others take the lowest number that is free.
// CHECK-LABEL: func.func @arms
// SM80-LABEL: func.func @arms
func.func @arms(%A: memref<64xf32>, %v: f32) attributes {tile.num_threads = 416 : i32} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  // CHECK: %[[S:.*]] = tile.alloc : memref
  %S = tile.alloc : !tile
  // CHECK-NEXT: %[[WARP:.*]] = tile.warp_id
  // CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[WARP]], %c8_i32
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: nvvm.setmaxregister increase 200
  // CHECK-NEXT: tile.fill %[[S]], %{{.*}} {tile.warps = array<i64: 0, 8>}
  // CHECK-NEXT: tile.barrier_sync {id = 1 : i64, threads = 256 : i64, tile.warps = array<i64: 0, 8>}
  // CHECK: } else {
  // CHECK: %[[SECOND:.*]] = arith.cmpi ult, %[[WARP]], %c12_i32
  // CHECK-NEXT: scf.if %[[SECOND]] {
  // CHECK-NEXT: nvvm.setmaxregister decrease 40
  // CHECK-NEXT: tile.barrier_sync {id = 3 : i64, threads = 128 : i64
  // CHECK-NEXT: memref.store {{.*}} {tile.warps = array<i64: 8, 4>}
  // CHECK-NEXT: } else {
  // CHECK-NOT: nvvm.setmaxregister
  // CHECK: tile.barrier_sync {id = 0 : i64, threads = 32 : i64, tile.warps = array<i64: 12, 1>}
  // CHECK: tile.barrier_sync {id = 2 : i64, threads = 64 : i64}
  // SM80-NOT: nvvm.setmaxregister
  tile.specialize {
    tile.role "one" warps 8 registers 200 {
      tile.fill %S, %zero : !tile, f32
      tile.barrier_sync
    }
    tile.role "two" warps 4 registers 40 {
      tile.barrier_sync
      memref.store %v, %A[%c0] : memref<64xf32>
    }
    tile.role "three" warps 1 {
      tile.barrier_sync
    }
  }
  tile.barrier_sync {id = 2, threads = 64}
  return
}

// A turn is a barrier of two warpgroups: one waits, the one before it arrives.
// The last warpgroup gives the first turn away.
// CHECK-LABEL: func.func @two_roles
// CHECK: scf.if
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant 1 : i32
// CHECK: nvvm.barrier id = %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.constant 2 : i32
// CHECK: nvvm.barrier.arrive id = %[[SECOND]]
// CHECK: } else {
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant 1 : i32
// CHECK: nvvm.barrier.arrive id = %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.constant 2 : i32
// CHECK: nvvm.barrier id = %[[SECOND]]
// CHECK: %[[FIRST:.*]] = arith.constant 1 : i32
// CHECK: nvvm.barrier.arrive id = %[[FIRST]]
func.func @two_roles() attributes {tile.num_threads = 256 : i32} {
  tile.specialize {
    tile.role "one" warps 4 pingpong {
      tile.turn <begin>
      tile.turn <end>
    }
    tile.role "two" warps 4 pingpong {
      tile.turn <begin>
      tile.turn <end>
    }
  }
  return
}

// Warpgroups of one role find out which they are.
// CHECK-LABEL: func.func @one_role
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %c1_i32
// CHECK-NEXT: scf.if %[[LAST]] {
// CHECK: nvvm.barrier.arrive
// CHECK-NEXT: }
// CHECK: tile.warp_id
// CHECK: nvvm.barrier id
func.func @one_role() attributes {tile.num_threads = 256 : i32} {
  tile.specialize {
    tile.role "one" warps 8 pingpong {
      tile.turn <begin>
      tile.turn <end>
    }
  }
  return
}

// All that a producer of TMA does, its first thread does: one branch around it. The
// lanes beside it would split off at each op, and run ahead. What others execute too
// has none.
// CHECK-LABEL: func.func @one_thread
// CHECK: scf.if %{{.*}} {
// CHECK-NOT: gpu.thread_id
// CHECK: scf.for
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister decrease 24
// CHECK-NEXT: %[[T:.*]] = gpu.thread_id x
// CHECK-NEXT: %[[C:.*]] = arith.constant 128 : index
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %[[T]], %[[C]] : index
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK: scf.for
// CHECK: tile.barrier_wait
// CHECK-LABEL: func.func @one_thread_and_others
// CHECK-NOT: gpu.thread_id
// CHECK: return
func.func @one_thread(%bar: !tile.barrier<1>, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0 : i32
  tile.specialize {
    tile.role "waits" warps 4 registers 240 {
      scf.for %i = %c0 to %n step %c1 {
        tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
      }
    }
    tile.role "leads" warps 4 registers 24 {
      scf.for %i = %c0 to %n step %c1 {
        tile.barrier_wait %bar[%c0] parity %p {leader} : !tile.barrier<1>
        tile.barrier_expect %bar[%c0] bytes 16 : !tile.barrier<1>
        tile.barrier_arrive %bar[%c0] by <leader> : !tile.barrier<1>
      }
    }
  }
  return
}

func.func @one_thread_and_others(%bar: !tile.barrier<1>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  tile.specialize {
    tile.role "all" warps 1 {
      tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
    }
    tile.role "some" warps 1 {
      tile.barrier_expect %bar[%c0] bytes 16 : !tile.barrier<1>
      tile.barrier_arrive %bar[%c0] by <warps> : !tile.barrier<1>
    }
  }
  return
}
