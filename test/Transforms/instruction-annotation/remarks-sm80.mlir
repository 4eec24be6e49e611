// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_80}' %s -split-input-file -verify-diagnostics

// Rows of unknown alignment: what the chip does not have is not mentioned.
func.func @unaligned_rows(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
  // expected-remark @+1 {{[tile-instr/alignment] uses simt; not cp_async: rows are known to be aligned to 2 bytes; cp.async needs 4}}
  tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// Aligned rows, but the window starts at any column.
func.func @unaligned_column(%A: memref<?x?xbf16>, %j: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, %j] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  // expected-remark @+1 {{[tile-instr/alignment] uses simt; not cp_async: windows are known to start at columns that are multiples of 2 bytes; cp.async needs 4}}
  tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// What wgmma would need is not mentioned either.
func.func @short_k() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x8xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<8x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{no matrix instruction is legal: mma: K = 8 is no multiple of 16}}
  tile.gemm %As, %Bs, %acc : (memref<64x8xbf16, #gpu.address_space<workgroup>>, memref<8x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

// Policies of L2 are for loads and stores, whoever chose cp.async.
func.func @policy(%A: memref<64x64xbf16>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
  // expected-remark @+1 {{[tile-instr/eviction] uses cp_async; not its L2 policy: ptxas for PTX before 9.4 makes illegal instructions of cp.async with a policy; plain copies obey it}}
  tile.copy %a to %As {eviction = #tile.eviction<last>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{[tile-instr/eviction] uses cp_async; not its L2 policy}}
  tile.copy %a to %As {eviction = #tile.eviction<first>, instr = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{[tile-instr/eviction] uses cp_async; not its L2 policy}}
  tile.copy %a to %As {eviction = #tile.eviction<first>, prefer = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  tile.copy %a to %As {eviction = #tile.eviction<normal>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  tile.copy %a to %As {eviction = #tile.eviction<first>, instr = #tile.instr<simt>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}
