// RUN: %tile_opt_passes 'tile-lower-channels' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-lower-channels' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
!tile = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>

// Counts come from the agents. That all threads meet before the roles part is for
// tile-insert-sync. The bytes of copies that stand in the block of their commit are expected
// once, with the arrival.
// CHECK-LABEL: func.func @tma
// CHECK: %[[FULL:.*]] = tile.barrier_alloc : !tile.barrier<2>
// CHECK-NEXT: tile.barrier_init %[[FULL]] arrivals 1
// CHECK-NEXT: %[[EMPTY:.*]] = tile.barrier_alloc : !tile.barrier<2>
// CHECK-NEXT: tile.barrier_init %[[EMPTY]] arrivals 4
// CHECK-NEXT: tile.channel_barriers(%{{.*}}, %{{.*}}) full %[[FULL]] empty %[[EMPTY]]
// CHECK-NEXT: tile.specialize
func.func @tma(%A: memref<64x64xbf16>, %s: i32, %p: i32) attributes {tile.num_threads = 160 : i32} {
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %acc = tile.alloc : !acc
  %ch = tile.channel(%R, %Q) depth 2 {tma, consumer_warps = 4} : !ring, !ring
  tile.specialize {
    // CHECK: tile.role "consumer"
    tile.role "consumer" warps 4 {
      %i = arith.index_cast %s : i32 to index
      %r = tile.region %R[%i, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[%i, 0, 0] [1, 64, 64] drop [0] : !ring
      // CHECK: tile.barrier_wait %[[FULL]][%{{.*}}] parity %arg2
      // CHECK-NEXT: tile.gemm
      // CHECK-NEXT: %[[I:.*]] = arith.index_cast %arg1
      // CHECK-NEXT: tile.barrier_arrive %[[EMPTY]][%[[I]]] by <warps>
      tile.wait %ch[%s, %p]
      tile.gemm %r, %q, %acc {instr = #tile.instr<wgmma>} : (!slot, !slot, !acc)
      tile.release %ch[%s, %p]
    }
    // CHECK: tile.role "producer"
    tile.role "producer" warps 1 {
      %i = arith.index_cast %s : i32 to index
      %r = tile.region %R[%i, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[%i, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: %[[OTHER:.*]] = arith.xori %arg2, %[[ONE]]
      // Only the leader fills: a warp that arrives nowhere could be two laps late.
      // CHECK: tile.barrier_wait %[[EMPTY]][%{{.*}}] parity %[[OTHER]] {leader}
      // CHECK-NEXT: tile.barrier_expect %[[FULL]][%{{[^ ]*}}] bytes 16384 :
      // CHECK-NEXT: tile.copy %{{.*}} signal %[[FULL]]
      // CHECK-NEXT: tile.copy %{{.*}} signal %[[FULL]]
      // CHECK-NOT: tile.barrier_arrive
      tile.acquire %ch[%s, %p]
      tile.copy %a to %r signal %ch[%i] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.copy %a to %q signal %ch[%i] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.commit %ch[%s, %p]
    }
  }
  return
}

// A copy under a guard brings its own bytes; the arrival of the leader does not
// depend on it.
// CHECK-LABEL: func.func @guarded
func.func @guarded(%A: memref<64x64xbf16>, %c: i1) attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      tile.wait %ch[%z, %z]
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      tile.acquire %ch[%z, %z]
      // CHECK: scf.if
      // CHECK-NEXT: tile.barrier_expect %{{[^ ]*}} bytes 8192 {no_arrival}
      // CHECK-NEXT: tile.copy
      // CHECK-NEXT: {{^ *}}}
      // CHECK: tile.barrier_arrive %{{[^ ]*}} by <leader>
      scf.if %c {
        tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      }
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// Each kind of agent arrives in its own way. What cp.async writes and wgmma reads is
// fenced by those who have waited. The role that issues cp.async stays until the last
// one has landed.
// CHECK-LABEL: func.func @mixed
// CHECK: tile.barrier_init %{{.*}} arrivals 65
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
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      // CHECK: tile.barrier_wait
      // CHECK-NEXT: tile.fence_proxy
      // CHECK-NEXT: tile.gemm
      tile.wait %ch[%z, %z]
      tile.gemm %r, %q, %acc {instr = #tile.instr<wgmma>} : (!slot, !slot, !acc)
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %q = tile.region %Q[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %t = tile.region %T[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      // CHECK: tile.barrier_wait
      // CHECK-NOT: leader
      // CHECK: tile.barrier_expect %{{[^ ]*}} bytes 8192 :
      tile.acquire %ch[%z, %z]
      // CHECK-NEXT: tile.copy
      // CHECK-NEXT: tile.copy {{.*}}async, instr = #tile.instr<cp_async>
      // CHECK-NEXT: tile.copy %{{[^ ]*}} to %{{[^ ]*}} {instr = #tile.instr<simt>}
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile, !slot
      tile.copy %a to %q signal %ch[%c0] of !tile.channel {instr = #tile.instr<cp_async>} : !tile, !slot
      tile.copy %a to %t signal %ch[%c0] of !tile.channel {instr = #tile.instr<simt>} : !tile, !slot
      // CHECK: tile.barrier_arrive %[[F:[0-9]+]][%{{[^ ]*}}] by <cp_async>
      // CHECK-NEXT: tile.barrier_arrive %[[F]][%{{.*}}] by <threads>
      tile.commit %ch[%z, %z]
      // CHECK: tile.cp_async_commit
      // CHECK-NEXT: tile.cp_async_wait pending 0
      // CHECK-NEXT: }
    }
  }
  return
}

// Ping-pong roles that alternate release a slot alone.
// CHECK-LABEL: func.func @alternate
// CHECK: tile.barrier_init %{{.*}} arrivals 1 :
// CHECK: tile.barrier_init %{{.*}} arrivals 4 :
func.func @alternate() attributes {tile.num_threads = 288 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "a" warps 4 pingpong {
      tile.wait %ch[%z, %z]
      tile.release %ch[%z, %z]
    }
    tile.role "b" warps 4 pingpong {
      tile.wait %ch[%z, %z]
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      tile.acquire %ch[%z, %z]
      tile.commit %ch[%z, %z]
    }
  }
  return
}
