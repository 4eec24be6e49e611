// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_80}' %s | FileCheck %s

// A vector at any place finds its neighbours only where rows are whole; one that
// is aligned lies in a piece of 16 bytes, which layouts keep together.
// CHECK-LABEL: func.func @shifted
// CHECK: tile.alloc {layout = #tile.layout<"linear">} : memref<32x40xf32
// CHECK: tile.alloc {layout = #tile.layout<"linear">} : memref<16x8xi8
// CHECK: tile.alloc {layout = #tile.layout<"swizzle
func.func @shifted(%A: memref<32x40xf32>, %C: memref<16x8xi8>, %i: index, %v: vector<8xi8>) attributes {tile.num_threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %S = tile.alloc : memref<32x40xf32, #gpu.address_space<workgroup>>
  %V = tile.alloc : memref<16x8xi8, #gpu.address_space<workgroup>>
  %T = tile.alloc : memref<32x40xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [32, 40] {align = 16 : i64} : memref<32x40xf32>
  tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<32x40xf32>, memref<32x40xf32, #gpu.address_space<workgroup>>
  tile.copy %a to %T {instr = #tile.instr<cp_async>} : !tile.region<32x40xf32>, memref<32x40xf32, #gpu.address_space<workgroup>>
  %x = vector.load %S[%c0, %i] : memref<32x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  %y = vector.load %T[%i, %c4] : memref<32x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  vector.store %v, %V[%c0, %i] : memref<16x8xi8, #gpu.address_space<workgroup>>, vector<8xi8>
  return
}
