// A product of static extents.
func.func @f(%A: tensor<512x256xbf16>, %B: tensor<256x512xbf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %C = linalg.matmul ins(%A, %B : tensor<512x256xbf16>, tensor<256x512xbf16>) outs(%fill : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %C : tensor<512x512xf32>
}
