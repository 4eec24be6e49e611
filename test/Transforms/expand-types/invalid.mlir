// RUN: %tile_opt_passes 'tile-expand-types' %s -split-input-file -verify-diagnostics

#shared = #gpu.address_space<workgroup>

func.func @odd_extent() attributes {tile.num_threads = 32 : i64} {
  // expected-error @+1 {{expects the last extent of elements of type f4E2M1FN to be a multiple of 2, which fill whole bytes, got 33}}
  %s = tile.alloc : memref<16x33xf4E2M1FN, #shared>
  return
}

// -----

// expected-error @+1 {{expects a stride of elements of type f6E3M2FN to be a multiple of 4, which fill whole bytes, got 66}}
func.func @odd_stride(%A: memref<16x64xf6E3M2FN, strided<[66, 1]>>) attributes {tile.num_threads = 32 : i64} {
  return
}

// -----

// expected-error @+1 {{expects elements of type i4 beside each other in the last dimension}}
func.func @columns(%A: memref<16x64xi4, strided<[64, 2]>>) attributes {tile.num_threads = 32 : i64} {
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @odd_offset(%A: memref<?x?xi4>, %k: index) attributes {tile.num_threads = 32 : i64} {
  %s = tile.alloc : memref<16x32xi4, #shared>
  // expected-error @+1 {{expects the last offset of elements of type i4 to be a multiple of 2, which fill whole bytes, and to be written so, such as %i * 32}}
  %w = tile.region %A[0, %k] [16, 32] : memref<?x?xi4>
  tile.copy %w to %s : !tile.region<16x32xi4>, memref<16x32xi4, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @pad(%A: memref<?x?xf4E2M1FN>) attributes {tile.num_threads = 32 : i64} {
  %s = tile.alloc : memref<16x32xf4E2M1FN, #shared>
  %one = arith.constant 1.0 : f4E2M1FN
  // expected-error @+1 {{expects no pad but 0 of elements of type f4E2M1FN}}
  %w = tile.region %A[0, 0] [16, 32] pad %one : f4E2M1FN in : memref<?x?xf4E2M1FN>
  tile.copy %w to %s : !tile.region<16x32xf4E2M1FN>, memref<16x32xf4E2M1FN, #shared>
  return
}

// -----

func.func @store_to_tensor(%A: memref<16x32xi4>, %x: i4) attributes {tile.num_threads = 32 : i64} {
  tile.parallel (%i, %j) in [16, 32] {
    // expected-error @+1 {{stores an element of type i4 to what is no shared tile: neighbours share bytes; store to a shared tile in tile.parallel, and copy that}}
    memref.store %x, %A[%i, %j] : memref<16x32xi4>
  }
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduction(%d: memref<64xi32, #shared>) attributes {tile.num_threads = 32 : i64} {
  %s = tile.alloc : memref<64x32xui32, #shared>
  // expected-error @+1 {{does not take elements of type u32; copy them to a tile of another type, or convert them in tile.parallel}}
  tile.reduce sum %s to %d dim 1 : memref<64x32xui32, #shared>, memref<64xi32, #shared>
  return
}

// -----

func.func @dim(%A: memref<?x?xi4>, %d: index) -> index attributes {tile.num_threads = 32 : i64} {
  // expected-error @+1 {{expects a constant dimension of elements of type i4}}
  %n = memref.dim %A, %d : memref<?x?xi4>
  return %n : index
}

// -----

func.func @dropped(%A: memref<?x?xi4>) attributes {tile.num_threads = 32 : i64} {
  %f = tile.alloc : memref<16xi8, #tile.fragment>
  // expected-error @+1 {{cannot name single elements of type i4 in the last dimension: they share bytes}}
  %w = tile.region %A[0, 0] [16, 1] drop [1] : memref<?x?xi4>
  tile.copy %w to %f : !tile.region<16xi4>, memref<16xi8, #tile.fragment>
  return
}
