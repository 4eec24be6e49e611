// RUN: %tile_opt_passes 'tile-form-convolutions,canonicalize' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-form-convolutions,tile-form-convolutions,canonicalize' %s | FileCheck %s

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#last = affine_map<(d0, d1, d2, d3) -> (d3)>

// Channels last: rows are the points of all images. The pads go, and what
// tile.im2col is told has them. Elements after it have loops over the same rows.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x8x16xbf16>, %[[W:.*]]: tensor<3x3x16x24xbf16>, %[[B:.*]]: tensor<24xf32>)
// CHECK-NOT: tensor.pad
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<32x144xbf16>) attrs = {tile.clamped, tile.im2col = {dilation = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1>, pad_upper = array<i64: 1, 1>, stride = array<i64: 2, 2>}}
// CHECK: linalg.index 0
// CHECK: tensor.extract %[[X]]
// CHECK: arith.select
// CHECK-DAG: %[[M:.*]] = tensor.collapse_shape %[[W]] {{\[}}[0, 1, 2], [3]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]], %{{.*}} : tensor<32x144xbf16>, tensor<144x24xbf16>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[B]] : tensor<32x24xf32>, tensor<24xf32>)
// CHECK: tensor.expand_shape %[[R]] {{\[}}[0, 1, 2], [3]] output_shape [2, 4, 4, 24]
func.func @rows(%x: tensor<2x8x8x16xbf16>, %w: tensor<3x3x16x24xbf16>, %b: tensor<24xf32>) -> tensor<2x4x4x24xf32> {
  %z = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zb : bf16
  } : tensor<2x8x8x16xbf16> to tensor<2x10x10x16xbf16>
  %e = tensor.empty() : tensor<2x4x4x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x4x24xf32>) -> tensor<2x4x4x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%p, %w : tensor<2x10x10x16xbf16>, tensor<3x3x16x24xbf16>) outs(%i : tensor<2x4x4x24xf32>) -> tensor<2x4x4x24xf32>
  %s = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %b : tensor<2x4x4x24xf32>, tensor<24xf32>) outs(%e : tensor<2x4x4x24xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x4x4x24xf32>
  return %s : tensor<2x4x4x24xf32>
}

// Channels first: a matrix for each image, gathered by the loop. The bias that the
// sums begin with is added to them, one element for each filter.
// CHECK-LABEL: func @planes
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<24xf32>)
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x72x36xf16>) attrs = {tile.clamped} {
// CHECK-NOT: arith.select
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[P]], %{{.*}} : tensor<2x72x36xf16>, tensor<24x72xf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[B]] : tensor<2x24x36xf32>, tensor<24xf32>)
func.func @planes(%x: tensor<2x8x8x8xf16>, %w: tensor<24x8x3x3xf16>, %b: tensor<24xf32>) -> tensor<2x24x6x6xf32> {
  %e = tensor.empty() : tensor<2x24x6x6xf32>
  %i = linalg.broadcast ins(%b : tensor<24xf32>) outs(%e : tensor<2x24x6x6xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x8x8x8xf16>, tensor<24x8x3x3xf16>) outs(%i : tensor<2x24x6x6xf32>) -> tensor<2x24x6x6xf32>
  return %r : tensor<2x24x6x6xf32>
}

// What a filter of one pixel meets is the image.
// CHECK-LABEL: func @pixels
// CHECK-NOT: tensor.extract
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]] : tensor<2x8x8x16xbf16> into tensor<128x16xbf16>
func.func @pixels(%x: tensor<2x8x8x16xbf16>, %w: tensor<1x1x16x24xbf16>) -> tensor<2x8x8x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x8x8x24xf32>) -> tensor<2x8x8x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x16xbf16>, tensor<1x1x16x24xbf16>) outs(%i : tensor<2x8x8x24xf32>) -> tensor<2x8x8x24xf32>
  return %r : tensor<2x8x8x24xf32>
}

// Only zeros around the pixels are pads of the filter.
// CHECK-LABEL: func @ones
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: tensor.extract %[[P]]
func.func @ones(%x: tensor<2x6x6x16xbf16>, %w: tensor<3x3x16x24xbf16>) -> tensor<2x6x6x24xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %one : bf16
  } : tensor<2x6x6x16xbf16> to tensor<2x8x8x16xbf16>
  %e = tensor.empty() : tensor<2x6x6x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x6x24xf32>) -> tensor<2x6x6x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x8x8x16xbf16>, tensor<3x3x16x24xbf16>) outs(%i : tensor<2x6x6x24xf32>) -> tensor<2x6x6x24xf32>
  return %r : tensor<2x6x6x24xf32>
}

// A result that leaves the last row and column out has fewer zeros after the image.
// CHECK-LABEL: func @cropped
// CHECK: tile.im2col = {{.*}} pad = array<i64: 1, 1>, pad_upper = array<i64: 0, 0>
func.func @cropped(%x: tensor<2x8x8x16xbf16>, %w: tensor<3x3x16x24xbf16>) -> tensor<2x7x7x24xf32> {
  %z = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zb : bf16
  } : tensor<2x8x8x16xbf16> to tensor<2x10x10x16xbf16>
  %e = tensor.empty() : tensor<2x7x7x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x7x24xf32>) -> tensor<2x7x7x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x10x10x16xbf16>, tensor<3x3x16x24xbf16>) outs(%i : tensor<2x7x7x24xf32>) -> tensor<2x7x7x24xf32>
  return %r : tensor<2x7x7x24xf32>
}

// With more channels image and weights are moved first, and the result after it:
// tile.im2col gathers.
// CHECK-LABEL: func @turned
// CHECK: %[[X:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8x8x16xf16>) {
// CHECK: %[[W:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<24x3x3x16xf16>) {
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<72x144xf16>) attrs = {tile.clamped, tile.im2col
// CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<72x144xf16>, tensor<24x144xf16>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x24x6x6xf32>)
func.func @turned(%x: tensor<2x16x8x8xf16>, %w: tensor<24x16x3x3xf16>) -> tensor<2x24x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24x6x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x6x6xf32>) -> tensor<2x24x6x6xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x16x8x8xf16>, tensor<24x16x3x3xf16>) outs(%i : tensor<2x24x6x6xf32>) -> tensor<2x24x6x6xf32>
  return %r : tensor<2x24x6x6xf32>
}

// Images of a group follow one another, so that a group is a row of images.
// CHECK-LABEL: func @groups_turned
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2], [3], [4]] : tensor<3x2x6x6x16xf16> into tensor<6x6x6x16xf16>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<32x3x144xf16>) attrs = {tile.clamped, tile.im2col
func.func @groups_turned(%x: tensor<2x3x16x6x6xf16>, %w: tensor<3x8x16x3x3xf16>) -> tensor<2x3x8x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x8x4x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x8x4x4xf32>) -> tensor<2x3x8x4x4xf32>
  %r = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<2x3x16x6x6xf16>, tensor<3x8x16x3x3xf16>) outs(%i : tensor<2x3x8x4x4xf32>) -> tensor<2x3x8x4x4xf32>
  return %r : tensor<2x3x8x4x4xf32>
}
