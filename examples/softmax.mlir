// Y[i, j] = e^(X[i, j] - max) / sum of the row's: softmax of rows of any length.
//
//   tile-compile examples/softmax.mlir --target=sm_90a -o out/
//   tile-run out/softmax.json normal:10x3001:f32 zeros:10x3001:f32 --save 1=y.npy
//            --emulate --seed=1
//
// A block has four rows and walks over their columns twice: first for maximum and
// sum, where the sum so far is rescaled when the maximum grows, then to write.
// Columns beyond the last one are read as -inf, the pad of the region, so they
// take no part in either.
#fragment = #tile.fragment
!tensor = memref<?x?xf32>
!tile = memref<4x512xf32, #fragment>
!rows = memref<4xf32, #fragment>

func.func @softmax(%X: !tensor, %Y: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %rows = memref.dim %X, %c0 : !tensor
  %columns = memref.dim %X, %c1 : !tensor
  %gx = arith.ceildivui %rows, %c4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant 0xFF800000 : f32 // -inf
    %m = arith.muli %bx, %c4 : index
    %F = tile.alloc : !tile
    %max = tile.alloc : !rows
    %old = tile.alloc : !rows
    %sum = tile.alloc : !rows
    tile.fill %max, %low : !rows, f32
    tile.fill %sum, %zero : !rows, f32

    scf.for %n = %c0 to %columns step %c512 {
      %x = tile.region %X[%m, %n] [4, 512] pad %low : f32 in : !tensor
      tile.copy %x to %F : !tile.region<4x512xf32>, !tile
      tile.copy %max to %old : !rows, !rows
      tile.reduce max %F to %max dim 1 : !tile, !rows
      tile.parallel (%i) in [4] {
        %a = memref.load %old[%i] : !rows
        %b = memref.load %max[%i] : !rows
        %l = memref.load %sum[%i] : !rows
        %d = arith.subf %a, %b : f32
        %r = math.exp %d : f32
        %t = arith.mulf %l, %r : f32
        memref.store %t, %sum[%i] : !rows
      }
      tile.parallel (%i, %j) in [4, 512] {
        %e = memref.load %F[%i, %j] : !tile
        %b = memref.load %max[%i] : !rows
        %d = arith.subf %e, %b : f32
        %p = math.exp %d : f32
        memref.store %p, %F[%i, %j] : !tile
      }
      tile.reduce sum %F to %sum dim 1 : !tile, !rows
    }

    tile.parallel (%i) in [4] {
      %l = memref.load %sum[%i] : !rows
      %r = arith.divf %one, %l : f32
      memref.store %r, %sum[%i] : !rows
    }
    scf.for %n = %c0 to %columns step %c512 {
      %x = tile.region %X[%m, %n] [4, 512] : !tensor
      %y = tile.region %Y[%m, %n] [4, 512] : !tensor
      tile.copy %x to %F : !tile.region<4x512xf32>, !tile
      tile.parallel (%i, %j) in [4, 512] {
        %e = memref.load %F[%i, %j] : !tile
        %b = memref.load %max[%i] : !rows
        %r = memref.load %sum[%i] : !rows
        %d = arith.subf %e, %b : f32
        %p = math.exp %d : f32
        %q = arith.mulf %p, %r : f32
        memref.store %q, %F[%i, %j] : !tile
      }
      tile.copy %F to %y : !tile, !tile.region<4x512xf32>
    }
    gpu.terminator
  }
  return
}
