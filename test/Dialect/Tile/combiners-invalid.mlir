// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// One case per constraint of the ops of TileCombineOps.td; the name says which.

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c1_count(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects 1 to 4 sources, got 5}}
  tile.reduce_by %A, %A, %A, %A, %A to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c1_shape(%A: memref<4x8xf32>, %B: memref<4x9xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects sources of the same shape, got 4x8xf32 and 4x9xf32}}
  tile.reduce_by %A, %B to %d, %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>, memref<4x9xf32>) to (memref<4xf32, #shared>, memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c1_private() {
  %p = tile.alloc : memref<4x8xf32, #gpu.address_space<private>>
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects 'srcs' in global or shared memory or a fragment, got it in private}}
  tile.reduce_by %p to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32, #gpu.address_space<private>>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c1_window() {
  %f = tile.alloc : memref<8x8xf32, #tile.fragment>
  %w = tile.region %f[0, 0] [4, 8] : memref<8x8xf32, #tile.fragment>
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects 'srcs' to be a whole fragment, got a window of one}}
  tile.reduce_by %w to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (!tile.region<4x8xf32, #tile.fragment>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c2(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects 'dim' from 0 to 1 for a tile of rank 2, got 2}}
  tile.reduce_by %A to %d dim 2 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c3_count(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects 2 destinations, got 1}}
  tile.reduce_by %A to %d dim 1 position {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c3_shape(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects destinations of the shape of the sources 4x8xf32 without 'dim', or with extent 1 there, got 4xf32}}
  tile.reduce_by %A to %d dim 0 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @scan_by_c3_shape(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects destinations of the shape of the sources 4x8xf32, got 4xf32}}
  tile.scan_by %A to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @scan_by_c3_space(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @+1 {{expects 'dsts' in shared memory or a fragment, got it in global}}
  tile.scan_by %A to %B dim 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4x8xf32>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c3_buffer(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects destination 1 to be a buffer of its own}}
  tile.reduce_by %A, %A to %d, %d dim 1 {
  ^bb0(%a: f32, %b: f32, %c: f32, %e: f32):
    tile.yield %a, %b : f32, f32
  } : (memref<4x8xf32>, memref<4x8xf32>) to (memref<4xf32, #shared>, memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @scan_by_c3_crossed() {
  %d = tile.alloc : memref<4x8xf32, #shared>
  %e = tile.alloc : memref<4x8xf32, #shared>
  // expected-error @+1 {{expects destination 0 to be a buffer of its own}}
  tile.scan_by %d, %e to %e, %d dim 1 {
  ^bb0(%a: f32, %b: f32, %c: f32, %g: f32):
    tile.yield %a, %b : f32, f32
  } : (memref<4x8xf32, #shared>, memref<4x8xf32, #shared>) to (memref<4x8xf32, #shared>, memref<4x8xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c4_count(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects a body with 2 arguments, got 1}}
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c4_same(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects arguments 0 and 1 of the body of the same type, got f32 and f64}}
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: f32, %b: f64):
    tile.yield %a : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c4_float(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects argument 0 of the body to be a float, as its tiles are, got i32}}
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: i32, %b: i32):
    tile.yield %a : i32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c4_position(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  %e = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects argument 1 of the body to be an integer, as its tiles are, got f32}}
  tile.reduce_by %A to %d, %e dim 1 position {
  ^bb0(%a: f32, %i: f32, %b: f32, %j: f32):
    tile.yield %a, %i : f32, f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>, memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c5_count(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{expects 1 values, got 2}}
    tile.yield %a, %b : f32, f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c5_type(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.extf %a : f32 to f64
    // expected-error @+1 {{expects value 0 of type f32, got f64}}
    tile.yield %c : f64
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c5_effect(%A: memref<4x8xf32>, %i: index) {
  %d = tile.alloc : memref<4xf32, #shared>
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{has effects, in a body that combines states}}
    %c = memref.load %A[%i, %i] : memref<4x8xf32>
    tile.yield %c : f32
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}

// -----

func.func @reduce_all_c1(%A: memref<4x8xf32>) {
  // expected-error @+1 {{expects 'src' in shared memory or a fragment, got it in global}}
  %r = tile.reduce_all sum %A : memref<4x8xf32> -> f32
  return
}

// -----

func.func @reduce_all_c2() {
  %f = tile.alloc : memref<4xi1, #tile.fragment>
  // expected-error @+1 {{expects two floats of at least 16 bits, or two integers and no i1 as the result, got i1 and i1}}
  %r = tile.reduce_all or %f : memref<4xi1, #tile.fragment> -> i1
  return
}

// -----

func.func @reduce_all_c3() {
  %f = tile.alloc : memref<4xf32, #tile.fragment>
  // expected-error @+1 {{expects integers with 'xor', got f32}}
  %r = tile.reduce_all xor %f : memref<4xf32, #tile.fragment> -> f32
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @reduce_by_c5_end(%A: memref<4x8xf32>) {
  %d = tile.alloc : memref<4xf32, #shared>
  // expected-error @+1 {{expects its body to end with tile.yield}}
  tile.reduce_by %A to %d dim 1 {
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  } : (memref<4x8xf32>) to (memref<4xf32, #shared>)
  return
}
