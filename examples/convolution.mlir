// Y[p, f] = sum over r, s, c of X[n, 2 y + r - 1, 2 x + s - 1, c] * W[r, s, c, f], where p
// counts the output points (n, y, x): a convolution by 3 x 3 points that moves by 2,
// with 0 around the image. bf16 tensors with the channels last, f32 sums; any number of
// images, rows, columns, channels and filters.
//
//   tile-compile examples/convolution.mlir --target=sm_90a -o out/
//   tile-run out/convolution.json ints:2x10x19x72:bf16 ints:3x3x72x40:bf16
//            zeros:100x40:bf16 --save 2=y.npy --emulate --seed=1
//
// It is a product whose left factor is never built: row p of it is what the filter
// meets at output point p, and `tile.im2col` names a window of it. Its columns are
// counted as if there were a multiple of 64 channels, so that each tile lies in one of
// the 9 positions: on sm_90a TMA moves it in im2col mode.
#shared = #gpu.address_space<workgroup>
!tensor = memref<?x?x?x?xbf16>
!matrix = memref<?x?xbf16>
!Xs = memref<128x64xbf16, #shared>
!Ws = memref<64x64xbf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>

func.func @convolution(%X: !tensor, %W: !tensor, %Y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %channels = memref.dim %X, %c3 : !tensor
  %points = memref.dim %Y, %c0 : !matrix
  %filters = memref.dim %Y, %c1 : !matrix
  %gx = arith.ceildivui %points, %c128 : index
  %gy = arith.ceildivui %filters, %c64 : index
  %parts = arith.ceildivui %channels, %c64 : index
  %padded = arith.muli %parts, %c64 : index
  %columns = arith.muli %padded, %c9 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %p = arith.muli %bx, %c128 : index
    %f = arith.muli %by, %c64 : index
    %Xs = tile.alloc : !Xs
    %Ws = tile.alloc : !Ws
    %Ys = tile.alloc : !Xs
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32

    // A step is one of 9 positions and 64 channels.
    scf.for %column = %c0 to %columns step %c64 {
      %position = arith.divui %column, %padded : index
      %c = arith.remui %column, %padded : index
      %r = arith.divui %position, %c3 : index
      %s = arith.remui %position, %c3 : index
      %x = tile.im2col %X[%p, %column] [128, 64] kernel [3, 3] stride [2, 2] pad [1, 1] channels %padded : !tensor
      %w = tile.region %W[%r, %s, %c, %f] [1, 1, 64, 64] drop [0, 1] : !tensor
      tile.copy %x to %Xs : !tile.region<128x64xbf16>, !Xs
      tile.copy %w to %Ws : !tile.region<64x64xbf16>, !Ws
      tile.gemm %Xs, %Ws, %acc : (!Xs, !Ws, !acc)
    } {tile.num_stages = 3 : i32}

    tile.copy %acc to %Ys : !acc, !Xs
    %y = tile.region %Y[%p, %f] [128, 64] : !matrix
    tile.copy %Ys to %y : !Xs, !tile.region<128x64xbf16>
    gpu.terminator
  }
  return
}
