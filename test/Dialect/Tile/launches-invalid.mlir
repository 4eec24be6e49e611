// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of TileLaunchOps.td; its name cites the label.

func.func @sync_c1_static(%n: memref<?xi32>) {
  // expected-error @+1 {{expects 'counter' to be static and of rank 1 to 5, got memref<?xi32>}}
  tile.grid_sync %n : memref<?xi32>
  return
}

// -----

func.func @sync_c1_one(%n: memref<2xi32>) {
  // expected-error @+1 {{expects 'counter' to be one i32 in global memory, got 2xi32 in global memory}}
  tile.grid_sync %n : memref<2xi32>
  return
}

// -----

func.func @sync_c1_type(%n: memref<1xi64>) {
  // expected-error @+1 {{expects 'counter' to be one i32 in global memory, got 1xi64 in global memory}}
  tile.grid_sync %n : memref<1xi64>
  return
}

// -----

func.func @sync_c1_space(%n: memref<1xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'counter' to be one i32 in global memory, got 1xi32 in shared memory}}
  tile.grid_sync %n : memref<1xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sync_c2(%n: memref<1xi32>) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects a barrier of the launch outside tile.parallel}}
    tile.grid_sync %n : memref<1xi32>
  }
  return
}

// -----

func.func @wait_c1() {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects an op of the launch outside tile.parallel}}
    tile.launch_wait
  }
  return
}

// -----

func.func @next_c1() {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects an op of the launch outside tile.parallel}}
    tile.launch_next
  }
  return
}

// -----

func.func @next_tile_c1(%n: memref<1xi64>, %i: index) {
  // expected-error @+1 {{expects 'counter' to be one i32 in global memory, got 1xi64 in global memory}}
  %t, %more = tile.next_tile %n of %i : memref<1xi64>
  return
}

// -----

func.func @next_tile_c2(%n: memref<1xi32>, %i: index, %j: index) attributes {tile.num_threads = 128 : i32} {
  // expected-error @+1 {{expects the same 'tiles' as other tickets of its counter: the last one sets it back}}
  %t, %more = tile.next_tile %n of %i : memref<1xi32>
  // expected-note @+1 {{the other one}}
  %u, %most = tile.next_tile %n of %j : memref<1xi32>
  return
}

// -----

func.func @next_tile_c3(%n: memref<1xi32>, %i: index) {
  tile.parallel (%k) in [8] {
    // expected-error @+1 {{expects a ticket of the block outside tile.parallel}}
    %t, %more = tile.next_tile %n of %i : memref<1xi32>
  }
  return
}
