// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_80}' %s | FileCheck %s

// The rows of a tile that cp.async fills are stored in runs of four bytes at least,
// though mma reads transposed bytes faster where columns are.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: tile.alloc {layout = #tile.layout<"{{[a-z0-9<>]+}}">} : memref<32x{{96|64}}xi8, #gpu
func.func @rows(%A: memref<?x?xi8>, %B: memref<?x?xi8>) attributes {tile.num_threads = 96 : i32} {
  %As = tile.alloc : memref<32x96xi8, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<32x64xi8, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<96x64xi32, #tile.fragment>
  %a = tile.region %A[0, 0] [32, 96] {align = 16 : i64} : memref<?x?xi8>
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<32x96xi8>, memref<32x96xi8, #gpu.address_space<workgroup>>
  %b = tile.region %B[0, 0] [32, 64] {align = 16 : i64} : memref<?x?xi8>
  tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<32x64xi8>, memref<32x64xi8, #gpu.address_space<workgroup>>
  tile.gemm %As, %Bs, %acc {transpose_a, instr = #tile.instr<mma>} : (memref<32x96xi8, #gpu.address_space<workgroup>>, memref<32x64xi8, #gpu.address_space<workgroup>>, memref<96x64xi32, #tile.fragment>)
  return
}
