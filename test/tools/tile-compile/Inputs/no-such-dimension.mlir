// The dimension is one that the tensor does not have.
func.func @k(%A: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %m = arith.constant -3 : index
  %n = memref.dim %A, %m : memref<?x?xf32>
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
