// What stands before an arrival that gives a tile to other roles: a slot of a channel,
// or a tile that no channel has.
//
// RUN: %tile_opt_passes 'tile-lower-channels,tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once | diff %t.once -

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
!tile = !tile.region<64x64xbf16>
!window = !tile.region<64x64xbf16>
!global = memref<?x?xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>

// Stores of threads that wgmma reads are fenced before the arrival of these threads.
// CHECK-LABEL: func.func @mixed
// CHECK: tile.role "producer"
// CHECK: tile.barrier_arrive %[[F:[0-9]+]][%{{[^ ]*}}] by <cp_async>
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive %[[F]][%{{.*}}] by <threads>
func.func @mixed(%A: memref<64x64xbf16>) attributes {tile.num_threads = 160 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %T = tile.alloc : !ring
  %acc = tile.alloc : !acc
  %ch = tile.channel(%R, %Q, %T) depth 2 {tma, cp_async_threads = 32, simt_threads = 32, consumer_warps = 4} : !ring, !ring, !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %t = tile.region %T[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.wait %ch[%z, %z]
      tile.gemm %r, %t, %acc {instr = #tile.instr<wgmma>} : (!slot, !slot, !acc)
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %t = tile.region %T[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      tile.acquire %ch[%z, %z]
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.copy %a to %q signal %ch[%c0] of !tile.channel {instr = #tile.instr<cp_async>} : !tile, !slot
      tile.copy %a to %t signal %ch[%c0] of !tile.channel {instr = #tile.instr<simt>} : !tile, !slot
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// CHECK-LABEL: func.func @stores
// CHECK: tile.role "producer"
// CHECK: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive %{{.*}} by <threads>
func.func @stores(%A: memref<64x64xbf16>) attributes {tile.num_threads = 160 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %acc = tile.alloc : !acc
  %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.wait %ch[%z, %z]
      tile.gemm %r, %r, %acc {instr = #tile.instr<wgmma>} : (!slot, !slot, !acc)
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      tile.acquire %ch[%z, %z]
      tile.copy %a to %r {instr = #tile.instr<simt>} : !tile, !slot
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// A TMA store reads on after its op: who issued it waits before the release.
// CHECK-LABEL: func.func @stored
// CHECK: tile.copy %{{[^ ]*}} to %{{[^ ]*}} {async, instr = #tile.instr<tma>}
// CHECK: tile.tma_wait pending 0 {read}
// CHECK-NEXT: tile.barrier_arrive %{{.*}} by <warps>
func.func @stored(%A: memref<64x64xbf16>, %B: memref<64x64xbf16>) attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %b = tile.region %B[0, 0] [64, 64] : memref<64x64xbf16>
      tile.wait %ch[%z, %z]
      tile.copy %r to %b {instr = #tile.instr<tma>} : !slot, !tile
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      tile.acquire %ch[%z, %z]
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// Loads are under way still when who issued them arrives, and TMA fills by another
// proxy: readers that load fence before the release, by any op that does.
// CHECK-LABEL: func.func @loaded
// CHECK: tile.role "copies"
// CHECK: tile.copy
// CHECK: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive %{{.*}} by <warps>
// CHECK: tile.role "loads"
// CHECK: memref.load
// CHECK: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive %{{.*}} by <warps>
// CHECK: tile.role "multiplies"
// CHECK: tile.gemm
// CHECK: tile.fence_proxy
// CHECK-NEXT: tile.barrier_arrive %{{.*}} by <warps>
func.func @loaded(%A: memref<64x64xbf16>, %f: memref<64x64xbf16, #tile.fragment>, %acc: !acc) attributes {tile.num_threads = 128 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %S = tile.alloc : !ring
  %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
  %s = tile.region %S[0, 0, 0] [1, 64, 64] drop [0] : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  %dh = tile.channel(%Q) depth 2 {tma, consumer_warps = 1} : !ring
  %eh = tile.channel(%S) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "copies" warps 1 {
      tile.wait %ch[%z, %z]
      tile.copy %r to %f {instr = #tile.instr<simt>} : !slot, memref<64x64xbf16, #tile.fragment>
      tile.release %ch[%z, %z]
    }
    tile.role "loads" warps 1 {
      tile.wait %dh[%z, %z]
      %v = memref.load %Q[%c0, %c0, %c0] : !ring
      tile.release %dh[%z, %z]
    }
    tile.role "multiplies" warps 1 {
      tile.wait %eh[%z, %z]
      tile.gemm %s, %s, %acc {instr = #tile.instr<mma>} : (!slot, !slot, !acc)
      tile.release %eh[%z, %z]
    }
    tile.role "producer" warps 1 {
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      tile.acquire %ch[%z, %z]
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.commit %ch[%z, %z]
      tile.acquire %dh[%z, %z]
      tile.copy %a to %q signal %dh[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.commit %dh[%z, %z]
      tile.acquire %eh[%z, %z]
      tile.copy %a to %s signal %eh[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.commit %eh[%z, %z]
    }
  }
  return
}

// A role stores a tile that another one fills: for its user the store is done
// where it stands, so its reads are over before the role arrives. A tile of its
// own may be under way.
// CHECK-LABEL: func.func @handed_on
// CHECK: tile.copy %{{.*}} to %{{.*}} map %{{.*}} {async
// CHECK-NEXT: tile.tma_wait pending 0 {read}
// CHECK-NEXT: tile.barrier_arrive
// CHECK: tile.copy %{{.*}} to %{{.*}} map %{{.*}} {async
// CHECK-NOT: tile.tma_wait
// CHECK: tile.barrier_arrive
func.func @handed_on(%A: !global, %m: !tile.tensor_map, %v: bf16, %p: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %shared = tile.alloc : !shared
  %own = tile.alloc : !shared
  %empty = tile.barrier_alloc : !tile.barrier<1>
  %a = tile.region %A[%c0, %c0] [64, 64] : !global
  tile.specialize {
    tile.role "stores" warps 4 {
      tile.copy %shared to %a map %m {instr = #tile.instr<tma>} : !shared, !window
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
      tile.fill %own, %v : !shared, bf16
      tile.copy %own to %a map %m {instr = #tile.instr<tma>} : !shared, !window
      tile.barrier_arrive %empty[%c0] by <warps> : !tile.barrier<1>
    }
    tile.role "fills" warps 1 {
      tile.barrier_wait %empty[%c0] parity %p : !tile.barrier<1>
      tile.fill %shared, %v : !shared, bf16
    }
  }
  return
}
