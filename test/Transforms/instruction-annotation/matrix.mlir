// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -split-input-file -verify-diagnostics | FileCheck %s

// wgmma reads elements that are not of 16 bits only along K.
!a = memref<64x32xf32, #gpu.address_space<workgroup>>
!b = memref<32x64xf32, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
// CHECK-LABEL: func.func @tf32_along_n
// CHECK: tile.gemm {{.*}}instr = #tile.instr<mma>
func.func @tf32_along_n() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc : !acc
  // expected-remark @+1 {{[tile-instr/transpose] uses mma; not wgmma: wgmma reads 32-bit operands that are contiguous along K: A stored M x K and B stored N x K}}
  tile.gemm %a, %b, %c {precision = "tf32"} : (!a, !b, !acc)
  return
}

// -----

!a = memref<64x32xf32, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
// CHECK-LABEL: func.func @tf32_along_k
// CHECK: tile.gemm {{.*}}instr = #tile.instr<wgmma>
func.func @tf32_along_k() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !a
  %c = tile.alloc : !acc
  tile.gemm %a, %b, %c {precision = "tf32", transpose_b} : (!a, !a, !acc)
  return
}

// -----

// Integers have no instruction of 40 columns.
!a = memref<64x32xi8, #gpu.address_space<workgroup>>
!b = memref<40x32xi8, #gpu.address_space<workgroup>>
!acc = memref<64x40xi32, #tile.fragment>
// CHECK-LABEL: func.func @integer_columns
// CHECK: tile.gemm {{.*}}instr = #tile.instr<mma>
func.func @integer_columns() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc : !acc
  // expected-remark @+1 {{[tile-instr/partition] uses mma; not wgmma: 64x40 cannot be shared by 1 warpgroups of 64x16 with policy square}}
  tile.gemm %a, %b, %c {transpose_b} : (!a, !b, !acc)
  return
}

// -----

// Layouts that the user gave decide as well.
!a = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
// CHECK-LABEL: func.func @given_operand
// CHECK: tile.gemm {{.*}}instr = #tile.instr<mma>
func.func @given_operand() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc {layout = #tile.layout<"padded<72>">} : !a
  %b = tile.alloc : !a
  %c = tile.alloc : !acc
  // expected-remark @+1 {{[tile-instr/layout] uses mma; not wgmma: a given layout does not suit wgmma: layout of the 64x64 operand (16-bit) matches no descriptor mode}}
  tile.gemm %a, %b, %c : (!a, !a, !acc)
  return
}

// -----

!a = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
// CHECK-LABEL: func.func @given_accumulator
// CHECK: tile.gemm {{.*}}instr = #tile.instr<mma>
func.func @given_accumulator() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !a
  %c = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  // expected-remark @+1 {{[tile-instr/layout] uses mma; not wgmma: the given layout of C is no accumulator of 1 warpgroups}}
  tile.gemm %a, %b, %c : (!a, !a, !acc)
  return
}

// -----

// Only 16-bit operands of wgmma may be contiguous along M or N.
!a = memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
func.func @small_floats_along_n() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !a
  %c = tile.alloc : !acc
  // expected-remark @+1 {{[tile-instr/transpose] uses mma; not wgmma: wgmma reads 8-bit operands that are contiguous along K: A stored M x K and B stored N x K}}
  tile.gemm %a, %b, %c : (!a, !a, !acc)
  return
}

// -----

// Several instructions of a warpgroup start at swizzle atoms.
!a = memref<64x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x264xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x264xf32, #tile.fragment>
// CHECK-LABEL: func.func @columns_of_several_instructions
// CHECK: tile.gemm {{.*}}instr = #tile.instr<mma>
func.func @columns_of_several_instructions() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  %c = tile.alloc : !acc
  // expected-remark @+1 {{[tile-instr/shape] uses mma; not wgmma: a warpgroup may own 264 columns; more than 256 must be a multiple of 64}}
  tile.gemm %a, %b, %c : (!a, !b, !acc)
  return
}

// -----

// A in registers may be stored either way; B in registers is for mma alone.
!a = memref<64x32xi8, #gpu.address_space<workgroup>>
!fa = memref<32x64xi8, #tile.fragment>
!fb = memref<64x32xi8, #tile.fragment>
!acc = memref<64x64xi32, #tile.fragment>
// CHECK-LABEL: func.func @factors_in_registers
// CHECK: tile.gemm {{.*}}instr = #tile.instr<wgmma>
// CHECK: tile.gemm {{.*}}instr = #tile.instr<mma>
func.func @factors_in_registers() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %fa = tile.alloc : !fa
  %fb = tile.alloc : !fb
  %c = tile.alloc : !acc
  tile.gemm %fa, %a, %c {transpose_a, transpose_b} : (!fa, !a, !acc)
  // expected-remark @+1 {{[tile-instr/operands] uses mma; not wgmma: wgmma needs B in shared memory}}
  tile.gemm %a, %fb, %c {transpose_b} : (!a, !fb, !acc)
  return
}

// -----

!a = memref<64x32xbf16, #gpu.address_space<workgroup>>
!e = memref<64x4xi16, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
// A sparse A takes the .sp form of the instruction that a dense one would; B along
// K must have rows of 64 bytes for wgmma.
// CHECK-LABEL: func.func @sparse
// CHECK: tile.gemm_sp {{.*}}instr = #tile.instr<wgmma>
// CHECK: tile.gemm_sp {{.*}}instr = #tile.instr<mma>
func.func @sparse() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %e = tile.alloc : !e
  %b = tile.alloc : !b
  %narrow = tile.alloc {layout = #tile.layout<"swizzle<32>">} : !b
  %c = tile.alloc : !acc
  tile.gemm_sp %a, %e, %b, %c : (!a, !e, !b, !acc)
  // expected-remark @+1 {{[tile-instr/layout] uses mma; not wgmma: a given layout of B has rows of 32 bytes along K; wgmma.sp reads 64}}
  tile.gemm_sp %a, %e, %narrow, %c {transpose_b} : (!a, !e, !b, !acc)
  return
}

// -----

!a = memref<64x32xbf16, #gpu.address_space<workgroup>>
!e = memref<64x4xi16, #gpu.address_space<workgroup>>
!b = memref<24x64xbf16, #gpu.address_space<workgroup>>
!rows = memref<48x32xbf16, #gpu.address_space<workgroup>>
!odd = memref<8x192xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x24xf32, #tile.fragment>
// Through a view B is read where the tile behind it can have a swizzle of such rows.
// CHECK-LABEL: func.func @sparse_views
// CHECK: tile.gemm_sp {{.*}}instr = #tile.instr<wgmma>
// CHECK: tile.gemm_sp {{.*}}instr = #tile.instr<mma>
func.func @sparse_views() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !a
  %e = tile.alloc : !e
  %rows = tile.alloc : !rows
  %b = tile.view %rows : !rows to !b
  %odd = tile.alloc : !odd
  %d = tile.view %odd : !odd to !b
  %c = tile.alloc : !acc
  tile.gemm_sp %a, %e, %b, %c {transpose_b} : (!a, !e, !b, !acc)
  // expected-remark @+1 {{[tile-instr/layout] uses mma; not wgmma: no layout of the tile behind the view of B has rows of 64 bytes along K, which wgmma.sp reads}}
  tile.gemm_sp %a, %e, %d, %c {transpose_b} : (!a, !e, !b, !acc)
  return
}
