// RUN: %tile_opt_passes 'convert-linalg-to-tile{tf32=true threads=64}' %s | FileCheck %s

// Whoever asks for it gets tensor cores for f32.
// CHECK-LABEL: func @product
// CHECK: %[[THREADS:.*]] = arith.constant 64 : index
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %[[THREADS]],
// CHECK: tile.gemm {{.*}} {precision = "tf32"}
func.func @product(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<64x16xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%c : memref<64x16xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}
