// Blocks of a grid, numbered in panels.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

gpu.module @m {
  // Panels of 4 rows of 5 blocks. The last one has 2 rows.
  // CHECK-LABEL: llvm.func @rows
  // CHECK: %[[NUMBER:.*]] = arith.divui %[[LINEAR:.*]], %c20_i32
  // CHECK: %[[INSIDE:.*]] = arith.remui %[[LINEAR]], %c20_i32
  // CHECK: %[[FIRST:.*]] = arith.muli %[[NUMBER]], %c4_i32
  // CHECK: %[[LEFT:.*]] = arith.subi %c6_i32, %[[FIRST]]
  // CHECK: %[[LOWER:.*]] = arith.minui %[[LEFT]], %c4_i32
  // CHECK: %[[COLUMN:.*]] = arith.divui %[[INSIDE]], %[[LOWER]]
  // CHECK: %[[ROW:.*]] = arith.remui %[[INSIDE]], %[[LOWER]]
  // CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[ROW]]
  // CHECK: %[[I:.*]] = arith.index_cast %[[COLUMN]] : i32 to index
  // CHECK: %[[J:.*]] = arith.index_cast %[[AT]] : i32 to index
  // CHECK: %[[V:.*]] = arith.index_cast %[[I]] : index to i32
  // CHECK: %[[W:.*]] = arith.index_cast %[[J]] : index to i32
  // CHECK: llvm.store %[[V]], %arg0
  // CHECK: llvm.store %[[W]],
  gpu.func @rows(%O: memref<2xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %i, %j = tile.block_swizzle %x, %y of %c5, %c6 {panel = 4}
    %v = arith.index_cast %i : index to i32
    %w = arith.index_cast %j : index to i32
    memref.store %v, %O[%c0] : memref<2xi32>
    memref.store %w, %O[%c1] : memref<2xi32>
    gpu.return
  }

  // Panels of 4 columns; all are the same.
  // CHECK-LABEL: llvm.func @columns
  // CHECK-NOT: arith.minui
  // CHECK: %[[INSIDE:.*]] = arith.remui %{{.*}}, %c24_i32
  // CHECK: %[[ROW:.*]] = arith.divui %[[INSIDE]], %c4_i32
  // CHECK: %[[COLUMN:.*]] = arith.addi
  // CHECK: %[[I:.*]] = arith.index_cast %[[COLUMN]] : i32 to index
  // CHECK: %[[J:.*]] = arith.index_cast %[[ROW]] : i32 to index
  // CHECK: %[[V:.*]] = arith.index_cast %[[I]] : index to i32
  // CHECK: %[[W:.*]] = arith.index_cast %[[J]] : index to i32
  // CHECK: llvm.store %[[V]], %arg0
  // CHECK: llvm.store %[[W]],
  gpu.func @columns(%O: memref<2xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c6 = arith.constant 6 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %i, %j = tile.block_swizzle %x, %y of %c8, %c6 {panel = 4, raster = #tile.raster<column>}
    %v = arith.index_cast %i : index to i32
    %w = arith.index_cast %j : index to i32
    memref.store %v, %O[%c0] : memref<2xi32>
    memref.store %w, %O[%c1] : memref<2xi32>
    gpu.return
  }
}
