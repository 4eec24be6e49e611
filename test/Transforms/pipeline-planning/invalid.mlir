// RUN: %tile_opt_passes 'tile-pipeline-planning' %s -split-input-file -verify-diagnostics

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

func.func @flow(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-note @+1 {{this op is in stage 1, order 0}}
    tile.copy %a to %As {tile.stage = 1 : i32, tile.order = 0 : i32} : !tile.region<32xf32>, !T
    // expected-error @+1 {{must run after another op, because it reads what that op writes; stage 0, order 1 is too early}}
    tile.copy %As to %f {tile.stage = 0 : i32, tile.order = 1 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// In one stage the order decides.
func.func @order(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-note @+1 {{this op is in stage 1, order 1}}
    tile.copy %a to %As {tile.stage = 1 : i32, tile.order = 1 : i32} : !tile.region<32xf32>, !T
    // expected-error @+1 {{stage 1, order 0 is too early}}
    tile.copy %As to %f {tile.stage = 1 : i32, tile.order = 0 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// The tile holds a value from one iteration to the next: two stages between its
// uses would read what comes later.
func.func @carried_tile(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %As to %f {tile.stage = 0 : i32} : !T, !F
    // expected-note @+1 {{this op is in stage 2, order 1}}
    tile.copy %a to %As {tile.stage = 2 : i32} : !tile.region<32xf32>, !T
    // expected-error @-3 {{must run after another op of the iteration before, because it reads what that op writes}}
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

func.func @missing_stage(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-note @+1 {{this op of the loop has it}}
    tile.copy %a to %As {tile.stage = 0 : i32} : !tile.region<32xf32>, !T
    // expected-error @+1 {{expects 'tile.stage': all ops of a planned loop have it}}
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

func.func @late_stage(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As {tile.stage = 0 : i32} : !tile.region<32xf32>, !T
    // expected-error @+1 {{expects 'tile.stage' to be at most 'tile.num_stages' = 2, got 3}}
    tile.copy %As to %f {tile.stage = 3 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

func.func @same_order(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-note @+1 {{this op has the same}}
    tile.copy %a to %As {tile.stage = 0 : i32, tile.order = 7 : i32} : !tile.region<32xf32>, !T
    // expected-error @+1 {{expects a 'tile.order' of its own, got 7}}
    tile.copy %As to %f {tile.stage = 2 : i32, tile.order = 7 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

func.func @split_group(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %Bs = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-note @+1 {{this op of the group is in another stage}}
    tile.copy %a to %As {tile.stage = 0 : i32, tile.group = 0 : i32} : !tile.region<32xf32>, !T
    // expected-error @+1 {{expects the ops of 'tile.group' 0 in one stage, got stage 1}}
    tile.copy %a to %Bs {tile.stage = 1 : i32, tile.group = 0 : i32} : !tile.region<32xf32>, !T
    tile.copy %As to %f {tile.stage = 2 : i32} : !T, !F
    tile.copy %Bs to %f {tile.stage = 2 : i32} : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// -----

func.func @many_stages(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects 'tile.num_stages' to be at most 16, got 17}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.num_stages = 17 : i32}
  return
}
