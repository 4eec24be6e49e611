// RUN: %tile_opt_passes 'tile-apply-schedules' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-apply-schedules,tile-apply-schedules' %s | FileCheck %s

// A script of the module goes before one that is shipped. Sizes are those of the
// function where the script asks for them, else its own.
// CHECK-LABEL: func @asked
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (8)
// CHECK: mapping = [#gpu.block<x>], tile.num_threads = 64 : i64
func.func @asked(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tile.schedule = "mine", tile.block = array<i64: 8>, tile.loop = array<i64: 0>, tile.threads = 64 : i64} {
  %r = linalg.exp {tile.root} ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: func @own
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: mapping = [#gpu.block<y>], tile.num_threads = 32 : i64
func.func @own(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tile.schedule = "elements", tile.block = array<i64: 8>, tile.loop = array<i64: 0>, tile.threads = 64 : i64} {
  %r = linalg.exp {tile.root} ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// More than three dimensions of blocks are counted in one row.
// CHECK-LABEL: func @many
// CHECK: mapping = [#gpu.block<linear_dim_3>, #gpu.block<linear_dim_2>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]
func.func @many(%x: tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32> attributes {tile.schedule = "rows", tile.block = array<i64: 1, 1, 1, 1>, tile.loop = array<i64: 0, 0, 0, 0>, tile.threads = 64 : i64} {
  %r = linalg.exp {tile.root} ins(%x : tensor<4x4x4x4xf32>) outs(%x : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  return %r : tensor<4x4x4x4xf32>
}

module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%function: !transform.any_op) {
    %root = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    %last, %blocks = transform.structured.fuse %root tile_sizes [32] {use_forall, tile.sizes = "block"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @elements(%function: !transform.any_op) {
    %root = transform.structured.match attributes {tile.root} in %function : (!transform.any_op) -> !transform.any_op
    %last, %blocks = transform.structured.tile_using_forall %root tile_sizes [16] (mapping = [#gpu.block<y>]) : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %threads = transform.param.constant 32 : i64 -> !transform.any_param
    transform.annotate %blocks "tile.num_threads" = %threads : !transform.any_op, !transform.any_param
    transform.yield
  }
}
