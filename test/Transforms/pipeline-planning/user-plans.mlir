// RUN: %tile_opt_passes 'tile-pipeline-planning' %s | FileCheck %s

// Plans of the user are kept (reference-system.md 3.1.6, language tests: all
// four of its pairs of orders and stages), and given groups are, too.

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// CHECK-LABEL: func @product_first
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 2
// CHECK: tile.copy {{.*}}tile.order = 3 : i32, tile.stage = 2
func.func @product_first(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %Bs = tile.alloc : !T
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32, tile.order = 1 : i32} : !tile.region<32xf32>, !T
    tile.copy %a to %Bs {tile.stage = 0 : i32, tile.order = 2 : i32} : !tile.region<32xf32>, !T
    tile.copy %As to %f {tile.stage = 2 : i32, tile.order = 0 : i32} : !T, !F
    tile.copy %Bs to %g {tile.stage = 2 : i32, tile.order = 3 : i32} : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// Without orders, program order is the order.
// CHECK-LABEL: func @stages_only
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1
func.func @stages_only(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %As to %f {tile.stage = 1 : i32} : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// Three groups that wait on their own (reference-system.md 3.4, line 184).
// CHECK-LABEL: func @three_pairs
// CHECK: tile.group = 0 : i32, tile.order = 1
// CHECK: tile.group = 1 : i32, tile.order = 3
// CHECK: tile.group = 2 : i32, tile.order = 5
func.func @three_pairs(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S0 = tile.alloc : !T
  %S1 = tile.alloc : !T
  %S2 = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
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

// A group that the user gave; the other copy gets the next number.
// CHECK-LABEL: func @given_group
// CHECK: tile.group = 4 : i32, tile.order = 1
// CHECK: tile.group = 5 : i32, tile.order = 3
func.func @given_group(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %Bs = tile.alloc : !T
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {instr = #tile.instr<cp_async>, tile.group = 4 : i32} : !tile.region<32xf32>, !T
    tile.copy %a to %Bs {instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
    tile.copy %Bs to %g : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}
