// Convolutions as products of matrices, the left factor gathered from the image,
// in pipelined loops.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2

#smem = #gpu.address_space<workgroup>

// One row of blocks for the output pixels, one for the filters; 64 x 32 tiles of
// an image with 64 channels: each step reads one element of the filter.
// W holds 3 x 3 x C rows of F columns, Y a row for each output pixel.
// CASE: aligned(X=ints:2x9x7x64:bf16, W=ints:576x64:bf16, P=126, Y=junk:126x64:f32)
// CASE: aligned(X=ints:1x8x8x64:bf16, W=ints:576x72:bf16, P=64, Y=junk:64x72:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.convolve(X, W.reshape(3, 3, 64, -1), pad=(1, 1))
func.func @aligned(%X: memref<?x?x?x64xbf16>, %W: memref<?x?xbf16>, %P: index, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %F = memref.dim %W, %c1 : memref<?x?xbf16>
  %K = memref.dim %W, %c0 : memref<?x?xbf16>
  %gx = arith.ceildivui %P, %c64 : index
  %gy = arith.ceildivui %F, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %row = arith.muli %bx, %c64 : index
    %first = arith.muli %by, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %w0 = tile.im2col %X[%row, %k] [64, 32] kernel [3, 3] pad [1, 1] : memref<?x?x?x64xbf16>
      tile.copy %w0 to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      %b = tile.region %W[%k, %first] [32, 64] : memref<?x?xbf16>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %y = tile.region %Y[%row, %first] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %y : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Without roles, so that the gathers of later steps overlap products as well;
// three slots, few channels.
// CASE: together(X=ints:1x9x7x32:bf16, W=ints:288x64:bf16, P=63, Y=junk:63x64:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.convolve(X, W.reshape(3, 3, 32, -1), pad=(1, 1))
func.func @together(%X: memref<?x?x?x32xbf16>, %W: memref<?x?xbf16>, %P: index, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %F = memref.dim %W, %c1 : memref<?x?xbf16>
  %K = memref.dim %W, %c0 : memref<?x?xbf16>
  %gx = arith.ceildivui %P, %c64 : index
  %gy = arith.ceildivui %F, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %As = tile.alloc : memref<64x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %row = arith.muli %bx, %c64 : index
    %first = arith.muli %by, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %w1 = tile.im2col %X[%row, %k] [64, 32] kernel [3, 3] pad [1, 1] : memref<?x?x?x32xbf16>
      tile.copy %w1 to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      %b = tile.region %W[%k, %first] [32, 64] : memref<?x?xbf16>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %y = tile.region %Y[%row, %first] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %y : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Nothing divides anything: steps cross elements of the filter.
// CASE: odd(X=ints:2x9x11x5:f16, W=ints:75x19:f16, Y=junk:50x19:f32)
// CASE: odd(X=ints:1x6x4x3:f16, W=ints:45x8:f16, Y=junk:3x8:f32)
// CASE: odd(X=ints:1x9x11x32:f16, W=ints:480x24:f16, Y=junk:25x24:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.convolve(X, W.reshape(5, 3, X.shape[3], -1), (2, 2), (1, 2), (2, 1))
func.func @odd(%X: memref<?x?x?x?xf16>, %W: memref<?x?xf16>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %W, %c0 : memref<?x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xf16, #smem>
    %Bs = tile.alloc : memref<32x32xf16, #smem>
    %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x32xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %w2 = tile.im2col %X[%c0, %k] [64, 32] kernel [5, 3] stride [2, 2] dilation [1, 2] pad [2, 1] : memref<?x?x?x?xf16>
      tile.copy %w2 to %As : !tile.region<64x32xf16>, memref<64x32xf16, #smem>
      %b = tile.region %W[%k, 0] [32, 32] : memref<?x?xf16>
      tile.copy %b to %Bs : !tile.region<32x32xf16>, memref<32x32xf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #smem>, memref<32x32xf16, #smem>, memref<64x32xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %y = tile.region %Y[0, 0] [64, 32] : memref<?x?xf32>
    tile.copy %acc to %y : memref<64x32xf32, #tile.fragment>, !tile.region<64x32xf32>
    gpu.terminator
  }
  return
}
