// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s -split-input-file -verify-diagnostics
gpu.module @kernels {
  // expected-error @+1 {{is no kernel and holds tile ops: what kernels call is inlined first}}
  gpu.func @helper(%x: f32) -> f32 {
    %S = tile.alloc : memref<8x8xf32, #gpu.address_space<workgroup>>
    gpu.return %x : f32
  }
}

// -----

// Which thread holds the element follows from a layout.
gpu.module @kernels {
  gpu.func @element_of_a_fragment(%A: memref<?xf32>, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1, d0:16), lane=(d1:2*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:16>">} : memref<32x16xf32, #tile.fragment>
    // expected-error @+1 {{accesses one element of a fragment, which is in the registers of some thread; copy the fragment to shared memory first}}
    %x = memref.load %F[%i, %i] : memref<32x16xf32, #tile.fragment>
    memref.store %x, %A[%i] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @index_elements(%A: memref<?xindex>, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{accesses elements of a type that has no lowering}}
    memref.store %i, %A[%i] : memref<?xindex>
    gpu.return
  }
}
