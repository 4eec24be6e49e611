// RUN: %tile_opt %s -split-input-file -verify-diagnostics

func.func @gemm_sp_c1_e(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<256xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'e' to be static and of rank 2 to 3, got}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<256xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

// A stores half of K.
func.func @gemm_sp_c2_k(%a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects op(A) and op(B) with the same K extent, got 128 in A (64x64xbf16) and 64 in B (64x64xbf16)}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_words(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x8xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects E with 64 rows of a word for every 16 of the 64 columns of the sparse factor, got 64x8xi16}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x8xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_words_of_f32(%a: memref<64x32xf32, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xf32, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects E with 64 rows of a word for every 8 of the 64 columns of the sparse factor, got 64x4xi16}}
  tile.gemm_sp %a, %e, %b, %c {precision = "tf32"} : (memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_rows(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<32x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects E with 64 rows of a word for every 16 of the 64 columns of the sparse factor, got 32x4xi16}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<32x4xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_packed(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4x1xi32, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects packed E with 128 words for every 64 of the 64 rows and 64 of the 64 columns of the sparse factor, got 64x4x1xi32}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4x1xi32, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_packed_threads(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<1x1x64xi32, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects packed E with 128 words for every 64 of the 64 rows and 64 of the 64 columns of the sparse factor, got 1x1x64xi32}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<1x1x64xi32, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_packed_rows(%a: memref<96x32xbf16, #gpu.address_space<workgroup>>, %e: memref<1x1x128xi32, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<96x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects packed E with 128 words for every 64 of the 96 rows and 64 of the 64 columns of the sparse factor, got 1x1x128xi32}}
  tile.gemm_sp %a, %e, %b, %c : (memref<96x32xbf16, #gpu.address_space<workgroup>>, memref<1x1x128xi32, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<96x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_packed_columns(%a: memref<64x48xbf16, #gpu.address_space<workgroup>>, %e: memref<1x1x128xi32, #gpu.address_space<workgroup>>, %b: memref<96x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects packed E with 128 words for every 64 of the 64 rows and 64 of the 96 columns of the sparse factor, got 1x1x128xi32}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x48xbf16, #gpu.address_space<workgroup>>, memref<1x1x128xi32, #gpu.address_space<workgroup>>, memref<96x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c2_packed_f32(%a: memref<64x32xf32, #gpu.address_space<workgroup>>, %e: memref<1x1x128xi32, #gpu.address_space<workgroup>>, %b: memref<64x64xf32, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects packed E with 128 words for every 64 of the 64 rows and 32 of the 64 columns of the sparse factor, got 1x1x128xi32}}
  tile.gemm_sp %a, %e, %b, %c {precision = "tf32"} : (memref<64x32xf32, #gpu.address_space<workgroup>>, memref<1x1x128xi32, #gpu.address_space<workgroup>>, memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c3(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x32xf32, #tile.fragment>) {
  // expected-error @+1 {{expects C of shape 64x64, got 64x32xf32}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x32xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c4_e(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #tile.fragment>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects E in shared memory, got it in a fragment}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c4_a(%a: memref<64x32xbf16>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects A in shared memory or a fragment, got it in global memory}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c5_types(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf16, #tile.fragment>) {
  // expected-error @+1 {{cannot multiply bf16 by bf16 into f16; the table of tile.gemm_sp lists what can be multiplied}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c5_f8_sums(%a: memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xf8E5M2, #gpu.address_space<workgroup>>, %c: memref<64x64xf16, #tile.fragment>) {
  // expected-error @+1 {{cannot multiply f8E4M3FN by f8E5M2 into f16; the table of tile.gemm_sp lists what can be multiplied}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xf8E5M2, #gpu.address_space<workgroup>>, memref<64x64xf16, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c5_words(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4xi32, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects E of i16, got i32; tile.view makes words of 16 bits of others}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4xi32, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c6(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<64x4xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'instr' to be mma or wgmma, got #tile.instr<tma>}}
  tile.gemm_sp %a, %e, %b, %c {instr = #tile.instr<tma>} : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c7(%a: memref<64x32xf32, #gpu.address_space<workgroup>>, %e: memref<64x8xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xf32, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects precision = "tf32" with f32 factors}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xf32, #gpu.address_space<workgroup>>, memref<64x8xi16, #gpu.address_space<workgroup>>, memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @gemm_sp_c5_packed(%a: memref<64x32xbf16, #gpu.address_space<workgroup>>, %e: memref<1x1x128xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects packed E of i32, got i16}}
  tile.gemm_sp %a, %e, %b, %c : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<1x1x128xi16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}
