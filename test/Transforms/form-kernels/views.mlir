// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>/dev/null | FileCheck %s

// Heads that a front end moves to the front and counts with the batch, and back:
// the product reads and writes them where they are.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
// CHECK-DAG: #[[S:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3)>
// CHECK-LABEL: func @heads
// CHECK-SAME: (%[[A:.*]]: tensor<2x40x4x16xbf16> {{.*}}, %[[B:.*]]: tensor<2x30x4x16xbf16>
// CHECK-NOT: linalg
// CHECK: %[[R:.*]] = call @heads_product_0(%[[A]], %[[B]])
// CHECK-NEXT: return %[[R]]
// CHECK: linalg.generic {indexing_maps = [#[[Q]], #[[K]], #[[S]]]
func.func @heads(%a: tensor<2x40x4x16xbf16>, %b: tensor<2x30x4x16xbf16>) -> tensor<2x40x4x30xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<2x4x40x16xbf16>
  %eb = tensor.empty() : tensor<2x4x16x30xbf16>
  %ta = linalg.transpose ins(%a : tensor<2x40x4x16xbf16>) outs(%ea : tensor<2x4x40x16xbf16>) permutation = [0, 2, 1, 3]
  %tb = linalg.transpose ins(%b : tensor<2x30x4x16xbf16>) outs(%eb : tensor<2x4x16x30xbf16>) permutation = [0, 2, 3, 1]
  %ca = tensor.collapse_shape %ta [[0, 1], [2], [3]] : tensor<2x4x40x16xbf16> into tensor<8x40x16xbf16>
  %cb = tensor.collapse_shape %tb [[0, 1], [2], [3]] : tensor<2x4x16x30xbf16> into tensor<8x16x30xbf16>
  %e = tensor.empty() : tensor<8x40x30xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x40x30xf32>) -> tensor<8x40x30xf32>
  %p = linalg.batch_matmul ins(%ca, %cb : tensor<8x40x16xbf16>, tensor<8x16x30xbf16>) outs(%f : tensor<8x40x30xf32>) -> tensor<8x40x30xf32>
  %x = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [2, 4, 40, 30] : tensor<8x40x30xf32> into tensor<2x4x40x30xf32>
  %eo = tensor.empty() : tensor<2x40x4x30xf32>
  %o = linalg.transpose ins(%x : tensor<2x4x40x30xf32>) outs(%eo : tensor<2x40x4x30xf32>) permutation = [0, 2, 1, 3]
  return %o : tensor<2x40x4x30xf32>
}

// A matrix that is repeated for each batch is read as it is. Views that only move
// extents of one element about are gone.
// CHECK-LABEL: func @shared
// CHECK-SAME: (%[[A:.*]]: tensor<4x40x32xbf16> {{.*}}, %[[B:.*]]: tensor<32x48xbf16>
// CHECK-NOT: tensor.
// CHECK: call @shared_product_0(%[[A]], %[[B]])
func.func @shared(%a: tensor<4x40x32xbf16>, %b: tensor<32x48xbf16>) -> tensor<4x40x48xf32> {
  %z = arith.constant 0.0 : f32
  %eb = tensor.empty() : tensor<4x32x48xbf16>
  %e = tensor.empty() : tensor<4x40x48xf32>
  %x = tensor.expand_shape %a [[0], [1, 2], [3]] output_shape [4, 40, 1, 32] : tensor<4x40x32xbf16> into tensor<4x40x1x32xbf16>
  %y = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<4x40x1x32xbf16> into tensor<4x40x32xbf16>
  %r = linalg.broadcast ins(%b : tensor<32x48xbf16>) outs(%eb : tensor<4x32x48xbf16>) dimensions = [0]
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x40x48xf32>) -> tensor<4x40x48xf32>
  %p = linalg.batch_matmul ins(%y, %r : tensor<4x40x32xbf16>, tensor<4x32x48xbf16>) outs(%i : tensor<4x40x48xf32>) -> tensor<4x40x48xf32>
  return %p : tensor<4x40x48xf32>
}

// A depth of heads and columns that lie side by side in both factors is one loop,
// whoever expanded them.
// CHECK-LABEL: func @projection
// CHECK: %[[A:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<40x4x16xbf16> into tensor<40x64xbf16>
// CHECK: call @projection_product_0(%[[A]], %{{.*}}) : (tensor<40x64xbf16>, tensor<64x48xbf16>)
func.func @projection(%a: tensor<40x4x16xbf16>, %b: tensor<64x48xbf16>) -> tensor<40x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x48xf32>
  %x = tensor.collapse_shape %a [[0], [1, 2]] : tensor<40x4x16xbf16> into tensor<40x64xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x48xf32>) -> tensor<40x48xf32>
  %p = linalg.matmul ins(%x, %b : tensor<40x64xbf16>, tensor<64x48xbf16>) outs(%i : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %p : tensor<40x48xf32>
}

// So is one of three, as heads that share keys leave it.
// CHECK-LABEL: func @grouped
// CHECK: call @grouped_product_0(%{{.*}}, %{{.*}}) : (tensor<40x64xbf16>, tensor<64x48xbf16>)
func.func @grouped(%a: tensor<40x2x2x16xbf16>, %b: tensor<2x2x16x48xbf16>) -> tensor<40x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x48xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x48xf32>) -> tensor<40x48xf32>
  %p = linalg.contract indexing_maps = [affine_map<(m, n, g, h, k) -> (m, g, h, k)>, affine_map<(m, n, g, h, k) -> (g, h, k, n)>, affine_map<(m, n, g, h, k) -> (m, n)>] ins(%a, %b : tensor<40x2x2x16xbf16>, tensor<2x2x16x48xbf16>) outs(%i : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %p : tensor<40x48xf32>
}

// A reshape that changes nothing does not part a product from what follows it.
// CHECK-LABEL: func @added
// CHECK: call @added_product_0(
// CHECK-NOT: call
// CHECK: return
func.func @added(%x: tensor<64x4x16xbf16>, %w: tensor<64x96xbf16>, %r: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %z = arith.constant 0.0 : bf16
  %a = tensor.collapse_shape %x [[0], [1, 2]] : tensor<64x4x16xbf16> into tensor<64x64xbf16>
  %e = tensor.empty() : tensor<64x96xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<64x96xbf16>) -> tensor<64x96xbf16>
  %p = linalg.matmul ins(%a, %w : tensor<64x64xbf16>, tensor<64x96xbf16>) outs(%i : tensor<64x96xbf16>) -> tensor<64x96xbf16>
  %s = linalg.add ins(%p, %r : tensor<64x96xbf16>, tensor<64x96xbf16>) outs(%e : tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %s : tensor<64x96xbf16>
}
