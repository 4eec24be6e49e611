// RUN: %tile_opt_passes 'tile-inject-pipeline' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<32xf32, #smem>
!F = memref<32xf32, #tile.fragment>

// What no block writes is loaded ahead of an acquire; what the kernel writes
// somewhere is not: another block may have written it.
// CHECK-LABEL: func.func @acquire
// CHECK: tile.alloc : memref<3x32xf32
// CHECK-NEXT: %[[OWN:.*]] = tile.alloc : memref<32xf32, #gpu
// CHECK: scf.for
// CHECK: tile.atomic_load
// CHECK: tile.region %arg1
// CHECK: tile.copy {{.*}} to %[[OWN]]
func.func @acquire(%A: memref<64x32xf32>, %W: memref<64x32xf32>, %l: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %Ws = tile.alloc : !T
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  %s = tile.alloc : memref<1xi32, #smem>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    %w = tile.region %W[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.atomic_load %l to %s {order = #tile.order<acquire>} : memref<1xi32>, memref<1xi32, #smem>
    tile.copy %w to %Ws : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
    tile.copy %Ws to %g : !T, !F
  } {tile.num_stages = 3 : i32}
  %w = tile.region %W[0, 0] [1, 32] drop [0] : memref<64x32xf32>
  tile.copy %g to %w : !F, !tile.region<32xf32>
  return
}

// The system may write anything.
// CHECK-LABEL: func.func @system
// CHECK-NOT: memref<3x32xf32
// CHECK: return
func.func @system(%A: memref<64x32xf32>, %l: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  %s = tile.alloc : memref<1xi32, #smem>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    tile.atomic_load %l to %s {order = #tile.order<acquire>, scope = #tile.scope<system>} : memref<1xi32>, memref<1xi32, #smem>
    tile.copy %a to %As : !tile.region<32xf32>, !T
    tile.copy %As to %f : !T, !F
  } {tile.num_stages = 3 : i32}
  return
}
