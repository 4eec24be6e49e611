// The number of pieces of a vector whose length the machine decides.
func.func @host(%I: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %n = vector.vscale
    %i = arith.index_cast %n : index to i32
    memref.store %i, %I[%t] : memref<64xi32>
    gpu.terminator
  }
  return
}
