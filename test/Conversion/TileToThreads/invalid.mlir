// RUN: %tile_opt_passes 'convert-tile-to-threads' %s -split-input-file -verify-diagnostics

func.func @no_loop_layout(%A: memref<64xf32>) attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc : memref<64xf32, #tile.fragment>
  tile.parallel (%i) in [64] {
    // expected-error @+1 {{accesses a fragment in a loop without layout; run tile-layout-inference first}}
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    memref.store %x, %A[%i] : memref<64xf32>
  }
  return
}

// -----

func.func @no_layout(%A: memref<64xf32>) attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc : memref<64xf32, #tile.fragment>
  tile.parallel (%i) in [64] {
    // expected-error @+1 {{accesses a fragment without layout; run tile-layout-inference first}}
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    memref.store %x, %A[%i] : memref<64xf32>
  } {layout = #tile.layout<"bases<reg=(d0:32*2), lane=(d0:1*32), warp=() -> d0:64>">}
  return
}

// -----

func.func @other_threads(%A: memref<64xf32>) attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*2), lane=(d0:2*32), warp=() -> d0:64>">} : memref<64xf32, #tile.fragment>
  tile.parallel (%i) in [64] {
    // expected-error @+1 {{needs elements of a fragment that other threads hold; run tile-layout-inference first}}
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    memref.store %x, %A[%i] : memref<64xf32>
  } {layout = #tile.layout<"bases<reg=(d0:32*2), lane=(d0:1*32), warp=() -> d0:64>">}
  return
}

// -----

func.func @part(%A: memref<8xf32>) attributes {tile.num_threads = 32 : i32} {
  %c3 = arith.constant 3 : index
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*2), lane=(d1:2*4, d0:1*8), warp=() -> d0:8, d1:8>">} : memref<8x8xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{accesses a part of a fragment; run tile-expand-elements first}}
    %x = memref.load %f[%i, %c3] : memref<8x8xf32, #tile.fragment>
    memref.store %x, %A[%i] : memref<8xf32>
  } {layout = #tile.layout<"bases<reg=(), lane=(d0:1*8, 0*4), warp=() -> d0:8>">}
  return
}

// -----

func.func @threads(%A: memref<64xf32>, %v: f32) attributes {tile.num_threads = 64 : i32} {
  // expected-error @+1 {{has a layout of 32 threads in a kernel of 64}}
  tile.parallel (%i) in [64] {
    memref.store %v, %A[%i] : memref<64xf32>
  } {layout = #tile.layout<"bases<reg=(d0:32*2), lane=(d0:1*32), warp=() -> d0:64>">}
  return
}

// -----

gpu.module @m {
  gpu.func @unknown_threads(%A: memref<64xf32>, %v: f32) kernel {
    // expected-error @+1 {{expects a constant number of threads per block}}
    tile.parallel (%i) in [64] {
      memref.store %v, %A[%i] : memref<64xf32>
    }
    gpu.return
  }
}

// -----

func.func @value_before(%A: memref<8xi32>, %v: i32) attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*8, 0*4), warp=() -> d0:8>">} : memref<8xi32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{gives one thread the value before, and 4 threads run each element, as the fragments of the loop lie; copy them to shared memory first}}
    %old = memref.atomic_rmw addi %v, %A[%i] : (i32, memref<8xi32>) -> i32
    memref.store %old, %f[%i] : memref<8xi32, #tile.fragment>
  } {layout = #tile.layout<"bases<reg=(), lane=(d0:1*8, 0*4), warp=() -> d0:8>">}
  return
}
