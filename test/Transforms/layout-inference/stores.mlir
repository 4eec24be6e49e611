// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-layout-inference{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// A tile that TMA stores has a layout that TMA can drain, and the tensor map of the
// tensor that is written.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: %[[C:.*]]: memref<?x?xbf16>
// CHECK: %[[MAP:.*]] = tile.tensor_map %[[C]] box [64, 64] swizzle 128
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>} : memref<64x64xf32
// CHECK: tile.copy %{{.*}} to %{{.*}} map %[[MAP]] {instr = #tile.instr<tma>} : memref<64x64xbf16
func.func @epilogue(%C: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %acc = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
    %Cs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %c = tile.region %C[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
    tile.copy %acc to %Cs : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %Cs to %c : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}
