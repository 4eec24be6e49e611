// RUN: %tile_opt_passes 'convert-linalg-to-tile' %s -split-input-file -verify-diagnostics

func.func @results(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{has results: bufferize first}}
  %r = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %x) -> (tensor<64xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[0] [64] [1] : tensor<64xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<64xf32>
}

// -----

func.func @unbounded(%x: memref<?xf32>, %n: index) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{has an extent in loop 0 that no constant bounds: a block works on tiles of static size, so the schedule must tile it}}
    linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @unbounded_tile(%n: index, %v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{has an extent in dimension 0 that no constant bounds: a block holds tiles of static size, so the schedule must tile that loop}}
    %t = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%v : f32) outs(%t : memref<?xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @part(%v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = memref.alloc() : memref<64xf32>
    // expected-error @+1 {{takes a part of a tile in dimension 0: tiles are used whole, so the schedule must tile what makes it as well}}
    %p = memref.subview %t[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    linalg.fill ins(%v : f32) outs(%p : memref<32xf32, strided<[1]>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @strided(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{expects unit strides in a kernel; a strided view is taken before it, by the host}}
    %p = memref.subview %x[0] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2]>>
    linalg.fill ins(%v : f32) outs(%p : memref<32xf32, strided<[2]>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @shape(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = memref.alloc() : memref<64xf32>
    // expected-error @+1 {{changes a shape in a kernel: only extents of 1 may come and go there; reshape whole tensors}}
    %p = memref.expand_shape %t [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
    linalg.fill ins(%v : f32) outs(%p : memref<8x8xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @unknown(%x: memref<64xf32>, %v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{is not understood in a kernel: expects linalg ops on memrefs, memref.copy, memref.alloc, memref.subview, scf.for and scalar arithmetic}}
    gpu.printf "no\n"
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @no_loops(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{is no loops with a body: decompose it, as transform.structured.decompose_interface does}}
    linalg.softmax dimension(1) ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @element(%y: memref<f32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) = (0) to (1) step (1) {
    %t = memref.alloc() : memref<64xf32>
    // expected-error @+1 {{is about one element or extent of a tile; expects linalg ops on tiles, or canonicalize}}
    %e = memref.load %t[%c0] : memref<64xf32>
    memref.store %e, %y[] : memref<f32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @carried(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) = (0) to (1) step (1) {
    %r:2 = scf.for %j = %c0 to %c1 step %c1 iter_args(%p = %x, %q = %y) -> (memref<8xf32>, memref<8xf32>) {
      // expected-error @+1 {{takes a memref that a loop carries; carry indices, or write the same buffer each time}}
      linalg.fill ins(%v : f32) outs(%p : memref<8xf32>)
      scf.yield %q, %p : memref<8xf32>, memref<8xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @types(%v: i3) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{expects elements of a type that tiles have: f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4}}
    %t = memref.alloc() : memref<8xi3>
    linalg.fill ins(%v : i3) outs(%t : memref<8xi3>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @many(%x: memref<2x2x2x2x2x2xf32>, %v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{has 6 parallel loops of more than one element, expects at most 5; tile some to 1, or collapse}}
    linalg.fill ins(%v : f32) outs(%x : memref<2x2x2x2x2x2xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @branches(%x: memref<8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
    ^bb0(%a: f32):
      %t = arith.cmpf olt, %a, %a : f32
      // expected-error @+1 {{is control flow in the body of a linalg op; expects arith.select}}
      %r = scf.if %t -> f32 {
        scf.yield %a : f32
      } else {
        %b = arith.addf %a, %a : f32
        scf.yield %b : f32
      }
      linalg.yield %r : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @table(%x: memref<8xf32>, %t: memref<64xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %part = memref.subview %t[8] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
    ^bb0(%a: f32):
      %j = linalg.index 0 : index
      // expected-error @+1 {{reads a part of a tensor at an index of its own; expects the whole tensor}}
      %b = memref.load %part[%j] : memref<8xf32, strided<[1], offset: 8>>
      linalg.yield %b : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @effects(%x: memref<8xf32>, %y: memref<8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
    ^bb0(%a: f32):
      %j = linalg.index 0 : index
      // expected-error @+1 {{has effects in the body of a linalg op}}
      memref.store %a, %y[%j] : memref<8xf32>
      linalg.yield %a : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @diagonal(%x: memref<8x8xf32>, %v: memref<8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{expects results whose dimensions are loops of their own}}
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, d0)>], iterator_types = ["parallel"]} ins(%v : memref<8xf32>) outs(%x : memref<8x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @deep(%x: memref<64xf32>, %n: index, %v: f32) {
  scf.forall (%i) = (0) to (1) step (1) {
    %a = memref.subview %x[%n] [56] [1] : memref<64xf32> to memref<56xf32, strided<[1], offset: ?>>
    %b = memref.subview %a[%n] [48] [1] : memref<56xf32, strided<[1], offset: ?>> to memref<48xf32, strided<[1], offset: ?>>
    %c = memref.subview %b[%n] [40] [1] : memref<48xf32, strided<[1], offset: ?>> to memref<40xf32, strided<[1], offset: ?>>
    %d = memref.subview %c[%n] [32] [1] : memref<40xf32, strided<[1], offset: ?>> to memref<32xf32, strided<[1], offset: ?>>
    %e = memref.subview %d[%n] [24] [1] : memref<32xf32, strided<[1], offset: ?>> to memref<24xf32, strided<[1], offset: ?>>
    %f = memref.subview %e[%n] [16] [1] : memref<24xf32, strided<[1], offset: ?>> to memref<16xf32, strided<[1], offset: ?>>
    // expected-error @+1 {{is the 7th window in a window, expects at most 6}}
    %g = memref.subview %f[%n] [8] [1] : memref<16xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%v : f32) outs(%g : memref<8xf32, strided<[1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @tensors(%x: memref<8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    // expected-error @+1 {{is on tensors: bufferize first}}
    %t = bufferization.to_tensor %x : memref<8xf32> to tensor<8xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
