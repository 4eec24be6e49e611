// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s > %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %t.once | diff %t.once -
// RUN: not grep -E 'tile\.(stage|order|group|num_stages)' %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline,canonicalize' %s | FileCheck %s --check-prefix=PLACE

// What the reference system's pipelines look like (reference-system.md 3.1.1;
// its line numbers are given at each function).

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// test_trival_pipeline (144): one iteration. The loop is gone, no condition is
// left, the tile has two slots and both ops are at slot 0.
// PLACE-LABEL: func @trivial
// PLACE: %[[S:.*]] = tile.alloc : memref<2x32xf32
// PLACE: %[[C:.*]] = tile.region %[[S]][0, 0] [1, 32] drop [0]
// PLACE: tile.copy %{{.*}} to %[[C]]
// PLACE: %[[U:.*]] = tile.region %[[S]][0, 0] [1, 32] drop [0]
// PLACE: tile.copy %[[U]] to
// PLACE: return
// CHECK-LABEL: func @trivial
// CHECK: %[[S:.*]] = tile.alloc : memref<2x32xf32
// CHECK-NOT: scf.
// CHECK: %[[C:.*]] = tile.region %[[S]][%[[Z:.*]], 0] [1, 32] drop [0]
// CHECK: tile.copy %{{.*}} to %[[C]]
// CHECK-NOT: scf.
// CHECK: %[[U:.*]] = tile.region %[[S]][%[[Y:.*]], 0] [1, 32] drop [0]
// CHECK: tile.copy %[[U]] to
// CHECK-NOT: scf.
// CHECK: return
func.func @trivial(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c1 step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {tile.stage = 0 : i32, tile.order = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %S to %f {tile.stage = 1 : i32, tile.order = 1 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// test_preserve_inline_cp_async_sync (174): what the user wrote stays, and
// nothing is added.
// CHECK-LABEL: func @users_groups
// CHECK: tile.copy {{.*}}{async, instr = #tile.instr<cp_async>}
// CHECK-NEXT: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK: tile.copy {{.*}}{async, instr = #tile.instr<cp_async>}
// CHECK-NEXT: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK: tile.copy {{.*}}{async, instr = #tile.instr<cp_async>}
// CHECK-NEXT: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK: tile.copy {{.*}}{async, instr = #tile.instr<cp_async>}
// CHECK-NEXT: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK-NOT: {{async|cp_async}}
// CHECK: return
func.func @users_groups(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {async, instr = #tile.instr<cp_async>, tile.stage = 0 : i32} : !tile.region<32xf32>, !T
    tile.cp_async_commit {tile.stage = 0 : i32}
    tile.cp_async_wait pending 0 {tile.stage = 0 : i32}
    tile.copy %S to %f {tile.stage = 3 : i32} : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// test_async_pipeline_groups_multiple_copy_producers (217): two copies, one
// group, 4 iterations; the loop waits for all but one group.
// CHECK-LABEL: func @one_group
// CHECK: tile.copy {{.*}}{async, instr
// CHECK-NEXT: = tile.region
// CHECK-NEXT: tile.copy {{.*}}{async, instr
// CHECK-NEXT: tile.cp_async_commit
// CHECK: scf.for
// CHECK: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 1
// CHECK: }
// CHECK: tile.cp_async_wait pending 0
// CHECK: return
func.func @one_group(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc : !T
  %T = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %a to %T {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %S to %f {tile.stage = 1 : i32} : !T, !F
    tile.copy %T to %f {tile.stage = 1 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// test_async_pipeline_only_wraps_producer_statements (269): a fill before
// two copies of one group; 2 iterations, so 4 asynchronous copies and 2 groups.
// CHECK-LABEL: func @fill_is_not_async
// CHECK-COUNT-4: {async, instr
// CHECK-NOT: {async
// CHECK: return
// CHECK-LABEL: func @fill_has_groups
// CHECK-COUNT-2: tile.cp_async_commit
// CHECK-NOT: tile.cp_async_commit
// CHECK: return
func.func @fill_is_not_async(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc : !T
  %T = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c2 step %c1 {
    %a = tile.region %A[%i, 0] [1, 16] drop [0] : memref<64x32xf32>
    %b = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %s = tile.region %S[0] [16] : !T
    tile.fill %S, %zero {tile.stage = 0 : i32} : !T, f32
    tile.copy %a to %s {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<16xf32>, !tile.region<16xf32, #smem>
    tile.copy %b to %T {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %S to %f {tile.stage = 1 : i32} : !T, !F
    tile.copy %T to %f {tile.stage = 1 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}
func.func @fill_has_groups(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc : !T
  %T = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c2 step %c1 {
    %a = tile.region %A[%i, 0] [1, 16] drop [0] : memref<64x32xf32>
    %b = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %s = tile.region %S[0] [16] : !T
    tile.fill %S, %zero {tile.stage = 0 : i32} : !T, f32
    tile.copy %a to %s {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<16xf32>, !tile.region<16xf32, #smem>
    tile.copy %b to %T {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %S to %f {tile.stage = 1 : i32} : !T, !F
    tile.copy %T to %f {tile.stage = 1 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// test_async_pipeline_does_not_mark_non_cp_async_compatible_copy (360).
// CHECK-LABEL: func @converting_copy
// CHECK-NOT: async
// CHECK: return
func.func @converting_copy(%A: memref<64x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xbf16>
    tile.copy %a to %S {instr = #tile.instr<simt>} : !tile.region<32xbf16>, !T
    tile.copy %S to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// test_async_pipeline_relaxes_loop_wait_and_splits_trailing_drain (393): u8, 4
// iterations, stages 0 and 2. Upstream asserts 2, 2, 0, where the first step of
// the drain may read what has not landed; passes.md: 2, 1, 0.
// CHECK-LABEL: func @drain
// CHECK: scf.for
// CHECK: tile.cp_async_wait pending 2
// CHECK: }
// CHECK: tile.cp_async_wait pending 1
// CHECK: tile.cp_async_wait pending 0
// CHECK-NOT: tile.cp_async_wait
// CHECK: return
func.func @drain(%A: memref<64x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc : memref<64xi8, #smem>
  %f = tile.alloc : memref<64xi8, #tile.fragment>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.region %A[%i, 0] [1, 64] drop [0] : memref<64x64xi8>
    tile.copy %a to %S {instr = #tile.instr<cp_async>, tile.stage = 0 : i32} : !tile.region<64xi8>, memref<64xi8, #smem>
    tile.copy %S to %f {tile.stage = 2 : i32} : memref<64xi8, #smem>, memref<64xi8, #tile.fragment>
  } {tile.num_stages = 2 : i32}
  return
}

// waits_for_individual_physical_commit_group (3.4, line 184): three pairs,
// stages 0, 3, …, orders 1, 0, 3, 2, 5, 4, 8 iterations: 8, 8, 8 in the loop, then
// 8 down to 0.
// CHECK-LABEL: func @three_pairs
// CHECK: scf.for
// CHECK-COUNT-3: tile.cp_async_wait pending 8
// CHECK: }
// CHECK: tile.cp_async_wait pending 8
// CHECK: tile.cp_async_wait pending 7
// CHECK: tile.cp_async_wait pending 6
// CHECK: tile.cp_async_wait pending 5
// CHECK: tile.cp_async_wait pending 4
// CHECK: tile.cp_async_wait pending 3
// CHECK: tile.cp_async_wait pending 2
// CHECK: tile.cp_async_wait pending 1
// CHECK: tile.cp_async_wait pending 0
// CHECK-NOT: tile.cp_async_wait
// CHECK: return
func.func @three_pairs(%A: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S0 = tile.alloc : !T
  %S1 = tile.alloc : !T
  %S2 = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %c8 step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S0 {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.order = 1 : i32} : !tile.region<32xf32>, !T
    tile.copy %S0 to %f {tile.stage = 3 : i32, tile.order = 0 : i32} : !T, !F
    tile.copy %a to %S1 {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.order = 3 : i32} : !tile.region<32xf32>, !T
    tile.copy %S1 to %f {tile.stage = 3 : i32, tile.order = 2 : i32} : !T, !F
    tile.copy %a to %S2 {instr = #tile.instr<cp_async>, tile.stage = 0 : i32, tile.order = 5 : i32} : !tile.region<32xf32>, !T
    tile.copy %S2 to %f {tile.stage = 3 : i32, tile.order = 4 : i32} : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// test_degenerate_pipeline_with_single_stage_is_not_expanded (431): one stage.
// CHECK-LABEL: func @one_stage
// CHECK: tile.alloc : memref<32xf32, #gpu
// CHECK: scf.for
// CHECK-NEXT: = tile.region
// CHECK-NEXT: tile.copy %{{[0-9]+}} to %{{[0-9]+}} {instr = #tile.instr<cp_async>} :
// CHECK-NEXT: tile.copy %{{[0-9]+}} to %{{[0-9]+}} :
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @one_stage(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %S {instr = #tile.instr<cp_async>, tile.stage = 2 : i32} : !tile.region<32xf32>, !T
    tile.copy %S to %f {tile.stage = 2 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// test_inject_software_pipeline_expands_annotated_layout (464): the layout of a
// slot, expanded by the stage dimension.
// CHECK-LABEL: func @expanded_layout
// CHECK: tile.alloc {alignment = 1024 : i64, layout = #tile.layout<"swizzle<128>">} : memref<2x64x64xf16
func.func @expanded_layout(%A: memref<64x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %S = tile.alloc {alignment = 1024 : i64, layout = #tile.layout<"swizzle<128>">} : memref<64x64xf16, #smem>
  %f = tile.alloc : memref<64x64xf16, #tile.fragment>
  scf.for %i = %c0 to %n step %c64 {
    %a = tile.region %A[%i, 0] [64, 64] : memref<64x64xf16>
    tile.copy %a to %S : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
    tile.copy %S to %f : memref<64x64xf16, #smem>, memref<64x64xf16, #tile.fragment>
  } {tile.num_stages = 2 : i32}
  return
}

// The same of a layout with gaps, rows of 24 elements: it is the layout of all rows
// of both slots.
// CHECK-LABEL: func @expanded_rows
// CHECK: tile.alloc {layout = #tile.layout<"padded<24>">} : memref<2x8x16xf16
func.func @expanded_rows(%A: memref<64x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc {layout = #tile.layout<"padded<24>">} : memref<8x16xf16, #smem>
  %f = tile.alloc : memref<8x16xf16, #tile.fragment>
  scf.for %i = %c0 to %n step %c8 {
    %a = tile.region %A[%i, 0] [8, 16] : memref<64x16xf16>
    tile.copy %a to %S : !tile.region<8x16xf16>, memref<8x16xf16, #smem>
    tile.copy %S to %f : memref<8x16xf16, #smem>, memref<8x16xf16, #tile.fragment>
  } {tile.num_stages = 2 : i32}
  return
}
