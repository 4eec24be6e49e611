// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of tile.reduce, tile.scan, tile.any_of,
// tile.all_of or tile.atomic; its name cites the label in the .td file of the op.

//===-- tile.reduce -------------------------------------------------------===//

func.func @reduce_c1_dynamic(%s: memref<?x64xf32>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' to be static and of rank 1 to 5, got memref<?x64xf32>}}
  tile.reduce sum %s to %d dim 0 : memref<?x64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c1_rank(%s: memref<64xf32, #gpu.address_space<workgroup>>, %d: memref<f32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' to be static and of rank 1 to 5, got memref<f32, #gpu.address_space<workgroup>>}}
  tile.reduce sum %s to %d dim 0 : memref<64xf32, #gpu.address_space<workgroup>>, memref<f32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c1_global(%s: memref<64x64xf32>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' in shared memory or a fragment, got it in global memory}}
  tile.reduce sum %s to %d dim 0 : memref<64x64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c1_private(%s: memref<64x64xf32, #gpu.address_space<workgroup>>, %d: memref<64xf32, #gpu.address_space<private>>) {
  // expected-error @+1 {{expects 'dst' in shared memory or a fragment, got it in private memory}}
  tile.reduce sum %s to %d dim 0 : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<private>>
  return
}

// -----

func.func @reduce_c1_window(%f: memref<64x64xf32, #tile.fragment>, %d: memref<32xf32, #tile.fragment>) {
  %w = tile.region %f[0, 0] [32, 32] : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expects 'src' to be a whole fragment, got a window of one}}
  tile.reduce sum %w to %d dim 1 : !tile.region<32x32xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
  return
}

// -----

func.func @reduce_c2(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dim' from 0 to 1 for a tile of rank 2, got 2}}
  tile.reduce sum %s to %d dim 2 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c2_negative(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dim' from 0 to 1 for a tile of rank 2, got -1}}
  tile.reduce sum %s to %d dim -1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c3(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' of the shape of 64x32xf32 without dimension 0, or with extent 1 there, got 64xf32}}
  tile.reduce sum %s to %d dim 0 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c3_kept(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64x2xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' of the shape of 64x32xf32 without dimension 1, or with extent 1 there, got 64x2xf32}}
  tile.reduce sum %s to %d dim 1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64x2xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c3_rank(%s: memref<4x64x32xf32, #gpu.address_space<workgroup>>, %d: memref<4xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' of the shape of 4x64x32xf32 without dimension 1, or with extent 1 there, got 4xf32}}
  tile.reduce sum %s to %d dim 1 : memref<4x64x32xf32, #gpu.address_space<workgroup>>, memref<4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c3_partial(%s: memref<64x32xf32, #tile.fragment>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' of the shape of 64x32xf32 without dimension 1, or with extent 1 there, got 64xf32}}
  tile.reduce sum %s to %d dim 1 {clear, partial} : memref<64x32xf32, #tile.fragment>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c3_partial_clear(%s: memref<64x32xf32, #tile.fragment>, %d: memref<64x4xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'partial' with 'clear' and 'dst' in shared memory}}
  tile.reduce sum %s to %d dim 1 {partial} : memref<64x32xf32, #tile.fragment>, memref<64x4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c3_partial_space(%s: memref<64x32xf32, #tile.fragment>, %d: memref<64x4xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'partial' with 'clear' and 'dst' in shared memory}}
  tile.reduce sum %s to %d dim 1 {clear, partial} : memref<64x32xf32, #tile.fragment>, memref<64x4xf32, #tile.fragment>
  return
}

// -----

func.func @reduce_c4(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects two float or two integer element types, got f32 and i32}}
  tile.reduce sum %s to %d dim 1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c4_f8(%s: memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{cannot compute with f8E4M3FN; copy the tile to f16, bf16 or f32 first}}
  tile.reduce max %s to %d dim 1 : memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c4_f8_dst(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64xf8E5M2, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{cannot compute with f8E5M2; copy the tile to f16, bf16 or f32 first}}
  tile.reduce max %s to %d dim 1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64xf8E5M2, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c4_signed(%s: memref<64x32xsi32, #gpu.address_space<workgroup>>, %d: memref<64xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects elements of 'src' to be f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4, got si32}}
  tile.reduce sum %s to %d dim 1 : memref<64x32xsi32, #gpu.address_space<workgroup>>, memref<64xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c5_float(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects integers with 'xor', got f32}}
  tile.reduce xor %s to %d dim 1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @reduce_c5_i1(%s: memref<64x32xi1, #gpu.address_space<workgroup>>, %d: memref<64xi1, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'and', 'or' or 'xor' into i1, got 'sum'; a wider 'dst' counts}}
  tile.reduce sum %s to %d dim 1 : memref<64x32xi1, #gpu.address_space<workgroup>>, memref<64xi1, #gpu.address_space<workgroup>>
  return
}

// -----

//===-- tile.scan ---------------------------------------------------------===//

func.func @scan_c1(%s: memref<64x32xf32>, %d: memref<64x32xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' in shared memory or a fragment, got it in global memory}}
  tile.scan sum %s to %d dim 1 : memref<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @scan_c1_rank(%s: memref<1x1x1x1x1x8xf32, #gpu.address_space<workgroup>>, %d: memref<1x1x1x1x1x8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' to be static and of rank 1 to 5, got memref<1x1x1x1x1x8xf32, #gpu.address_space<workgroup>>}}
  tile.scan sum %s to %d dim 1 : memref<1x1x1x1x1x8xf32, #gpu.address_space<workgroup>>, memref<1x1x1x1x1x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @scan_c2(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64x32xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dim' from 0 to 1 for a tile of rank 2, got 3}}
  tile.scan sum %s to %d dim 3 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @scan_c3(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<32x64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' and 'dst' of the same shape, got 64x32xf32 and 32x64xf32}}
  tile.scan max %s to %d dim 1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<32x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @scan_c4(%s: memref<64x32xf32, #gpu.address_space<workgroup>>, %d: memref<64x32xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects two float or two integer element types, got f32 and i32}}
  tile.scan max %s to %d dim 1 : memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64x32xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @scan_c4_i1(%s: memref<64x32xi1, #gpu.address_space<workgroup>>, %d: memref<64x32xi1, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' of more than one bit per element, got i1}}
  tile.scan max %s to %d dim 1 : memref<64x32xi1, #gpu.address_space<workgroup>>, memref<64x32xi1, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @scan_c4_f8(%s: memref<64x32xf8E5M2, #gpu.address_space<workgroup>>, %d: memref<64x32xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{cannot compute with f8E5M2; copy the tile to f16, bf16 or f32 first}}
  tile.scan sum %s to %d dim 1 : memref<64x32xf8E5M2, #gpu.address_space<workgroup>>, memref<64x32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

//===-- tile.any_of, tile.all_of ------------------------------------------===//

func.func @any_of_c1(%m: memref<?xi1>) {
  // expected-error @+1 {{expects 'mask' to be static and of rank 1 to 5, got memref<?xi1>}}
  %p = tile.any_of %m : memref<?xi1>
  return
}

// -----

func.func @any_of_c1_private(%m: memref<8xi1, #gpu.address_space<private>>) {
  // expected-error @+1 {{expects 'mask' in global or shared memory or a fragment, got it in private memory}}
  %p = tile.any_of %m : memref<8xi1, #gpu.address_space<private>>
  return
}

// -----

func.func @any_of_c2(%m: memref<8xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'mask' of i1, got i8}}
  %p = tile.any_of %m : memref<8xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @all_of_c2(%m: memref<8xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'mask' of i1, got i8}}
  %p = tile.all_of %m : memref<8xi8, #gpu.address_space<workgroup>>
  return
}

// -----

//===-- tile.atomic -------------------------------------------------------===//

func.func @atomic_c1(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<?xf32>) {
  // expected-error @+1 {{expects 'dst' to be static and of rank 1 to 5, got memref<?xf32>}}
  tile.atomic add %s to %d : memref<8xf32, #gpu.address_space<workgroup>>, memref<?xf32>
  return
}

// -----

func.func @atomic_c1_space(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'dst' in global or shared memory, got it in a fragment}}
  tile.atomic add %s to %d : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32, #tile.fragment>
  return
}

// -----

func.func @atomic_c2_scalar(%s: f16, %d: memref<8xf32>) {
  // expected-error @+1 {{expects 'src' to be a tile or a value of the element type f32 of 'dst', got f16}}
  tile.atomic add %s to %d : f16, memref<8xf32>
  return
}

// -----

func.func @atomic_c2_shape(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<9xf32>) {
  // expected-error @+1 {{expects 'src' and 'dst' of the same shape, got 8xf32 and 9xf32}}
  tile.atomic add %s to %d : memref<8xf32, #gpu.address_space<workgroup>>, memref<9xf32>
  return
}

// -----

func.func @atomic_c2_global(%s: memref<8xf32>, %d: memref<8xf32>) {
  // expected-error @+1 {{expects 'src' in shared memory or a fragment, got it in global memory}}
  tile.atomic add %s to %d : memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @atomic_c3_i1(%s: memref<8xi1, #gpu.address_space<workgroup>>, %d: memref<8xi1>) {
  // expected-error @+1 {{cannot update i1 with add; the table of tile.atomic lists what can}}
  tile.atomic add %s to %d : memref<8xi1, #gpu.address_space<workgroup>>, memref<8xi1>
  return
}

// -----

func.func @atomic_c3_bits(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32>) {
  // expected-error @+1 {{cannot update f32 with xor; the table of tile.atomic lists what can}}
  tile.atomic xor %s to %d : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32>
  return
}

// -----

func.func @atomic_c3_f8(%s: memref<8xf8E5M2, #gpu.address_space<workgroup>>, %d: memref<8xf8E5M2>) {
  // expected-error @+1 {{cannot update f8E5M2 with max; the table of tile.atomic lists what can}}
  tile.atomic max %s to %d : memref<8xf8E5M2, #gpu.address_space<workgroup>>, memref<8xf8E5M2>
  return
}

// -----

func.func @atomic_c4(%s: memref<8xi32, #gpu.address_space<workgroup>>, %d: memref<8xf32>) {
  // expected-error @+1 {{expects two float or two integer element types, got i32 and f32}}
  tile.atomic add %s to %d : memref<8xi32, #gpu.address_space<workgroup>>, memref<8xf32>
  return
}

// -----

func.func @atomic_c5(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32>) {
  // expected-error @+1 {{expects 'instr' to be simt or tma, got #tile.instr<cp_async>}}
  tile.atomic add %s to %d {instr = #tile.instr<cp_async>} : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32>
  return
}

// -----

func.func @atomic_c5_tma(%s: memref<8xf32, #tile.fragment>, %d: memref<8xf32>) {
  // expected-error @+1 {{expects 'instr' to be simt, got tma, which takes a shared tile to a tensor of the same element type}}
  tile.atomic add %s to %d {instr = #tile.instr<tma>} : memref<8xf32, #tile.fragment>, memref<8xf32>
  return
}

// -----

func.func @atomic_c6(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32>, %map: !tile.tensor_map) {
  // expected-error @+1 {{expects 'map' only with instr = #tile.instr<tma>}}
  tile.atomic add %s to %d map %map : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32>
  return
}

// -----

func.func @atomic_c7_shape(%s: memref<8xf32, #tile.fragment>, %d: memref<8xf32>, %o: memref<4xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'old' and 'dst' of the same shape, got 4xf32 and 8xf32}}
  tile.atomic add %s to %d old %o : memref<8xf32, #tile.fragment>, memref<8xf32>, memref<4xf32, #tile.fragment>
  return
}

// -----

func.func @atomic_c7_type(%s: memref<8xf32, #tile.fragment>, %d: memref<8xf16>, %o: memref<8xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'old' and 'dst' of the same element type, got f32 and f16}}
  tile.atomic add %s to %d old %o : memref<8xf32, #tile.fragment>, memref<8xf16>, memref<8xf32, #tile.fragment>
  return
}

// -----

func.func @atomic_c7_space(%s: memref<8xf32, #tile.fragment>, %d: memref<8xf32>, %o: memref<8xf32>) {
  // expected-error @+1 {{expects 'old' in shared memory or a fragment, got it in global memory}}
  tile.atomic add %s to %d old %o : memref<8xf32, #tile.fragment>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @atomic_c7_memory(%s: memref<8xf32, #tile.fragment>, %d: memref<8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'old' to be other memory than 'dst'}}
  tile.atomic add %s to %d old %d : memref<8xf32, #tile.fragment>, memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @atomic_c8(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32>, %o: memref<8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'instr' to be simt with 'old', got tma, which has none}}
  tile.atomic add %s to %d old %o {instr = #tile.instr<tma>} : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>
  return
}
