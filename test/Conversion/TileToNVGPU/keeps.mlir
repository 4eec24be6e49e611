// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s -o %t.out
// RUN: %tile_opt_passes '' %s -o %t.in
// RUN: diff %t.in %t.out

// Other instructions are other passes' business.
!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>
func.func @others(%A: memref<?x?xbf16>, %map: !tile.tensor_map, %bar: !tile.barrier<1>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %Bs = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  tile.copy %a to %As map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !window, !smem
  tile.copy %a to %Bs {instr = #tile.instr<simt>} : !window, !smem
  tile.copy %a to %Bs : !window, !smem
  tile.gemm %As, %Bs, %C {instr = #tile.instr<wgmma>} : (!smem, !smem, memref<64x64xf32, #tile.fragment>)
  return
}

// No kernel at all.
func.func @host(%n: index) -> index {
  return %n : index
}
