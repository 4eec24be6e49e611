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

// 11 waves of 128x160, which are nearly full, where 128x256 has 7 and 128x128 14; a right factor
// that lies along its columns would come in pieces of half a line.
// CHECK: remark: [tile-cost/product] is computed in blocks of 128x160 by 128 threads with 5 slots: 11 waves
func.func @waves(%A: tensor<4096x2048xbf16>, %B: tensor<7168x2048xbf16>, %C: tensor<4096x7168xf32>) -> tensor<4096x7168xf32> {
  %D = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<4096x2048xbf16>, tensor<7168x2048xbf16>) outs(%C : tensor<4096x7168xf32>) -> tensor<4096x7168xf32>
  return %D : tensor<4096x7168xf32>
}

// CHECK: remark: [tile-cost/product] is computed in blocks of 128x128 by 128 threads with 6 slots: 14 waves
func.func @along_columns(%A: tensor<4096x2048xbf16>, %B: tensor<2048x7168xbf16>, %C: tensor<4096x7168xf32>) -> tensor<4096x7168xf32> {
  %D = linalg.matmul ins(%A, %B : tensor<4096x2048xbf16>, tensor<2048x7168xbf16>) outs(%C : tensor<4096x7168xf32>) -> tensor<4096x7168xf32>
  return %D : tensor<4096x7168xf32>
}

// Elements of the sum cost less than waves that are not full.
// CHECK: remark: [tile-cost/product] is computed in blocks of 128x256 by 256 threads with 4 slots: 4 waves
func.func @elements(%A: tensor<4096x4096xbf16>, %B: tensor<4096x4096xbf16>, %C: tensor<4096x4096xf32>) -> tensor<4096x4096xbf16> {
  %D = linalg.matmul ins(%A, %B : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%C : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %init = tensor.empty() : tensor<4096x4096xbf16>
  %E = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%D : tensor<4096x4096xf32>) outs(%init : tensor<4096x4096xbf16>) {
  ^bb0(%d: f32, %o: bf16):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %d, %zero : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %E : tensor<4096x4096xbf16>
}
