// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>

// The fast variant needs filters that fit into the padded images, and channels of
// whole steps: the last extent, whatever the number of dimensions of pixels.
// CHECK-LABEL: func.func @line
// CHECK: tile.require %{{.*}}, "extent 1 of argument 0 is at least 4"
// CHECK: tile.require %{{.*}}, "extent 2 of argument 0 is not 0"
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: memref.dim %{{.*}}, %[[C2]]
// CHECK: tile.require %{{.*}}, "extent 2 of argument 0 is a multiple of 32"
// CHECK-NOT: tile.require
// CHECK: tile.im2col {{.*}} {align = 16 : i64, run = 32 : i64}
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK: tile.im2col
// CHECK-NOT: align
func.func @line(%X: memref<?x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xbf16, #smem>
    %k = arith.muli %bx, %c32 : index
    %w = tile.im2col %X[%c0, %k] [64, 32] kernel [3] dilation [4] pad [2] pad_upper [3] : memref<?x?x?xbf16>
    tile.copy %w to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @volume
// CHECK: tile.require %{{.*}}, "extent 1 of argument 0 is at least 3"
// CHECK: tile.require %{{.*}}, "extent 2 of argument 0 is not 0"
// CHECK: tile.require %{{.*}}, "extent 3 of argument 0 is at least 2"
// CHECK: tile.require %{{.*}}, "extent 4 of argument 0 is not 0"
// CHECK: tile.require %{{.*}}, "extent 4 of argument 0 is a multiple of 32"
func.func @volume(%X: memref<?x?x?x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xbf16, #smem>
    %k = arith.muli %bx, %c32 : index
    %w = tile.im2col %X[%c0, %k] [64, 32] kernel [3, 3, 3] pad [0, 1, 1] pad_upper [0, 1, 0] : memref<?x?x?x?x?xbf16>
    tile.copy %w to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    gpu.terminator
  }
  return
}

// What is converted is not moved by TMA, but in vectors: the map's extents do not
// matter.
// CHECK-LABEL: func.func @converted
// CHECK: tile.require %{{.*}}, "stride 1 of argument 0 is a multiple of 16 bytes"
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C:.*]] = memref.dim %{{.*}}, %[[C2]]
// CHECK: tile.require %{{.*}}, "extent 2 of argument 0 is a multiple of 32"
// CHECK-NOT: tile.require
// CHECK: {align = 16 : i64, run = 32 : i64}
// CHECK: }, {
func.func @converted(%X: memref<?x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xf32, #smem>
    %k = arith.muli %bx, %c32 : index
    %w = tile.im2col %X[%c0, %k] [64, 32] kernel [3] : memref<?x?x?xbf16>
    tile.copy %w to %t : !tile.region<64x32xbf16>, memref<64x32xf32, #smem>
    gpu.terminator
  }
  return
}

// The shared tile on the way to a fragment, which is made later, is filled by TMA.
// CHECK-LABEL: func.func @fragment
// CHECK: tile.require %{{.*}}, "extent 1 of argument 0 is at least 3"
// CHECK: tile.require %{{.*}}, "extent 2 of argument 0 is a multiple of 32"
// CHECK: {align = 16 : i64, run = 32 : i64}
// CHECK: }, {
func.func @fragment(%X: memref<?x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xf32, #tile.fragment>
    %k = arith.muli %bx, %c32 : index
    %w = tile.im2col %X[%c0, %k] [64, 32] kernel [3] : memref<?x?x?xbf16>
    tile.copy %w to %t : !tile.region<64x32xbf16>, memref<64x32xf32, #tile.fragment>
    gpu.terminator
  }
  return
}

// Where channels are rounded up, vectors may go on after the last one: nothing is
// gained by facts.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: tile.variants
func.func @rounded(%X: memref<?x?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xf32, #smem>
    %w = tile.im2col %X[%c0, %c0] [64, 32] kernel [3] channels %c32 : memref<?x?x?xbf16>
    tile.copy %w to %t : !tile.region<64x32xbf16>, memref<64x32xf32, #smem>
    gpu.terminator
  }
  return
}
