// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of tile.copy or tile.fill; its name cites the
// label in TileOps.td.

//===-- tile.copy ---------------------------------------------------------===//

func.func @copy_c1(%s: memref<128x64xbf16, #gpu.address_space<workgroup>>, %d: memref<64x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' and 'dst' of the same shape, got 128x64xbf16 and 64x64xbf16}}
  tile.copy %s to %d : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c1_rank(%s: memref<1x64xbf16, #gpu.address_space<workgroup>>, %d: memref<64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' and 'dst' of the same shape, got 1x64xbf16 and 64xbf16}}
  tile.copy %s to %d : memref<1x64xbf16, #gpu.address_space<workgroup>>, memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c2(%A: memref<64xbf16>, %B: memref<64xbf16, #gpu.address_space<global>>) {
  // expected-error @+1 {{expects 'src' or 'dst' outside global memory, got both in it}}
  tile.copy %A to %B : memref<64xbf16>, memref<64xbf16, #gpu.address_space<global>>
  return
}

// -----

func.func @copy_c2_unknown(%A: memref<64xbf16>, %B: memref<64xbf16, 7 : i32>) {
  // expected-error @+1 {{expects 'dst' in global, shared or private memory or a fragment, got memref<64xbf16, 7 : i32>}}
  tile.copy %A to %B : memref<64xbf16>, memref<64xbf16, 7 : i32>
  return
}

// -----

func.func @copy_c3(%A: memref<64xi32>, %B: memref<64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects two float or two integer element types, got i32 and f32}}
  tile.copy %A to %B : memref<64xi32>, memref<64xf32, #tile.fragment>
  return
}

// -----

func.func @copy_c3_element(%A: memref<64xindex>, %B: memref<64xi32, #tile.fragment>) {
  // expected-error @+1 {{expects elements of 'src' to be f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4, got index}}
  tile.copy %A to %B : memref<64xindex>, memref<64xi32, #tile.fragment>
  return
}

// -----

func.func @copy_c4(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'instr' to be simt, cp_async or tma, got #tile.instr<mma>}}
  tile.copy %A to %B {instr = #tile.instr<mma>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c4_prefer(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'prefer' to be simt, cp_async or tma, got #tile.instr<wgmma>}}
  tile.copy %A to %B {prefer = #tile.instr<wgmma>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c5_power(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'vector_width' to be a power of two from 1 to 16, got 3}}
  tile.copy %A to %B {vector_width = 3} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c5_range(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'vector_width' to be a power of two from 1 to 16, got 32}}
  tile.copy %A to %B {vector_width = 32} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c6_signal(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  %bar = tile.barrier_alloc : !tile.barrier<2>
  // expected-error @+1 {{expects 'signal' of a barrier only with instr = #tile.instr<tma>}}
  tile.copy %A to %B signal %bar[%i] of !tile.barrier<2> : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c6_map(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>, %map: !tile.tensor_map) {
  // expected-error @+1 {{expects 'map' only with instr = #tile.instr<tma>}}
  tile.copy %A to %B map %map {instr = #tile.instr<cp_async>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c7_range(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  %c2 = arith.constant 2 : index
  %bar = tile.barrier_alloc : !tile.barrier<2>
  // expected-error @+1 {{expects a slot from 0 to 1, got the constant 2}}
  tile.copy %A to %B signal %bar[%c2] of !tile.barrier<2> {instr = #tile.instr<tma>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c7_missing(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  %bar = tile.barrier_alloc : !tile.barrier<2>
  // expected-error @+1 {{expects 'signal' and 'slot' together, got only 'signal'}}
  tile.copy %A to %B signal %bar[] of !tile.barrier<2> {instr = #tile.instr<tma>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c7_lonely(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{expects 'signal' and 'slot' together, got only 'slot'}}
  "tile.copy"(%A, %B, %i) <{instr = #tile.instr<tma>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0>}> : (memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, index) -> ()
  return
}

// -----

func.func @copy_c8_dynamic(%A: memref<?xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' to be static and of rank 1 to 5, got memref<?xf32>}}
  tile.copy %A to %B : memref<?xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c8_rank(%A: memref<f32>, %B: memref<f32, #gpu.address_space<private>>) {
  // expected-error @+1 {{expects 'src' to be static and of rank 1 to 5, got memref<f32>}}
  tile.copy %A to %B : memref<f32>, memref<f32, #gpu.address_space<private>>
  return
}

// -----

func.func @copy_c9_tma(%A: memref<64xf32>, %B: memref<64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'instr' to be simt, got #tile.instr<tma>, which copies between global and shared memory only, for a copy from global memory to a fragment}}
  tile.copy %A to %B {instr = #tile.instr<tma>} : memref<64xf32>, memref<64xf32, #tile.fragment>
  return
}

// -----

func.func @copy_c9_cp_async(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'prefer' to be simt or tma, got #tile.instr<cp_async>, which copies from global to shared memory only, for a copy from shared memory to global memory}}
  tile.copy %B to %A {prefer = #tile.instr<cp_async>} : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>
  return
}

// -----

//===-- tile.fill ---------------------------------------------------------===//

func.func @fill_c1(%A: memref<64xf32, #tile.fragment>, %v: f16) {
  // expected-error @+1 {{expects 'value' of the element type f32 of 'dst', got f16}}
  tile.fill %A, %v : memref<64xf32, #tile.fragment>, f16
  return
}

// -----

func.func @fill_c2(%A: memref<?xf32>, %v: f32) {
  // expected-error @+1 {{expects 'dst' to be static and of rank 0 to 5, got memref<?xf32>}}
  tile.fill %A, %v : memref<?xf32>, f32
  return
}

// -----

func.func @copy_c11(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'async' only with instr = #tile.instr<cp_async>, and with #tile.instr<tma> out of shared memory}}
  tile.copy %A to %B {async, instr = #tile.instr<simt>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @cp_async_wait_c1() {
  // expected-error @+1 {{expects 'pending' from 0 to 2^31 - 1, got -1}}
  tile.cp_async_wait pending -1
  return
}

// -----

func.func @copy_c11_load(%A: memref<64xf32>, %B: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'async' only with instr = #tile.instr<cp_async>, and with #tile.instr<tma> out of shared memory}}
  tile.copy %A to %B {async, instr = #tile.instr<tma>} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tma_wait_c1() {
  // expected-error @+1 {{expects 'pending' from 0 to 2^31 - 1, got -2}}
  tile.tma_wait pending -2
  return
}

// -----

func.func @copy_c13(%S: memref<16x32xf32, #gpu.address_space<workgroup>>, %f: memref<16x32xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'eviction' only where 'src' or 'dst' is in global memory: others do not pass L2}}
  tile.copy %S to %f {eviction = #tile.eviction<last>} : memref<16x32xf32, #gpu.address_space<workgroup>>, memref<16x32xf32, #tile.fragment>
  return
}

// -----

func.func @copy_c12(%S: memref<64x32xf32, #gpu.address_space<workgroup>>) {
  %a = tile.region %S[0, 0] [16, 32] : memref<64x32xf32, #gpu.address_space<workgroup>>
  %b = tile.region %S[15, 0] [16, 32] : memref<64x32xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{copies between windows of one tile that overlap: what is read may be overwritten before}}
  tile.copy %a to %b : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, !tile.region<16x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c12_one_slot(%S: memref<4x64x32xf32, #gpu.address_space<workgroup>>, %slot: index) {
  %a = tile.region %S[%slot, 0, 0] [1, 16, 32] drop [0] : memref<4x64x32xf32, #gpu.address_space<workgroup>>
  %b = tile.region %S[%slot, 15, 0] [1, 16, 32] drop [0] : memref<4x64x32xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{copies between windows of one tile that overlap: what is read may be overwritten before}}
  tile.copy %a to %b : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, !tile.region<16x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c12_other_slots(%S: memref<4x64x32xf32, #gpu.address_space<workgroup>>, %x: index, %y: index) {
  %a = tile.region %S[%x, 0, 0] [1, 16, 32] drop [0] : memref<4x64x32xf32, #gpu.address_space<workgroup>>
  %b = tile.region %S[%y, 15, 0] [1, 16, 32] drop [0] : memref<4x64x32xf32, #gpu.address_space<workgroup>>
  tile.copy %a to %b : !tile.region<16x32xf32, #gpu.address_space<workgroup>>, !tile.region<16x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// tile.tma_wait (C1)
func.func @tma_wait_c1_too_many() {
  // expected-error @+1 {{expects 'pending' from 0 to 2^31 - 1, got 4294967296}}
  tile.tma_wait pending 4294967296
  return
}
