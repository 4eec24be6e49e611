// Pipelines whose plan the user wrote (tile.stage, tile.order, tile.group), and
// groups of cp.async that the user ends and awaits: the kernels of
// reference-system.md 3.1.1, 3.1.2 and the plans of 3.1.6, by the names and lines of
// their tests there, with roles and without. What the passes make of them is in
// Transforms/inject-pipeline/reference.mlir and Transforms/pipeline-planning.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=3 --seeds=2 --out=%t

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!Row = !tile.region<32xf32>
!T = memref<32xf32, #smem>
!A = memref<128x32xbf16, #smem>
!B = memref<32x128xbf16, #smem>
!C = memref<128x128xf32, #frag>

// test_trival_pipeline (144): one iteration.
// CASE: trivial(A=ints:16x1:f32, O=junk:16x1:f32)
// EXPECT: O = 2 * A + 1
func.func @trivial(%A: memref<16x1xf32>, %O: memref<16x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<16x1xf32, #smem>
    %one = arith.constant 1.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      tile.parallel (%x, %y) in [16, 1] {
        %e = memref.load %A[%x, %y] : memref<16x1xf32>
        %f = arith.addf %e, %e : f32
        memref.store %f, %S[%x, %y] : memref<16x1xf32, #smem>
      } {tile.order = 0 : i32, tile.stage = 0 : i32}
      tile.parallel (%x, %y) in [16, 1] {
        %e = memref.load %S[%x, %y] : memref<16x1xf32, #smem>
        %f = arith.addf %e, %one : f32
        memref.store %f, %O[%x, %y] : memref<16x1xf32>
      } {tile.order = 1 : i32, tile.stage = 1 : i32}
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_preserve_inline_cp_async_sync_in_pipeline_stage (174): a copy, the end of its
// group and the wait for it in one stage.
// CASE: users_groups(A=ints:64x32:f32, O=junk:64x32:f32)
// EXPECT: O[:4] = A[:4]
func.func @users_groups(%A: memref<64x32xf32>, %O: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %S {async, instr = #tile.instr<cp_async>, tile.stage = 0 : i32} : !Row, !T
      tile.cp_async_commit {tile.stage = 0 : i32}
      tile.cp_async_wait pending 0 {tile.stage = 0 : i32}
      tile.copy %S to %o {tile.stage = 3 : i32} : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_async_pipeline_groups_multiple_copy_producers (217): two copies, one group.
// CASE: one_group(A=ints:64x32:f32, O=junk:64x32:f32, Q=junk:64x32:f32)
// EXPECT: O[:4], Q[:4] = A[:4], A[1:5]
func.func @one_group(%A: memref<64x32xf32>, %O: memref<64x32xf32>, %Q: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    %U = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %j = arith.addi %i, %c1 : index
      %b = tile.region %A[%j, 0] [1, 32] drop [0] : memref<64x32xf32>
      %q = tile.region %Q[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %S {instr = #tile.instr<cp_async>, tile.group = 0 : i32, tile.stage = 0 : i32} : !Row, !T
      tile.copy %b to %U {instr = #tile.instr<cp_async>, tile.group = 0 : i32, tile.stage = 0 : i32} : !Row, !T
      tile.copy %S to %o {tile.stage = 1 : i32} : !T, !Row
      tile.copy %U to %q {tile.stage = 1 : i32} : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_async_pipeline_only_wraps_producer_statements… (269): a fill, and two copies
// that are one group, in the same stage.
// CASE: fill_and_group(A=ints:64x32:f32, O=junk:64x32:f32, Q=junk:64x32:f32)
// EXPECT: O[:2] = 0
// EXPECT: O[:2, :16] = A[:2, :16]
// EXPECT: Q[:2] = A[:2]
func.func @fill_and_group(%A: memref<64x32xf32>, %O: memref<64x32xf32>, %Q: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    %U = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %a = tile.region %A[%i, 0] [1, 16] drop [0] : memref<64x32xf32>
      %b = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %q = tile.region %Q[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %s = tile.region %S[0] [16] : !T
      tile.fill %S, %zero {tile.stage = 0 : i32} : !T, f32
      tile.copy %a to %s {instr = #tile.instr<cp_async>, tile.group = 0 : i32, tile.stage = 0 : i32} : !tile.region<16xf32>, !tile.region<16xf32, #smem>
      tile.copy %b to %U {instr = #tile.instr<cp_async>, tile.group = 0 : i32, tile.stage = 0 : i32} : !Row, !T
      tile.copy %S to %o {tile.stage = 1 : i32} : !T, !Row
      tile.copy %U to %q {tile.stage = 1 : i32} : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_async_pipeline_does_not_mark_non_cp_async_compatible_copy (360).
// CASE: converting(A=ints:64x32:bf16, O=junk:64x32:f32)
// EXPECT: O[:4] = A[:4]
func.func @converting(%A: memref<64x32xbf16>, %O: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xbf16>
      tile.copy %a to %S {tile.stage = 0 : i32} : !tile.region<32xbf16>, !T
      tile.copy %S to %o {tile.stage = 1 : i32} : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_async_pipeline_relaxes_loop_wait_and_splits_trailing_drain (393): bytes, stages
// 0 and 2, 4 iterations.
// CASE: drain(A=ints:64x64:i8, O=junk:64x64:i8)
// EXPECT: O[:4] = A[:4]
func.func @drain(%A: memref<64x64xi8>, %O: memref<64x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xi8, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 64] drop [0] : memref<64x64xi8>
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<64x64xi8>
      tile.copy %a to %S {instr = #tile.instr<cp_async>, tile.stage = 0 : i32} : !tile.region<64xi8>, memref<64xi8, #smem>
      tile.copy %S to %o {tile.stage = 2 : i32} : memref<64xi8, #smem>, !tile.region<64xi8>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_degenerate_pipeline_with_single_stage_is_not_expanded (431): both in stage 2.
// CASE: one_stage(A=ints:64x32:f32, O=junk:64x32:f32)
// EXPECT: O[:5] = A[:5]
func.func @one_stage(%A: memref<64x32xf32>, %O: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %S {tile.stage = 2 : i32} : !Row, !T
      tile.copy %S to %o {tile.stage = 2 : i32} : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_inject_software_pipeline_expands_annotated_layout (464): f16, 8 x 16, two
// versions of a tile with a layout of the user.
// CASE: expanded_layout(A=ints:40x16:f16, O=junk:40x16:f16)
// EXPECT: O[:] = A
func.func @expanded_layout(%A: memref<40x16xf16>, %O: memref<40x16xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"linear">} : memref<8x16xf16, #smem>
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %n step %c8 {
      %a = tile.region %A[%i, 0] [8, 16] : memref<40x16xf16>
      %o = tile.region %O[%i, 0] [8, 16] : memref<40x16xf16>
      tile.copy %a to %S {tile.stage = 0 : i32} : !tile.region<8x16xf16>, memref<8x16xf16, #smem>
      tile.copy %S to %o {tile.stage = 1 : i32} : memref<8x16xf16, #smem>, !tile.region<8x16xf16>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// waits_for_individual_physical_commit_group (3.4, 184): three pairs, 8 iterations.
// CASE: three_pairs(A=ints:64x32:f32, O=junk:64x32:f32)
// EXPECT: for t in (0, 10, 20): O[t:t+8] = A[t:t+8]
func.func @three_pairs(%A: memref<64x32xf32>, %O: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S0 = tile.alloc : !T
    %S1 = tile.alloc : !T
    %S2 = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %j0 = arith.constant 0 : index
      %x0 = arith.addi %i, %j0 : index
      %a0 = tile.region %A[%x0, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o0 = tile.region %O[%x0, 0] [1, 32] drop [0] : memref<64x32xf32>
      %j1 = arith.constant 10 : index
      %x1 = arith.addi %i, %j1 : index
      %a1 = tile.region %A[%x1, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o1 = tile.region %O[%x1, 0] [1, 32] drop [0] : memref<64x32xf32>
      %j2 = arith.constant 20 : index
      %x2 = arith.addi %i, %j2 : index
      %a2 = tile.region %A[%x2, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o2 = tile.region %O[%x2, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a0 to %S0 {instr = #tile.instr<cp_async>, tile.order = 1 : i32, tile.stage = 0 : i32} : !Row, !T
      tile.copy %S0 to %o0 {tile.order = 0 : i32, tile.stage = 3 : i32} : !T, !Row
      tile.copy %a1 to %S1 {instr = #tile.instr<cp_async>, tile.order = 3 : i32, tile.stage = 0 : i32} : !Row, !T
      tile.copy %S1 to %o1 {tile.order = 2 : i32, tile.stage = 3 : i32} : !T, !Row
      tile.copy %a2 to %S2 {instr = #tile.instr<cp_async>, tile.order = 5 : i32, tile.stage = 0 : i32} : !Row, !T
      tile.copy %S2 to %o2 {tile.order = 4 : i32, tile.stage = 3 : i32} : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// binds_commit_to_cp_async_stage (240), binds_wait_to_cp_async_consumer_stage (268),
// delays_wait_order_within_consumer_stage (300): groups of the user, planned.
// CASE: bound(A=ints:64x32:f32, O=junk:64x32:f32, Q=junk:64x32:f32)
// EXPECT: O[:7], Q[:7] = A[:7], 0
func.func @bound(%A: memref<64x32xf32>, %O: memref<64x32xf32>, %Q: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    %f = tile.alloc : memref<32xf32, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %q = tile.region %Q[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !Row, !T
      tile.cp_async_commit
      tile.cp_async_wait pending 0
      tile.fill %f, %zero : memref<32xf32, #frag>, f32
      tile.copy %f to %q : memref<32xf32, #frag>, !Row
      tile.copy %S to %o : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// prioritizes_groups_by_consumer_and_rebinds_wait0 (335): A is issued first, B used
// first.
// CASE: used_in_other_order(A=ints:64x32:f32, O=junk:64x32:f32, Q=junk:64x32:f32)
// EXPECT: O[:7], Q[:7] = A[:7], A[1:8]
func.func @used_in_other_order(%A: memref<64x32xf32>, %O: memref<64x32xf32>, %Q: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    %U = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %j = arith.addi %i, %c1 : index
      %b = tile.region %A[%j, 0] [1, 32] drop [0] : memref<64x32xf32>
      %q = tile.region %Q[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !Row, !T
      tile.cp_async_commit
      tile.copy %b to %U {async, instr = #tile.instr<cp_async>} : !Row, !T
      tile.cp_async_commit
      tile.cp_async_wait pending 0
      tile.copy %U to %q : !T, !Row
      tile.cp_async_wait pending 0
      tile.copy %S to %o : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// orders_cp_async_groups_by_group_last_use (386): A early and late, B between.
// CASE: by_last_use(A=ints:64x32:f32, O=junk:64x32:f32, Q=junk:64x32:f32, R=junk:64x32:f32)
// EXPECT: O[:7], Q[:7], R[:7] = A[:7], A[1:8], A[:7]
func.func @by_last_use(%A: memref<64x32xf32>, %O: memref<64x32xf32>, %Q: memref<64x32xf32>, %R: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !T
    %U = tile.alloc : !T
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %j = arith.addi %i, %c1 : index
      %b = tile.region %A[%j, 0] [1, 32] drop [0] : memref<64x32xf32>
      %q = tile.region %Q[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %r = tile.region %R[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %S {prefer = #tile.instr<cp_async>} : !Row, !T
      tile.copy %b to %U {prefer = #tile.instr<cp_async>} : !Row, !T
      tile.copy %S to %o : !T, !Row
      tile.copy %U to %q : !T, !Row
      tile.copy %S to %r : !T, !Row
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// test_tilelang_language_pipeline.py (3.1.6): orders and stages of a product.
// CASE: gemm_order_012_stage_001(A=ints:128x160:bf16, B=ints:160x128:bf16, O=junk:128x128:f32)
// EXPECT: O = A @ B
func.func @gemm_order_012_stage_001(%A: memref<128x160xbf16>, %B: memref<160x128xbf16>, %O: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 160 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %i = %c0 to %n step %c32 {
      %a = tile.region %A[0, %i] [128, 32] : memref<128x160xbf16>
      %b = tile.region %B[%i, 0] [32, 128] : memref<160x128xbf16>
      tile.copy %a to %As {tile.order = 0 : i32, tile.stage = 0 : i32} : !tile.region<128x32xbf16>, !A
      tile.copy %b to %Bs {tile.order = 1 : i32, tile.stage = 0 : i32} : !tile.region<32x128xbf16>, !B
      tile.gemm %As, %Bs, %acc {tile.order = 2 : i32, tile.stage = 1 : i32} : (!A, !B, !C)
    } {tile.num_stages = NUM_STAGES : i32}
    %o = tile.region %O[0, 0] [128, 128] : memref<128x128xf32>
    tile.copy %acc to %o : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// CASE: gemm_order_012_stage_002(A=ints:128x160:bf16, B=ints:160x128:bf16, O=junk:128x128:f32)
// EXPECT: O = A @ B
func.func @gemm_order_012_stage_002(%A: memref<128x160xbf16>, %B: memref<160x128xbf16>, %O: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 160 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %i = %c0 to %n step %c32 {
      %a = tile.region %A[0, %i] [128, 32] : memref<128x160xbf16>
      %b = tile.region %B[%i, 0] [32, 128] : memref<160x128xbf16>
      tile.copy %a to %As {tile.order = 0 : i32, tile.stage = 0 : i32} : !tile.region<128x32xbf16>, !A
      tile.copy %b to %Bs {tile.order = 1 : i32, tile.stage = 0 : i32} : !tile.region<32x128xbf16>, !B
      tile.gemm %As, %Bs, %acc {tile.order = 2 : i32, tile.stage = 2 : i32} : (!A, !B, !C)
    } {tile.num_stages = NUM_STAGES : i32}
    %o = tile.region %O[0, 0] [128, 128] : memref<128x128xf32>
    tile.copy %acc to %o : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// CASE: gemm_order_120_stage_002(A=ints:128x160:bf16, B=ints:160x128:bf16, O=junk:128x128:f32)
// EXPECT: O = A @ B
func.func @gemm_order_120_stage_002(%A: memref<128x160xbf16>, %B: memref<160x128xbf16>, %O: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 160 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %i = %c0 to %n step %c32 {
      %a = tile.region %A[0, %i] [128, 32] : memref<128x160xbf16>
      %b = tile.region %B[%i, 0] [32, 128] : memref<160x128xbf16>
      tile.copy %a to %As {tile.order = 1 : i32, tile.stage = 0 : i32} : !tile.region<128x32xbf16>, !A
      tile.copy %b to %Bs {tile.order = 2 : i32, tile.stage = 0 : i32} : !tile.region<32x128xbf16>, !B
      tile.gemm %As, %Bs, %acc {tile.order = 0 : i32, tile.stage = 2 : i32} : (!A, !B, !C)
    } {tile.num_stages = NUM_STAGES : i32}
    %o = tile.region %O[0, 0] [128, 128] : memref<128x128xf32>
    tile.copy %acc to %o : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// CASE: gemm_order_120_stage_001(A=ints:128x160:bf16, B=ints:160x128:bf16, O=junk:128x128:f32)
// EXPECT: O = A @ B
func.func @gemm_order_120_stage_001(%A: memref<128x160xbf16>, %B: memref<160x128xbf16>, %O: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 160 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %i = %c0 to %n step %c32 {
      %a = tile.region %A[0, %i] [128, 32] : memref<128x160xbf16>
      %b = tile.region %B[%i, 0] [32, 128] : memref<160x128xbf16>
      tile.copy %a to %As {tile.order = 1 : i32, tile.stage = 0 : i32} : !tile.region<128x32xbf16>, !A
      tile.copy %b to %Bs {tile.order = 2 : i32, tile.stage = 0 : i32} : !tile.region<32x128xbf16>, !B
      tile.gemm %As, %Bs, %acc {tile.order = 0 : i32, tile.stage = 1 : i32} : (!A, !B, !C)
    } {tile.num_stages = NUM_STAGES : i32}
    %o = tile.region %O[0, 0] [128, 128] : memref<128x128xf32>
    tile.copy %acc to %o : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}
