// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Reductions, scans, predicates and atomics are printed as they are read, in
// text, in the generic form and in bytecode.

#shared = #gpu.address_space<workgroup>

// Every kind, with and without the old value, with and without the dimension.
// CHECK-LABEL: func.func @reduce
func.func @reduce(%a: memref<64x128xf32, #tile.fragment>, %row: memref<64xf32, #tile.fragment>, %col: memref<1x128xf64, #shared>, %m: memref<7x3x5xi1, #shared>, %n: memref<7x5xi32, #shared>, %i: memref<7x5xi1, #tile.fragment>) {
  // CHECK: tile.reduce max %{{.*}} to %{{.*}} dim 1 : memref<64x128xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  tile.reduce max %a to %row dim 1 : memref<64x128xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce abssum %{{.*}} to %{{.*}} dim 0 {clear} : memref<64x128xf32, #tile.fragment>, memref<1x128xf64, #gpu.address_space<workgroup>>
  tile.reduce abssum %a to %col dim 0 {clear} : memref<64x128xf32, #tile.fragment>, memref<1x128xf64, #shared>
  // CHECK: tile.reduce sum
  tile.reduce sum %m to %n dim 1 : memref<7x3x5xi1, #shared>, memref<7x5xi32, #shared>
  // CHECK: tile.reduce min
  tile.reduce min %m to %n dim 1 : memref<7x3x5xi1, #shared>, memref<7x5xi32, #shared>
  // CHECK: tile.reduce absmax
  tile.reduce absmax %a to %row dim 1 {clear} : memref<64x128xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce and
  tile.reduce and %m to %i dim 1 : memref<7x3x5xi1, #shared>, memref<7x5xi1, #tile.fragment>
  // CHECK: tile.reduce or
  tile.reduce or %m to %i dim 1 : memref<7x3x5xi1, #shared>, memref<7x5xi1, #tile.fragment>
  // CHECK: tile.reduce xor
  tile.reduce xor %m to %i dim 1 : memref<7x3x5xi1, #shared>, memref<7x5xi1, #tile.fragment>
  return
}

// Partial results of groups of warps.
// CHECK-LABEL: func.func @partial
func.func @partial(%a: memref<64x128xf32, #tile.fragment>, %s: memref<64x4xf32, #shared>) {
  // CHECK: tile.reduce sum %{{.*}} to %{{.*}} dim 1 {clear, partial} :
  tile.reduce sum %a to %s dim 1 {clear, partial} : memref<64x128xf32, #tile.fragment>, memref<64x4xf32, #shared>
  return
}

// In place, between types, from either end.
// CHECK-LABEL: func.func @scan
func.func @scan(%x: memref<100xf32, #shared>, %b: memref<4x9xi8, #tile.fragment>, %w: memref<4x9xi64, #shared>) {
  // CHECK: tile.scan sum %[[X:.*]] to %[[X]] dim 0 {reverse} :
  tile.scan sum %x to %x dim 0 {reverse} : memref<100xf32, #shared>, memref<100xf32, #shared>
  // CHECK: tile.scan max %{{.*}} to %{{.*}} dim 1 : memref<4x9xi8, #tile.fragment>, memref<4x9xi64, #gpu.address_space<workgroup>>
  tile.scan max %b to %w dim 1 : memref<4x9xi8, #tile.fragment>, memref<4x9xi64, #shared>
  // CHECK: tile.scan min
  tile.scan min %b to %b dim 1 : memref<4x9xi8, #tile.fragment>, memref<4x9xi8, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%M: memref<?x?xi1>, %f: memref<32xi1, #tile.fragment>, %i: index) -> (i1, i1) {
  %m = tile.region %M[%i, 0] [1, 16] : memref<?x?xi1>
  // CHECK: tile.any_of %{{.*}} : !tile.region<1x16xi1>
  %p = tile.any_of %m : !tile.region<1x16xi1>
  // CHECK: tile.all_of %{{.*}} : memref<32xi1, #tile.fragment>
  %q = tile.all_of %f : memref<32xi1, #tile.fragment>
  return %p, %q : i1, i1
}

// From a fragment, a shared tile and a scalar.
// CHECK-LABEL: func.func @atomic
func.func @atomic(%C: memref<?x?xf32>, %acc: memref<64x64xf32, #tile.fragment>, %s: memref<64x64xf32, #shared>, %h: memref<8xi64, #shared>, %v: i64, %map: !tile.tensor_map) {
  %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
  // CHECK: tile.atomic add %{{.*}} to %{{.*}} : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
  tile.atomic add %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
  // CHECK: tile.atomic max %{{.*}} to %{{.*}} {instr = #tile.instr<simt>} :
  tile.atomic max %s to %c {instr = #tile.instr<simt>} : memref<64x64xf32, #shared>, !tile.region<64x64xf32>
  // CHECK: tile.atomic add %{{.*}} to %{{.*}} map %{{.*}} {instr = #tile.instr<tma>} :
  tile.atomic add %s to %c map %map {instr = #tile.instr<tma>} : memref<64x64xf32, #shared>, !tile.region<64x64xf32>
  // CHECK: tile.atomic or %{{.*}} to %{{.*}} : i64, memref<8xi64, #gpu.address_space<workgroup>>
  tile.atomic or %v to %h : i64, memref<8xi64, #shared>
  tile.atomic min %v to %h : i64, memref<8xi64, #shared>
  tile.atomic and %v to %h : i64, memref<8xi64, #shared>
  tile.atomic xor %v to %h : i64, memref<8xi64, #shared>
  return
}

// The elements before, with and without a tensor map after them.
// CHECK-LABEL: func.func @atomic_old
func.func @atomic_old(%C: memref<?x?xf32>, %acc: memref<64x64xf32, #tile.fragment>, %old: memref<64x64xf32, #tile.fragment>, %h: memref<8xi8>, %s: memref<8xi8, #shared>, %v: i8) {
  %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
  // CHECK: tile.atomic add %{{.*}} to %{{.*}} old %{{.*}} : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>, memref<64x64xf32, #tile.fragment>
  tile.atomic add %acc to %c old %old : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>, memref<64x64xf32, #tile.fragment>
  // CHECK: tile.atomic max %{{.*}} to %{{.*}} old %{{.*}} {instr = #tile.instr<simt>} : i8, memref<8xi8>, memref<8xi8, #gpu.address_space<workgroup>>
  tile.atomic max %v to %h old %s {instr = #tile.instr<simt>} : i8, memref<8xi8>, memref<8xi8, #shared>
  return
}
