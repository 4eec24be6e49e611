// RUN: %tile_opt_passes 'tile-make-variants{target=sm_80}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_80}' %s -o %t.once
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_80}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// Neighbours of an element loop move together where the host knows the rows to be
// aligned. Extents do not matter: an empty tensor is not touched.
// CHECK-LABEL: func.func @neighbours
// CHECK: tile.variants {
// CHECK: tile.require %{{.*}}, "address of argument 0 is a multiple of 16 bytes"
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: tile.require %{{.*}}, "address of argument 1 is a multiple of 16 bytes"
// CHECK-NOT: tile.require
// CHECK: memref.load {{.*}} {tile.align = 16 : i64} : memref<?x?xf32>
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<?xf64>
// CHECK: memref.store {{.*}} {tile.align = 16 : i64} : memref<?xf16>
// CHECK: }, {
// CHECK-NOT: tile.align
// CHECK: return
func.func @neighbours(%A: memref<?x?xf32>, %B: memref<?xf16>, %D: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    tile.parallel (%i) in [64] {
      %a = memref.load %A[%bx, %i] : memref<?x?xf32>
      %d = memref.load %D[%i] : memref<?xf64>
      %h = arith.truncf %a : f32 to f16
      memref.store %h, %B[%i] : memref<?xf16>
    }
    gpu.terminator
  }
  return
}

// No neighbours: rows of odd length, columns, every second element, a stride that
// nothing can align, an update in one step.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: tile.variants
// CHECK: return
func.func @alone(%A: memref<?x?xf32>, %O: memref<8x7xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    tile.parallel (%j) in [63] {
      memref.store %x, %A[%i, %j] : memref<?x?xf32>
    }
    tile.parallel (%j) in [64] {
      memref.store %x, %A[%j, %i] : memref<?x?xf32>
    }
    tile.parallel (%j) in [64] {
      %k = arith.muli %j, %c2 : index
      memref.store %x, %A[%i, %k] : memref<?x?xf32>
    }
    tile.parallel (%j) in [64] {
      %k = arith.addi %j, %i : index
      memref.store %x, %A[%i, %k] : memref<?x?xf32>
    }
    tile.parallel (%j) in [6] {
      memref.store %x, %O[%i, %j] : memref<8x7xf32>
    }
    tile.parallel (%j) in [64] {
      %old = memref.atomic_rmw addf %x, %A[%i, %j] : (f32, memref<?x?xf32>) -> f32
    }
    gpu.terminator
  }
  return
}
