// RUN: %tile_opt_passes 'tile-lower-channels' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-lower-channels' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!tensor = memref<64x64xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!tile = !tile.region<64x64xbf16>

// Copies in flight complete in any order. Two that fill one tile are two
// groups; the third joins the second.
// CHECK-LABEL: func.func @same_destination
// CHECK: tile.barrier_alloc : !tile.barrier<2>
// CHECK: tile.barrier_expect %{{.*}} bytes 8192
// CHECK-NEXT: tile.copy
// CHECK: tile.barrier_wait
// CHECK: tile.barrier_expect %{{.*}} bytes 16384
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK: tile.barrier_wait
func.func @same_destination(%A: !tensor, %B: !tensor) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %b = tile.region %B[0, 0] [64, 64] : !tensor
  tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, !shared
  tile.copy %b to %S {instr = #tile.instr<tma>} : !tile, !shared
  tile.copy %b to %T {instr = #tile.instr<tma>} : !tile, !shared
  return
}

// Everything else on the copy stays.
// CHECK-LABEL: func.func @keeps_attributes
// CHECK: tile.copy {{.*}} signal {{.*}}eviction = #tile.eviction<first>{{.*}}prefer = #tile.instr<tma>{{.*}}tile.group = 3 : i32
func.func @keeps_attributes(%A: !tensor) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %a to %S {eviction = #tile.eviction<first>, instr = #tile.instr<tma>, prefer = #tile.instr<tma>, tile.group = 3 : i32} : !tile, !shared
  return
}

// Groups do not reach over the end of a block; a guard without else has one.
// CHECK-LABEL: func.func @guarded
// CHECK: tile.barrier_alloc : !tile.barrier<2>
// CHECK: scf.if
// CHECK: tile.barrier_wait
// CHECK: }
// CHECK: tile.barrier_expect
func.func @guarded(%A: !tensor, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  scf.if %go {
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, !shared
  }
  tile.copy %a to %T {instr = #tile.instr<tma>} : !tile, !shared
  return
}

// A role that waits, fills a slot and arrives goes on: the copies complete on the
// barrier it arrives at, before all threads have arrived there.
// CHECK-LABEL: func.func @arrives_next
// CHECK: %[[FULL:.*]] = tile.barrier_alloc : !tile.barrier<2>
// CHECK: tile.barrier_wait %{{.*}}[%[[SLOT:.*]]] parity
// CHECK: tile.barrier_expect %[[FULL]][%[[SLOT]]] bytes 8192 {no_arrival}
// CHECK-NEXT: tile.copy %{{.*}} signal %[[FULL]][%[[SLOT]]]
// CHECK-NEXT: tile.barrier_arrive %[[FULL]][%[[SLOT]]]
func.func @arrives_next(%A: !tensor, %n: index, %p: i32, %x: bf16) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc : !shared
  %full = tile.barrier_alloc : !tile.barrier<2>
  %empty = tile.barrier_alloc : !tile.barrier<2>
  tile.barrier_init %full arrivals 32 : !tile.barrier<2>
  tile.barrier_init %empty arrivals 128 : !tile.barrier<2>
  tile.specialize {
    tile.role "producer" warps 1 {
      scf.for %k = %c0 to %n step %c1 {
        %slot = arith.remui %k, %c2 : index
        tile.barrier_wait %empty[%slot] parity %p : !tile.barrier<2>
        %a = tile.region %A[0, 0] [64, 64] : !tensor
        tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, !shared
        tile.barrier_arrive %full[%slot] by <threads> : !tile.barrier<2>
      }
    }
    tile.role "consumer" warps 4 {
      scf.for %k = %c0 to %n step %c1 {
        %slot = arith.remui %k, %c2 : index
        tile.barrier_wait %full[%slot] parity %p : !tile.barrier<2>
        tile.barrier_arrive %empty[%slot] by <threads> : !tile.barrier<2>
      }
    }
  }
  return
}

// One that reads the slot itself waits for it.
// CHECK-LABEL: func.func @reads_itself
// CHECK: tile.barrier_expect %{{.*}} bytes 8192 :
// CHECK-NEXT: tile.copy %{{.*}} signal
// CHECK: tile.barrier_wait
// CHECK: tile.barrier_arrive
func.func @reads_itself(%A: !tensor, %n: index, %p: i32, %x: bf16) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc : !shared
  %full = tile.barrier_alloc : !tile.barrier<2>
  %empty = tile.barrier_alloc : !tile.barrier<2>
  tile.barrier_init %full arrivals 32 : !tile.barrier<2>
  tile.barrier_init %empty arrivals 128 : !tile.barrier<2>
  tile.specialize {
    tile.role "producer" warps 1 {
      scf.for %k = %c0 to %n step %c1 {
        %slot = arith.remui %k, %c2 : index
        tile.barrier_wait %empty[%slot] parity %p : !tile.barrier<2>
        %a = tile.region %A[0, 0] [64, 64] : !tensor
        tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, !shared
        tile.barrier_arrive %full[%slot] by <threads> : !tile.barrier<2>
        tile.fill %S, %x : !shared, bf16
      }
    }
    tile.role "consumer" warps 4 {
      scf.for %k = %c0 to %n step %c1 {
        %slot = arith.remui %k, %c2 : index
        tile.barrier_wait %full[%slot] parity %p : !tile.barrier<2>
        tile.barrier_arrive %empty[%slot] by <threads> : !tile.barrier<2>
      }
    }
  }
  return
}
