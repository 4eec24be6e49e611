// What becomes no product says why, and stays.
// RUN: %tile_opt_passes 'tile-form-convolutions' %s -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @depthwise
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%x: tensor<2x8x8x16xf32>, %w: tensor<3x3x16xf32>, %i: tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32> {
  // expected-remark @+1 {{[tile-graph/windows] is no product on tensor cores, but a loop per element: each channel has filters of its own}}
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x8x8x16xf32>, tensor<3x3x16xf32>) outs(%i : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  return %r : tensor<2x6x6x16xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @dynamic(%x: tensor<2x8x8x?xf32>, %w: tensor<3x3x?x8xf32>, %i: tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> {
  // expected-remark @+1 {{a loop per element: extents of channels or filters are not static}}
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x?xf32>, tensor<3x3x?x8xf32>) outs(%i : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  return %r : tensor<2x6x6x8xf32>
}

// CHECK-LABEL: func @moved
// CHECK: linalg.generic
func.func @moved(%x: tensor<8x8x16xf32>, %w: tensor<3x3x16x8xf32>, %i: tensor<6x8x6xf32>) -> tensor<6x8x6xf32> {
  // expected-remark @+1 {{a loop per element: its result does not have the images first and the points in the order of the pixels}}
  %r = linalg.generic {indexing_maps = [affine_map<(y, x, f, r, s, c) -> (y + r, x + s, c)>, affine_map<(y, x, f, r, s, c) -> (r, s, c, f)>, affine_map<(y, x, f, r, s, c) -> (y, f, x)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<8x8x16xf32>, tensor<3x3x16x8xf32>) outs(%i : tensor<6x8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x8x6xf32>
  return %r : tensor<6x8x6xf32>
}
