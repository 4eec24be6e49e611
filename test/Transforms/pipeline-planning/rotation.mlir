// Loops of roles with dependent products (Analysis/LoopRotation.c): the second
// product runs one iteration behind, beside the first one of the next.

// RUN: %tile_opt_passes 'tile-pipeline-planning' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-pipeline-planning' %s > %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning' %t.once | diff %t.once -
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s | FileCheck %s --check-prefix=INJECT

#smem = #gpu.address_space<workgroup>
!ring = memref<2x64x64xbf16, #smem>
!Q = memref<64x64xbf16, #smem>
!T = !tile.region<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!row = memref<64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>

// architecture.md, 3.8: wait K, Q·Kᵀ and softmax in stage 0, wait V, P·V in stage
// 1, ordered Q·Kᵀ(i + 1), P·V(i), softmax(i + 1). What rescales the sum waits for
// P·V(i).
// CHECK-LABEL: func @attention
// CHECK: tile.fill {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: tile.wait {{.*}}tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.release {{.*}}tile.order = 5 : i32, tile.stage = 0
// CHECK: tile.reduce max {{.*}}tile.order = 6 : i32, tile.stage = 0
// CHECK: tile.reduce sum {{.*}}tile.order = 7 : i32, tile.stage = 0
// CHECK: tile.parallel
// CHECK: } {tile.order = 9 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 10 : i32, tile.stage = 0
// CHECK: tile.wait {{.*}}tile.order = 3 : i32, tile.stage = 1
// CHECK: tile.gemm {{.*}}tile.order = 4 : i32, tile.stage = 1
// CHECK: tile.release {{.*}}tile.order = 8 : i32, tile.stage = 1

// Nothing is guarded: a step with the first stage, one less than there are
// iterations with both, a step with the last stage, all of it if there is an
// iteration. Each slot is waited for and released once, and the positions of
// the late channel are those of its own iteration.
// INJECT-LABEL: func @attention(
// INJECT-SAME: %[[LB:.*]]: index, %[[UB:.*]]: index, %[[STEP:.*]]: index
// INJECT: %[[K:.*]] = tile.channel
// INJECT: %[[V:.*]] = tile.channel
// INJECT: %[[ANY:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
// INJECT: scf.if %[[ANY]]
// INJECT: tile.wait %[[K]][%[[Z:.*]], %[[Z]]]
// INJECT: tile.gemm
// INJECT: tile.release %[[K]][%[[Z]], %[[Z]]]
// INJECT-NOT: tile.wait %[[V]]
// INJECT-DAG: %[[LB2:.*]] = arith.addi %[[LB]],
// INJECT-DAG: %[[KS:.*]], %[[KP:.*]] = tile.advance %[[Z]], %[[Z]]
// INJECT: %[[R:.*]]:5 = scf.for %{{.*}} = %[[LB2]] to %[[UB]] step %[[STEP]] iter_args(%{{.*}} = %[[LB]], %[[KI:.*]] = %[[KS]], %[[KQ:.*]] = %[[KP]], %[[VI:.*]] = %[[Z]], %[[VQ:.*]] = %[[Z]])
// INJECT-NOT: scf.if
// INJECT: tile.wait %[[K]][%[[KI]], %[[KQ]]]
// INJECT: tile.gemm {{.*}}transpose_b
// INJECT: tile.wait %[[V]][%[[VI]], %[[VQ]]]
// INJECT: tile.gemm
// INJECT: tile.release %[[K]][%[[KI]], %[[KQ]]]
// INJECT: tile.reduce max
// INJECT: tile.reduce sum
// INJECT: tile.release %[[V]][%[[VI]], %[[VQ]]]
// INJECT: tile.parallel
// INJECT: tile.copy
// INJECT: scf.yield
// INJECT-NOT: tile.wait %[[K]]
// INJECT: tile.wait %[[V]][%[[R]]#3, %[[R]]#4]
// INJECT: tile.gemm
// INJECT: tile.release %[[V]][%[[R]]#3, %[[R]]#4]
// INJECT: scf.yield %[[R]]#1, %[[R]]#2,
// INJECT: else
// INJECT: scf.yield %[[Z]], %[[Z]], %[[Z]], %[[Z]]
// INJECT-NOT: tile.stage
func.func @attention(%lb: index, %ub: index, %step: index) attributes {tile.num_threads = 160 : i32} {
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %q = tile.alloc : !Q
  %Ks = tile.alloc : !ring
  %Vs = tile.alloc : !ring
  %K = tile.channel(%Ks) depth 2 {tma, consumer_warps = 4} : !ring
  %V = tile.channel(%Vs) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %s = tile.alloc : !acc
      %p = tile.alloc : !P
      %o = tile.alloc : !acc
      %max = tile.alloc : !row
      %sum = tile.alloc : !row
      %e:4 = scf.for %i = %lb to %ub step %step iter_args(%ks = %z, %kp = %z, %vs = %z, %vp = %z) -> (i32, i32, i32, i32) {
        %kx = arith.index_cast %ks : i32 to index
        %vx = arith.index_cast %vs : i32 to index
        %k = tile.region %Ks[%kx, 0, 0] [1, 64, 64] drop [0] : !ring
        %v = tile.region %Vs[%vx, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.fill %s, %zero : !acc, f32
        tile.wait %K[%ks, %kp]
        tile.gemm %q, %k, %s {transpose_b, instr = #tile.instr<wgmma>} : (!Q, !T, !acc)
        tile.release %K[%ks, %kp]
        tile.reduce max %s to %max dim 1 : !acc, !row
        tile.reduce sum %s to %sum dim 1 : !acc, !row
        tile.parallel (%x, %y) in [64, 64] {
          %a = memref.load %o[%x, %y] : !acc
          %b = memref.load %max[%x] : !row
          %c = arith.mulf %a, %b : f32
          memref.store %c, %o[%x, %y] : !acc
        }
        tile.copy %s to %p : !acc, !P
        tile.wait %V[%vs, %vp]
        tile.gemm %p, %v, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
        tile.release %V[%vs, %vp]
        %ks1, %kp1 = tile.advance %ks, %kp depth 2
        %vs1, %vp1 = tile.advance %vs, %vp depth 2
        scf.yield %ks1, %kp1, %vs1, %vp1 : i32, i32, i32, i32
      } {tile.num_stages = 2 : i32}
    }
    tile.role "producer" warps 1 {
    }
  }
  return
}
