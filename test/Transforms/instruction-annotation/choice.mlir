// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -o %t.90 && FileCheck %s --check-prefixes=CHECK,SM90 < %t.90
// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_80}' %s | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %t.90 -o %t.twice
// RUN: diff %t.90 %t.twice

// With aligned rows the best instructions of the chip are taken.
// CHECK-LABEL: func.func @best_of_the_chip
// SM90: tile.copy {{.*}}instr = #tile.instr<tma>
// SM80: tile.copy {{.*}}instr = #tile.instr<cp_async>
// SM90: tile.gemm {{.*}}instr = #tile.instr<wgmma>
// SM80: tile.gemm {{.*}}instr = #tile.instr<mma>
// CHECK: tile.copy {{.*}}instr = #tile.instr<simt>
func.func @best_of_the_chip(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %a = tile.region %A[%c0, %c0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %As, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    %c = tile.region %C[%c0, %c0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// `prefer` goes first when it is legal.
// CHECK-LABEL: func.func @preference_is_taken
// CHECK: tile.copy {{.*}}instr = #tile.instr<cp_async>
func.func @preference_is_taken(%A: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
    tile.copy %a to %As {prefer = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// A bare function cannot make tensor maps: cp.async is next.
// CHECK-LABEL: func.func @no_tensor_map_outside_a_launch
// CHECK: tile.copy {{.*}}instr = #tile.instr<cp_async>
func.func @no_tensor_map_outside_a_launch(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%c0, %c0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}
