// RUN: %tile_opt_passes 'gpu.module(gpu.func(convert-tile-to-nvvm{target=sm_90a}))' %s -verify-diagnostics

// The pass replaces the function: it cannot run on the function itself.
gpu.module @kernels {
  // expected-error @+1 {{is replaced by convert-tile-to-nvvm, which therefore runs on its gpu.module}}
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}
