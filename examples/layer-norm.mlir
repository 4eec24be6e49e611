// Y = (X - mean) / sqrt(variance + eps) * scale + shift of every row, in bf16 with
// f32 sums; rows of up to 1024 columns.
//
//   tile-compile examples/layer-norm.mlir --target=sm_90a -o out/
//   tile-run out/layer_norm.json normal:10x1001:bf16 ones:1001:bf16 zeros:1001:bf16
//            zeros:10x1001:bf16 1e-5 --save 3=y.npy --emulate --seed=1
//
// Four rows stay in the registers of a block, so mean and variance take one read
// of X, and the variance is that of the differences. Columns that a row does not
// have are read as 0 and write nothing; only the variance has to know of them.
#fragment = #tile.fragment
!tensor = memref<?x?xbf16>
!vector = memref<?xbf16>
!tile = memref<4x1024xf32, #fragment>
!rows = memref<4xf32, #fragment>
!columns = memref<1024xf32, #fragment>

func.func @layer_norm(%X: !tensor, %scale: !vector, %shift: !vector, %Y: !tensor, %eps: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %X, %c0 : !tensor
  %columns = memref.dim %X, %c1 : !tensor
  %gx = arith.ceildivui %rows, %c4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c4 : index
    %columns_i32 = arith.index_cast %columns : index to i32
    %count = arith.sitofp %columns_i32 : i32 to f32

    %F = tile.alloc : !tile
    %squares = tile.alloc : !tile
    %mean = tile.alloc : !rows
    %variance = tile.alloc : !rows
    %w = tile.alloc : !columns
    %b = tile.alloc : !columns
    %x = tile.region %X[%m, 0] [4, 1024] : !tensor
    %scale_row = tile.region %scale[0] [1024] : !vector
    %shift_row = tile.region %shift[0] [1024] : !vector
    tile.copy %x to %F : !tile.region<4x1024xbf16>, !tile
    tile.copy %scale_row to %w : !tile.region<1024xbf16>, !columns
    tile.copy %shift_row to %b : !tile.region<1024xbf16>, !columns

    tile.reduce sum %F to %mean dim 1 {clear} : !tile, !rows
    tile.parallel (%i) in [4] {
      %s = memref.load %mean[%i] : !rows
      %average = arith.divf %s, %count : f32
      memref.store %average, %mean[%i] : !rows
    }
    tile.parallel (%i, %j) in [4, 1024] {
      %e = memref.load %F[%i, %j] : !tile
      %average = memref.load %mean[%i] : !rows
      %d = arith.subf %e, %average : f32
      %is_column = arith.cmpi slt, %j, %columns : index
      %f = arith.select %is_column, %d, %zero : f32
      %q = arith.mulf %f, %f : f32
      memref.store %f, %F[%i, %j] : !tile
      memref.store %q, %squares[%i, %j] : !tile
    }
    tile.reduce sum %squares to %variance dim 1 {clear} : !tile, !rows
    tile.parallel (%i) in [4] {
      %s = memref.load %variance[%i] : !rows
      %v = arith.divf %s, %count : f32
      %t = arith.addf %v, %eps : f32
      %r = math.rsqrt %t : f32
      memref.store %r, %variance[%i] : !rows
    }
    tile.parallel (%i, %j) in [4, 1024] {
      %d = memref.load %F[%i, %j] : !tile
      %r = memref.load %variance[%i] : !rows
      %g = memref.load %w[%j] : !columns
      %h = memref.load %b[%j] : !columns
      %n = arith.mulf %d, %r : f32
      %y = math.fma %n, %g, %h : f32
      memref.store %y, %F[%i, %j] : !tile
    }
    %y = tile.region %Y[%m, 0] [4, 1024] : !tensor
    tile.copy %F to %y : !tile, !tile.region<4x1024xbf16>
    gpu.terminator
  }
  return
}
