// Convolutions whose channels come first, or are in groups, with a depth that is
// worth it: image, weights and result are moved once, and TMA gathers the pixels.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: tile-opt %s --tile-form-convolutions | FileCheck %s

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#second = affine_map<(d0, d1, d2, d3) -> (d1)>

// A bias that the sums begin with; elements, among them another image, are done
// before the result is moved back: all of it is moved in kernels of their own.
// CASE: first(x=ints:2x16x9x10:f16, w=ints:24x16x3x3:f16, b=ints:24:f32, y=ints:2x24x9x10:f32)
// EXPECT: p = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
// EXPECT: c = sum(np.einsum("nchw,fc->nfhw", p[:, :, i:i+9, j:j+10], w[:, :, i, j].astype(np.float64)) for i in range(3) for j in range(3))
// EXPECT: result0 = np.maximum(c + b[:, None, None] + y, 0)
// CHECK-LABEL: func.func @first
// CHECK: tile.im2col
// CHECK: maximumf
// CHECK: return
func.func @first(%x: tensor<2x16x9x10xf16>, %w: tensor<24x16x3x3xf16>, %b: tensor<24xf32>, %y: tensor<2x24x9x10xf32>) -> tensor<2x24x9x10xf32> {
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zh : f16
  } : tensor<2x16x9x10xf16> to tensor<2x16x11x12xf16>
  %e = tensor.empty() : tensor<2x24x9x10xf32>
  %i = linalg.generic {indexing_maps = [#second, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b : tensor<24xf32>) outs(%e : tensor<2x24x9x10xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<2x24x9x10xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<2x16x11x12xf16>, tensor<24x16x3x3xf16>) outs(%i : tensor<2x24x9x10xf32>) -> tensor<2x24x9x10xf32>
  %s = linalg.generic {indexing_maps = [#id4, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %y : tensor<2x24x9x10xf32>, tensor<2x24x9x10xf32>) outs(%e : tensor<2x24x9x10xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    %m = arith.maximumf %t, %z : f32
    linalg.yield %m : f32
  } -> tensor<2x24x9x10xf32>
  return %s : tensor<2x24x9x10xf32>
}

// A sum that begins with an image, of any number of them; every second pixel.
// CASE: sums(x=ints:3x16x9x9:bf16, w=ints:8x16x3x3:bf16, y=ints:3x8x4x4:f32)
// CASE: sums(x=ints:1x16x9x9:bf16, w=ints:8x16x3x3:bf16, y=ints:1x8x4x4:f32)
// EXPECT: result0 = y + sum(np.einsum("nchw,fc->nfhw", x.astype(np.float64)[:, :, i:i+7:2, j:j+7:2], w[:, :, i, j].astype(np.float64)) for i in range(3) for j in range(3))
// CHECK-LABEL: func.func @sums
// CHECK: tile.im2col
func.func @sums(%x: tensor<?x16x9x9xbf16>, %w: tensor<8x16x3x3xbf16>, %y: tensor<?x8x4x4xf32>) -> tensor<?x8x4x4xf32> {
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<?x16x9x9xbf16>, tensor<8x16x3x3xbf16>) outs(%y : tensor<?x8x4x4xf32>) -> tensor<?x8x4x4xf32>
  return %r : tensor<?x8x4x4xf32>
}

// Two of them: nothing is moved between the two.
// CASE: layers(x=ints:1x16x6x7:f16, v=ints:16x16x3x3:f16, w=ints:8x16x3x3:f16)
// EXPECT: pad = lambda t: np.pad(t.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
// EXPECT: conv = lambda t, w: sum(np.einsum("nchw,fc->nfhw", pad(t)[:, :, i:i+6, j:j+7], w[:, :, i, j].astype(np.float64)) for i in range(3) for j in range(3))
// EXPECT: result0 = conv(round_to(np.maximum(round_to(conv(x, v), "f16"), 0), "f16"), w)
// CHECK-LABEL: func.func @layers
// CHECK: linalg.yield
// CHECK: tile.im2col
// CHECK: maximumf
// CHECK-NOT: affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
// CHECK: tile.im2col
func.func @layers(%x: tensor<1x16x6x7xf16>, %v: tensor<16x16x3x3xf16>, %w: tensor<8x16x3x3xf16>) -> tensor<1x8x6x7xf32> {
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zh : f16
  } : tensor<1x16x6x7xf16> to tensor<1x16x8x9xf16>
  %e = tensor.empty() : tensor<1x16x6x7xf16>
  %i = linalg.fill ins(%zh : f16) outs(%e : tensor<1x16x6x7xf16>) -> tensor<1x16x6x7xf16>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %v : tensor<1x16x8x9xf16>, tensor<16x16x3x3xf16>) outs(%i : tensor<1x16x6x7xf16>) -> tensor<1x16x6x7xf16>
  %s = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<1x16x6x7xf16>) outs(%e : tensor<1x16x6x7xf16>) {
  ^bb0(%u: f16, %o: f16):
    %m = arith.maximumf %u, %zh : f16
    linalg.yield %m : f16
  } -> tensor<1x16x6x7xf16>
  %q = tensor.pad %s low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zh : f16
  } : tensor<1x16x6x7xf16> to tensor<1x16x8x9xf16>
  %f = tensor.empty() : tensor<1x8x6x7xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32>
  %t = linalg.conv_2d_nchw_fchw ins(%q, %w : tensor<1x16x8x9xf16>, tensor<8x16x3x3xf16>) outs(%j : tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32>
  return %t : tensor<1x8x6x7xf32>
}

// Groups of the last channels, as JAX writes them; more points than a block has.
// CASE: groups(x=ints:2x10x9x48:f16, w=ints:3x3x16x72:f16)
// EXPECT: p = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
// EXPECT: result0 = round_to(np.concatenate([sum(p[:, i:i+10, j:j+9, g*16:g*16+16] @ w[i, j, :, g*24:g*24+24].astype(np.float64) for i in range(3) for j in range(3)) for g in range(3)], -1), "f16")
// CHECK-LABEL: func.func @groups
// CHECK: tile.im2col
func.func @groups(%x: tensor<2x10x9x48xf16>, %w: tensor<3x3x16x72xf16>) -> tensor<2x10x9x72xf16> {
  %zh = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zh : f16
  } : tensor<2x10x9x48xf16> to tensor<2x12x11x48xf16>
  %xg = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [2, 12, 11, 3, 16] : tensor<2x12x11x48xf16> into tensor<2x12x11x3x16xf16>
  %wg = tensor.expand_shape %w [[0], [1], [2], [3, 4]] output_shape [3, 3, 16, 3, 24] : tensor<3x3x16x72xf16> into tensor<3x3x16x3x24xf16>
  %e = tensor.empty() : tensor<2x10x9x3x24xf16>
  %i = linalg.fill ins(%zh : f16) outs(%e : tensor<2x10x9x3x24xf16>) -> tensor<2x10x9x3x24xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n, y, x, g, f, i, j, c) -> (n, y + i, x + j, g, c)>, affine_map<(n, y, x, g, f, i, j, c) -> (i, j, c, g, f)>, affine_map<(n, y, x, g, f, i, j, c) -> (n, y, x, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xg, %wg : tensor<2x12x11x3x16xf16>, tensor<3x3x16x3x24xf16>) outs(%i : tensor<2x10x9x3x24xf16>) {
  ^bb0(%a: f16, %b: f16, %s: f16):
    %m = arith.mulf %a, %b : f16
    %t = arith.addf %s, %m : f16
    linalg.yield %t : f16
  } -> tensor<2x10x9x3x24xf16>
  %q = tensor.collapse_shape %r [[0], [1], [2], [3, 4]] : tensor<2x10x9x3x24xf16> into tensor<2x10x9x72xf16>
  return %q : tensor<2x10x9x72xf16>
}

// Groups of the first channels; a bias, and elements after them.
// CASE: both(x=ints:2x48x5x6:f16, w=ints:3x8x16x3x3:f16, b=ints:24:f32)
// EXPECT: p = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
// EXPECT: c = np.concatenate([sum(np.einsum("nchw,fc->nfhw", p[:, g*16:g*16+16, i:i+5, j:j+6], w[g, :, :, i, j].astype(np.float64)) for i in range(3) for j in range(3)) for g in range(3)], 1)
// EXPECT: result0 = np.maximum(c + b[:, None, None], 0)
// CHECK-LABEL: func.func @both
// CHECK: tile.im2col
func.func @both(%x: tensor<2x48x5x6xf16>, %w: tensor<3x8x16x3x3xf16>, %b: tensor<24xf32>) -> tensor<2x24x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zh : f16
  } : tensor<2x48x5x6xf16> to tensor<2x48x7x8xf16>
  %xg = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [2, 3, 16, 7, 8] : tensor<2x48x7x8xf16> into tensor<2x3x16x7x8xf16>
  %e = tensor.empty() : tensor<2x24x5x6xf32>
  %i = linalg.generic {indexing_maps = [#second, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b : tensor<24xf32>) outs(%e : tensor<2x24x5x6xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<2x24x5x6xf32>
  %ig = tensor.expand_shape %i [[0], [1, 2], [3], [4]] output_shape [2, 3, 8, 5, 6] : tensor<2x24x5x6xf32> into tensor<2x3x8x5x6xf32>
  %r = linalg.conv_2d_ngchw_gfchw ins(%xg, %w : tensor<2x3x16x7x8xf16>, tensor<3x8x16x3x3xf16>) outs(%ig : tensor<2x3x8x5x6xf32>) -> tensor<2x3x8x5x6xf32>
  %q = tensor.collapse_shape %r [[0], [1, 2], [3], [4]] : tensor<2x3x8x5x6xf32> into tensor<2x24x5x6xf32>
  %s = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q : tensor<2x24x5x6xf32>) outs(%e : tensor<2x24x5x6xf32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.maximumf %u, %z : f32
    linalg.yield %m : f32
  } -> tensor<2x24x5x6xf32>
  return %s : tensor<2x24x5x6xf32>
}
