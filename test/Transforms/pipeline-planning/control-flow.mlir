// RUN: %tile_opt_passes 'tile-pipeline-planning' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// Guards carry no stage, what is inside does; a mask in read-only memory is
// arithmetic, as is the condition.
// CHECK-LABEL: func @guarded
// CHECK: memref.load
// CHECK-NOT: tile.
// CHECK: scf.if
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1
// CHECK: }
// CHECK-NOT: tile.stage
// CHECK: tile.num_stages
func.func @guarded(%A: memref<64x32xf32>, %mask: memref<64xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %m = memref.load %mask[%i] : memref<64xi1>
    scf.if %m {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %As : !tile.region<32xf32>, !T
      tile.copy %As to %f : !T, !F
    }
  } {tile.num_stages = 2 : i32}
  return
}

// What a guard yields does not tie its copies to its other ops: the next guard
// depends on arithmetic of the branch, the sum on the tile.
// CHECK-LABEL: func @yields
// CHECK: scf.if
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: memref.load {{.*}}tile.order = 1 : i32, tile.stage = 2
// CHECK: }
// CHECK-NOT: tile.stage
// CHECK: tile.num_stages
func.func @yields(%A: memref<64x32xf32>, %n: index, %left: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : !T
  %end, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%now = %left, %s = %zero) -> (i32, f32) {
    %on = arith.cmpi sgt, %now, %none : i32
    %next, %t = scf.if %on -> (i32, f32) {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %As : !tile.region<32xf32>, !T
      %v = memref.load %As[%c1] : !T
      %u = arith.addf %s, %v : f32
      %less = arith.subi %now, %one : i32
      scf.yield %less, %u : i32, f32
    } else {
      scf.yield %now, %s : i32, f32
    }
    scf.yield %next, %t : i32, f32
  } {tile.num_stages = 3 : i32}
  return %sum : f32
}

// A choice between tiles is one statement, and so is a loop inside.
// CHECK-LABEL: func @wholes
// CHECK: scf.if
// CHECK-NOT: tile.stage
// CHECK: else
// CHECK: tile.stage
func.func @wholes(%A: memref<64x32xf32>, %B: memref<64x32xf32>, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %Bs = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{that op is here}}
    %from = scf.if %p -> (memref<64x32xf32>) {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      // expected-remark @+1 {{[tile-pipeline/inner] is not fetched ahead of its use: the loop takes the op around it as a whole; pipeline an inner loop itself, and let an scf.if give numbers only}}
      tile.copy %a to %As : !tile.region<32xf32>, !T
      tile.copy %As to %f : !T, !F
      scf.yield %A : memref<64x32xf32>
    } else {
      scf.yield %B : memref<64x32xf32>
    }
    // expected-note @+1 {{that op is here}}
    scf.for %j = %c0 to %n step %c1 {
      %b = tile.region %A[%j, 0] [1, 32] drop [0] : memref<64x32xf32>
      // expected-remark @+1 {{[tile-pipeline/inner]}}
      tile.copy %b to %Bs : !tile.region<32xf32>, !T
      tile.copy %Bs to %f : !T, !F
    }
  } {tile.num_stages = 2 : i32}
  return
}

// Both branches fill the tile, so a read after them is covered.
// CHECK-LABEL: func @both_branches
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 1
func.func @both_branches(%A: memref<64x32xf32>, %B: memref<64x32xf32>, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %As : !tile.region<32xf32>, !T
    } else {
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %b to %As : !tile.region<32xf32>, !T
    }
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// Two halves cover the whole.
// CHECK-LABEL: func @halves
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 1
func.func @halves(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a0 = tile.region %A[%i, 0] [1, 16] drop [0] : memref<64x32xf32>
    %a1 = tile.region %A[%i, 16] [1, 16] drop [0] : memref<64x32xf32>
    %s0 = tile.region %As[0] [16] : !T
    %s1 = tile.region %As[16] [16] : !T
    tile.copy %a0 to %s0 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
    tile.copy %a1 to %s1 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// A hole in the middle is not covered: what is read there is of the iteration
// before, so the copies stay with their use.
// CHECK-LABEL: func @hole
// CHECK: tile.copy {{.*}}tile.stage = 2
// CHECK: tile.copy {{.*}}tile.stage = 2
// CHECK: tile.copy {{.*}}tile.stage = 2
func.func @hole(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a0 = tile.region %A[%i, 0] [1, 8] drop [0] : memref<64x32xf32>
    %a1 = tile.region %A[%i, 16] [1, 16] drop [0] : memref<64x32xf32>
    %s0 = tile.region %As[0] [8] : !T
    %s1 = tile.region %As[16] [16] : !T
    // expected-remark @+1 {{[tile-pipeline/stale-read] is not fetched ahead of its use: an op reads the tile where the iteration has not filled it before; copy all of it on every path to that op}}
    tile.copy %a0 to %s0 : !tile.region<8xf32>, !tile.region<8xf32, #smem>
    // expected-remark @+1 {{[tile-pipeline/stale-read]}}
    tile.copy %a1 to %s1 : !tile.region<16xf32>, !tile.region<16xf32, #smem>
    // expected-note @+1 {{that op is here}}
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// Two copies of one iteration into the same tile: asynchronous ones of one slot
// would land in any order.
// CHECK-LABEL: func @twice
// CHECK: tile.copy {{.*}}tile.stage = 2
// CHECK: tile.copy {{.*}}tile.stage = 2
func.func @twice(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-remark @+1 {{[tile-pipeline/overwritten] is not fetched ahead of its use: another copy of the iteration writes the same part of the tile}}
    tile.copy %a to %As : !tile.region<32xf32>, !T
    %b = tile.region %A[0, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-remark @+2 {{[tile-pipeline/overwritten]}}
    // expected-note @+1 {{that op is here}}
    tile.copy %b to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// A copy in one branch, a read after it: in the other branch the read sees the
// tile of an earlier iteration.
// CHECK-LABEL: func @one_branch
// CHECK: tile.copy {{.*}}tile.stage = 2
// CHECK: tile.copy {{.*}}tile.stage = 2
func.func @one_branch(%A: memref<64x32xf32>, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      // expected-remark @+1 {{[tile-pipeline/stale-read]}}
      tile.copy %a to %As : !tile.region<32xf32>, !T
    }
    // expected-note @+1 {{that op is here}}
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// The last tile is read after the loop.
// CHECK-LABEL: func @read_after_loop
// CHECK: tile.copy {{.*}}tile.stage = 2
func.func @read_after_loop(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-remark @+1 {{[tile-pipeline/used-outside] is not fetched ahead of its use: an op outside the loop reads the tile as well; a tile of its own helps}}
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  // expected-note @+1 {{that op is here}}
  tile.copy %As to %f : !T, !F
  return
}

// Another loop that fills the tile itself is no use of this one's.
// CHECK-LABEL: func @shared_by_two_loops
// CHECK: tile.copy {{.*}}tile.stage = 0
// CHECK: tile.copy {{.*}}tile.stage = 1
// CHECK: tile.copy {{.*}}tile.stage = 0
// CHECK: tile.copy {{.*}}tile.stage = 1
func.func @shared_by_two_loops(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// The copy reads what the loop writes: it would come too early.
// CHECK-LABEL: func @in_place
// CHECK: tile.copy {{.*}}tile.stage = 2
func.func @in_place(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %j = arith.addi %i, %c1 : index
    %b = tile.region %A[%j, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-remark @+1 {{[tile-pipeline/dependence] is not fetched ahead of its use: it has to follow another op, because it reads what that op writes; take its address and conditions from memory that the loop does not write, and copy from such a tensor}}
    tile.copy %a to %As : !tile.region<32xf32>, !T
    // expected-note @+1 {{that op is here}}
    tile.copy %As to %b : !T, !tile.region<32xf32>
  } {tile.num_stages = 2 : i32}
  return
}

// Nobody reads the tile.
// CHECK-LABEL: func @unused
func.func @unused(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-remark @+1 {{[tile-pipeline/unused] is not fetched ahead: nothing in the loop reads it}}
    tile.copy %a to %As : !tile.region<32xf32>, !T
  } {tile.num_stages = 2 : i32}
  return
}

// A ring of a tile of rank 5 would have 6 dimensions.
// CHECK-LABEL: func @rank_5
func.func @rank_5(%A: memref<64x1x1x1x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{that op is here}}
  %As = tile.alloc : memref<1x1x1x1x32xf32, #smem>
  %f = tile.alloc : memref<1x1x1x1x32xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0, 0, 0, 0] [1, 1, 1, 1, 32] : memref<64x1x1x1x32xf32>
    // expected-remark @+1 {{[tile-pipeline/rank] is not fetched ahead of its use: a ring would have more than 5 dimensions}}
    tile.copy %a to %As : !tile.region<1x1x1x1x32xf32>, memref<1x1x1x1x32xf32, #smem>
    tile.copy %As to %f : memref<1x1x1x1x32xf32, #smem>, memref<1x1x1x1x32xf32, #tile.fragment>
  } {tile.num_stages = 2 : i32}
  return
}

// An index from a copied tile: the copy that needs it runs ahead with what
// fetches the index, in order.
// CHECK-LABEL: func @index_from_tile
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: memref.load {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 3 : i32, tile.stage = 1
func.func @index_from_tile(%A: memref<64x32xf32>, %I: memref<64x4xindex>, %J: memref<64x4xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Is = tile.alloc : memref<4xi32, #smem>
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.region %J[%i, 0] [1, 4] drop [0] : memref<64x4xi32>
    tile.copy %x to %Is : !tile.region<4xi32>, memref<4xi32, #smem>
    %w = memref.load %Is[%c1] : memref<4xi32, #smem>
    %row = arith.index_cast %w : i32 to index
    %a = tile.region %A[%row, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 2 : i32}
  return
}

// An address that a consumer computes, carried to the next iteration.
// CHECK-LABEL: func @carried_address
// CHECK: tile.copy {{.*}}tile.stage = 2
// CHECK: memref.load {{.*}}tile.stage = 2
func.func @carried_address(%A: memref<64x32xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<32xi32, #smem>
  %p = memref.alloca() : memref<1xi32>
  scf.for %i = %c0 to %n step %c1 iter_args(%row = %c0) -> index {
    %a = tile.region %A[%row, 0] [1, 32] drop [0] : memref<64x32xi32>
    // expected-remark @+1 {{[tile-pipeline/dependence] is not fetched ahead of its use: it has to follow another op, because it uses a carried value that that op updates}}
    tile.copy %a to %s : !tile.region<32xi32>, memref<32xi32, #smem>
    // expected-note @+1 {{that op is here}}
    %w = memref.load %s[%c1] : memref<32xi32, #smem>
    %next = arith.index_cast %w : i32 to index
    scf.yield %next : index
  } {tile.num_stages = 2 : i32}
  return
}

// An op of another dialect uses the tile.
// CHECK-LABEL: func @foreign_use
func.func @foreign_use(%A: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    // expected-remark @+1 {{[tile-pipeline/use] is not fetched ahead of its use: an op that is no tile op uses the tile}}
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
    // expected-note @+1 {{that op is here}}
    %d = memref.extract_aligned_pointer_as_index %As : !T -> index
  } {tile.num_stages = 2 : i32}
  return
}
