// Convolutions of sounds and of films as a user would write them.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2
// RUN: %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --persist
// RUN: sed 's/^    %Xs = .*/&\n    tile.kernel_config {specialize = #tile.specialize<off>}/' %s > %t/off.mlir
// RUN: %python %S/Inputs/run-kernel.py %t/off.mlir --target=sm_90a --out=%t
// RUN: FileCheck %s --input-file=%t/sm_90a/causal.ptx --check-prefix=CAUSAL
// RUN: FileCheck %s --input-file=%t/sm_90a/film.ptx --check-prefix=FILM
// CAUSAL: cp.async.bulk.tensor.3d{{.*}}im2col
// FILM: cp.async.bulk.tensor.5d{{.*}}im2col

#shared = #gpu.address_space<workgroup>
!sound = memref<?x?x?xbf16>
!film = memref<?x?x?x?x?xbf16>
!matrix = memref<?x?xbf16>
!Xs = memref<64x64xbf16, #shared>
!Ws = memref<64x64xbf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>

// Y[(n, t), f] = max(B[f] + sum over s, c of X[n, t - 2 (3 - s), c] W[s, c, f], 0): a
// sample sees itself and three before it, every second one; before the first there
// is silence. Steps are of one sample and 64 channels.
// CASE: causal(X=ints:2x67x40:bf16, W=ints:4x40x72:bf16, B=ints:72:f32, Y=junk:134x72:bf16)
// CASE: causal(X=ints:3x5x136:bf16, W=ints:4x136x8:bf16, B=ints:8:f32, Y=junk:15x8:bf16)
// CASE: causal(X=ints:1x70x3:bf16, W=ints:4x3x5:bf16, B=ints:5:f32, Y=junk:70x5:bf16)
// EXPECT: import convolution
// EXPECT: Y = np.maximum(convolution.convolve(X, W, (1,), (2,), (6,), (0,)) + B, 0)
func.func @causal(%X: !sound, %W: !sound, %B: memref<?xf32>, %Y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %channels = memref.dim %X, %c2 : !sound
  %points = memref.dim %Y, %c0 : !matrix
  %filters = memref.dim %Y, %c1 : !matrix
  %gx = arith.ceildivui %points, %c64 : index
  %gy = arith.ceildivui %filters, %c64 : index
  %parts = arith.ceildivui %channels, %c64 : index
  %padded = arith.muli %parts, %c64 : index
  %columns = arith.muli %padded, %c4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %p = arith.muli %bx, %c64 : index
    %f = arith.muli %by, %c64 : index
    %Xs = tile.alloc : !Xs
    %Ws = tile.alloc : !Ws
    %bias = tile.alloc : memref<64xf32, #tile.fragment>
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %column = %c0 to %columns step %c64 {
      %s = arith.divui %column, %padded : index
      %c = arith.remui %column, %padded : index
      %x = tile.im2col %X[%p, %column] [64, 64] kernel [4] dilation [2] pad [6] pad_upper [0] channels %padded : !sound
      %w = tile.region %W[%s, %c, %f] [1, 64, 64] drop [0] : !sound
      tile.copy %x to %Xs : !tile.region<64x64xbf16>, !Xs
      tile.copy %w to %Ws : !tile.region<64x64xbf16>, !Ws
      tile.gemm %Xs, %Ws, %acc : (!Xs, !Ws, !acc)
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%f] [64] : memref<?xf32>
    tile.copy %b to %bias : !tile.region<64xf32>, memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [64, 64] {
      %sum = memref.load %acc[%i, %j] : !acc
      %one = memref.load %bias[%j] : memref<64xf32, #tile.fragment>
      %both = arith.addf %sum, %one : f32
      %result = arith.maximumf %both, %zero : f32
      memref.store %result, %acc[%i, %j] : !acc
    }
    %y = tile.region %Y[%p, %f] [64, 64] : !matrix
    tile.copy %acc to %y : !acc, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}

// Filters of 3 x 3 x 3 that move by 1 picture and by 2 lines and columns: one more
// picture of nothing before, one line after. Two loops, over the 27 positions and
// the channels.
// CASE: film(X=ints:2x4x7x6x72:bf16, W=ints:27x72x40:bf16, Y=junk:54x40:bf16)
// CASE: film(X=ints:1x3x9x12x64:bf16, W=ints:27x64x8:bf16, Y=junk:48x8:bf16)
// CASE: film(X=ints:1x2x5x3x9:bf16, W=ints:27x9x24:bf16, Y=junk:2x24:bf16)
// EXPECT: import convolution
// EXPECT: Y = convolution.convolve(X, W.reshape(3, 3, 3, *W.shape[1:]), (1, 2, 2), None, (1, 0, 1), (0, 1, 0))
func.func @film(%X: !film, %W: !sound, %Y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c27 = arith.constant 27 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %channels = memref.dim %X, %c4 : !film
  %points = memref.dim %Y, %c0 : !matrix
  %filters = memref.dim %Y, %c1 : !matrix
  %gx = arith.ceildivui %points, %c64 : index
  %gy = arith.ceildivui %filters, %c64 : index
  %parts = arith.ceildivui %channels, %c64 : index
  %padded = arith.muli %parts, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %p = arith.muli %bx, %c64 : index
    %f = arith.muli %by, %c64 : index
    %Xs = tile.alloc : !Xs
    %Ws = tile.alloc : !Ws
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %tap = %c0 to %c27 step %c1 {
      %first = arith.muli %tap, %padded : index
      scf.for %c = %c0 to %padded step %c64 {
        %column = arith.addi %first, %c : index
        %x = tile.im2col %X[%p, %column] [64, 64] kernel [3, 3, 3] stride [1, 2, 2] pad [1, 0, 1] pad_upper [0, 1, 0] channels %padded : !film
        %w = tile.region %W[%tap, %c, %f] [1, 64, 64] drop [0] : !sound
        tile.copy %x to %Xs : !tile.region<64x64xbf16>, !Xs
        tile.copy %w to %Ws : !tile.region<64x64xbf16>, !Ws
        tile.gemm %Xs, %Ws, %acc : (!Xs, !Ws, !acc)
      } {tile.num_stages = 3 : i32}
    }
    %y = tile.region %Y[%p, %f] [64, 64] : !matrix
    tile.copy %acc to %y : !acc, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}
