// Copies of tensors to fragments: loaded an iteration ahead, to other registers.

// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline,canonicalize' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!F = memref<64xf32, #frag>
!W = !tile.region<64xf32>

// Before the loop the first one, where there is one; in the loop the next one,
// after the move of this one. The loop copies nothing else ahead.
// CHECK-LABEL: func.func @scales
// CHECK: %[[F:.*]] = tile.alloc : memref<64xf32, #tile.fragment>
// CHECK: %[[NEXT:.*]] = tile.alloc : memref<64xf32, #tile.fragment>
// CHECK: scf.if
// CHECK: tile.copy %{{.*}} to %[[NEXT]] {{.*}} : !tile.region<64xf32>
// CHECK: scf.for
// CHECK: tile.copy %[[NEXT]] to %[[F]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.region
// CHECK-NEXT: tile.copy %{{.*}} to %[[NEXT]] {{.*}} : !tile.region<64xf32>
// CHECK: tile.copy %[[F]] to
// CHECK-NOT: tile.num_stages
// CHECK: return
func.func @scales(%A: memref<64x64xf32>, %O: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : !F
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      // expected-remark @+1 {{[tile-pipeline/prefetched] is loaded an iteration ahead, to other registers}}
      tile.copy %a to %f {instr = #tile.instr<simt>} : !W, !F
      tile.copy %f to %o {instr = #tile.instr<simt>} : !F, !W
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// What the loop writes, what an op of the iteration computes, and what is filled in
// part is not there before.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: scf.if
// CHECK: return
func.func @stays(%A: memref<64x64xf32>, %O: memref<64x64xf32>, %I: memref<64xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : !F
    %g = tile.alloc : !F
    %h = tile.alloc : memref<2x64xf32, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %t = memref.atomic_rmw addi %one, %I[%c0] : (i32, memref<64xi32>) -> i32
      %r = arith.index_cast %t : i32 to index
      %a = tile.region %A[%r, 0] [1, 64] drop [0] : memref<64x64xf32>
      %b = tile.region %A[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      %h0 = tile.region %h[0, 0] [1, 64] drop [0] : memref<2x64xf32, #frag>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: what its address or its conditions depend on is not there an iteration before}}
      tile.copy %a to %f {instr = #tile.instr<simt>} : !W, !F
      tile.copy %f to %o {instr = #tile.instr<simt>} : !F, !W
      tile.copy %o to %g {instr = #tile.instr<simt>} : !W, !F
      tile.copy %g to %o {instr = #tile.instr<simt>} : !F, !W
      tile.copy %b to %h0 {instr = #tile.instr<simt>} : !W, !tile.region<64xf32, #frag>
      tile.copy %h0 to %o {instr = #tile.instr<simt>} : !tile.region<64xf32, #frag>, !W
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Too large for the registers that the kernel leaves.
// CHECK-LABEL: func.func @large
// CHECK-NOT: scf.if
// CHECK: return
func.func @large(%A: memref<64x128xf32>, %O: memref<64x128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<64x128xf32, #frag>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[0, %i] [64, 128] : memref<64x128xf32>
      %o = tile.region %O[0, %i] [64, 128] : memref<64x128xf32>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: it takes 128 registers per thread, and 31 are free}}
      tile.copy %a to %f {instr = #tile.instr<simt>} : !tile.region<64x128xf32>, memref<64x128xf32, #frag>
      tile.copy %f to %o {instr = #tile.instr<simt>} : memref<64x128xf32, #frag>, !tile.region<64x128xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
