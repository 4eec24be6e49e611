// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// One case per constraint of tile.arrange; the name says which.

#shared = #gpu.address_space<workgroup>
func.func @arrange_c1(%A: memref<?xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'src' to be a static tile of rank 1 to 5, got memref<?xf32>}}
  tile.arrange %A to %s broadcast [0] : memref<?xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c2_range(%A: memref<8xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'broadcast' to be ascending dimensions of 'dst', from 0 to 1, got 2}}
  tile.arrange %A to %s broadcast [2] : memref<8xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c2_order(%A: memref<4x8xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'reverse' to be ascending dimensions of 'dst', from 0 to 1, got 0}}
  tile.arrange %A to %s reverse [1, 0] : memref<4x8xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c2_both(%A: memref<8xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects dimension 0 in 'broadcast' or in 'reverse', got it in both}}
  tile.arrange %A to %s broadcast [0] reverse [0] : memref<8xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c3(%A: memref<8xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'src' of the shape of 'dst' without the dimensions in 'broadcast', or with extent 1 there, got 8xf32 and 'dst' 4x8xf32}}
  tile.arrange %A to %s broadcast [1] : memref<8xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c3_extent(%A: memref<4x8xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{got 4x8xf32 and 'dst' 4x8xf32}}
  tile.arrange %A to %s broadcast [0] : memref<4x8xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c3_reshape(%A: memref<31xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'src' of as many elements as 'dst', got 31xf32 and 'dst' 4x8xf32}}
  tile.arrange %A to %s reshape : memref<31xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c3_alone(%A: memref<32xf32>) {
  %s = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'reshape' without 'broadcast' and 'reverse'}}
  tile.arrange %A to %s reverse [0] reshape : memref<32xf32>, memref<4x8xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c4(%A: memref<8xf32>) {
  %s = tile.alloc : memref<8xi32, #shared>
  // expected-error @+1 {{expects element types that are equal, both float or both integer, got f32 and i32}}
  tile.arrange %A to %s reverse [0] : memref<8xf32>, memref<8xi32, #shared>
  return
}

// -----

func.func @arrange_c5(%A: memref<8xf32>, %B: memref<8xf32>) {
  // expected-error @+1 {{expects 'src' or 'dst' outside global memory; go through a shared tile}}
  tile.arrange %A to %B reverse [0] : memref<8xf32>, memref<8xf32>
  return
}

// -----

#private = #gpu.address_space<private>
func.func @arrange_c5_private(%A: memref<8xf32>) {
  %p = tile.alloc : memref<8xf32, #private>
  // expected-error @+1 {{expects 'dst' in global or shared memory or a fragment, got it in private}}
  tile.arrange %A to %p reverse [0] : memref<8xf32>, memref<8xf32, #private>
  return
}

// -----

func.func @arrange_c6(%A: memref<8xf32>) {
  %f = tile.alloc : memref<16xf32, #tile.fragment>
  %w = tile.region %f[8] [8] : memref<16xf32, #tile.fragment>
  // expected-error @+1 {{expects 'dst' to be a whole fragment, got a window of 16xf32}}
  tile.arrange %A to %w reverse [0] : memref<8xf32>, !tile.region<8xf32, #tile.fragment>
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @arrange_c7() {
  %s = tile.alloc : memref<4x8xf32, #shared>
  %v = tile.view %s : memref<4x8xf32, #shared> to memref<4x8xf32, #shared>
  // expected-error @+1 {{expects 'src' and 'dst' to be different buffers: elements move in any order}}
  tile.arrange %s to %v reverse [0] : memref<4x8xf32, #shared>, memref<4x8xf32, #shared>
  return
}
