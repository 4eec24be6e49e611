// RUN: %tile_opt_passes 'tile-form-kernels' %s 2>/dev/null | FileCheck %s

// Products of narrow floats sum in f32, and round once.
// CHECK-LABEL: func @narrow
// CHECK: func private @narrow_product_0
// CHECK: %[[SUM:.*]] = linalg.fill {tile.accumulator} {{.*}} -> tensor<64x64xf32>
// CHECK: linalg.generic {{.*}} outs(%[[SUM]] : tensor<64x64xf32>) attrs = {tile.product}
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: linalg.generic {{.*}} attrs = {tile.root}
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @narrow(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64x64xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// Extents that must agree are compared once, by the host.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf16>{{.*}}, %[[B:.*]]: tensor<?x64xf16>
// CHECK-DAG: %[[K:.*]] = tensor.dim %[[A]], %c1
// CHECK-DAG: %[[KB:.*]] = tensor.dim %[[B]], %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[K]], %[[KB]]
// CHECK: tile.require %[[SAME]], "dimension 0 of operand 1 of linalg.matmul has the extent of dimension 1 of operand 0" actual %[[KB]]
func.func @dynamic(%a: tensor<?x?xf16>, %b: tensor<?x64xf16>) -> tensor<?x64xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x64xf16>) outs(%i : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// Ops on memrefs are kernels one by one, which write where they wrote before.
// CHECK-LABEL: func @memory
// CHECK-SAME: (%[[X:.*]]: memref<64xf32>, %[[Y:.*]]: memref<64xf32>)
// CHECK: %[[IN:.*]] = bufferization.to_tensor %[[X]] restrict
// CHECK: %[[OUT:.*]] = bufferization.to_tensor %[[Y]] restrict writable
// CHECK: %[[R:.*]] = call @memory_elements_0(%[[IN]], %[[OUT]])
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[Y]]
func.func @memory(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// A result without dimensions has a block all the same.
// CHECK-LABEL: func @total
// CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
// CHECK: func private @total_rows_{{.*}}(%{{.*}}: tensor<64xf32>, {{.*}}) -> tensor<1xf32>
func.func @total(%x: tensor<64xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<64xf32>) outs(%i : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}

// The loops of such an op count one further.
// CHECK-LABEL: func @numbered
// CHECK: func private @numbered_rows_0
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: linalg.index 1
func.func @numbered(%x: tensor<64xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<64xf32>) outs(%i : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %k = linalg.index 0 : index
    %c = arith.index_cast %k : index to i32
    %f = arith.sitofp %c : i32 to f32
    %t = arith.mulf %p, %f : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// A sum that begins with ones is no sum of zeros: they are widened.
// CHECK-LABEL: func @from_ones
// CHECK: call @from_ones_elements_0
// CHECK: call @from_ones_product_1
// CHECK: func private @from_ones_elements_0
// CHECK: arith.constant 1.0{{.*}} : bf16
// CHECK: arith.extf
func.func @from_ones(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<64x64xbf16>
  %i = linalg.fill ins(%one : bf16) outs(%e : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// The extent of what a kernel makes is the number that it was asked for; one
// value is not compared with itself.
// CHECK-LABEL: func @extents
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %[[N]]
// CHECK: tile.require %[[SAME]], "dimension 1 of operand 1 of linalg.exp
// CHECK-NOT: tile.require
// CHECK: return
func.func @extents(%a: tensor<64x?xf32>, %n: index) -> tensor<64x?xf32> {
  %e = tensor.empty(%n) : tensor<64x?xf32>
  %r = linalg.exp ins(%a : tensor<64x?xf32>) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %s = linalg.log ins(%r : tensor<64x?xf32>) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  return %s : tensor<64x?xf32>
}

// So do those of dynamic shape, in one kernel: extents come from where tensors do.
// CHECK-LABEL: func @narrow_dynamic
// CHECK: call @narrow_dynamic_product_0
// CHECK-NOT: call
// CHECK: return
func.func @narrow_dynamic(%a: tensor<?x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %z = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x64xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %r : tensor<?x64xbf16>
}

// The place of the greatest element is not looked for where nobody asks for it; both
// stay where the element depends on the place.
// CHECK-LABEL: func @places
// CHECK: func private @places_rows_0(
// CHECK-NOT: linalg.index
// CHECK: arith.maximumf
// CHECK-LABEL: func @needed
// CHECK: func private @needed_loops_0(
// CHECK: linalg.index
func.func @places(%x: tensor<64x32xf32>, %m: tensor<64xf32>, %p: tensor<64xi64>) -> tensor<64xf32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%m, %p : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%a: f32, %o: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %y = arith.maximumf %a, %o : f32
    %c = arith.cmpf ogt, %a, %o : f32
    %n = arith.select %c, %j, %q : i64
    linalg.yield %y, %n : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#0 : tensor<64xf32>
}
func.func @needed(%x: tensor<64x32xf32>, %m: tensor<64xf32>, %p: tensor<64xi64>) -> tensor<64xi64> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%m, %p : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%a: f32, %o: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %y = arith.maximumf %a, %o : f32
    %c = arith.cmpf ogt, %a, %o : f32
    %n = arith.select %c, %j, %q : i64
    linalg.yield %y, %n : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}
