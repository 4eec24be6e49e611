// RUN: tile-opt %s --tile-compile-pipeline=target=sm_80
func.func @f(%A: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = llvm.mlir.zero : !llvm.ptr<3>
%e = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64
    gpu.printf "%d", %e : i64
    %v = arith.constant 1.0 : f32
    memref.store %v, %A[%t] : memref<32xf32>
    gpu.terminator
  }
  return
}
