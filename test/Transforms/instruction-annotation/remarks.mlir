// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -split-input-file -verify-diagnostics

// Nothing is known of the rows: the remark names the rule of each declined
// instruction with the numbers.
func.func @unaligned_rows(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%c0, %c0] [64, 64] : memref<?x?xbf16>
  // expected-remark @+1 {{[tile-instr/base] uses simt; not tma: a tensor map can only be made on the host, of a tensor of the function that launches; not cp_async: rows are known to be aligned to 2 bytes; cp.async needs 4}}
  tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// A pad that is not zero cannot come from the fill of TMA (tile-split-pads splits it
// off before); threads store it where cp.async would fill in zeros.
func.func @nonzero_pad(%A: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1.0 : bf16
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [64, 64] pad %one : bf16 in {align = 16 : i64} : memref<?x?xbf16>
    // expected-remark @+1 {{[tile-instr/pad] uses cp_async; not tma: it fills in zeros, and the pad is not known to be 0}}
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Rows that are not contiguous.
func.func @strided_columns(%A: memref<?x?xbf16, strided<[?, 2]>>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%c0, %c0] [64, 64] {align = 16 : i64} : memref<?x?xbf16, strided<[?, 2]>>
  // expected-remark @+1 {{[tile-instr/stride] uses simt; not tma: the last stride of the tensor is 2, not 1}}
  tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// Two warps are no warpgroup.
func.func @too_few_threads(%A: memref<?x?xbf16>) attributes {tile.num_threads = 64 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-instr/threads] uses mma; not wgmma: wgmma needs whole warpgroups of 128 threads, the kernel has 64 threads}}
  tile.gemm %As, %As, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

// Rows of 12 bytes: cp.async copies them in three pieces, TMA needs 16.
func.func @short_rows(%A: memref<64x64xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x6xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 6] {align = 16 : i64} : memref<64x64xbf16>
    // expected-remark @+1 {{[tile-instr/row] uses cp_async; not tma: rows of the tile have 12 bytes, no multiple of 16}}
    tile.copy %a to %As : !tile.region<64x6xbf16>, memref<64x6xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Elements are converted on the way.
func.func @conversion(%A: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xf32>
  // expected-remark @+1 {{[tile-instr/convert] uses simt; not tma: TMA does not convert elements; not cp_async: cp.async does not convert elements}}
  tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// Sums in f16 are left to mma.
func.func @f16_accumulators() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf16, #tile.fragment>
  // expected-remark @+1 {{[tile-instr/types] uses mma; not wgmma: f16 accumulators are lowered to mma only}}
  tile.gemm %As, %As, %acc : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #tile.fragment>)
  return
}

// -----

// wgmma reads bytes along K only.
func.func @bytes_along_n() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xi8, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xi32, #tile.fragment>
  // expected-remark @+1 {{[tile-instr/transpose] uses mma; not wgmma: wgmma reads 8-bit operands that are contiguous along K: A stored M x K and B stored N x K}}
  tile.gemm %As, %As, %acc : (memref<64x64xi8, #gpu.address_space<workgroup>>, memref<64x64xi8, #gpu.address_space<workgroup>>, memref<64x64xi32, #tile.fragment>)
  return
}

// -----

// Most rows of a box are never in the tensor. Half of them, or few, are as they
// are; nobody knows of dynamic ones.
func.func @outside(%A: memref<16x4096xbf16>, %B: memref<40x4096xbf16>, %C: memref<?x4096xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 64] [64, 64] {align = 16 : i64} : memref<16x4096xbf16>
    %few = tile.region %A[0, 64] [16, 64] {align = 16 : i64} : memref<16x4096xbf16>
    %b = tile.region %B[0, 64] [64, 64] {align = 16 : i64} : memref<40x4096xbf16>
    %c = tile.region %C[0, 64] [64, 64] {align = 16 : i64} : memref<?x4096xbf16>
    // expected-remark @+1 {{[tile-instr/outside] uses tma; 48 of the 64 places of the window in dimension 0 are outside of the tensor, which has 16: TMA fills them with zeros, slower than it copies}}
    tile.copy %a to %S : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %few to %T : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %S : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %c to %S : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
