// Each block adds one to a sum, and one of them reads it when all have.
func.func @meets(%blocks: index, %n: memref<1xi32>, %sum: memref<1xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    tile.atomic add %one to %sum : i32, memref<1xi32>
    tile.grid_sync %n : memref<1xi32>
    %c0 = arith.constant 0 : index
    %all = arith.index_cast %blocks : index to i32
    %v = memref.load %sum[%c0] : memref<1xi32>
    %whole = arith.cmpi eq, %v, %all : i32
    tile.assert %whole, "all blocks have added"
    gpu.terminator
  }
  return
}
