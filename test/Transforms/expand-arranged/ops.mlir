// RUN: %tile_opt_passes 'tile-expand-arranged' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-arranged' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>

// A row is read for every element of the tile; outside of the tensor the pad.
// CHECK-LABEL: func.func @broadcast
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [32, 64] {
// CHECK: %[[V:.*]] = scf.if
// CHECK-NEXT: memref.load %arg0[%[[J]]]
// CHECK: scf.yield %arg1
// CHECK: arith.extf %[[V]] : f16 to f32
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @broadcast(%A: memref<?xf16>, %pad: f16) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<32x64xf32, #shared>
  %a = tile.region %A[0] [64] pad %pad : f16 in : memref<?xf16>
  tile.arrange %a to %s broadcast [0] : !tile.region<64xf16>, memref<32x64xf32, #shared>
  return
}

// A fragment is named by the indices of the loop, so the other side counts back.
// CHECK-LABEL: func.func @from_fragment
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [4, 8] {
// CHECK: %[[BACK:.*]] = arith.subi %{{.*}}, %[[J]]
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]] : memref<4x8xf32, #tile.fragment>
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[BACK]]]
func.func @from_fragment() attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc : memref<4x8xf32, #tile.fragment>
  %s = tile.alloc : memref<4x8xf32, #shared>
  tile.arrange %f to %s reverse [1] : memref<4x8xf32, #tile.fragment>, memref<4x8xf32, #shared>
  return
}

// CHECK-LABEL: func.func @between_fragments
// CHECK: %[[T:.*]] = tile.alloc : memref<4x8xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %{{.*}} to %[[T]]
// CHECK: tile.parallel
// CHECK: memref.load %[[T]]
func.func @between_fragments() attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc : memref<4x8xf32, #tile.fragment>
  %g = tile.alloc : memref<4x8xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-arrange/scratch] passes 128 bytes of shared memory}}
  tile.arrange %f to %g reverse [0] : memref<4x8xf32, #tile.fragment>, memref<4x8xf32, #tile.fragment>
  return
}

// The shared tile is looked at in another way, and the copy keeps its instructions.
// CHECK-LABEL: func.func @reshape
// CHECK: %[[V:.*]] = tile.view %{{.*}} : memref<32x16xbf16, #gpu.address_space<workgroup>> to memref<512xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %{{.*}} to %[[V]]
// CHECK: %[[W:.*]] = tile.view %{{.*}} to memref<4x8x16xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[W]] to %{{.*}} : memref<4x8x16xbf16, #gpu.address_space<workgroup>>, memref<4x8x16xf32, #tile.fragment>
func.func @reshape(%A: memref<?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<32x16xbf16, #shared>
  %f = tile.alloc : memref<4x8x16xf32, #tile.fragment>
  %a = tile.region %A[0] [512] : memref<?xbf16>
  tile.arrange %a to %s reshape : !tile.region<512xbf16>, memref<32x16xbf16, #shared>
  tile.arrange %s to %f reshape : memref<32x16xbf16, #shared>, memref<4x8x16xf32, #tile.fragment>
  return
}
