// A tile op beside kernels, where the host executes.
func.func @fill(%A: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.fill %A, %zero : memref<64xf32>, f32
  return
}
