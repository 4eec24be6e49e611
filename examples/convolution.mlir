// Y[n, y, x, f] = sum over r, s, c of X[n, y + r - 1, x + s - 1, c] * W[r, s, c, f]:
// a convolution by 3 x 3 points, with 0 around the image. bf16 tensors with the
// channels last, f32 sums; any number of images, rows, columns, channels and filters.
//
//   tile-compile examples/convolution.mlir --target=sm_90a -o out/
//   tile-run out/convolution.json ints:2x10x19x72:bf16 ints:3x3x72x40:bf16
//            zeros:2x10x19x40:bf16 --save 2=y.npy --emulate --seed=1
//
// It is a product whose left factor is never built: a tile of 8 x 16 points is a
// window of the image, moved by r and s, and seen as a matrix it has 128 rows. What
// the window has outside the image is 0, as the border wants it.
#shared = #gpu.address_space<workgroup>
!tensor = memref<?x?x?x?xbf16>
!points = memref<8x16x64xbf16, #shared>
!Xs = memref<128x64xbf16, #shared>
!Ws = memref<64x64xbf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>

func.func @convolution(%X: !tensor, %W: !tensor, %Y: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %images = memref.dim %X, %c0 : !tensor
  %height = memref.dim %X, %c1 : !tensor
  %width = memref.dim %X, %c2 : !tensor
  %channels = memref.dim %X, %c3 : !tensor
  %filters = memref.dim %W, %c3 : !tensor
  %across = arith.ceildivui %width, %c16 : index
  %down = arith.ceildivui %height, %c8 : index
  %gx = arith.muli %across, %down : index
  %gy = arith.ceildivui %filters, %c64 : index
  %parts = arith.ceildivui %channels, %c64 : index
  %steps = arith.muli %parts, %c9 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %images)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %row = arith.divui %bx, %across : index
    %column = arith.remui %bx, %across : index
    %y = arith.muli %row, %c8 : index
    %x = arith.muli %column, %c16 : index
    %f = arith.muli %by, %c64 : index
    %points = tile.alloc : !points
    %Xs = tile.view %points : !points to !Xs
    %Ws = tile.alloc : !Ws
    %Ys = tile.alloc : !Xs
    %result = tile.view %Ys : !Xs to !points
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32

    // A step is one of 9 positions and 64 channels.
    scf.for %step = %c0 to %steps step %c1 {
      %position = arith.divui %step, %parts : index
      %part = arith.remui %step, %parts : index
      %r = arith.divui %position, %c3 : index
      %s = arith.remui %position, %c3 : index
      %c = arith.muli %part, %c64 : index
      %y1 = arith.addi %y, %r : index
      %x1 = arith.addi %x, %s : index
      %top = arith.subi %y1, %c1 : index
      %left = arith.subi %x1, %c1 : index
      %window = tile.region %X[%bz, %top, %left, %c] [1, 8, 16, 64] drop [0] : !tensor
      %w = tile.region %W[%r, %s, %c, %f] [1, 1, 64, 64] drop [0, 1] : !tensor
      tile.copy %window to %points : !tile.region<8x16x64xbf16>, !points
      tile.copy %w to %Ws : !tile.region<64x64xbf16>, !Ws
      tile.gemm %Xs, %Ws, %acc : (!Xs, !Ws, !acc)
    } {tile.num_stages = 3 : i32}

    tile.copy %acc to %Ys : !acc, !Xs
    %out = tile.region %Y[%bz, %y, %x, %f] [1, 8, 16, 64] drop [0] : !tensor
    tile.copy %result to %out : !points, !tile.region<8x16x64xbf16>
    gpu.terminator
  }
  return
}
