// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s -verify-diagnostics

// Chips before sm_90 have no clusters, and LLVM ends the process over their ids.
gpu.module @kernels {
  gpu.func @cluster(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @+1 {{'gpu.cluster_id' op asks for clusters of blocks, which sm_80 does not have}}
    %x = gpu.cluster_id x
    gpu.return
  }
}
