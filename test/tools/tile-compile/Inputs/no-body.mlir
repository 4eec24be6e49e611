// Somebody else has to define the function.
func.func private @external(%x: f32) -> f32
func.func @f(%A: memref<64xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %z = func.call @external(%x) : (f32) -> f32
    memref.store %z, %A[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
