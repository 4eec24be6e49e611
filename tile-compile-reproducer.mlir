// RUN: tile-opt %s --tile-compile-pipeline=target=sm_80
func.func @f(%A: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %e = nvvm.elect.sync -> i1
    %v = arith.uitofp %e : i1 to f32
    memref.store %v, %A[%t] : memref<32xf32>
    gpu.terminator
  }
  return
}
