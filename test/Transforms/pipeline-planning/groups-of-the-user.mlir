// RUN: %tile_opt_passes 'tile-pipeline-planning' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s | FileCheck %s --check-prefix=INJECT

// Groups of cp.async that the user wrote (reference-system.md 3.1.2).

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// recognizes_explicit_cp_async_copy_stage (153), binds_commit_to_cp_async_stage
// (240), binds_wait_to_cp_async_consumer_stage (268): the copy runs ahead, the
// end of the group with it, and the wait is in the stage of the op that needs it.
// delays_wait_order_within_consumer_stage (300): what does not need it, is before.
// CHECK-LABEL: func @bound
// CHECK: tile.copy {{.*}}async{{.*}}tile.stage = 0 : i32
// CHECK: tile.cp_async_commit {tile.order = {{[0-9]+}} : i32, tile.stage = 0 : i32}
// CHECK: tile.cp_async_wait pending 0 {tile.order = 3 : i32, tile.stage = 1 : i32}
// CHECK: tile.fill {{.*}}tile.order = 2 : i32, tile.stage = 1 : i32
// CHECK: tile.copy {{.*}}tile.order = 4 : i32, tile.stage = 1 : i32
// INJECT-LABEL: func @bound
// INJECT: scf.for
// INJECT: scf.if
// INJECT: tile.copy {{.*}}async
// INJECT-NEXT: tile.cp_async_commit
// INJECT: tile.fill
// INJECT-NEXT: tile.cp_async_wait pending 0
// INJECT-NOT: tile.cp_async
// INJECT: return
func.func @bound(%A: memref<64x32xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !T
    tile.cp_async_commit
    tile.cp_async_wait pending 0
    tile.fill %g, %x : !F, f32
    tile.copy %S to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// prioritizes_groups_by_consumer_and_rebinds_wait0 (335): A is issued first, B
// used first: B is fetched before A.
// CHECK-LABEL: func @used_in_other_order
// CHECK: tile.copy {{.*}}tile.order = 6 : i32, tile.stage = 0
// CHECK: tile.cp_async_commit {tile.order = 7 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.cp_async_commit {tile.order = 3 : i32, tile.stage = 0
// CHECK: tile.cp_async_wait pending 0 {tile.order = 0 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 2
// CHECK: tile.cp_async_wait pending 0 {tile.order = 4 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.order = 5 : i32, tile.stage = 2
func.func @used_in_other_order(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %U = tile.alloc : !T
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !T
    tile.cp_async_commit
    tile.copy %a to %U {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !T
    tile.cp_async_commit
    tile.cp_async_wait pending 0
    tile.copy %U to %f : !T, !F
    tile.cp_async_wait pending 0
    tile.copy %S to %g : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// A wait that leaves a group under way counts: everything stays in order.
// CHECK-LABEL: func @counted
// CHECK-NOT: tile.stage = 0
// CHECK: return
func.func @counted(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %U = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !T
    tile.cp_async_commit
    tile.copy %a to %U {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !T
    tile.cp_async_commit
    tile.cp_async_wait pending 1
    tile.copy %S to %f : !T, !F
    tile.cp_async_wait pending 0
    tile.copy %U to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}
