// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of tile.alloc, tile.region or tile.storage;
// its name cites the label in TileOps.td.

//===-- tile.alloc --------------------------------------------------------===//

func.func @alloc_c1_global() {
  // expected-error @+1 {{expects a tile in shared or private memory or a fragment, got global memory}}
  %0 = tile.alloc : memref<128x64xbf16>
  return
}

// -----

func.func @alloc_c1_unknown() {
  // expected-error @+1 {{expects a tile in shared or private memory or a fragment, got an unknown memory space}}
  %0 = tile.alloc : memref<128x64xbf16, 7>
  return
}

// -----

func.func @alloc_c2_rank_too_low() {
  // expected-error @+1 {{expects rank 1 to 5 in a fragment, got 0}}
  %0 = tile.alloc : memref<f32, #tile.fragment>
  return
}

// -----

func.func @alloc_c2_rank_too_high() {
  // expected-error @+1 {{expects rank 0 to 5 in private memory, got 6}}
  %0 = tile.alloc : memref<1x1x1x1x1x1xf32, #gpu.address_space<private>>
  return
}

// -----

func.func @alloc_c2_dynamic() {
  // expected-error @+1 {{expects a static shape, got memref<?x64xbf16, #gpu.address_space<workgroup>>}}
  %0 = tile.alloc : memref<?x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c2_empty() {
  // expected-error @+1 {{expects extents of at least 1, got 0 in dimension 1}}
  %0 = tile.alloc : memref<64x0xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// The product of the extents would overflow 64 bits.
func.func @alloc_c2_too_many() {
  // expected-error @+1 {{expects at most 2147483647 elements, got more}}
  %0 = tile.alloc : memref<4294967296x4294967296xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c3() {
  // expected-error @+1 {{expects a memref with the identity layout, got strided<[72, 1]>}}
  %0 = tile.alloc : memref<128x64xbf16, strided<[72, 1]>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c4_power() {
  // expected-error @+1 {{expects 'alignment' to be a power of two, got 48}}
  %0 = tile.alloc {alignment = 48} : memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c4_zero() {
  // expected-error @+1 {{expects 'alignment' to be a power of two, got 0}}
  %0 = tile.alloc {alignment = 0} : memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c4_fragment() {
  // expected-error @+1 {{expects 'alignment' only on a tile in shared memory, got a fragment}}
  %0 = tile.alloc {alignment = 16} : memref<64xbf16, #tile.fragment>
  return
}

// -----

func.func @alloc_c5_private() {
  // expected-error @+1 {{expects 'layout' only on a tile in shared memory or a fragment, got private memory}}
  %0 = tile.alloc {layout = #tile.layout<"linear">} : memref<64xbf16, #gpu.address_space<private>>
  return
}

// -----

func.func @alloc_c5_text() {
  // expected-error @+1 {{cannot read the layout of 64x64xbf16: }}
  %0 = tile.alloc {layout = #tile.layout<"spiral">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// Four warps of 16 rows each need 64 rows.
func.func @alloc_c5_shape() {
  // expected-error @+1 {{cannot read the layout of 16x64xf32: }}
  %0 = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<16x64xf32, #tile.fragment>
  return
}

// -----

// Both dimensions step by one element.
func.func @alloc_c6_not_injective() {
  // expected-error @+1 {{layout is not injective: 2 elements share each offset, as (0, 0) and (1, 1) do}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(o:1*2), d1=(o:1*2) -> o:4>">} : memref<2x2xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// Rows of 8 elements begin 7 apart.
func.func @alloc_c6_overlap() {
  // expected-error @+1 {{layout is not injective: strides overlap, and (1, 0) and (0, 7) share offset 7}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(o:7*4), d1=(o:1*8) -> o:32>">} : memref<4x8xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c6_extent() {
  // expected-error @+1 {{layout has offsets up to 31, and says that there are 16}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(o:8*4), d1=(o:1*8) -> o:16>">} : memref<4x8xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// Offsets 6 and 12 are no bits of their own: 6 ^ 12 is 10.
func.func @alloc_c6_no_bits() {
  // expected-error @+1 {{layout is no formula of shifts, masks and XORs: terms: XORed digits of axis o share bits at stride 12}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(o:6^o:3, o:12^o:6, o:12), d1=(o:1*3) -> o:24>">} : memref<8x3xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c6_fragment_no_bits() {
  // expected-error @+1 {{layout is no formula of shifts, masks and XORs: terms: XORed digits of axis d0 share bits at stride 12}}
  %0 = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*3), lane=(d0:6^d0:3, d0:12^d0:6, d0:12, 0*4), warp=() -> d0:24>">} : memref<24xbf16, #tile.fragment>
  return
}

// -----

func.func @alloc_c5_other_rank() {
  // expected-error @+1 {{cannot read the layout of 64xf32: layout is of a tile of rank 2, the buffer has rank 1}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(o:8*8), d1=(o:1*8) -> o:64>">} : memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c5_other_extent() {
  // expected-error @+1 {{cannot read the layout of 8x4xf32: layout has 8 elements in d1, the buffer has 4}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(o:8*8), d1=(o:1*8) -> o:64>">} : memref<8x4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c6_not_covering() {
  // expected-error @+1 {{layout does not cover the tile: 32 of 64 elements, no thread holds (32)}}
  %0 = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=() -> d0:64>">} : memref<64xbf16, #tile.fragment>
  return
}

// -----

func.func @alloc_c6_fragment_as_memory() {
  // expected-error @+1 {{expects a layout of shared memory, got one of a fragment}}
  %0 = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c6_memory_as_fragment() {
  // expected-error @+1 {{expects a layout of a fragment, got one of shared memory}}
  %0 = tile.alloc {layout = #tile.layout<"linear">} : memref<64x64xf32, #tile.fragment>
  return
}

// -----

func.func @alloc_c6_axes_of_memory() {
  // expected-error @+1 {{layout maps neither dimensions d0, d1, ... to offsets o nor reg, lane and warp to dimensions}}
  %0 = tile.alloc {layout = #tile.layout<"bases<d0=(off:1*8) -> off:8>">} : memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c6_axes_of_fragment() {
  // expected-error @+1 {{layout maps neither dimensions}}
  %0 = tile.alloc {layout = #tile.layout<"bases<lane=(d0:1*32), reg=(), warp=() -> d0:32>">} : memref<32xf32, #tile.fragment>
  return
}

// -----

func.func @alloc_c6_lanes() {
  // expected-error @+1 {{layout has 16 lanes, a warp has 32}}
  %0 = tile.alloc {layout = #tile.layout<"bases<reg=(d0:16*2), lane=(d0:1*16), warp=() -> d0:32>">} : memref<32xf32, #tile.fragment>
  return
}

// -----

func.func @alloc_c7_negative() {
  // expected-error @+1 {{expects 'offset' to be a multiple of 4 bytes and at least 0, got -4}}
  %0 = tile.alloc {offset = -4} : memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c7_alignment() {
  // expected-error @+1 {{expects 'offset' to be a multiple of 1024 bytes and at least 0, got 512}}
  %0 = tile.alloc {alignment = 1024, offset = 512} : memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c7_private() {
  // expected-error @+1 {{expects 'offset' only on a tile in shared memory, got private memory}}
  %0 = tile.alloc {offset = 0} : memref<64xf32, #gpu.address_space<private>>
  return
}

// -----

func.func @alloc_c8_index() {
  // expected-error @+1 {{expects elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4, got index}}
  %0 = tile.alloc : memref<64xindex, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c8_width() {
  // expected-error @+1 {{or i4, got i2}}
  %0 = tile.alloc : memref<64xi2, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c8_float() {
  // expected-error @+1 {{got f8E5M2FNUZ}}
  %0 = tile.alloc : memref<64xf8E5M2FNUZ, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_c9_private() {
  // expected-error @+1 {{needs 524296 bytes of the local memory of a thread, which has 524288}}
  %0 = tile.alloc : memref<65537xf64, #gpu.address_space<private>>
  %1 = tile.alloc : memref<65536xf64, #gpu.address_space<private>>
  return
}

// -----

func.func @alloc_c8_signed() {
  // expected-error @+1 {{or i4, got si8}}
  %0 = tile.alloc : memref<64xsi8, #gpu.address_space<workgroup>>
  return
}

// -----

//===-- tile.region -------------------------------------------------------===//

func.func @region_c1(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects 2 offsets and sizes, one per dimension of 'source', got 1 and 2}}
  %0 = tile.region %A[0] [64, 64] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c1_sizes(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects 2 offsets and sizes, one per dimension of 'source', got 2 and 3}}
  %0 = tile.region %A[0, 0] [1, 64, 64] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c1_operands(%A: memref<?xbf16>, %i: index) {
  // expected-error @+1 {{expects 0 offset operands, as many as 'static_offsets' leaves open, got 1}}
  %0 = "tile.region"(%A, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 64>}> : (memref<?xbf16>, index) -> !tile.region<64xbf16>
  return
}

// -----

func.func @region_c2(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects extents of at least 1, got 0 in dimension 1}}
  %0 = tile.region %A[0, 0] [64, 0] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c2_too_many(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects at most 2147483647 elements, got more}}
  %0 = tile.region %A[0, 0] [65536, 65536] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c3_range(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects dropped dimensions in ascending order from 0 to 1, got 2}}
  %0 = tile.region %A[0, 0] [1, 64] drop [2] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c3_order(%A: memref<?x?x?xbf16>) {
  // expected-error @+1 {{expects dropped dimensions in ascending order from 0 to 2, got 0}}
  %0 = tile.region %A[0, 0, 0] [1, 1, 64] drop [1, 0] : memref<?x?x?xbf16>
  return
}

// -----

func.func @region_c3_size(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects dropped dimensions of size 1, got size 64 in dimension 1}}
  %0 = tile.region %A[0, 0] [1, 64] drop [1] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c3_all(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects at least one dimension that stays}}
  %0 = tile.region %A[0, 0] [1, 1] drop [0, 1] : memref<?x?xbf16>
  return
}

// -----

func.func @region_c3_none(%A: memref<bf16>) {
  // expected-error @+1 {{expects at least one dimension that stays}}
  %0 = tile.region %A[] [] : memref<bf16>
  return
}

// -----

func.func @region_c4_static(%A: memref<128x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{leaves shared memory: elements 96 to 159 of dimension 0, of which there are 128}}
  %0 = tile.region %A[96, 0] [64, 64] : memref<128x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @region_c4_negative(%A: memref<128x64xbf16, #tile.fragment>) {
  // expected-error @+1 {{leaves a fragment: elements -1 to 62 of dimension 1, of which there are 64}}
  %0 = tile.region %A[0, -1] [64, 64] : memref<128x64xbf16, #tile.fragment>
  return
}

// -----

func.func @region_c4_dynamic(%A: memref<128x64xbf16, #gpu.address_space<private>>, %i: index) {
  // expected-error @+1 {{expects a window of at most 64 elements in dimension 1 of private memory, got 65}}
  %0 = tile.region %A[0, %i] [64, 65] : memref<128x64xbf16, #gpu.address_space<private>>
  return
}

// -----

func.func @region_c5_type(%A: memref<?xbf16>, %pad: f32) {
  // expected-error @+1 {{expects 'pad' of the element type bf16 of 'source', got f32}}
  %0 = tile.region %A[0] [64] pad %pad : f32 in : memref<?xbf16>
  return
}

// -----

func.func @region_c5_space(%A: memref<64xf32, #gpu.address_space<workgroup>>, %pad: f32) {
  // expected-error @+1 {{expects 'pad' only for a source in global memory, got shared memory}}
  %0 = tile.region %A[0] [64] pad %pad : f32 in : memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @region_c6(%A: memref<?xbf16>) {
  // expected-error @+1 {{expects 'align' to be a power of two, got 12}}
  %0 = tile.region %A[0] [64] {align = 12} : memref<?xbf16>
  return
}

// -----

// A region is not a value that functions hand on.
func.func private @taker(!tile.region<64xbf16>)
func.func @region_c7_call(%A: memref<?xbf16>) {
  // expected-error @+1 {{expects only tile ops to use a region, got 'func.call'}}
  %0 = tile.region %A[0] [64] : memref<?xbf16>
  // expected-note @+1 {{this is the user}}
  func.call @taker(%0) : (!tile.region<64xbf16>) -> ()
  return
}

// -----

func.func @region_c7_yield(%A: memref<?xbf16>, %c: i1) {
  %0 = scf.if %c -> !tile.region<64xbf16> {
    // expected-error @+1 {{expects only tile ops to use a region, got 'scf.yield'}}
    %1 = tile.region %A[0] [64] : memref<?xbf16>
    // expected-note @+1 {{this is the user}}
    scf.yield %1 : !tile.region<64xbf16>
  } else {
    %2 = tile.region %A[64] [64] : memref<?xbf16>
    scf.yield %2 : !tile.region<64xbf16>
  }
  return
}

// -----

// Where a region comes from is checked at the op that takes it.
func.func @region_c7_argument(%r: !tile.region<64xbf16>) {
  %s = tile.alloc : memref<64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'src' to be a memref or the result of tile.region}}
  tile.copy %r to %s : !tile.region<64xbf16>, memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @region_c8(%A: memref<64xbf16, 5 : i32>) {
  // expected-error @+1 {{expects 'source' in global, shared or private memory or a fragment, got memref<64xbf16, 5 : i32>}}
  %0 = tile.region %A[0] [64] : memref<64xbf16, 5 : i32>
  return
}

// -----

func.func @region_rank(%A: memref<?x?x?x?x?x?xbf16>) {
  // expected-error @+1 {{expects a region of at most 5 dimensions}}
  %0 = tile.region %A[0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 1, 1] : memref<?x?x?x?x?x?xbf16>
  return
}

// -----

// The type of a region follows from its sizes.
func.func @region_type(%A: memref<?xbf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{are incompatible with return type(s) of operation}}
  %0 = "tile.region"(%A) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 64>}> : (memref<?xbf16>) -> !tile.region<32xbf16>
  return
}

// -----

//===-- tile.storage ------------------------------------------------------===//

func.func @storage_c1_no_layout() {
  %0 = tile.alloc : memref<64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects a tile.alloc with a layout}}
  %1 = tile.storage %0 : memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @storage_c1_argument(%0: memref<64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects a tile.alloc with a layout}}
  %1 = tile.storage %0 : memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @storage_c1_dynamic(%0: memref<?xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects a static tile}}
  %1 = tile.storage %0 : memref<?xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @region_c9(%S: memref<64x32xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects offsets that are multiples of the sizes with 'on_grid', got 8 in dimension 0 of size 16}}
  %a = tile.region %S[8, 0] [16, 32] {on_grid} : memref<64x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @region_c10(%A: memref<?x?xf32>) {
  // expected-error @+1 {{expects offset 0 to fit 32 bits, got 4294967296}}
  %a = tile.region %A[4294967296, 0] [8, 8] : memref<?x?xf32>
  return
}

// -----

func.func @region_c11_type(%A: memref<8x16xf32>, %ids: memref<4xf32>, %i: index) {
  // expected-error @+1 {{expects 'ids' of rank 1, of i32 or i64, in global or shared memory, got memref<4xf32>}}
  %w = tile.region %A[0, 0] [4, 16] by %ids[%i] dim 0 : memref<8x16xf32>, memref<4xf32>
  return
}

// -----

func.func @region_c11_together(%A: memref<8x16xf32>) {
  // expected-error @+1 {{expects 'ids' and 'dim' together}}
  %w = "tile.region"(%A) <{static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 16>, dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>}> : (memref<8x16xf32>) -> !tile.region<4x16xf32>
  return
}

// -----

func.func @region_c12_space(%ids: memref<4xi32>, %i: index) {
  %s = tile.alloc : memref<8x16xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'source' in global memory with 'ids', got memref<8x16xf32, #gpu.address_space<workgroup>>}}
  %w = tile.region %s[0, 0] [4, 16] by %ids[%i] dim 0 : memref<8x16xf32, #gpu.address_space<workgroup>>, memref<4xi32>
  return
}

// -----

func.func @region_c12_dim(%A: memref<8x16xf32>, %ids: memref<4xi32>, %i: index) {
  // expected-error @+1 {{expects 'dim' to be a dimension of 'source' that is not dropped, got 0}}
  %w = tile.region %A[0, 0] [1, 16] drop [0] by %ids[%i] dim 0 : memref<8x16xf32>, memref<4xi32>
  return
}

// -----

func.func @region_c12_offset(%A: memref<8x16xf32>, %ids: memref<4xi32>, %i: index) {
  // expected-error @+1 {{expects the constant offset 0 in dimension 1, whose places 'ids' names}}
  %w = tile.region %A[0, %i] [8, 4] by %ids[%i] dim 1 : memref<8x16xf32>, memref<4xi32>
  return
}

// -----

func.func @region_c13(%A: memref<8x16xi1>, %ids: memref<4xi32>, %i: index) {
  // expected-error @+1 {{is gathered, which 'tile.any_of' does not take; tile.copy it to a shared tile}}
  %w = tile.region %A[0, 0] [4, 16] by %ids[%i] dim 0 : memref<8x16xi1>, memref<4xi32>
  // expected-note @+1 {{this is the user}}
  %p = tile.any_of %w : !tile.region<4x16xi1>
  return
}

// -----

func.func @region_c14_count(%A: memref<8x16xf32>, %e: index) {
  // expected-error @+1 {{expects one end for each dimension in 'bounded', got 1 and 2}}
  %w = tile.region %A[0, 0] [4, 16] end [0, 1] (%e) : memref<8x16xf32>
  return
}

// -----

func.func @region_c14_order(%A: memref<8x16xf32>, %e: index) {
  // expected-error @+1 {{expects 'bounded' to be ascending dimensions from 0 to 1, got 0}}
  %w = tile.region %A[0, 0] [4, 16] end [1, 0] (%e, %e) : memref<8x16xf32>
  return
}

// -----

func.func @region_c14_space(%e: index) {
  %s = tile.alloc : memref<8x16xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'source' in global memory with an end, got memref<8x16xf32, #gpu.address_space<workgroup>>}}
  %w = tile.region %s[0, 0] [4, 16] end [0] (%e) : memref<8x16xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @region_c15_end(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects 'starts_inside' with an end}}
  %r = tile.region %A[0, 0] [64, 64] {starts_inside} : memref<?x?xbf16>
  return
}

// -----

func.func @region_c15_offset(%A: memref<?x?xbf16>, %end: index) {
  // expected-error @+1 {{expects offsets of at least 0 with 'starts_inside', got -1 in dimension 0}}
  %r = tile.region %A[-1, 0] [64, 64] end [0] (%end) {starts_inside} : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_at_c1_space(%address: i64) attributes {tile.num_threads = 128 : i32} {
  // expected-error @+1 {{expects a tensor in global memory, got shared memory}}
  %t = tile.tensor_at %address : memref<f16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tensor_at_c1_shape(%address: i64) attributes {tile.num_threads = 128 : i32} {
  // expected-error @+1 {{expects a static shape of rank 0 to 5 and the identity layout, got memref<?xf16>: memref.reinterpret_cast gives extents of run time}}
  %t = tile.tensor_at %address : memref<?xf16>
  return
}

// -----

func.func @tensor_at_c2(%address: i64) {
  // expected-error @+1 {{expects to be inside a kernel}}
  %t = tile.tensor_at %address : memref<f16>
  return
}
