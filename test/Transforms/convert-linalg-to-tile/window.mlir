// RUN: %tile_opt_passes 'convert-linalg-to-tile,canonicalize' %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#par = ["parallel", "parallel"]

// A window of 16-bit elements that meets the sum of a product is copied to shared
// memory after the loop, where TMA may bring it; one of f32 to registers.
// CHECK-LABEL: func @residual
// CHECK-DAG: %[[ACC:.*]] = tile.alloc : memref<128x64xf32, #tile.fragment>
// CHECK-DAG: %[[R:.*]] = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[S:.*]] = tile.alloc : memref<128x64xf32, #tile.fragment>
// CHECK: } {tile.num_stages = 3 : i32}
// CHECK: tile.copy %{{.*}} to %[[R]] :
// CHECK: tile.copy %{{.*}} to %[[S]] :
// CHECK-NEXT: tile.parallel (%[[I:.*]], %[[J:.*]]) in [128, 64]
// CHECK-DAG: memref.load %[[ACC]][%[[I]], %[[J]]]
// CHECK-DAG: memref.load %[[R]][%[[I]], %[[J]]]
// CHECK-DAG: memref.load %[[S]][%[[I]], %[[J]]]
// CHECK-NOT: tile.parallel
func.func @residual(%a: memref<256x96xbf16>, %b: memref<96x192xbf16>, %r: memref<256x192xbf16>, %s: memref<256x192xf32>, %out: memref<256x192xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i, %j) = (0, 0) to (256, 192) step (128, 64) {
    %acc = memref.alloc() : memref<128x64xf32>
    %t = memref.alloc() : memref<128x64xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<128x64xf32>)
    scf.for %k = %c0 to %c96 step %c32 {
      %x = memref.subview %a[%i, %k] [128, 32] [1, 1] : memref<256x96xbf16> to memref<128x32xbf16, strided<[96, 1], offset: ?>>
      %y = memref.subview %b[%k, %j] [32, 64] [1, 1] : memref<96x192xbf16> to memref<32x64xbf16, strided<[192, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<128x32xbf16, strided<[96, 1], offset: ?>>, memref<32x64xbf16, strided<[192, 1], offset: ?>>) outs(%acc : memref<128x64xf32>)
    } {tile.num_stages = 3 : i32}
    %w = memref.subview %r[%i, %j] [128, 64] [1, 1] : memref<256x192xbf16> to memref<128x64xbf16, strided<[192, 1], offset: ?>>
    %v = memref.subview %s[%i, %j] [128, 64] [1, 1] : memref<256x192xf32> to memref<128x64xf32, strided<[192, 1], offset: ?>>
    %o = memref.subview %out[%i, %j] [128, 64] [1, 1] : memref<256x192xf32> to memref<128x64xf32, strided<[192, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = #par} ins(%acc, %w : memref<128x64xf32>, memref<128x64xbf16, strided<[192, 1], offset: ?>>) outs(%t : memref<128x64xf32>) {
    ^bb0(%p: f32, %q: bf16, %old: f32):
      %e = arith.extf %q : bf16 to f32
      %u = arith.addf %p, %e : f32
      linalg.yield %u : f32
    }
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = #par} ins(%t, %v : memref<128x64xf32>, memref<128x64xf32, strided<[192, 1], offset: ?>>) outs(%o : memref<128x64xf32, strided<[192, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32, %old: f32):
      %u = arith.addf %p, %q : f32
      linalg.yield %u : f32
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>], tile.num_threads = 128 : i64}
  return
}
