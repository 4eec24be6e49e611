// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

// TMA fills whole tiles: a copy into a window of one takes the next best.
// CHECK-LABEL: func.func @window_of_a_shared_tile
// CHECK: tile.copy {{.*}}instr = #tile.instr<cp_async>
func.func @window_of_a_shared_tile(%A: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 64] {align = 16 : i64} : memref<?x?xbf16>
    %s = tile.region %As[32, 0] [32, 64] : memref<64x64xbf16, #gpu.address_space<workgroup>>
    // expected-remark @+1 {{[tile-instr/window] uses cp_async; not tma: TMA moves whole tiles and slots of rings, and the destination is another window}}
    tile.copy %a to %s : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// A barrier counts fewer bytes than this tile has.
// CHECK-LABEL: func.func @more_than_a_barrier_expects
// CHECK: tile.copy {{.*}}instr = #tile.instr<cp_async>
func.func @more_than_a_barrier_expects(%A: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<512x512xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [512, 512] {align = 16 : i64} : memref<?x?xf32>
    // expected-remark @+1 {{[tile-instr/size] uses cp_async; not tma: a barrier can expect at most 1048575 bytes, the tile has 1048576}}
    tile.copy %a to %As : !tile.region<512x512xf32>, memref<512x512xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
