// One block and one tile, whose size stands for the tensor's.
func.func @fixed(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1.0 : f32
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %f, %one : memref<64xf32, #tile.fragment>, f32
    %a = tile.region %A[0] [64] : memref<64xf32>
    tile.copy %f to %a : memref<64xf32, #tile.fragment>, !tile.region<64xf32>
    gpu.terminator
  }
  return
}
