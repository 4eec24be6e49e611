// RUN: %tile_opt_passes 'convert-linalg-to-tile,canonicalize' %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#par = ["parallel", "parallel"]
!window = memref<8x64xbf16, strided<[64, 1], offset: ?>>

// Arithmetic of 16-bit floats is that of f32, rounded where it is stored; a function
// of bf16 may be one instruction.
// CHECK-LABEL: func @chain
// CHECK: %[[A:.*]] = memref.load
// CHECK: %[[X:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK: %[[T:.*]] = math.tanh %[[P]] fastmath<afn> : f32
// CHECK: %[[S:.*]] = arith.addf %[[T]], %{{.*}} : f32
// CHECK: %[[R:.*]] = arith.truncf %[[S]] : f32 to bf16
// CHECK: memref.store %[[R]]
func.func @chain(%a: memref<64x64xbf16>, %out: memref<64x64xbf16>) {
  scf.forall (%i) = (0) to (64) step (8) {
    %t = memref.alloc() : memref<8x64xbf16>
    %x = memref.subview %a[%i, 0] [8, 64] [1, 1] : memref<64x64xbf16> to !window
    %z = memref.subview %out[%i, 0] [8, 64] [1, 1] : memref<64x64xbf16> to !window
    linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%x : !window) outs(%t : memref<8x64xbf16>) {
    ^bb0(%p: bf16, %o: bf16):
      %e = arith.mulf %p, %p : bf16
      linalg.yield %e : bf16
    }
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = #par} ins(%t, %x : memref<8x64xbf16>, !window) outs(%z : !window) {
    ^bb0(%p: bf16, %q: bf16, %o: bf16):
      %e = math.tanh %p : bf16
      %s = arith.addf %e, %q : bf16
      linalg.yield %s : bf16
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// A rounding that the program asks for stays, and f16 has its accurate functions.
// Comparisons are of the numbers that were not rounded yet.
// CHECK-LABEL: func @asked
// CHECK: %[[A:.*]] = memref.load
// CHECK: %[[X:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK: %[[E:.*]] = math.tanh %[[X]] : f32
// CHECK: %[[R:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK: %[[W:.*]] = arith.extf %[[R]] : f16 to f32
// CHECK: arith.cmpf ogt, %[[E]], %[[X]] : f32
// CHECK: arith.addf %[[W]],
func.func @asked(%a: memref<64x64xf16>, %out: memref<64x64xf32>) {
  %one = arith.constant 1.0 : f32
  scf.forall (%i) = (0) to (64) step (8) {
    %x = memref.subview %a[%i, 0] [8, 64] [1, 1] : memref<64x64xf16> to memref<8x64xf16, strided<[64, 1], offset: ?>>
    %z = memref.subview %out[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%x : memref<8x64xf16, strided<[64, 1], offset: ?>>) outs(%z : memref<8x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f16, %o: f32):
      %e = math.tanh %p : f16
      %w = arith.extf %e : f16 to f32
      %c = arith.cmpf ogt, %e, %p : f16
      %s = arith.addf %w, %one : f32
      %y = arith.select %c, %s, %w : f32
      linalg.yield %y : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}
