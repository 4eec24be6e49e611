// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// One case per constraint of TileGatherOps.td, and of the im2col form of tensor
// maps; the name says which.

func.func @im2col_c1_rank(%X: memref<?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'image' of rank 3 to 5 in global memory, got memref<?x8xf32>}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [] : memref<?x8xf32>
  return
}

// -----

func.func @im2col_c1_rank_6(%X: memref<?x?x?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'image' of rank 3 to 5 in global memory, got memref<?x?x?x?x?x8xf32>}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3, 3, 3] : memref<?x?x?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c1_space(%X: memref<1x4x4x8xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{expects 'image' of rank 3 to 5 in global memory, got}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<1x4x4x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c2_count(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 2 sizes, got 3}}
  %a = tile.im2col %X[%i, %i] [16, 8, 8] kernel [3, 3] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c2_zero(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects sizes from 1, of at most 2147483647 elements, got 16 and 0}}
  %a = tile.im2col %X[%i, %i] [16, 0] kernel [3, 3] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c2_size(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects sizes from 1, of at most 2147483647 elements, got 65536 and 32768}}
  %a = tile.im2col %X[%i, %i] [65536, 32768] kernel [3, 3] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c3_op(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects only tile.copy to use it, as the source, got 'tile.transpose'}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<?x?x?x8xf32>
  // expected-note @+1 {{this is the user}}
  tile.transpose %a to %d : !tile.region<16x16xf32>, memref<16x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @im2col_c3_written(%X: memref<?x?x?x8xf32>, %i: index, %d: memref<16x16xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects only tile.copy to use it, as the source, got 'tile.copy'}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<?x?x?x8xf32>
  // expected-note @+1 {{this is the user}}
  tile.copy %d to %a : memref<16x16xf32, #gpu.address_space<workgroup>>, !tile.region<16x16xf32>
  return
}

// -----

func.func @im2col_c4_count(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'stride' to hold 2 numbers, one per dimension of pixels, got 3}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] stride [1, 1, 1] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_count_1(%X: memref<?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'kernel' to hold 1 number, one per dimension of pixels, got 2}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_count_3(%X: memref<?x?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'dilation' to hold 3 numbers, one per dimension of pixels, got 2}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3, 3] dilation [1, 1] : memref<?x?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_kernel(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects numbers from 1 to 32767 in 'kernel', got 0}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [0, 3] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_stride(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects numbers from 1 to 32767 in 'stride', got 0}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] stride [1, 0] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_dilation(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects numbers from 1 to 32767 in 'dilation', got 32768}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] dilation [1, 32768] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_pad(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects numbers from 0 to 32767 in 'pad', got -1}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] pad [-1, 0] : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c4_pad_upper(%X: memref<?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects numbers from 0 to 32767 in 'pad_upper', got 32768}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3] pad [1] pad_upper [32768] : memref<?x?x8xf32>
  return
}

// -----

func.func @im2col_c5_extent(%X: memref<?x1073741825x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects extents of 'image' up to 1073741824, got 1073741825}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<?x1073741825x?x8xf32>
  return
}

// -----

func.func @im2col_c5_rows(%X: memref<65536x?x32770x1xf32>, %i: index) {
  // expected-error @+1 {{expects at most 2147483647 rows}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] : memref<65536x?x32770x1xf32>
  return
}

// -----

func.func @im2col_c5_rows_upper(%X: memref<16384x?x131070x1xf32>, %i: index) {
  // expected-error @+1 {{expects at most 2147483647 rows}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] pad_upper [0, 4] : memref<16384x?x131070x1xf32>
  // 131072 windows of 16384 images were one too many.
  %b = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] pad_upper [0, 3] : memref<16384x?x131070x1xf32>
  return
}

// -----

func.func @im2col_c5_rows_3(%X: memref<2048x1024x?x1024x1xf32>, %Y: memref<2048x1024x1024x1x1xf32>, %i: index) {
  // There is no window in the last dimension, and so no row.
  %a = tile.im2col %Y[%i, %i] [16, 16] kernel [1, 1, 2] : memref<2048x1024x1024x1x1xf32>
  // expected-error @+1 {{expects at most 2147483647 rows}}
  %b = tile.im2col %X[%i, %i] [16, 16] kernel [1, 1, 1] : memref<2048x1024x?x1024x1xf32>
  return
}

// -----

func.func @im2col_c5_columns_3(%X: memref<?x?x?x?x1xf32>, %i: index) {
  // expected-error @+1 {{expects at most 2147483647 columns}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [2048, 1024, 1024] : memref<?x?x?x?x1xf32>
  return
}

// -----

func.func @im2col_c5_columns(%X: memref<?x?x?x65536xf32>, %i: index) {
  // expected-error @+1 {{expects at most 2147483647 columns}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [181, 182] : memref<?x?x?x65536xf32>
  return
}

// -----

func.func @im2col_c5_channels(%X: memref<?x?x?x8xf32>, %i: index) {
  %c = arith.constant 65536 : index
  // expected-error @+1 {{expects at most 2147483647 columns}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [181, 182] channels %c : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c6_align(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'align' to be a power of two, got 12}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] {align = 12 : i64} : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_c6_run(%X: memref<?x?x?x8xf32>, %i: index) {
  // expected-error @+1 {{expects 'run' to divide the 16 columns, got 5}}
  %a = tile.im2col %X[%i, %i] [16, 16] kernel [3, 3] {run = 5 : i64} : memref<?x?x?x8xf32>
  return
}

// -----

func.func @im2col_map_c2(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects 2 box extents, got 4}}
  %a = tile.tensor_map %X box [1, 1, 8, 64] lower [0, 0] upper [0, 0] step [1, 1] : memref<?x?x?x64xbf16>
  return
}

// -----

func.func @im2col_map_c2_pixels(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects box extents from 1 to 1024, got 1025 in dimension 0}}
  %a = tile.tensor_map %X box [1025, 64] lower [0, 0] upper [0, 0] step [1, 1] : memref<?x?x?x64xbf16>
  return
}

// -----

func.func @im2col_map_c2_channels(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects box extents from 1 to 256, got 264 in dimension 1}}
  %a = tile.tensor_map %X box [8, 264] lower [0, 0] upper [0, 0] step [1, 1] : memref<?x?x?x64xbf16>
  return
}

// -----

func.func @im2col_map_c7_rank(%X: memref<?x64xbf16>) {
  // expected-error @+1 {{expects a tensor of rank 3 to 5 for the im2col form, got rank 2}}
  %a = tile.tensor_map %X box [8, 64] lower [0] : memref<?x64xbf16>
  return
}

// -----

func.func @im2col_map_c7_missing(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects 2 numbers in 'step', one per dimension of pixels, got 0}}
  %a = tile.tensor_map %X box [8, 64] lower [0, 0] upper [0, 0] : memref<?x?x?x64xbf16>
  return
}

// -----

func.func @im2col_map_c7_count(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects 2 numbers in 'upper', one per dimension of pixels, got 1}}
  %a = tile.tensor_map %X box [8, 64] lower [0, 0] upper [0] step [1, 1] : memref<?x?x?x64xbf16>
  return
}

// -----

func.func @im2col_map_c7_lower(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects numbers from -128 to 127 in 'lower', got -129}}
  %a = tile.tensor_map %X box [8, 64] lower [0, -129] upper [0, 0] step [1, 1] : memref<?x?x?x64xbf16>
  return
}

// -----

func.func @im2col_map_c7_step(%X: memref<?x?x?x64xbf16>) {
  // expected-error @+1 {{expects numbers from 1 to 8 in 'step', got 9}}
  %a = tile.tensor_map %X box [8, 64] lower [0, 0] upper [0, 0] step [9, 1] : memref<?x?x?x64xbf16>
  return
}
