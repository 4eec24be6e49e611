// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>/dev/null | FileCheck %s
// RUN: %tile_opt_passes 'tile-form-kernels,tile-form-kernels' %s 2>/dev/null | FileCheck %s
// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// A product takes what is done to its result along; the next product reads it
// from memory, so the layer is two kernels. What fills the sum is done in each.
// REMARK: [[@LINE+25]]:8: remark: [tile-graph/apart] is a kernel of its own, apart from what uses it: it is a factor of the product, and may follow in the kernel that makes what it reads
// REMARK: remark: [tile-graph/kernel] goes to kernel @layer_product_0: schedule 'product', blocks of 64 x 64
// CHECK-LABEL: func @layer
// CHECK-SAME: %{{.*}}: tensor<70x64xbf16> {bufferization.writable = false}
// CHECK: %[[H:.*]] = call @layer_product_0(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[R:.*]] = call @layer_product_1(%[[H]], %{{.*}})
// CHECK: return %[[R]]
// CHECK: func private @layer_product_1
// CHECK: func private @layer_product_0
// CHECK-SAME: tile.block = array<i64: 64, 64>
// CHECK-SAME: tile.loop = array<i64: 0, 0, 64>
// CHECK-SAME: tile.schedule = "product"
// CHECK-SAME: tile.threads = 128
// CHECK: linalg.fill {tile.accumulator}
// CHECK: linalg.matmul {tile.product}
// CHECK: linalg.generic {{.*}} attrs = {tile.root}
func.func @layer(%x: tensor<70x64xbf16>, %w: tensor<64x130xbf16>, %c: tensor<130xf32>, %v: tensor<130x64xbf16>) -> tensor<70x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x130xf32>
  %eb = tensor.empty() : tensor<70x130xbf16>
  %eo = tensor.empty() : tensor<70x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<70x130xf32>) -> tensor<70x130xf32>
  %p = linalg.matmul ins(%x, %w : tensor<70x64xbf16>, tensor<64x130xbf16>) outs(%i : tensor<70x130xf32>) -> tensor<70x130xf32>
  %cb = linalg.broadcast ins(%c : tensor<130xf32>) outs(%e : tensor<70x130xf32>) dimensions = [0]
  %s = linalg.add ins(%p, %cb : tensor<70x130xf32>, tensor<70x130xf32>) outs(%e : tensor<70x130xf32>) -> tensor<70x130xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<70x130xf32>) outs(%eb : tensor<70x130xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<70x130xbf16>
  %j = linalg.fill ins(%z : f32) outs(%eo : tensor<70x64xf32>) -> tensor<70x64xf32>
  %q = linalg.matmul ins(%h, %v : tensor<70x130xbf16>, tensor<130x64xbf16>) outs(%j : tensor<70x64xf32>) -> tensor<70x64xf32>
  return %q : tensor<70x64xf32>
}

// What is reduced along rows and what uses it is one kernel, whose blocks do
// whole rows.
// CHECK-LABEL: func @centred
// CHECK: call @centred_rows_0
// CHECK-NOT: call
// CHECK: return
// CHECK: func private @centred_rows_0
// CHECK-SAME: tile.block = array<i64: 16, 0>
func.func @centred(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x100xf32>
  %i = linalg.fill ins(%z : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<64x100xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<64x100xf32>
  return %r : tensor<64x100xf32>
}

// Rows that no block can hold are reduced in steps, by a kernel of their own.
// REMARK: is a kernel of its own, apart from what uses it: rows of it are too long for the registers of a block
// CHECK-LABEL: func @long
// CHECK: call @long_reduction_0
// CHECK: call @long_elements_1
// CHECK: func private @long_reduction_0
// CHECK-SAME: tile.loop = array<i64: 0, 4096>
func.func @long(%x: tensor<64x50000xf32>) -> tensor<64x50000xf32> {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x50000xf32>
  %i = linalg.fill ins(%z : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<64x50000xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x50000xf32>, tensor<64xf32>) outs(%e : tensor<64x50000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<64x50000xf32>
  return %r : tensor<64x50000xf32>
}

// A value that the function returns as well is a kernel of its own.
// REMARK: is a kernel of its own, apart from what uses it: other kernels use its result as well
// CHECK-LABEL: func @both
// CHECK: %[[A:.*]] = call @both_elements_0
// CHECK: %[[B:.*]] = call @both_elements_1(%[[A]])
// CHECK: return %[[A]], %[[B]]
func.func @both(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// A block would need two parts of it: of its rows, and of its columns.
// CHECK-LABEL: func @both_ways
// CHECK: %[[A:.*]] = call @both_ways_elements_0
// CHECK: call @both_ways_elements_1(%[[A]])
func.func @both_ways(%x: tensor<64xf32>) -> tensor<64x64xf32> {
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// What is added to is made before. A block has as many rows as its registers hold.
// CHECK-LABEL: func @onto
// CHECK: %[[I:.*]] = call @onto_elements_0
// CHECK: call @onto_rows_1(%{{.*}}, %[[I]])
// CHECK: func private @onto_rows_1
// CHECK-SAME: tile.block = array<i64: 4, 0>
func.func @onto(%x: tensor<64x1000xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %e1 = tensor.empty() : tensor<64xf32>
  %i = linalg.exp ins(%y : tensor<64xf32>) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<64x1000xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %s : tensor<64xf32>
}

// Elements that make a factor from memory are made in the kernel of the product.
// CHECK-LABEL: func @factor
// CHECK: call @factor_product_0(
// CHECK-NOT: call
// CHECK: return
// CHECK: func private @factor_product_0
// CHECK: linalg.generic {{.*}} attrs = {tile.factor}
// CHECK: linalg.matmul {tile.product, tile.root}
func.func @factor(%x: tensor<64x64xf32>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %eb = tensor.empty() : tensor<64x64xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%eb : tensor<64x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x64xbf16>
  %p = linalg.matmul ins(%h, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// 32 columns of blocks would each compute the exponentials of their rows.
// REMARK: is a kernel of its own, apart from what uses it: it is a factor of the product, which many blocks would compute again
// CHECK-LABEL: func @again
// CHECK: call @again_elements_0
// CHECK: call @again_product_1
func.func @again(%x: tensor<64x64xbf16>, %w: tensor<64x4096xbf16>) -> tensor<64x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x4096xf32>
  %eb = tensor.empty() : tensor<64x64xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %h = linalg.exp ins(%x : tensor<64x64xbf16>) outs(%eb : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %p = linalg.matmul ins(%h, %w : tensor<64x64xbf16>, tensor<64x4096xbf16>) outs(%i : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %p : tensor<64x4096xf32>
}

// What another op reads as well is made once.
// REMARK: is a kernel of its own, apart from what uses it: it is a factor of the product, and used elsewhere as well
// CHECK-LABEL: func @elsewhere
// CHECK: call @elsewhere_elements_0
// CHECK: call @elsewhere_product_1
func.func @elsewhere(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %eb = tensor.empty() : tensor<64x64xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = linalg.add ins(%x, %x : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%eb : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %p = linalg.matmul ins(%h, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %h : tensor<64x64xf32>, tensor<64x64xbf16>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %t = arith.extf %b : bf16 to f32
    %u = arith.addf %a, %t : f32
    linalg.yield %u : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// What is beside a product in its elements is no factor, though an op that might have
// been one did not join before.
// CHECK-LABEL: func private @beside_product_1
// CHECK-NOT: tile.factor
// CHECK: arith.select
// CHECK: return
func.func @beside(%y: tensor<16x32xbf16>, %w: tensor<32x16xbf16>, %v: tensor<16x32xbf16>) -> tensor<16x32xf32> {
  %z = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %em = tensor.empty() : tensor<16x32xi1>
  %e = tensor.empty() : tensor<16x32xf32>
  %es = tensor.empty() : tensor<16x16xf32>
  %et = tensor.empty() : tensor<16x16xbf16>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<16x32xbf16>) outs(%em : tensor<16x32xi1>) {
  ^bb0(%a: bf16, %o: i1):
    %c = arith.cmpf ogt, %a, %zb : bf16
    linalg.yield %c : i1
  } -> tensor<16x32xi1>
  %i = linalg.fill ins(%z : f32) outs(%es : tensor<16x16xf32>) -> tensor<16x16xf32>
  %p = linalg.matmul ins(%y, %w : tensor<16x32xbf16>, tensor<32x16xbf16>) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<16x16xf32>) outs(%et : tensor<16x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %c = arith.truncf %a : f32 to bf16
    linalg.yield %c : bf16
  } -> tensor<16x16xbf16>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %q = linalg.matmul ins(%t, %v : tensor<16x16xbf16>, tensor<16x32xbf16>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%m, %q : tensor<16x32xi1>, tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: i1, %b: f32, %o: f32):
    %c = arith.select %a, %b, %z : f32
    linalg.yield %c : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// So are elements of another shape that these elements read.
// CHECK-LABEL: func @factors
// CHECK: call @factors_product_0(
// CHECK-NOT: call
// CHECK: func private @factors_product_0
// CHECK: linalg.exp {tile.factor}
// CHECK: linalg.generic {{.*}} attrs = {tile.factor}
func.func @factors(%x: tensor<64xf32>, %y: tensor<64x64xf32>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %eb = tensor.empty() : tensor<64x64xbf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %h = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %a : tensor<64x64xf32>, tensor<64xf32>) outs(%eb : tensor<64x64xbf16>) {
  ^bb0(%p: f32, %q: f32, %o: bf16):
    %s = arith.mulf %p, %q : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<64x64xbf16>
  %p = linalg.matmul ins(%h, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
