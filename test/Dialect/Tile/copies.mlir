// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Copies and fills are printed as they are read, in text, in the generic form
// and in bytecode.

// Between all memory spaces, with and without conversion.
// CHECK-LABEL: func.func @spaces
func.func @spaces(%A: memref<?x?xbf16>, %p: memref<8x8xbf16, #gpu.address_space<private>>) {
  %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %frag = tile.alloc : memref<128x64xf32, #tile.fragment>
  %a = tile.region %A[0, 0] [128, 64] : memref<?x?xbf16>
  %small = tile.region %A[0, 0] [8, 8] : memref<?x?xbf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xf32, #tile.fragment>
  tile.copy %As to %frag : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : memref<128x64xf32, #tile.fragment>, !tile.region<128x64xbf16>
  tile.copy %frag to %a : memref<128x64xf32, #tile.fragment>, !tile.region<128x64xbf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : memref<8x8xbf16, #gpu.address_space<private>>, !tile.region<8x8xbf16>
  tile.copy %p to %small : memref<8x8xbf16, #gpu.address_space<private>>, !tile.region<8x8xbf16>
  return
}

// Everything that a copy can carry.
// CHECK-LABEL: func.func @options
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !tile.tensor_map, %[[SLOT:[a-z0-9]+]]: index
func.func @options(%A: memref<?x?xbf16>, %map: !tile.tensor_map, %slot: index) {
  %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [128, 64] : memref<?x?xbf16>
  // CHECK: %[[BAR:[a-z0-9]+]] = tile.barrier_alloc
  %full = tile.barrier_alloc : !tile.barrier<3>
  // CHECK: tile.copy %{{.*}} to %{{.*}} map %[[MAP]] signal %[[BAR]][%[[SLOT]]] of !tile.barrier<3> {instr = #tile.instr<tma>} :
  tile.copy %a to %As map %map signal %full[%slot] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.copy %{{.*}} to %{{.*}} map %[[MAP]] {eviction = #tile.eviction<first>, instr = #tile.instr<tma>} :
  tile.copy %As to %a map %map {instr = #tile.instr<tma>, eviction = #tile.eviction<first>} : memref<128x64xbf16, #gpu.address_space<workgroup>>, !tile.region<128x64xbf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} {prefer = #tile.instr<cp_async>, tile.stage = 0 : i32, vector_width = 8 : i64} :
  tile.copy %a to %As {prefer = #tile.instr<cp_async>, vector_width = 8, tile.stage = 0 : i32} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func.func @fills
func.func @fills(%A: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  // CHECK: tile.fill %{{.*}}, %{{.*}} : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
  %a = tile.region %A[0, 0] [128, 64] : memref<?x?xf32>
  // CHECK: tile.fill %{{.*}}, %{{.*}} : !tile.region<128x64xf32>, f32
  tile.fill %a, %zero : !tile.region<128x64xf32>, f32
  %scalar = tile.alloc : memref<f32, #gpu.address_space<private>>
  // CHECK: tile.fill %{{.*}}, %{{.*}} : memref<f32, #gpu.address_space<private>>, f32
  tile.fill %scalar, %zero : memref<f32, #gpu.address_space<private>>, f32
  return
}

// Windows of one tile that share nothing, or everything, or whose offsets are not
// constant.
// CHECK-LABEL: func.func @windows_of_one_tile
// CHECK-COUNT-3: tile.copy
func.func @windows_of_one_tile(%S: memref<64x32xf32, #gpu.address_space<workgroup>>, %i: index) {
  %a = tile.region %S[0, 0] [16, 32] : memref<64x32xf32, #gpu.address_space<workgroup>>
  %b = tile.region %S[16, 0] [16, 32] : memref<64x32xf32, #gpu.address_space<workgroup>>
  %c = tile.region %S[%i, 0] [16, 32] : memref<64x32xf32, #gpu.address_space<workgroup>>
  tile.copy %a to %b : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, !tile.region<16x32xf32, #gpu.address_space<workgroup>>
  tile.copy %a to %a : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, !tile.region<16x32xf32, #gpu.address_space<workgroup>>
  tile.copy %a to %c : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, !tile.region<16x32xf32, #gpu.address_space<workgroup>>
  return
}

// TMA stores under way: all of them written, or but for two read.
// CHECK-LABEL: func.func @waits_for_stores
func.func @waits_for_stores() {
  // CHECK-NEXT: tile.tma_wait pending 0{{$}}
  // CHECK-NEXT: tile.tma_wait pending 2 {read}
  tile.tma_wait pending 0
  tile.tma_wait pending 2 {read}
  return
}
