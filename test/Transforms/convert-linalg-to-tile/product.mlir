// RUN: %tile_opt_passes 'convert-linalg-to-tile' %s | FileCheck %s
// RUN: %tile_opt_passes 'convert-linalg-to-tile,convert-linalg-to-tile' %s | FileCheck %s

// Windows that end with their tensors are copied to shared tiles as they are;
// what the loop says of stages stays. The block has the threads that the
// schedule has given it.
// CHECK-LABEL: func @product
// CHECK-SAME: (%[[A:.*]]: memref<256x96xbf16>, %[[B:.*]]: memref<96x192xbf16>)
// CHECK: %[[GY:.*]] = arith.constant 2 : index
// CHECK: %[[GX:.*]] = arith.constant 3 : index
// CHECK: %[[THREADS:.*]] = arith.constant 256 : index
// CHECK-NEXT: gpu.launch blocks(%[[X:.*]], %[[Y:.*]], %{{.*}}) in (%{{.*}} = %[[GX]], %{{.*}} = %[[GY]], {{.*}} threads({{.*}}) in (%{{.*}} = %[[THREADS]],
// CHECK-DAG: %[[ACC:.*]] = tile.alloc : memref<128x64xf32, #tile.fragment>
// CHECK-DAG: %[[AS:.*]] = tile.alloc : memref<128x32xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[BS:.*]] = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[J:.*]] = arith.muli %[[X]],
// CHECK-DAG: %[[I:.*]] = arith.muli %[[Y]],
// CHECK: tile.fill %[[ACC]], %{{.*}}
// CHECK: scf.for %[[K:.*]] =
// CHECK-NEXT: %[[WA:.*]] = tile.region %[[A]][%[[I]], %[[K]]] [128, 32]
// CHECK-NEXT: tile.copy %[[WA]] to %[[AS]]
// CHECK-NEXT: %[[WB:.*]] = tile.region %[[B]][%[[K]], %[[J]]] [32, 64]
// CHECK-NEXT: tile.copy %[[WB]] to %[[BS]]
// CHECK-NEXT: tile.gemm %[[AS]], %[[BS]], %[[ACC]] :
// CHECK-NEXT: } {tile.num_stages = 3 : i32}
// CHECK: %[[C:.*]] = tile.region %{{.*}}[%[[I]], %[[J]]] [128, 64]
// CHECK-NEXT: tile.copy %[[ACC]] to %[[C]]
// CHECK-NEXT: gpu.terminator
func.func @product(%a: memref<256x96xbf16>, %b: memref<96x192xbf16>) -> memref<256x192xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %out = memref.alloc() : memref<256x192xf32>
  scf.forall (%i, %j) = (0, 0) to (256, 192) step (128, 64) {
    %acc = memref.alloc() : memref<128x64xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<128x64xf32>)
    scf.for %k = %c0 to %c96 step %c32 {
      %x = memref.subview %a[%i, %k] [128, 32] [1, 1] : memref<256x96xbf16> to memref<128x32xbf16, strided<[96, 1], offset: ?>>
      %y = memref.subview %b[%k, %j] [32, 64] [1, 1] : memref<96x192xbf16> to memref<32x64xbf16, strided<[192, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<128x32xbf16, strided<[96, 1], offset: ?>>, memref<32x64xbf16, strided<[192, 1], offset: ?>>) outs(%acc : memref<128x64xf32>)
    } {tile.num_stages = 3 : i32}
    %o = memref.subview %out[%i, %j] [128, 64] [1, 1] : memref<256x192xf32> to memref<128x64xf32, strided<[192, 1], offset: ?>>
    memref.copy %acc, %o : memref<128x64xf32> to memref<128x64xf32, strided<[192, 1], offset: ?>>
    memref.dealloc %acc : memref<128x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>], tile.num_threads = 256 : i64}
  return %out : memref<256x192xf32>
}

// The second factor has its rows along the depth, and there is no element
// beside the 5 x 3 x 7 of the product: tiles are what instructions multiply.
// CHECK-LABEL: func @small
// CHECK-DAG: tile.alloc : memref<64x16xf32, #tile.fragment>
// CHECK-DAG: %[[AS:.*]] = tile.alloc : memref<64x16xf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[BS:.*]] = tile.alloc : memref<16x16xf16, #gpu.address_space<workgroup>>
// CHECK-NOT: tile.parallel
// CHECK: tile.gemm %[[AS]], %[[BS]], %{{.*}} {transpose_b}
func.func @small(%a: memref<5x7xf16>, %b: memref<3x7xf16>, %c: memref<5x3xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : memref<5x7xf16>, memref<3x7xf16>) outs(%c : memref<5x3xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// The depth ends before the tensors do: both factors are masked.
// CHECK-LABEL: func @masked
// CHECK-SAME: %[[K:arg[0-9]+]]: index
// CHECK: gpu.launch
// CHECK: %[[DEPTH:.*]] = arith.minsi %[[K]], %{{.*}}
// CHECK: tile.parallel (%{{.*}}, %[[L:.*]]) in [64, 16]
// CHECK: arith.cmpi slt, %[[L]], %[[DEPTH]]
// CHECK: tile.parallel (%[[L:.*]], %{{.*}}) in [16, 16]
// CHECK: arith.cmpi slt, %[[L]], %[[DEPTH]]
// CHECK: tile.gemm
func.func @masked(%a: memref<64x80xf16>, %b: memref<80x16xf16>, %c: memref<64x16xf32>, %k: index) {
  %c16 = arith.constant 16 : index
  scf.forall (%i) = (0) to (1) step (1) {
    %depth = arith.minsi %k, %c16 : index
    %x = memref.subview %a[0, 0] [64, %depth] [1, 1] : memref<64x80xf16> to memref<64x?xf16, strided<[80, 1]>>
    %y = memref.subview %b[0, 0] [%depth, 16] [1, 1] : memref<80x16xf16> to memref<?x16xf16, strided<[16, 1]>>
    linalg.matmul ins(%x, %y : memref<64x?xf16, strided<[80, 1]>>, memref<?x16xf16, strided<[16, 1]>>) outs(%c : memref<64x16xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// A first factor with its rows along the depth is computed in shared memory.
// CHECK-LABEL: func @turned_factor
// CHECK: %[[T:.*]] = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
// CHECK: tile.gemm %[[T]], %{{.*}}, %{{.*}} {transpose_a}
func.func @turned_factor(%a: memref<32x64xf16>, %b: memref<32x16xf16>, %c: memref<64x16xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    %t = memref.alloc() : memref<32x64xf16>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<32x64xf16>) outs(%t : memref<32x64xf16>) {
    ^bb0(%p: f16, %q: f16):
      %u = arith.negf %p : f16
      linalg.yield %u : f16
    }
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%t, %b : memref<32x64xf16>, memref<32x16xf16>) outs(%c : memref<64x16xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}
