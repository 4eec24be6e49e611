// B[j, i] = A[i, j] for matrices of any size.
//
//   tile-compile examples/transpose.mlir --target=sm_90a -o out/
//   tile-run out/transpose.json ints:100x70:f32 zeros:70x100:f32 --save 1=b.npy
//            --emulate --seed=1
//
// A tile comes into shared memory by rows and leaves by columns, so both tensors
// are accessed in whole rows.
!tensor = memref<?x?xf32>
!tile = memref<64x64xf32, #gpu.address_space<workgroup>>

func.func @transpose(%A: !tensor, %B: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %M = memref.dim %A, %c0 : !tensor
  %N = memref.dim %A, %c1 : !tensor
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %S = tile.alloc : !tile
    %a = tile.region %A[%m, %n] [64, 64] : !tensor
    %b = tile.region %B[%n, %m] [64, 64] : !tensor
    tile.copy %a to %S : !tile.region<64x64xf32>, !tile
    tile.transpose %S to %b : !tile, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
