// RUN: %tile_opt_passes 'convert-linalg-to-tile' %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#par = ["parallel", "parallel"]

// Loops over the same elements are one, with values between them: the window of
// `%b` is read before, since what comes between touches nothing of the first loop.
// CHECK-LABEL: func @chain
// CHECK: tile.copy %{{.*}} to %[[X:.*]] : !tile.region<8x64xf32>
// CHECK: tile.copy %{{.*}} to %[[Y:.*]] : !tile.region<8x64xf32>
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [8, 64]
// CHECK: %[[A:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK-NOT: memref.store
// CHECK: %[[B:.*]] = memref.load %[[Y]][%[[I]], %[[J]]]
// CHECK: %[[S:.*]] = arith.addf %[[E]], %[[B]]
// CHECK: memref.store %[[S]], %[[O:.*]][%[[I]], %[[J]]]
// CHECK-NOT: tile.parallel
// CHECK: tile.copy %[[O]] to
func.func @chain(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %out: memref<64x64xf32>) {
  scf.forall (%i) = (0) to (64) step (8) {
    %t = memref.alloc() : memref<8x64xf32>
    %x = memref.subview %a[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %b[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %z = memref.subview %out[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%x : memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%t : memref<8x64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %e = math.exp %p : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = #par} ins(%t, %y : memref<8x64xf32>, memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%z : memref<8x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// What a reduction reads stays in its fragment, and what it writes is read after it.
// CHECK-LABEL: func @reduced
// CHECK: tile.parallel
// CHECK: memref.store %{{.*}}, %[[T:.*]][
// CHECK: tile.reduce sum %[[T]] to %[[R:.*]] dim 1
// CHECK: tile.parallel
// CHECK-DAG: memref.load %[[T]]
// CHECK-DAG: memref.load %[[R]]
func.func @reduced(%a: memref<64x64xf32>, %out: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (8) {
    %t = memref.alloc() : memref<8x64xf32>
    %r = memref.alloc() : memref<8xf32>
    %x = memref.subview %a[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %z = memref.subview %out[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%r : memref<8xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%x : memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%t : memref<8x64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %e = math.exp %p : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<8x64xf32>) outs(%r : memref<8xf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = arith.addf %p, %o : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = #par} ins(%t, %r : memref<8x64xf32>, memref<8xf32>) outs(%z : memref<8x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.divf %p, %q : f32
      linalg.yield %s : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// A copy to a tensor rounds: no loop does it before.
// CHECK-LABEL: func @rounded
// CHECK: tile.parallel
// CHECK: memref.store %{{.*}}, %[[T:.*]][%{{.*}}] : memref<8x64xf32, #tile.fragment>
// CHECK: tile.reduce
// CHECK-NOT: arith.truncf
// CHECK: tile.copy %[[T]] to %{{.*}} : memref<8x64xf32, #tile.fragment>, !tile.region<8x64xbf16>
func.func @rounded(%a: memref<64x64xf32>, %out: memref<64x64xbf16>, %sums: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (8) {
    %t = memref.alloc() : memref<8x64xf32>
    %r = memref.alloc() : memref<8xf32>
    %x = memref.subview %a[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %z = memref.subview %out[%i, 0] [8, 64] [1, 1] : memref<64x64xbf16> to memref<8x64xbf16, strided<[64, 1], offset: ?>>
    %s = memref.subview %sums[%i] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%r : memref<8xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%x : memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%t : memref<8x64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %e = math.exp %p : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<8x64xf32>) outs(%r : memref<8xf32>) {
    ^bb0(%p: f32, %o: f32):
      %q = arith.addf %p, %o : f32
      linalg.yield %q : f32
    }
    memref.copy %r, %s : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = #par} ins(%t : memref<8x64xf32>) outs(%z : memref<8x64xbf16, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f32, %o: bf16):
      %q = arith.truncf %p : f32 to bf16
      linalg.yield %q : bf16
    }
  } {mapping = [#gpu.block<x>]}
  return
}
