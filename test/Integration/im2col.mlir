// Tiles of the matrix that a convolution multiplies with its filters: odd sizes,
// strides, dilations, pads, rows and columns that the matrix has not, to every
// memory, with several numbers of threads.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#smem = #gpu.address_space<workgroup>

// Nothing is known of the image. The last cases have no element at all.
// CASE: dynamic(X=ints:2x5x7x3:f32, r=0, c=0, Y=junk:24x20:f32)
// CASE: dynamic(X=ints:2x5x7x3:f32, r=11, c=7, Y=junk:24x20:f32)
// CASE: dynamic(X=ints:3x9x6x5:f32@500x50x5x1+3, r=150, c=40, Y=junk:24x20:f32)
// CASE: dynamic(X=ints:3x9x6x5:f32, r=-3, c=-2, Y=junk:24x20:f32)
// CASE: dynamic(X=ints:1x1x1x1:f32, r=0, c=0, Y=junk:24x20:f32)
// CASE: dynamic(X=ints:2x5x7x0:f32, r=0, c=0, Y=junk:24x20:f32)
// CASE: dynamic(X=ints:0x5x7x3:f32, r=0, c=0, Y=junk:24x20:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.tile(X, (r, c), (24, 20), (3, 3), pad=(1, 1))
func.func @dynamic(%X: memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>, %r: index, %c: index, %Y: memref<24x20xf32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<24x20xf32, #smem>
    %w0 = tile.im2col %X[%r, %c] [24, 20] kernel [3, 3] pad [1, 1] : memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
    tile.copy %w0 to %t : !tile.region<24x20xf32>, memref<24x20xf32, #smem>
    tile.copy %t to %Y : memref<24x20xf32, #smem>, memref<24x20xf32>
    gpu.terminator
  }
  return
}

// Height and width differ in everything. In the last cases the filter is larger
// than the padded image in one dimension: there is no row.
// CASE: uneven(X=ints:2x11x9x3:f16, r=0, c=0, Y=junk:32x16:f32, Z=junk:32x16:f32)
// CASE: uneven(X=ints:2x11x9x3:f16, r=5, c=33, Y=junk:32x16:f32, Z=junk:32x16:f32)
// CASE: uneven(X=ints:1x16x13x7:f16, r=20, c=100, Y=junk:32x16:f32, Z=junk:32x16:f32)
// CASE: uneven(X=ints:3x4x12x2:f16, r=0, c=0, Y=junk:32x16:f32, Z=junk:32x16:f32)
// CASE: uneven(X=ints:3x9x1x2:f16, r=0, c=0, Y=junk:32x16:f32, Z=junk:32x16:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.tile(X, (r, c), (32, 16), (5, 3), (2, 3), (2, 1), (2, 0))
// EXPECT: Z = convolution.tile(X, (r, c), (32, 16), (1, 5), (1, 2), (3, 2), (0, 2))
func.func @uneven(%X: memref<?x?x?x?xf16>, %r: index, %c: index, %Y: memref<32x16xf32>, %Z: memref<32x16xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<32x16xf32, #smem>
    %f = tile.alloc : memref<32x16xf16, #tile.fragment>
    %w1 = tile.im2col %X[%r, %c] [32, 16] kernel [5, 3] stride [2, 3] dilation [2, 1] pad [2, 0] : memref<?x?x?x?xf16>
    tile.copy %w1 to %t : !tile.region<32x16xf16>, memref<32x16xf32, #smem>
    %w2 = tile.im2col %X[%r, %c] [32, 16] kernel [1, 5] stride [1, 2] dilation [3, 2] pad [0, 2] : memref<?x?x?x?xf16>
    tile.copy %w2 to %f : !tile.region<32x16xf16>, memref<32x16xf16, #tile.fragment>
    tile.copy %t to %Y : memref<32x16xf32, #smem>, memref<32x16xf32>
    tile.copy %f to %Z : memref<32x16xf16, #tile.fragment>, memref<32x16xf32>
    gpu.terminator
  }
  return
}

// All sizes are known; a filter of one element; a block of more threads than
// elements; integers.
// CASE: one(X=ints:2x5x5x3:i32, r=0, c=0, Y=junk:16x4:i64, Z=junk:16x4:i32)
// CASE: one(X=ints:2x5x5x3:i32, r=7, c=2, Y=junk:16x4:i64, Z=junk:16x4:i32)
// EXPECT: import convolution
// EXPECT: Y = convolution.tile(X, (r, c), (16, 4), (1, 1), (2, 2))
// EXPECT: Z = convolution.tile(X, (r, c), (16, 4), (7, 6))
func.func @one(%X: memref<2x5x5x3xi32>, %r: index, %c: index, %Y: memref<16x4xi64>, %Z: memref<16x4xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<16x4xi32, #smem>
    %u = tile.alloc : memref<16x4xi32, #smem>
    %w3 = tile.im2col %X[%r, %c] [16, 4] kernel [1, 1] stride [2, 2] : memref<2x5x5x3xi32>
    tile.copy %w3 to %t : !tile.region<16x4xi32>, memref<16x4xi32, #smem>
    %w4 = tile.im2col %X[%r, %c] [16, 4] kernel [7, 6] : memref<2x5x5x3xi32>
    tile.copy %w4 to %u : !tile.region<16x4xi32>, memref<16x4xi32, #smem>
    tile.copy %t to %Y : memref<16x4xi32, #smem>, memref<16x4xi64>
    tile.copy %u to %Z : memref<16x4xi32, #smem>, memref<16x4xi32>
    gpu.terminator
  }
  return
}

// The channels are a multiple of the columns of the tile, which so belong to
// one element of the filter; a window of a shared tile.
// CASE: channels(X=ints:2x7x5x32:bf16, s=0, Y=junk:40x16:f32)
// CASE: channels(X=ints:2x7x5x32:bf16, s=3, Y=junk:40x16:f32)
// CASE: channels(X=ints:1x7x5x32:bf16, s=17, Y=junk:40x16:f32)
// CASE: channels(X=ints:1x7x5x32:bf16, s=18, Y=junk:40x16:f32)
// CASE: channels(X=ints:1x7x5x32:bf16, s=-1, Y=junk:40x16:f32)
// EXPECT: import convolution
// EXPECT: Y = np.full((40, 16), 5.0)
// EXPECT: Y[3:36] = convolution.tile(X, (5, 16 * s), (33, 16), (3, 3), (2, 2), (1, 1), (2, 1))
func.func @channels(%X: memref<?x?x?x32xbf16>, %s: index, %Y: memref<40x16xf32>) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %five = arith.constant 5.0 : bf16
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<40x16xbf16, #smem>
    tile.fill %t, %five : memref<40x16xbf16, #smem>, bf16
    %w = tile.region %t[3, 0] [33, 16] : memref<40x16xbf16, #smem>
    %column = arith.muli %s, %c16 : index
    %w5 = tile.im2col %X[%c5, %column] [33, 16] kernel [3, 3] stride [2, 2] pad [2, 1] : memref<?x?x?x32xbf16>
    tile.copy %w5 to %w : !tile.region<33x16xbf16>, !tile.region<33x16xbf16, #smem>
    tile.copy %t to %Y : memref<40x16xbf16, #smem>, memref<40x16xf32>
    gpu.terminator
  }
  return
}

// The same by TMA and by cp.async: rows before the first one and after the
// last one, columns of no element of the filter, channels that end in a tile.
// CASE: boxes(X=ints:2x7x5x40:bf16, r=0, s=0, Y=junk:48x32:f32, Z=junk:48x32:f32)
// CASE: boxes(X=ints:2x7x5x40:bf16, r=-7, s=1, Y=junk:48x32:f32, Z=junk:48x32:f32)
// CASE: boxes(X=ints:3x7x5x64:bf16, r=-48, s=2, Y=junk:48x32:f32, Z=junk:48x32:f32)
// CASE: boxes(X=ints:3x7x5x24:bf16, r=13, s=16, Y=junk:48x32:f32, Z=junk:48x32:f32)
// CASE: boxes(X=ints:1x2x5x64:bf16, r=1, s=18, Y=junk:48x32:f32, Z=junk:48x32:f32)
// CASE: boxes(X=ints:1x2x5x64:bf16, r=100, s=-1, Y=junk:48x32:f32, Z=junk:48x32:f32)
// CASE: boxes(X=ints:2x7x5x39:bf16, r=5, s=3, Y=junk:48x32:f32, Z=junk:48x32:f32)
// EXPECT: import convolution
// EXPECT: P = np.zeros((*X.shape[:3], 64)); P[..., :X.shape[3]] = X
// EXPECT: Y = Z = convolution.tile(P, (r, 32 * s), (48, 32), (3, 3), (2, 1), (1, 2), (2, 2))
func.func @boxes(%X: memref<?x?x?x?xbf16>, %r: index, %s: index, %Y: memref<48x32xf32>, %Z: memref<48x32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<48x32xbf16, #smem>
    %u = tile.alloc : memref<48x32xbf16, #smem>
    %column = arith.muli %s, %c32 : index
    %w = tile.im2col %X[%r, %column] [48, 32] kernel [3, 3] stride [2, 1] dilation [1, 2] pad [2, 2] channels %c64 : memref<?x?x?x?xbf16>
    tile.copy %w to %t : !tile.region<48x32xbf16>, memref<48x32xbf16, #smem>
    tile.copy %w to %u {prefer = #tile.instr<cp_async>} : !tile.region<48x32xbf16>, memref<48x32xbf16, #smem>
    tile.copy %t to %Y : memref<48x32xbf16, #smem>, memref<48x32xf32>
    tile.copy %u to %Z : memref<48x32xbf16, #smem>, memref<48x32xf32>
    gpu.terminator
  }
  return
}

// Elements are converted, exactly where the type can.
// CASE: types(A=ints:2x5x4x3:f8E4M3FN, B=normal:2x5x4x3:bf16, C=ints:2x5x4x3:i1, P=junk:16x8:bf16, Q=junk:16x8:f16, R=junk:16x8:i8)
// EXPECT: import convolution
// EXPECT: P, Q, R = [convolution.tile(X.astype(np.float64), (3, 1), (16, 8), (2, 2)) for X in (A, B, C)]
// EXPECT: Q = round_to(Q, "f16")
func.func @types(%A: memref<?x?x?x?xf8E4M3FN>, %B: memref<?x?x?x?xbf16>, %C: memref<?x?x?x?xi1>,
                 %P: memref<16x8xbf16>, %Q: memref<16x8xf16>, %R: memref<16x8xi8>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %p = tile.alloc : memref<16x8xbf16, #smem>
    %q = tile.alloc : memref<16x8xf16, #tile.fragment>
    %r = tile.alloc : memref<16x8xi8, #smem>
    %w6 = tile.im2col %A[%c3, %c1] [16, 8] kernel [2, 2] : memref<?x?x?x?xf8E4M3FN>
    tile.copy %w6 to %p : !tile.region<16x8xf8E4M3FN>, memref<16x8xbf16, #smem>
    %w7 = tile.im2col %B[%c3, %c1] [16, 8] kernel [2, 2] : memref<?x?x?x?xbf16>
    tile.copy %w7 to %q : !tile.region<16x8xbf16>, memref<16x8xf16, #tile.fragment>
    %w8 = tile.im2col %C[%c3, %c1] [16, 8] kernel [2, 2] : memref<?x?x?x?xi1>
    tile.copy %w8 to %r : !tile.region<16x8xi1>, memref<16x8xi8, #smem>
    tile.copy %p to %P : memref<16x8xbf16, #smem>, memref<16x8xbf16>
    tile.copy %q to %Q : memref<16x8xf16, #tile.fragment>, memref<16x8xf16>
    tile.copy %r to %R : memref<16x8xi8, #smem>, memref<16x8xi8>
    gpu.terminator
  }
  return
}

// Fewer columns than channels: the others are left out; columns of no element of the
// filter.
// CASE: fewer(X=ints:2x9x24:bf16, Y=junk:32x64:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.tile(X[:, :, :16], (0, 0), (32, 64), (3,), pad=(1,))
func.func @fewer(%X: memref<?x?x?xbf16>, %Y: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<32x64xbf16, #smem>
    %w9 = tile.im2col %X[%c0, %c0] [32, 64] kernel [3] pad [1] channels %c16 : memref<?x?x?xbf16>
    tile.copy %w9 to %t : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
    tile.copy %t to %Y : memref<32x64xbf16, #smem>, memref<32x64xf32>
    gpu.terminator
  }
  return
}

// Without a product: sums of five samples, of fragments.
// CASE: pool(X=ints:3x41x1:f32, Y=junk:128:f32)
// CASE: pool(X=ints:1x300x1:f32@301x1x1+1, Y=junk:128:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.tile(X, (0, 0), (128, 5), (5,), (2,), None, (2,)).sum(axis=1)
func.func @pool(%X: memref<?x?x1xf32, strided<[?, ?, 1], offset: ?>>, %Y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<128x5xf32, #tile.fragment>
    %s = tile.alloc : memref<128xf32, #tile.fragment>
    %w10 = tile.im2col %X[%c0, %c0] [128, 5] kernel [5] stride [2] pad [2] : memref<?x?x1xf32, strided<[?, ?, 1], offset: ?>>
    tile.copy %w10 to %t : !tile.region<128x5xf32>, memref<128x5xf32, #tile.fragment>
    tile.reduce sum %t to %s dim 1 {clear} : memref<128x5xf32, #tile.fragment>, memref<128xf32, #tile.fragment>
    tile.copy %s to %Y : memref<128xf32, #tile.fragment>, memref<128xf32>
    gpu.terminator
  }
  return
}

// Three dimensions of pixels of which nothing is known, and of which all is; gaps
// between pixels; bytes.
// CASE: volumes(X=ints:2x3x5x4x6:i8, Z=ints:1x4x3x2x8:f16@400x80x24x12x1+5, r=0, c=0, Y=junk:40x24:i8, V=junk:24x16:f32)
// CASE: volumes(X=ints:1x4x6x5x3:i8, Z=ints:3x5x3x4x4:f16, r=7, c=11, Y=junk:40x24:i8, V=junk:24x16:f32)
// CASE: volumes(X=ints:2x2x2x2x2:i8, Z=ints:1x1x1x1x1:f16, r=-5, c=-7, Y=junk:40x24:i8, V=junk:24x16:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.tile(X, (r, c), (40, 24), (2, 3, 1), (1, 2, 1), (1, 1, 1), (1, 0, 2), (0, 2, 1))
// EXPECT: V = convolution.tile(Z, (r, c), (24, 16), (3, 1, 2), (2, 1, 1), (2, 1, 3), (2, 0, 0), (2, 0, 3))
func.func @volumes(%X: memref<?x?x?x?x?xi8>, %Z: memref<?x?x?x?x?xf16, strided<[?, ?, ?, ?, 1], offset: ?>>, %r: index, %c: index, %Y: memref<40x24xi8>, %V: memref<24x16xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<40x24xi8, #smem>
    %u = tile.alloc : memref<24x16xf32, #smem>
    %w11 = tile.im2col %X[%r, %c] [40, 24] kernel [2, 3, 1] stride [1, 2, 1] pad [1, 0, 2] pad_upper [0, 2, 1] : memref<?x?x?x?x?xi8>
    tile.copy %w11 to %t : !tile.region<40x24xi8>, memref<40x24xi8, #smem>
    %w12 = tile.im2col %Z[%r, %c] [24, 16] kernel [3, 1, 2] stride [2, 1, 1] dilation [2, 1, 3] pad [2, 0, 0] pad_upper [2, 0, 3] : memref<?x?x?x?x?xf16, strided<[?, ?, ?, ?, 1], offset: ?>>
    tile.copy %w12 to %u : !tile.region<24x16xf16>, memref<24x16xf32, #smem>
    tile.copy %t to %Y : memref<40x24xi8, #smem>, memref<40x24xi8>
    tile.copy %u to %V : memref<24x16xf32, #smem>, memref<24x16xf32>
    gpu.terminator
  }
  return
}
