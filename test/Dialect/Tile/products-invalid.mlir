// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of tile.gemm; its name cites the label in
// TileOps.td.

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c1_rank(%a: !a, %b: memref<1x64x128xbf16, #gpu.address_space<workgroup>>, %c: !c) {
  // expected-error @+1 {{expects A, B and C of rank 2, or of rank 3 with one first extent, got 128x64xbf16, 1x64x128xbf16 and 128x128xf32}}
  tile.gemm %a, %b, %c : (!a, memref<1x64x128xbf16, #gpu.address_space<workgroup>>, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
func.func @gemm_c1_dynamic(%a: !a, %b: !b, %c: memref<?x128xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'c' to be static and of rank 2 to 3, got memref<?x128xf32, #tile.fragment>}}
  tile.gemm %a, %b, %c : (!a, !b, memref<?x128xf32, #tile.fragment>)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<32x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c2(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects op(A) and op(B) with the same K extent, got 64 in A (128x64xbf16) and 32 in B (32x128xbf16)}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

// Transposed, the other dimension is K.
!a = memref<64x128xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x64xf32, #tile.fragment>
func.func @gemm_c2_transposed(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects op(A) and op(B) with the same K extent, got 64 in A (64x128xbf16 transposed) and 128 in B (64x128xbf16 transposed)}}
  tile.gemm %a, %b, %c {transpose_a, transpose_b} : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x64xf32, #tile.fragment>
func.func @gemm_c3(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects C of shape 128x128, got 128x64xf32}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c4_a(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects A in shared memory or a fragment, got it in global memory}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<private>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c4_b(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects B in shared memory or a fragment, got it in private memory}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #gpu.address_space<workgroup>>
func.func @gemm_c4_c(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects C in a fragment, got it in shared memory}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c5_factors(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{cannot multiply bf16 by f16 into f32; the table of tile.gemm lists what can be multiplied}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xbf16, #tile.fragment>
func.func @gemm_c5_accumulator(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{cannot multiply bf16 by bf16 into bf16}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xi8, #gpu.address_space<workgroup>>
!b = memref<64x128xi8, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c5_integers(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{cannot multiply i8 by i8 into f32}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xf64, #gpu.address_space<workgroup>>
!b = memref<64x128xf64, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c5_f64(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{cannot multiply f64 by f64 into f32}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>
!b = memref<64x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c5_f8_by_f16(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{cannot multiply f8E4M3FN by f16 into f32}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c6(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects 'instr' to be mma or wgmma, got #tile.instr<simt>}}
  tile.gemm %a, %b, %c {instr = #tile.instr<simt>} : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xf32, #gpu.address_space<workgroup>>
!b = memref<64x128xf32, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c7_plain(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects precision = "tf32" with f32 factors: tensor cores do not multiply plain f32}}
  tile.gemm %a, %b, %c : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c7_type(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects f32 factors with precision = "tf32", got bf16}}
  tile.gemm %a, %b, %c {precision = "tf32"} : (!a, !b, !c)
  return
}

// -----

!a = memref<128x64xf32, #gpu.address_space<workgroup>>
!b = memref<64x128xf32, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>
func.func @gemm_c7_name(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expects 'precision' to be "tf32", got "ieee"}}
  tile.gemm %a, %b, %c {precision = "ieee"} : (!a, !b, !c)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @gemm_c1_batch(%a: memref<3x16x16xbf16, #shared>, %b: memref<2x16x16xbf16, #shared>, %c: memref<3x16x16xf32, #tile.fragment>) {
  // expected-error @+1 {{expects A, B and C of rank 2, or of rank 3 with one first extent, got 3x16x16xbf16, 2x16x16xbf16 and 3x16x16xf32}}
  tile.gemm %a, %b, %c : (memref<3x16x16xbf16, #shared>, memref<2x16x16xbf16, #shared>, memref<3x16x16xf32, #tile.fragment>)
  return
}

// -----

#shared = #gpu.address_space<workgroup>
func.func @gemm_c1_instr(%a: memref<3x16x16xbf16, #shared>, %b: memref<3x16x16xbf16, #shared>, %c: memref<3x16x16xf32, #tile.fragment>) {
  // expected-error @+1 {{expects no 'instr' and no 'async' with rank 3: it is several products}}
  tile.gemm %a, %b, %c {instr = #tile.instr<mma>} : (memref<3x16x16xbf16, #shared>, memref<3x16x16xbf16, #shared>, memref<3x16x16xf32, #tile.fragment>)
  return
}
