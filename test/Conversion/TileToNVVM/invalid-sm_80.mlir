// What older chips lack.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s -split-input-file -verify-diagnostics

gpu.module @m {
  gpu.func @expected_bytes() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = tile.barrier_alloc {offset = 0 : i64} : !tile.barrier<1>
    // expected-error @+1 {{expects bytes of TMA, which sm_80 does not have}}
    tile.barrier_expect %b[%c0] bytes 64 : !tile.barrier<1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @stores() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{waits for TMA, which sm_80 does not have}}
    tile.tma_wait pending 0
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @products() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{waits for wgmma, which sm_80 does not have}}
    tile.await pending 0
    gpu.return
  }
}
