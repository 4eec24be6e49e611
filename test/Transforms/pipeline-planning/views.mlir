// RUN: %tile_opt_passes 'tile-pipeline-planning' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<4x8xf32, #smem>
!V = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>
!F2 = memref<4x8xf32, #tile.fragment>

// What a copy brings is read through a view: the copy still runs ahead.
// CHECK-LABEL: func @view
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1
func.func @view(%A: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %As = tile.alloc : !T
  %v = tile.view %As : !T to !V
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c4 {
    %a = tile.region %A[%i, 0] [4, 8] : memref<64x8xf32>
    tile.copy %a to %As : !tile.region<4x8xf32>, !T
    tile.copy %v to %f : !V, !F
  } {tile.num_stages = 2 : i32}
  return
}

// Half of what is read was not written in this iteration: indices of the view are
// not those of the tile.
// CHECK-LABEL: func @half
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, [[STAGE:tile.stage = [0-9]]]
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, [[STAGE]]
func.func @half(%A: memref<64x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %v = tile.view %As : !T to !V
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 16] drop [0] : memref<64x16xf32>
    %h = tile.region %v[0] [16] : !V
    // expected-remark @+1 {{[tile-pipeline/stale-read] is not fetched ahead of its use: }}
    tile.copy %a to %h : !tile.region<16xf32>, !tile.region<16xf32, #smem>
    // expected-note @+1 {{that op is here}}
    tile.copy %v to %f : !V, !F
  } {tile.num_stages = 2 : i32}
  return
}

// The last tile is read after the loop, through a view.
// CHECK-LABEL: func @behind
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, [[STAGE:tile.stage = [0-9]]]
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, [[STAGE]]
func.func @behind(%A: memref<64x8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %As = tile.alloc : !T
  %v = tile.view %As : !T to !V
  %f = tile.alloc : !F2
  scf.for %i = %c0 to %n step %c4 {
    %a = tile.region %A[%i, 0] [4, 8] : memref<64x8xf32>
    // expected-remark @+1 {{[tile-pipeline/used-outside] is not fetched ahead of its use: }}
    tile.copy %a to %As : !tile.region<4x8xf32>, !T
    tile.copy %As to %f : !T, !F2
  } {tile.num_stages = 2 : i32}
  // expected-note @+1 {{that op is here}}
  %x = memref.load %v[%c4] : !V
  return %x : f32
}

// A slot of the view would have 6 dimensions.
// CHECK-LABEL: func @rank
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, [[STAGE:tile.stage = [0-9]]]
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, [[STAGE]]
func.func @rank(%A: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %As = tile.alloc : !T
  // expected-note @+1 {{that op is here}}
  %v = tile.view %As : !T to memref<2x2x2x2x2xf32, #smem>
  %f = tile.alloc : memref<2x2x2x2x2xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c4 {
    %a = tile.region %A[%i, 0] [4, 8] : memref<64x8xf32>
    // expected-remark @+1 {{[tile-pipeline/rank] is not fetched ahead of its use: a ring would have more than 5 dimensions}}
    tile.copy %a to %As : !tile.region<4x8xf32>, !T
    tile.copy %v to %f : memref<2x2x2x2x2xf32, #smem>, memref<2x2x2x2x2xf32, #tile.fragment>
  } {tile.num_stages = 2 : i32}
  return
}
