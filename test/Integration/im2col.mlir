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
    tile.im2col %X[%r, %c] to %t kernel [3, 3] pad [1, 1] : memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>, memref<24x20xf32, #smem>
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
    tile.im2col %X[%r, %c] to %t kernel [5, 3] stride [2, 3] dilation [2, 1] pad [2, 0] : memref<?x?x?x?xf16>, memref<32x16xf32, #smem>
    tile.im2col %X[%r, %c] to %f kernel [1, 5] stride [1, 2] dilation [3, 2] pad [0, 2] : memref<?x?x?x?xf16>, memref<32x16xf16, #tile.fragment>
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
    tile.im2col %X[%r, %c] to %t kernel [1, 1] stride [2, 2] : memref<2x5x5x3xi32>, memref<16x4xi32, #smem>
    tile.im2col %X[%r, %c] to %u kernel [7, 6] : memref<2x5x5x3xi32>, memref<16x4xi32, #smem>
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
    tile.im2col %X[%c5, %column] to %w kernel [3, 3] stride [2, 2] pad [2, 1] : memref<?x?x?x32xbf16>, !tile.region<33x16xbf16, #smem>
    tile.copy %t to %Y : memref<40x16xbf16, #smem>, memref<40x16xf32>
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
    tile.im2col %A[%c3, %c1] to %p kernel [2, 2] : memref<?x?x?x?xf8E4M3FN>, memref<16x8xbf16, #smem>
    tile.im2col %B[%c3, %c1] to %q kernel [2, 2] : memref<?x?x?x?xbf16>, memref<16x8xf16, #tile.fragment>
    tile.im2col %C[%c3, %c1] to %r kernel [2, 2] : memref<?x?x?x?xi1>, memref<16x8xi8, #smem>
    tile.copy %p to %P : memref<16x8xbf16, #smem>, memref<16x8xbf16>
    tile.copy %q to %Q : memref<16x8xf16, #tile.fragment>, memref<16x8xf16>
    tile.copy %r to %R : memref<16x8xi8, #smem>, memref<16x8xi8>
    gpu.terminator
  }
  return
}
