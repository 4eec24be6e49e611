// One case for each constraint of TileMapOps.td.

// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// (C1) of tile.map_place
func.func @rows(%maps: memref<?x8xi64>, %A: memref<?x64xbf16>) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects 'maps' to be i64 in global memory, rows of 16, got memref<?x8xi64>}}
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x8xi64>, memref<?x64xbf16>
  return
}

// -----

// (C2)
func.func @stride(%maps: memref<?x16xi64>, %A: memref<?x64xbf16, strided<[128, 2]>>) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects a tensor in global memory, of rank 1 to 5 and with last stride 1, got memref<?x64xbf16, strided<[128, 2]>>}}
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16, strided<[128, 2]>>
  return
}

// -----

// (C3)
func.func @host(%maps: memref<?x16xi64>, %A: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects to be inside a kernel}}
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16>
  return
}

// -----

// (C3)
func.func @loop(%maps: memref<?x16xi64>, %A: memref<?x64xbf16>) attributes {tile.num_threads = 128 : i64} {
  tile.parallel (%i) in [4] {
    // expected-error @+1 {{the place of a tensor map}}
    %map, %changes = tile.map_place %maps[%i] of %A : memref<?x16xi64>, memref<?x64xbf16>
  }
  return
}

// -----

// (C1) of tile.map_make
func.func @place(%map: !tile.tensor_map, %like: !tile.tensor_map) attributes {tile.num_threads = 128 : i64} {
  %stage = tile.alloc : memref<16xi64, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'map' to be the result of a tile.map_place}}
  tile.map_make %map from %like by %stage : memref<16xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// (C2)
func.func @like(%maps: memref<?x16xi64>, %A: memref<?x64xbf16>) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %stage = tile.alloc : memref<16xi64, #gpu.address_space<workgroup>>
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16>
  // expected-error @+1 {{expects 'like' to be a tensor map of the host, of a tensor of rank 2 and elements of bf16}}
  tile.map_make %map from %map by %stage : memref<16xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// (C3)
func.func @stage(%maps: memref<?x16xi64>, %A: memref<?x64xbf16>, %like: !tile.tensor_map) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %stage = tile.alloc : memref<8xi64, #gpu.address_space<workgroup>>
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16>
  // expected-error @+1 {{expects 'stage' to be 16 i64 in shared memory, got memref<8xi64, #gpu.address_space<workgroup>>}}
  tile.map_make %map from %like by %stage : memref<8xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// (C4)
func.func @make_in_loop(%maps: memref<?x16xi64>, %A: memref<?x64xbf16>, %like: !tile.tensor_map) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %stage = tile.alloc : memref<16xi64, #gpu.address_space<workgroup>>
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16>
  tile.parallel (%i) in [4] {
    // expected-error @+1 {{a tensor map}}
    tile.map_make %map from %like by %stage : memref<16xi64, #gpu.address_space<workgroup>>
  }
  return
}
