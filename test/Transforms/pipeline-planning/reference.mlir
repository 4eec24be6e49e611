// RUN: %tile_opt_passes 'tile-pipeline-planning' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-pipeline-planning' %s > %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning' %t.once | diff %t.once -

// The plans of the reference system (reference-system.md 3.1.2; its line
// numbers are given at each function). It marks asynchronous producers with a
// list; here `tile.group` on the copy says it.

#smem = #gpu.address_space<workgroup>
!A = memref<128x32xf16, #smem>
!B = memref<32x128xf16, #smem>
!C = memref<128x128xf32, #tile.fragment>

// test_simple_pipeline (42), marks_async_producers_per_statement (121): stages
// 0, 0, 2; the two copies are one group, the product is in none.
// CHECK-LABEL: func @gemm_3_stages
// CHECK: tile.copy {{.*}}tile.group = 0 : i32, tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.group = 0 : i32, tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.gemm
// CHECK-NOT: tile.group
// CHECK-SAME: tile.order = 2 : i32, tile.stage = 2
// CHECK: tile.num_stages = 3
func.func @gemm_3_stages(%A: memref<1024x32xf16>, %B: memref<32x1024xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %As = tile.alloc : !A
  %Bs = tile.alloc : !B
  %acc = tile.alloc : !C
  scf.for %k = %c0 to %n step %c32 {
    %a = tile.region %A[0, %k] [128, 32] : memref<1024x32xf16>
    %b = tile.region %B[%k, 0] [32, 128] : memref<32x1024xf16>
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<128x32xf16>, !A
    tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<32x128xf16>, !B
    tile.gemm %As, %Bs, %acc : (!A, !B, !C)
  } {tile.num_stages = 3 : i32}
  return
}

// Two stages: 0, 0, 1.
// CHECK-LABEL: func @gemm_2_stages
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 1
func.func @gemm_2_stages(%A: memref<1024x32xf16>, %B: memref<32x1024xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %As = tile.alloc : !A
  %Bs = tile.alloc : !B
  %acc = tile.alloc : !C
  scf.for %k = %c0 to %n step %c32 {
    %a = tile.region %A[0, %k] [128, 32] : memref<1024x32xf16>
    %b = tile.region %B[%k, 0] [32, 128] : memref<32x1024xf16>
    tile.copy %a to %As : !tile.region<128x32xf16>, !A
    tile.copy %b to %Bs : !tile.region<32x128xf16>, !B
    tile.gemm %As, %Bs, %acc : (!A, !B, !C)
  } {tile.num_stages = 2 : i32}
  return
}

// One stage: the copies follow the product, into the slot that it has read.
// CHECK-LABEL: func @gemm_1_stage
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.gemm {{.*}}tile.order = 0 : i32, tile.stage = 1
func.func @gemm_1_stage(%A: memref<1024x32xf16>, %B: memref<32x1024xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %As = tile.alloc : !A
  %Bs = tile.alloc : !B
  %acc = tile.alloc : !C
  scf.for %k = %c0 to %n step %c32 {
    %a = tile.region %A[0, %k] [128, 32] : memref<1024x32xf16>
    %b = tile.region %B[%k, 0] [32, 128] : memref<32x1024xf16>
    tile.copy %a to %As : !tile.region<128x32xf16>, !A
    tile.copy %b to %Bs : !tile.region<32x128xf16>, !B
    tile.gemm %As, %Bs, %acc : (!A, !B, !C)
  } {tile.num_stages = 1 : i32}
  return
}

// Attention: K right after the first product, V after the second.
// CHECK-LABEL: func @attention
// CHECK: tile.copy {{.*}}tile.group = 0 : i32, tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.gemm {{.*}}tile.order = 0 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.group = 1 : i32, tile.order = 4 : i32, tile.stage = 0
// CHECK: tile.gemm {{.*}}tile.order = 3 : i32, tile.stage = 2
func.func @attention(%K: memref<1024x64xf16>, %V: memref<1024x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %Q = tile.alloc : memref<64x64xf16, #smem>
  %Ks = tile.alloc : memref<64x64xf16, #smem>
  %Vs = tile.alloc : memref<64x64xf16, #smem>
  %P = tile.alloc : memref<64x64xf16, #tile.fragment>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %O = tile.alloc : memref<64x64xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c64 : index
    %k = tile.region %K[%row, 0] [64, 64] : memref<1024x64xf16>
    %v = tile.region %V[%row, 0] [64, 64] : memref<1024x64xf16>
    tile.copy %k to %Ks {instr = #tile.instr<cp_async>} : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
    tile.gemm %Q, %Ks, %S {transpose_b} : (memref<64x64xf16, #smem>, memref<64x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
    tile.copy %S to %P : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.fragment>
    tile.copy %v to %Vs {instr = #tile.instr<cp_async>} : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
    tile.gemm %P, %Vs, %O : (memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
  } {tile.num_stages = 2 : i32}
  return
}

// does_not_mark_fill_as_async_producer (178): a fill below a copy of a part
// runs ahead with it, and is in no group.
// CHECK-LABEL: func @fill_below_copy
// CHECK: tile.fill
// CHECK-NOT: tile.group
// CHECK-SAME: tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.group = 0 : i32, tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 1
func.func @fill_below_copy(%A: memref<16x8xf16>, %B: memref<16x16xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %S = tile.alloc : memref<16xf16, #smem>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 8] drop [0] : memref<16x8xf16>
    %s = tile.region %S[0] [8] : memref<16xf16, #smem>
    %b = tile.region %B[%i, 0] [1, 16] drop [0] : memref<16x16xf16>
    tile.fill %S, %zero : memref<16xf16, #smem>, f16
    tile.copy %a to %s {instr = #tile.instr<cp_async>} : !tile.region<8xf16>, !tile.region<8xf16, #smem>
    tile.copy %S to %b : memref<16xf16, #smem>, !tile.region<16xf16>
  } {tile.num_stages = 2 : i32}
  return
}

// orders_cp_async_groups_by_group_last_use (386): A is used early and late, B
// in the middle, so B is fetched before A.
// CHECK-LABEL: func @groups_by_last_use
// CHECK: tile.copy {{.*}}tile.group = 1 : i32, tile.order = 4 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.group = 0 : i32, tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.order = 3 : i32, tile.stage = 2
func.func @groups_by_last_use(%A: memref<64x32xf32>, %B: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : memref<32xf32, #smem>
  %Bs = tile.alloc : memref<32xf32, #smem>
  %f = tile.alloc : memref<32xf32, #tile.fragment>
  %g = tile.alloc : memref<32xf32, #tile.fragment>
  %h = tile.alloc : memref<32xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %b = tile.region %B[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<32xf32>, memref<32xf32, #smem>
    tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<32xf32>, memref<32xf32, #smem>
    tile.copy %As to %f : memref<32xf32, #smem>, memref<32xf32, #tile.fragment>
    tile.copy %Bs to %g : memref<32xf32, #smem>, memref<32xf32, #tile.fragment>
    tile.copy %As to %h : memref<32xf32, #smem>, memref<32xf32, #tile.fragment>
  } {tile.num_stages = 2 : i32}
  return
}

// A converting copy is fetched ahead too, and is in no group (reference-system
// 3.1.1, line 360).
// CHECK-LABEL: func @converting_copy
// CHECK: tile.copy
// CHECK-NOT: tile.group
// CHECK-SAME: tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1
func.func @converting_copy(%A: memref<64x32xbf16>, %B: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : memref<32xf32, #smem>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xbf16>
    %b = tile.region %B[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {instr = #tile.instr<simt>} : !tile.region<32xbf16>, memref<32xf32, #smem>
    tile.copy %As to %b : memref<32xf32, #smem>, !tile.region<32xf32>
  } {tile.num_stages = 2 : i32}
  return
}

// No stages: no pipeline.
// CHECK-LABEL: func @zero_stages
// CHECK-NOT: tile.stage
// CHECK: return
func.func @zero_stages(%A: memref<64x32xf32>, %B: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : memref<32xf32, #smem>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %b = tile.region %B[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, memref<32xf32, #smem>
    tile.copy %As to %b : memref<32xf32, #smem>, !tile.region<32xf32>
  } {tile.num_stages = 0 : i32}
  return
}

// recognizes_parallel_bufferstore_copy_stages (84): element loops that load tiles
// are copies as well, 0, 0, 2. There they become cp.async; here threads store what
// they load, so they are in no group.
// CHECK-LABEL: func @element_loops
// CHECK: } {tile.order = 0 : i32, tile.stage = 0 : i32}
// CHECK: } {tile.order = 1 : i32, tile.stage = 0 : i32}
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 2
// CHECK-NOT: tile.group
// CHECK: return
func.func @element_loops(%A: memref<128x1024xf16>, %B: memref<1024x128xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %As = tile.alloc : !A
  %Bs = tile.alloc : !B
  %acc = tile.alloc : !C
  scf.for %k = %c0 to %n step %c32 {
    tile.parallel (%i, %j) in [128, 32] {
      %at = arith.addi %k, %j : index
      %x = memref.load %A[%i, %at] : memref<128x1024xf16>
      memref.store %x, %As[%i, %j] : !A
    }
    tile.parallel (%i, %j) in [32, 128] {
      %at = arith.addi %k, %i : index
      %x = memref.load %B[%at, %j] : memref<1024x128xf16>
      memref.store %x, %Bs[%i, %j] : !B
    }
    tile.gemm %As, %Bs, %acc : (!A, !B, !C)
  } {tile.num_stages = 3 : i32}
  return
}
