// Two variants, of aligned and of other tensors, with an op that has no lowering.
func.func @vectors(%A: memref<?x64xf32, strided<[?, 1]>>, %B: memref<?x64xf32, strided<[?, 1]>>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    tile.parallel (%i, %j) in [8, 64] {
      %x = memref.load %A[%i, %j] : memref<?x64xf32, strided<[?, 1]>>
      %y = spirv.GL.Exp %x : f32
      memref.store %y, %B[%i, %j] : memref<?x64xf32, strided<[?, 1]>>
    }
    gpu.terminator
  }
  return
}
