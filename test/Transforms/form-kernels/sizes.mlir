// RUN: %tile_opt_passes 'tile-form-kernels{target=sm_90a}' %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %tile_opt_passes 'tile-form-kernels{target=sm_80}' %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,SM80

// What a block takes depends on how many blocks the chip runs at once. Elements after
// the product, too: one warpgroup computes them while the other multiplies.
// CHECK-LABEL: func private @large_product_0
// SM90-SAME: tile.block = array<i64: 128, 192, 0>, tile.depth_stages = 4 : i32, tile.loop = array<i64: 0, 0, 64>, tile.schedule = "product", tile.threads = 256 : i64
// SM80-SAME: tile.block = array<i64: 128, 128, 0>, tile.depth_stages = 3 : i32, tile.loop = array<i64: 0, 0, 64>, tile.schedule = "product", tile.threads = 256 : i64
func.func @large(%a: tensor<8192x8192xbf16>, %b: tensor<8192x8192xbf16>) -> tensor<8192x8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192x8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) outs(%f : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  return %p : tensor<8192x8192xf32>
}

// CHECK-LABEL: func private @elements_product_0
// SM90-SAME: tile.block = array<i64: 128, 192>, tile.depth_stages = 4 : i32, tile.loop = array<i64: 0, 0, 64>, tile.schedule = "product", tile.threads = 256 : i64
func.func @elements(%a: tensor<8192x512xbf16>, %b: tensor<512x8192xbf16>) -> tensor<8192x8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192x8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8192x512xbf16>, tensor<512x8192xbf16>) outs(%f : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %t = linalg.tanh ins(%p : tensor<8192x8192xf32>) outs(%e : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  return %t : tensor<8192x8192xf32>
}

// A tensor that is added takes registers beside the sum: more threads hold it.
// CHECK-LABEL: func private @window_product_0
// SM90-SAME: tile.block = array<i64: 128, 128>, tile.depth_stages = 5 : i32, tile.loop = array<i64: 0, 0, 64>, tile.schedule = "product", tile.threads = 256 : i64
func.func @window(%a: tensor<8192x512xbf16>, %b: tensor<512x8192xbf16>, %r: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192x8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8192x512xbf16>, tensor<512x8192xbf16>) outs(%f : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %t = linalg.add ins(%p, %r : tensor<8192x8192xf32>, tensor<8192x8192xf32>) outs(%e : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  return %t : tensor<8192x8192xf32>
}

// One of 16 bits comes to shared memory, where a stage less has place.
// CHECK-LABEL: func private @narrow_window_product_0
// SM90-SAME: tile.block = array<i64: 128, 128>, tile.depth_stages = 5 : i32, tile.loop = array<i64: 0, 0, 64>, tile.schedule = "product", tile.threads = 128 : i64
// SM80-SAME: tile.block = array<i64: 128, 128>, tile.depth_stages = 3 : i32
func.func @narrow_window(%a: tensor<8192x512xbf16>, %b: tensor<512x8192xbf16>, %r: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8192x8192xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  %p = linalg.matmul ins(%a, %b : tensor<8192x512xbf16>, tensor<512x8192xbf16>) outs(%f : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  %t = linalg.add ins(%p, %r : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) outs(%e : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  return %t : tensor<8192x8192xbf16>
}

// A sum that is only rounded has no elements after it: the tile is that of @large.
// CHECK-LABEL: func private @rounded_product_0
// SM90-SAME: tile.block = array<i64: 128, 192>, tile.depth_stages = 4 : i32
func.func @rounded(%a: tensor<8192x8192xbf16>, %b: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8192x8192xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  %p = linalg.matmul ins(%a, %b : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) outs(%f : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
  return %p : tensor<8192x8192xbf16>
}

// Too few blocks of the largest size for the multiprocessors.
// CHECK-LABEL: func private @small_product_0
// SM90-SAME: tile.block = array<i64: 128, 64, 0>
// SM80-SAME: tile.block = array<i64: 128, 128, 0>
func.func @small(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %p = linalg.matmul ins(%a, %b : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %p : tensor<1024x1024xf32>
}
