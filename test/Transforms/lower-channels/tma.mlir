// RUN: %tile_opt_passes 'tile-lower-channels' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-lower-channels' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!global = memref<?x?xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>

// Copies that stand together share one barrier slot: the bytes of both are
// expected, then both are issued, then everybody waits once. The parity flips
// with every wait.
// CHECK-LABEL: func.func @group_in_a_loop
// CHECK: %[[BAR:.*]] = tile.barrier_alloc : !tile.barrier<1>
// CHECK: tile.barrier_init %[[BAR]] arrivals 1
// CHECK-NOT: tile.barrier_sync
// CHECK: %[[PHASE:.*]] = tile.alloc : memref<i32, #gpu.address_space<private>>
// CHECK: memref.store %{{.*}}, %[[PHASE]]
// CHECK: scf.for
// CHECK: tile.barrier_expect %[[BAR]][%[[SLOT:.*]]] bytes 16384
// CHECK: tile.copy {{.*}} signal %[[BAR]][%[[SLOT]]]
// CHECK: tile.copy {{.*}} signal %[[BAR]][%[[SLOT]]]
// CHECK: %[[P:.*]] = memref.load %[[PHASE]]
// CHECK: tile.barrier_wait %[[BAR]][%[[SLOT]]] parity %[[P]]
// CHECK: %[[Q:.*]] = arith.xori %[[P]]
// CHECK: memref.store %[[Q]], %[[PHASE]]
func.func @group_in_a_loop(%A: !global, %m: !tile.tensor_map, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !shared
  %Bs = tile.alloc : !shared
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, %c0] [64, 64] : !global
    tile.copy %a to %As map %m {instr = #tile.instr<tma>} : !window, !shared
    %j = arith.addi %i, %c1 : index
    %b = tile.region %A[%j, %c0] [64, 64] : !global
    tile.copy %b to %Bs map %m {instr = #tile.instr<tma>} : !window, !shared
  }
  return
}

// Two places are two slots of one row of barriers.
// CHECK-LABEL: func.func @two_groups
// CHECK: %[[BAR:.*]] = tile.barrier_alloc : !tile.barrier<2>
// CHECK: tile.barrier_expect %[[BAR]][%{{.*}}] bytes 8192
// CHECK: tile.barrier_wait
// CHECK: tile.fill
// CHECK: tile.barrier_expect %[[BAR]][%{{.*}}] bytes 8192
// CHECK: tile.barrier_wait
func.func @two_groups(%A: !global, %m: !tile.tensor_map) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %As = tile.alloc : !shared
  %Bs = tile.alloc : !shared
  %a = tile.region %A[%c0, %c0] [64, 64] : !global
  tile.copy %a to %As map %m {instr = #tile.instr<tma>} : !window, !shared
  tile.fill %Bs, %zero : !shared, bf16
  tile.copy %a to %As map %m {instr = #tile.instr<tma>} : !window, !shared
  return
}

// A role has no terminator: the copies may end it.
// CHECK-LABEL: func.func @role_ends
// CHECK: tile.role "reads" warps 4 {
// CHECK: tile.barrier_expect %[[BAR:.*]][%[[SLOT:.*]]] bytes 16384
// CHECK: tile.copy {{.*}} signal %[[BAR]][%[[SLOT]]]
// CHECK: tile.copy {{.*}} signal %[[BAR]][%[[SLOT]]]
// CHECK-NEXT: memref.load
// CHECK-NEXT: tile.barrier_wait %[[BAR]][%[[SLOT]]]
func.func @role_ends(%A: !global, %m: !tile.tensor_map) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : !shared
  %Bs = tile.alloc : !shared
  %a = tile.region %A[%c0, %c0] [64, 64] : !global
  tile.specialize {
    tile.role "reads" warps 4 {
      tile.copy %a to %As map %m {instr = #tile.instr<tma>} : !window, !shared
      tile.copy %a to %Bs map %m {instr = #tile.instr<tma>} : !window, !shared
    }
  }
  return
}

// Other copies need no barrier.
// CHECK-LABEL: func.func @simt_untouched
// CHECK-NOT: tile.barrier
func.func @simt_untouched(%A: !global) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : !shared
  %a = tile.region %A[%c0, %c0] [64, 64] : !global
  tile.copy %a to %As {instr = #tile.instr<simt>} : !window, !shared
  return
}
