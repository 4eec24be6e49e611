// The loop over tiles counts with 32 bits: a call that has more tiles fails.
// RUN: rm -rf %t && tile-compile %s --target=sm_80 -o %t
// RUN: tile-run %t/many.json --emulate zeros:1:f32 3 2
// RUN: not tile-run %t/many.json --emulate zeros:1:f32 65536 32768 2>&1 | FileCheck %s
// CHECK: a persistent launch has at most 2^30 tiles
func.func @many(%A: memref<1xf32>, %x: index, %y: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %x, %sy = %y, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %one = arith.constant 1.0 : f32
    %a = tile.region %A[0] [1] : memref<1xf32>
    tile.atomic add %one to %a : f32, !tile.region<1xf32>
    gpu.terminator
  }
  return
}
