// RUN: %tile_opt_passes 'tile-expand-elements' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-elements' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// Rows of the tensor are read together; outside it the pad is stored.
// CHECK-LABEL: func.func @from_tensor
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [32, 64] {
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK: %[[V:.*]] = scf.if
// CHECK: memref.load %arg0[%[[ROW]], %{{.*}}]
// CHECK: else
// CHECK: scf.yield %arg2
// CHECK: memref.store %[[V]], %{{.*}}[%[[J]], %[[I]]]
func.func @from_tensor(%A: memref<?x?xf32>, %m: index, %pad: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<64x32xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[%m, 0] [32, 64] pad %pad : f32 in : memref<?x?xf32>
  tile.transpose %a to %s : !tile.region<32x64xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>
  return
}

// A window that is inside needs no guard; elements are converted.
// CHECK-LABEL: func.func @to_tensor
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [64, 32] {
// CHECK-NOT: scf.if
// CHECK: memref.load %{{.*}}[%[[J]], %[[I]]] : memref<32x64xf16
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: memref.store
func.func @to_tensor(%A: memref<64x32xbf16>) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
  tile.transpose %s to %A : memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x32xbf16>
  return
}

// A window that ends where the tensor does is inside.
// CHECK-LABEL: func.func @at_the_end
// CHECK-NOT: scf.if
// CHECK: return
func.func @at_the_end(%A: memref<64x32xf16>) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<32x32xf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[32, 0] [32, 32] : memref<64x32xf16>
  tile.transpose %a to %s : !tile.region<32x32xf16>, memref<32x32xf16, #gpu.address_space<workgroup>>
  return
}

// The last two dimensions are exchanged, those before them stay. True becomes one.
// CHECK-LABEL: func.func @batch
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [2, 8, 16] {
// CHECK: %[[V:.*]] = memref.load %arg0[%[[I]], %[[J]], %[[K]]]
// CHECK: %[[W:.*]] = arith.extui %[[V]] : i1 to i32
// CHECK: memref.store %[[W]], %{{.*}}[%[[I]], %[[K]], %[[J]]]
func.func @batch(%A: memref<2x8x16xi1>) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<2x16x8xi32, #gpu.address_space<workgroup>>
  tile.transpose %A to %s : memref<2x8x16xi1>, memref<2x16x8xi32, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func.func @print
// CHECK: tile.parallel (%[[I:.*]]) in [8] {
// CHECK: %[[V:.*]] = memref.load %{{.*}}[%[[I]]]
// CHECK: tile.print "f"(%[[I]], %[[V]] : index, i32)
func.func @print() attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc : memref<8xi32, #tile.fragment>
  tile.print "f"(%f : memref<8xi32, #tile.fragment>)
  return
}

// A column of a fragment becomes a fragment of its own.
// CHECK-LABEL: func.func @column
// CHECK: %[[F:.*]] = tile.alloc : memref<16x8xf32, #tile.fragment>
// CHECK: %[[C:.*]] = tile.alloc : memref<16x1xf32, #tile.fragment>
// CHECK: %[[W:.*]] = tile.region %[[F]][0, 3] [16, 1]
// CHECK: tile.copy %[[W]] to %[[C]]
// CHECK: tile.parallel
// CHECK: memref.load %[[C]][%{{.*}}, %{{.*}}] : memref<16x1xf32
// CHECK: }
// CHECK: tile.copy %[[C]] to
func.func @column(%v: f32) attributes {tile.num_threads = 32 : i32} {
  %c3 = arith.constant 3 : index
  %f = tile.alloc : memref<16x8xf32, #tile.fragment>
  tile.parallel (%i) in [16] {
    %x = memref.load %f[%i, %c3] : memref<16x8xf32, #tile.fragment>
    %y = arith.addf %x, %v : f32
    memref.store %y, %f[%i, %c3] : memref<16x8xf32, #tile.fragment>
  }
  return
}
