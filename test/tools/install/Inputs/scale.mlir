// The text in docs/Embedding.md, for embedding.test.
func.func @scale(%A: memref<?xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c128 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %is_inside = arith.cmpi ult, %i, %n : index
    scf.if %is_inside {
      %x = memref.load %A[%i] : memref<?xf32>
      %y = arith.mulf %x, %s : f32
      memref.store %y, %A[%i] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}
