// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<32x32xf32, #smem>
!F = memref<32x32xf32, #tile.fragment>

// TMA without roles: an mbarrier per slot, initialised once; the copies of a step
// complete on it together. The parities of the slots are the bits of a value that
// the loop carries; between runs of the loop they are in private memory.
// CHECK-LABEL: func @unguarded
// CHECK: %[[BAR:.*]] = tile.barrier_alloc : !tile.barrier<3>
// CHECK-NEXT: tile.barrier_init %[[BAR]] arrivals 1
// CHECK-NOT: tile.barrier_sync
// CHECK: memref.store %{{.*}}, %[[MEM:.*]][]
// CHECK: memref.load %[[MEM]][]
// CHECK: scf.for {{.*}} iter_args(%[[FILL:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[READ:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[BITS:[a-z0-9]+]] = %{{[a-z0-9_]+}})
// CHECK: tile.barrier_expect %[[BAR]][%[[FILL]]] bytes 8192
// CHECK: tile.copy {{.*}} signal %[[BAR]][%[[FILL]]]
// CHECK: tile.copy {{.*}} signal %[[BAR]][%[[FILL]]]
// CHECK: %[[BIT:.*]] = arith.index_cast %[[READ]]
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[BITS]], %[[BIT]]
// CHECK: %[[PARITY:.*]] = arith.andi %[[SHIFTED]]
// CHECK: tile.barrier_wait %[[BAR]][%[[READ]]] parity %[[PARITY]]
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[BITS]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[FLIPPED]]
// CHECK: memref.store %{{.*}}, %[[MEM]][]
func.func @unguarded(%A: memref<64x32xf32>, %n: index) attributes {tile.num_threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %U = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [32, 32] : memref<64x32xf32>
    tile.copy %a to %S {instr = #tile.instr<tma>, tile.stage = 0 : i32, tile.order = 0 : i32, tile.group = 0 : i32} : !tile.region<32x32xf32>, !T
    tile.copy %a to %U {instr = #tile.instr<tma>, tile.stage = 0 : i32, tile.order = 1 : i32, tile.group = 0 : i32} : !tile.region<32x32xf32>, !T
    tile.copy %S to %f {tile.stage = 2 : i32, tile.order = 2 : i32} : !T, !F
    tile.copy %U to %f {tile.stage = 2 : i32, tile.order = 3 : i32} : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}

// Under a guard the wait is skipped with the copies, and the bit does not flip.
// CHECK-LABEL: func @guarded
// CHECK: scf.for {{.*}}%[[BITS:[a-z0-9]+]] = %{{[a-z0-9]+}})
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (i32)
// CHECK: tile.barrier_wait
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[BITS]]
// CHECK: scf.yield %[[FLIPPED]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[BITS]]
func.func @guarded(%A: memref<64x32xf32>, %p: i1, %n: index) attributes {tile.num_threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !T
  %f = tile.alloc : !F
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %a = tile.region %A[%i, 0] [32, 32] : memref<64x32xf32>
      tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<32x32xf32>, !T
      tile.copy %S to %f : !T, !F
    }
  } {tile.num_stages = 3 : i32}
  return
}
