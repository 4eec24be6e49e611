// Convolutions as products of tensor cores: pixels are gathered tile by tile, pads,
// strides and dilations included.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#last = affine_map<(d0, d1, d2, d3) -> (d3)>
#second = affine_map<(d0, d1, d2, d3) -> (d1)>

// By 2 and by 1, of every second pixel; different pads on each side. A bias and a
// maximum follow.
// CASE: strided(x=ints:2x11x9x16:bf16, w=ints:3x2x16x24:bf16, b=ints:24:f32)
// EXPECT: p = np.pad(x.astype(np.float64), ((0, 0), (1, 2), (0, 1), (0, 0)))
// EXPECT: result0 = np.maximum(sum(p[:, i:i+12:2, 2*j:2*j+8] @ w[i, j] for i in range(3) for j in range(2)) + b, 0)
func.func @strided(%x: tensor<2x11x9x16xbf16>, %w: tensor<3x2x16x24xbf16>, %b: tensor<24xf32>) -> tensor<2x6x8x24xf32> {
  %z = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 2, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zb : bf16
  } : tensor<2x11x9x16xbf16> to tensor<2x14x10x16xbf16>
  %e = tensor.empty() : tensor<2x6x8x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x8x24xf32>) -> tensor<2x6x8x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<[1, 2]> : vector<2xi64>} ins(%p, %w : tensor<2x14x10x16xbf16>, tensor<3x2x16x24xbf16>) outs(%i : tensor<2x6x8x24xf32>) -> tensor<2x6x8x24xf32>
  %s = linalg.generic {indexing_maps = [#id4, #last, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %b : tensor<2x6x8x24xf32>, tensor<24xf32>) outs(%e : tensor<2x6x8x24xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    %m = arith.maximumf %t, %z : f32
    linalg.yield %m : f32
  } -> tensor<2x6x8x24xf32>
  return %s : tensor<2x6x8x24xf32>
}

// Any number of images; the result is rounded, and another image added.
// CASE: images(x=ints:3x7x7x64:f16, w=ints:3x3x64x40:f16, y=ints:3x7x7x40:f16)
// CASE: images(x=ints:1x7x7x64:f16, w=ints:3x3x64x40:f16, y=ints:1x7x7x40:f16)
// EXPECT: p = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
// EXPECT: c = sum(p[:, i:i+7, j:j+7] @ w[i, j].astype(np.float64) for i in range(3) for j in range(3))
// EXPECT: result0 = round_to(round_to(c, "f16").astype(np.float64) + y, "f16")
func.func @images(%x: tensor<?x7x7x64xf16>, %w: tensor<3x3x64x40xf16>, %y: tensor<?x7x7x40xf16>) -> tensor<?x7x7x40xf16> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x7x7x64xf16>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f16
  } : tensor<?x7x7x64xf16> to tensor<?x9x9x64xf16>
  %e = tensor.empty(%n) : tensor<?x7x7x40xf16>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<?x7x7x40xf16>) -> tensor<?x7x7x40xf16>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<?x9x9x64xf16>, tensor<3x3x64x40xf16>) outs(%i : tensor<?x7x7x40xf16>) -> tensor<?x7x7x40xf16>
  %s = linalg.add ins(%r, %y : tensor<?x7x7x40xf16>, tensor<?x7x7x40xf16>) outs(%e : tensor<?x7x7x40xf16>) -> tensor<?x7x7x40xf16>
  return %s : tensor<?x7x7x40xf16>
}

// Channels before pixels, as PyTorch and ONNX have them; a bias that the sums begin
// with, three channels.
// CASE: planes(x=ints:2x3x9x10:f16, w=ints:20x3x3x3:f16, b=ints:20:f32)
// EXPECT: p = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
// EXPECT: c = sum(np.einsum("nchw,fc->nfhw", p[:, :, i:i+9, j:j+10], w[:, :, i, j].astype(np.float64)) for i in range(3) for j in range(3))
// EXPECT: result0 = np.maximum(c + b[:, None, None], 0)
func.func @planes(%x: tensor<2x3x9x10xf16>, %w: tensor<20x3x3x3xf16>, %b: tensor<20xf32>) -> tensor<2x20x9x10xf32> {
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zh : f16
  } : tensor<2x3x9x10xf16> to tensor<2x3x11x12xf16>
  %e = tensor.empty() : tensor<2x20x9x10xf32>
  %i = linalg.broadcast ins(%b : tensor<20xf32>) outs(%e : tensor<2x20x9x10xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<2x3x11x12xf16>, tensor<20x3x3x3xf16>) outs(%i : tensor<2x20x9x10xf32>) -> tensor<2x20x9x10xf32>
  %s = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<2x20x9x10xf32>) outs(%e : tensor<2x20x9x10xf32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.maximumf %u, %z : f32
    linalg.yield %m : f32
  } -> tensor<2x20x9x10xf32>
  return %s : tensor<2x20x9x10xf32>
}

// A filter of one pixel is a product with the image as it is.
// CASE: pixels(x=ints:2x5x7x32:bf16, w=ints:48x1x1x32:bf16)
// EXPECT: result0 = x.astype(np.float64) @ w[:, 0, 0].T
func.func @pixels(%x: tensor<2x5x7x32xbf16>, %w: tensor<48x1x1x32xbf16>) -> tensor<2x5x7x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x7x48xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x5x7x48xf32>) -> tensor<2x5x7x48xf32>
  %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<2x5x7x32xbf16>, tensor<48x1x1x32xbf16>) outs(%i : tensor<2x5x7x48xf32>) -> tensor<2x5x7x48xf32>
  return %r : tensor<2x5x7x48xf32>
}

// Bytes; an odd number of channels.
// CASE: bytes(x=ints:1x8x6x24:i8, w=ints:2x2x24x17:i8)
// EXPECT: result0 = sum(x[:, i:i+7, j:j+5].astype(np.int32) @ w[i, j].astype(np.int32) for i in range(2) for j in range(2))
func.func @bytes(%x: tensor<1x8x6x24xi8>, %w: tensor<2x2x24x17xi8>) -> tensor<1x7x5x17xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x7x5x17xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<1x7x5x17xi32>) -> tensor<1x7x5x17xi32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x8x6x24xi8>, tensor<2x2x24x17xi8>) outs(%i : tensor<1x7x5x17xi32>) -> tensor<1x7x5x17xi32>
  return %r : tensor<1x7x5x17xi32>
}

// Sound and video; the filter moves on after the last point.
// CASE: sound(x=ints:2x50x16:bf16, w=ints:5x16x24:bf16)
// EXPECT: result0 = sum(x[:, i:i+44:3].astype(np.float64) @ w[i] for i in range(5))
func.func @sound(%x: tensor<2x50x16xbf16>, %w: tensor<5x16x24xbf16>) -> tensor<2x15x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x15x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x15x24xf32>) -> tensor<2x15x24xf32>
  %r = linalg.conv_1d_nwc_wcf {strides = dense<3> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%x, %w : tensor<2x50x16xbf16>, tensor<5x16x24xbf16>) outs(%i : tensor<2x15x24xf32>) -> tensor<2x15x24xf32>
  return %r : tensor<2x15x24xf32>
}
// CASE: video(x=ints:2x4x5x6x8:bf16, w=ints:2x3x2x8x16:bf16)
// EXPECT: result0 = sum(x[:, i:i+3, j:j+3, k:k+5].astype(np.float64) @ w[i, j, k] for i in range(2) for j in range(3) for k in range(2))
func.func @video(%x: tensor<2x4x5x6x8xbf16>, %w: tensor<2x3x2x8x16xbf16>) -> tensor<2x3x3x5x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x3x5x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3x5x16xf32>) -> tensor<2x3x3x5x16xf32>
  %r = linalg.conv_3d_ndhwc_dhwcf ins(%x, %w : tensor<2x4x5x6x8xbf16>, tensor<2x3x2x8x16xbf16>) outs(%i : tensor<2x3x3x5x16xf32>) -> tensor<2x3x3x5x16xf32>
  return %r : tensor<2x3x3x5x16xf32>
}

// f32 stays exact. Two layers: what the first one makes is the image of the next,
// and pads lie between.
// CASE: layers(x=ints:1x6x6x3:f32, v=ints:3x3x3x8:f32, w=ints:3x3x8x5:f32)
// EXPECT: pad = lambda t: np.pad(t, ((0, 0), (1, 1), (1, 1), (0, 0)))
// EXPECT: h = np.maximum(sum(pad(x)[:, i:i+6, j:j+6] @ v[i, j] for i in range(3) for j in range(3)), 0)
// EXPECT: result0 = sum(pad(h)[:, i:i+6, j:j+6] @ w[i, j] for i in range(3) for j in range(3))
func.func @layers(%x: tensor<1x6x6x3xf32>, %v: tensor<3x3x3x8xf32>, %w: tensor<3x3x8x5xf32>) -> tensor<1x6x6x5xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<1x6x6x3xf32> to tensor<1x8x8x3xf32>
  %e = tensor.empty() : tensor<1x6x6x8xf32>
  %f = tensor.empty() : tensor<1x6x6x5xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %v : tensor<1x8x8x3xf32>, tensor<3x3x3x8xf32>) outs(%i : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %s = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<1x6x6x8xf32>) outs(%e : tensor<1x6x6x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.maximumf %u, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x6x6x8xf32>
  %q = tensor.pad %s low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<1x6x6x8xf32> to tensor<1x8x8x8xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<1x6x6x5xf32>) -> tensor<1x6x6x5xf32>
  %t = linalg.conv_2d_nhwc_hwcf ins(%q, %w : tensor<1x8x8x8xf32>, tensor<3x3x8x5xf32>) outs(%j : tensor<1x6x6x5xf32>) -> tensor<1x6x6x5xf32>
  return %t : tensor<1x6x6x5xf32>
}
