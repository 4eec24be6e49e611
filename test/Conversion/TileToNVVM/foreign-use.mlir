// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s -split-input-file -verify-diagnostics

// A value that only the lowering can serve, used by an op of another dialect.
gpu.module @kernels {
  gpu.func @run() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<8x8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{uses a value of 'tile.alloc', which has no lowering for it}}
    %p = builtin.unrealized_conversion_cast %S : memref<8x8xf32, #gpu.address_space<workgroup>> to index
    gpu.return
  }
}
