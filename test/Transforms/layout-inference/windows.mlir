// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>

// Slices of 32 columns are whole atoms of 64 bytes, so the tile is swizzled by 64,
// not 128. What the loop shows of the offsets is kept on the windows.
// CHECK-LABEL: func.func @slices
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<64x128xbf16
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16
// CHECK: tile.region {{.*}} [64, 32] {on_grid}
// CHECK: tile.region {{.*}} [32, 64] {on_grid}
func.func @slices(%G: memref<64x128xbf16>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %A = tile.alloc : memref<64x128xbf16, #smem>
  %B = tile.alloc : memref<128x64xbf16, #smem>
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  %g = tile.region %G[0, 0] [64, 128] {align = 16 : i64} : memref<64x128xbf16>
  tile.copy %g to %A {instr = #tile.instr<cp_async>} : !tile.region<64x128xbf16>, memref<64x128xbf16, #smem>
  scf.for %k = %c0 to %c128 step %c32 {
    %a = tile.region %A[0, %k] [64, 32] : memref<64x128xbf16, #smem>
    %b = tile.region %B[%k, 0] [32, 64] : memref<128x64xbf16, #smem>
    tile.gemm %a, %b, %C {instr = #tile.instr<wgmma>} : (!tile.region<64x32xbf16, #smem>, !tile.region<32x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
  }
  return
}
