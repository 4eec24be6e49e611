// Tensors in tiles: packs and unpacks are fills, moves and views, and a product of tiles reads
// and writes them where they are.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: pack(x=count:20x30:f32)
// EXPECT: result0 = np.pad(x, ((0, 4), (0, 2))).reshape(3, 8, 2, 16).transpose(0, 2, 1, 3)
func.func @pack(%x: tensor<20x30xf32>) -> tensor<3x2x8x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x8x16xf32>
  %p = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<20x30xf32> -> tensor<3x2x8x16xf32>
  return %p : tensor<3x2x8x16xf32>
}

// CASE: unpack(x=count:3x2x8x16:f32)
// EXPECT: result0 = x.transpose(0, 2, 1, 3).reshape(24, 32)[:20, :30]
func.func @unpack(%x: tensor<3x2x8x16xf32>) -> tensor<20x30xf32> {
  %e = tensor.empty() : tensor<20x30xf32>
  %p = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<3x2x8x16xf32> -> tensor<20x30xf32>
  return %p : tensor<20x30xf32>
}

// CASE: packed(x=ints:24x32:bf16, w=ints:16x32:bf16)
// EXPECT: result0 = x.astype(np.float64) @ w.astype(np.float64).T
func.func @packed(%x: tensor<24x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<24x16xf32> {
  %z = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<3x2x8x16xbf16>
  %ew = tensor.empty() : tensor<1x2x16x16xbf16>
  %ey = tensor.empty() : tensor<3x1x8x16xf32>
  %eo = tensor.empty() : tensor<24x16xf32>
  %px = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %ex : tensor<24x32xbf16> -> tensor<3x2x8x16xbf16>
  %pw = linalg.pack %w inner_dims_pos = [0, 1] inner_tiles = [16, 16] into %ew : tensor<16x32xbf16> -> tensor<1x2x16x16xbf16>
  %f = linalg.fill ins(%z : f32) outs(%ey : tensor<3x1x8x16xf32>) -> tensor<3x1x8x16xf32>
  %y = linalg.mmt4d ins(%px, %pw : tensor<3x2x8x16xbf16>, tensor<1x2x16x16xbf16>) outs(%f : tensor<3x1x8x16xf32>) -> tensor<3x1x8x16xf32>
  %r = linalg.unpack %y inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %eo : tensor<3x1x8x16xf32> -> tensor<24x16xf32>
  return %r : tensor<24x16xf32>
}
