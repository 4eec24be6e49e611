// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// One case per constraint of TileGatherOps.td; the name says which.

func.func @im2col_c1_rank(%X: memref<?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'image' of rank 4 in global memory, got memref<?x?x8xf32>}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c1_space(%X: memref<1x4x4x8xf32, #gpu.address_space<workgroup>>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'image' of rank 4 in global memory, got}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<1x4x4x8xf32, #gpu.address_space<workgroup>>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c2_rank(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<2x8x8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' to be static and of rank 2, got}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x?x8xf32>, memref<2x8x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c2_dynamic(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<?x8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' to be static and of rank 2, got}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x?x8xf32>, memref<?x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c2_space(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32>) {
  // expected-error @+1 {{expects 'dst' in shared memory or a fragment, got it in global memory}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x?x8xf32>, memref<16x16xf32>
  return
}

// -----

func.func @im2col_c2_window(%X: memref<?x?x?x8xf32>, %i: index) {
  %f = tile.alloc : memref<32x16xf32, #tile.fragment>
  %d = tile.region %f[0, 0] [16, 16] : memref<32x16xf32, #tile.fragment>
  // expected-error @+1 {{expects 'dst' to be a whole fragment, got a window of 32x16xf32}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x?x8xf32>, !tile.region<16x16xf32, #tile.fragment>
  return
}

// -----

func.func @im2col_c3(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects elements that are both floats or both integers, got f32 and i32}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x?x8xf32>, memref<16x16xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c3_element(%X: memref<?x?x?x8xindex>, %i: index, %d: memref<16x16xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects elements that are both floats or both integers, got index and i32}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x?x?x8xindex>, memref<16x16xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c4_count(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'stride' to hold 2 numbers, got 3}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] stride [1, 1, 1] : memref<?x?x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c4_kernel(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects numbers from 1 to 32767 in 'kernel', got 0}}
  tile.im2col %X[%i, %i] to %d kernel [0, 3] : memref<?x?x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c4_stride(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects numbers from 1 to 32767 in 'stride', got 0}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] stride [1, 0] : memref<?x?x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c4_dilation(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects numbers from 1 to 32767 in 'dilation', got 32768}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] dilation [1, 32768] : memref<?x?x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c4_pad(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects numbers from 0 to 32767 in 'pad', got -1}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] pad [-1, 0] : memref<?x?x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c5_extent(%X: memref<?x1073741825x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects extents of 'image' up to 1073741824, got 1073741825}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<?x1073741825x?x8xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c5_rows(%X: memref<65536x?x32770x1xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects at most 2147483647 rows}}
  tile.im2col %X[%i, %i] to %d kernel [3, 3] : memref<65536x?x32770x1xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c5_columns(%X: memref<?x?x?x65536xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects at most 2147483647 columns}}
  tile.im2col %X[%i, %i] to %d kernel [181, 182] : memref<?x?x?x65536xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}
