// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s -split-input-file -verify-diagnostics

// Without layout inference nothing stages what must pass between threads.

gpu.module @partial_results {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{needs shared memory between threads; run tile-layout-inference first}}
    tile.reduce sum %f to %s dim 0 {clear} : memref<64x8xf32, #tile.fragment>, memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @scan {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #tile.fragment>
    // expected-error @+1 {{needs shared memory between threads; run tile-layout-inference first}}
    tile.scan sum %f to %f dim 0 : memref<64x8xf32, #tile.fragment>, memref<64x8xf32, #tile.fragment>
    gpu.return
  }
}

// -----

gpu.module @scan_into_shared {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<64x8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{scans a fragment; run tile-layout-inference first}}
    tile.scan sum %f to %s dim 0 : memref<64x8xf32, #tile.fragment>, memref<64x8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @predicate {
  gpu.func @f(%x: memref<1xi1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=() -> d0:32>">} : memref<32xi1, #tile.fragment>
    // expected-error @+1 {{reads a fragment; run tile-layout-inference first}}
    %p = tile.any_of %f : memref<32xi1, #tile.fragment>
    memref.store %p, %x[%c0] : memref<1xi1>
    gpu.return
  }
}

// -----

gpu.module @atomic {
  gpu.func @f(%x: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<32xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{uses tma without a tensor map; run tile-layout-inference first}}
    tile.atomic add %s to %x {instr = #tile.instr<tma>} : memref<32xf32, #gpu.address_space<workgroup>>, memref<32xf32>
    gpu.return
  }
}

// -----

gpu.module @atomic_layout {
  gpu.func @f(%x: memref<8x32xf32>, %map: !tile.tensor_map) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"bases<d0=(o:1*8), d1=(o:8*32) -> o:256>">, offset = 0} : memref<8x32xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{the layout of the tile does not suit TMA}}
    tile.atomic add %s to %x map %map {instr = #tile.instr<tma>} : memref<8x32xf32, #gpu.address_space<workgroup>>, memref<8x32xf32>
    gpu.return
  }
}

// -----

gpu.module @atomic_old {
  gpu.func @f(%x: memref<32xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=(0*2) -> d0:32>">} : memref<32xf32, #tile.fragment>
    %o = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=(0*2) -> d0:32>">} : memref<32xf32, #tile.fragment>
    // expected-error @+1 {{gives old elements to threads that do not update them; run tile-layout-inference first}}
    tile.atomic add %f to %x old %o : memref<32xf32, #tile.fragment>, memref<32xf32>, memref<32xf32, #tile.fragment>
    gpu.return
  }
}
