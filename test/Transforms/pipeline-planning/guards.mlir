// What computes the guards of copies runs ahead with them, also in fragments.

// RUN: %tile_opt_passes 'tile-pipeline-planning' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-pipeline-planning' %s 2>/dev/null > %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning' %t.once 2>/dev/null | diff %t.once -

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!T = memref<32xf32, #smem>
!F = memref<32xf32, #frag>

// One fragment serves copies only: all of it is in the first stage.
// CHECK-LABEL: func @mask
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0
// CHECK: } {tile.order = 1 : i32, tile.stage = 0
// CHECK: tile.any_of {{.*}}tile.order = 2 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 3 : i32, tile.stage = 0
// CHECK: tile.copy {{.*}}tile.order = 4 : i32, tile.stage = 2
func.func @mask(%A: memref<64x32xf32>, %M: memref<64x8xi32>, %limit: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  %m = tile.alloc : memref<8xi32, #frag>
  %p = tile.alloc : memref<8xi1, #frag>
  scf.for %i = %c0 to %n step %c1 {
    %w = tile.region %M[%i, 0] [1, 8] drop [0] : memref<64x8xi32>
    tile.copy %w to %m : !tile.region<8xi32>, memref<8xi32, #frag>
    tile.parallel (%x) in [8] {
      %v = memref.load %m[%x] : memref<8xi32, #frag>
      %g = arith.cmpi sgt, %v, %limit : i32
      memref.store %g, %p[%x] : memref<8xi1, #frag>
    }
    %on = tile.any_of %p : memref<8xi1, #frag>
    scf.if %on {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %As : !tile.region<32xf32>, !T
      tile.copy %As to %f : !T, !F
    }
  } {tile.num_stages = 3 : i32}
  return
}

// One that a later stage uses as well is there twice, and so is what fills it.
// CHECK-LABEL: func @used_later
// CHECK: %[[M:.*]] = tile.alloc : memref<8xi1, #tile.fragment>
// CHECK: %[[OWN:.*]] = tile.alloc : memref<8xi1, #tile.fragment>
// CHECK: tile.copy {{.*}} to %[[OWN]] {{.*}}tile.stage = 0
// CHECK: tile.copy {{.*}} to %[[M]] {{.*}}tile.stage = {{[23]}}
// CHECK: tile.any_of %[[OWN]] {{.*}}tile.stage = 0
// CHECK: tile.copy {{.*}}tile.stage = 0
// CHECK: memref.load %[[M]]
func.func @used_later(%A: memref<64x32xf32>, %M: memref<64x8xi1>, %O: memref<64x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : !T
  %m = tile.alloc : memref<8xi1, #frag>
  scf.for %i = %c0 to %n step %c1 {
    %w = tile.region %M[%i, 0] [1, 8] drop [0] : memref<64x8xi1>
    tile.copy %w to %m : !tile.region<8xi1>, memref<8xi1, #frag>
    %on = tile.any_of %m : memref<8xi1, #frag>
    scf.if %on {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      tile.copy %a to %As : !tile.region<32xf32>, !T
      tile.parallel (%x) in [8] {
        %v = memref.load %As[%x] : !T
        %p = memref.load %m[%x] : memref<8xi1, #frag>
        %u = arith.select %p, %v, %zero : f32
        memref.store %u, %O[%i, %x] : memref<64x8xf32>
      }
    }
  } {tile.num_stages = 3 : i32}
  return
}

// What an earlier iteration left in the fragment cannot be known ahead.
// CHECK-LABEL: func @kept
// CHECK-NOT: tile.stage = 0
// CHECK: return
func.func @kept(%A: memref<64x32xf32>, %M: memref<64x8xi32>, %limit: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !T
  %f = tile.alloc : !F
  %p = tile.alloc : memref<8xi1, #frag>
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{that op is here}}
    %on = tile.any_of %p : memref<8xi1, #frag>
    scf.if %on {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      // expected-remark @+1 {{[tile-pipeline/dependence]}}
      tile.copy %a to %As : !tile.region<32xf32>, !T
      tile.copy %As to %f : !T, !F
    }
    tile.parallel (%x) in [8] {
      %v = memref.load %M[%i, %x] : memref<64x8xi32>
      %g = arith.cmpi sgt, %v, %limit : i32
      memref.store %g, %p[%x] : memref<8xi1, #frag>
    }
  } {tile.num_stages = 3 : i32}
  return
}
