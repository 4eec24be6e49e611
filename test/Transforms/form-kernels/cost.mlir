// Which block a product gets, by which figures, and what comes next.

// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>&1 | FileCheck %s

// CHECK: remark: [tile-cost/product] is computed in blocks of 128x256 by 256 threads with 4 slots: 4 waves on 132 multiprocessors, about {{[0-9.]+}} us by the model of cost; blocks of 128x128 would take 1.0{{[0-9]}} times as long; tile-tune measures
func.func @long(%A: tensor<4096x8192xbf16>, %B: tensor<8192x4096xbf16>, %C: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %D = linalg.matmul ins(%A, %B : tensor<4096x8192xbf16>, tensor<8192x4096xbf16>) outs(%C : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %D : tensor<4096x4096xf32>
}

// Few tiles: 128 rows would leave half of the multiprocessors idle.
// CHECK: remark: [tile-cost/product] is computed in blocks of {{128x64|64x128}} by 128 threads with {{[0-9]}} slots: 1 waves on 132 multiprocessors
func.func @small(%A: tensor<1024x1024xbf16>, %B: tensor<1024x1024xbf16>, %C: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %D = linalg.matmul ins(%A, %B : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%C : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %D : tensor<1024x1024xf32>
}
