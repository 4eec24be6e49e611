// RUN: %tile_opt_passes 'convert-linalg-to-tile,tile-guard-masks,canonicalize' %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
#par = ["parallel", "parallel"]

// Numbers of places have no fragments, and a mask that hides nothing in a round is
// left out: it is true everywhere where it is at the corner of the tile.
// CHECK-LABEL: func @causal
// CHECK-NOT: memref<64xi32
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: tile.gemm
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[M:.*]] : index to i32
// CHECK: %[[LAST:.*]] = arith.addi %[[K]], %c31
// CHECK: %[[COLUMN:.*]] = arith.index_cast %[[LAST]] : index to i32
// CHECK: %[[HIDES:.*]] = arith.cmpi slt, %[[FIRST]], %[[COLUMN]] : i32
// CHECK: scf.if %[[HIDES]] {
// CHECK-NEXT: tile.parallel (%[[I:.*]], %[[J:.*]]) in [64, 32]
// CHECK: arith.addi %[[I]], %[[M]]
// CHECK: arith.addi %[[J]], %[[K]]
// CHECK: arith.cmpi sge
// CHECK: arith.select
// CHECK-NOT: tile.parallel
// CHECK: tile.reduce max
func.func @causal(%a: memref<128x32xbf16>, %b: memref<32x128xbf16>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  scf.forall (%m) = (0) to (128) step (64) {
    %s = memref.alloc() : memref<64x32xf32>
    %rows = memref.alloc() : memref<64xi32>
    %max = memref.alloc() : memref<64xf32>
    linalg.fill ins(%low : f32) outs(%max : memref<64xf32>)
    scf.for %k = %c0 to %c128 step %c32 {
      %x = memref.subview %a[%m, 0] [64, 32] [1, 1] : memref<128x32xbf16> to memref<64x32xbf16, strided<[32, 1], offset: ?>>
      %y = memref.subview %b[0, %k] [32, 32] [1, 1] : memref<32x128xbf16> to memref<32x32xbf16, strided<[128, 1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%s : memref<64x32xf32>)
      linalg.matmul ins(%x, %y : memref<64x32xbf16, strided<[32, 1], offset: ?>>, memref<32x32xbf16, strided<[128, 1], offset: ?>>) outs(%s : memref<64x32xf32>)
      linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%rows : memref<64xi32>) {
      ^bb0(%o: i32):
        %i = linalg.index 0 : index
        %n = arith.addi %i, %m : index
        %p = arith.index_cast %n : index to i32
        linalg.yield %p : i32
      }
      linalg.generic {indexing_maps = [#row, #id], iterator_types = #par} ins(%rows : memref<64xi32>) outs(%s : memref<64x32xf32>) {
      ^bb0(%p: i32, %o: f32):
        %j = linalg.index 1 : index
        %n = arith.addi %j, %k : index
        %q = arith.index_cast %n : index to i32
        %c = arith.cmpi sge, %p, %q : i32
        %t = arith.select %c, %o, %low : f32
        linalg.yield %t : f32
      }
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<64x32xf32>) outs(%max : memref<64xf32>) {
      ^bb0(%p: f32, %o: f32):
        %t = arith.maximumf %o, %p : f32
        linalg.yield %t : f32
      }
    }
    %z = memref.subview %out[%m] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %max, %z : memref<64xf32> to memref<64xf32, strided<[1], offset: ?>>
  } {mapping = [#gpu.block<x>]}
  return
}
