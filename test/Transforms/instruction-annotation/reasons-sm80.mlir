// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_80}' %s -split-input-file -verify-diagnostics

// Instructions that are required and cannot be used, with the rule they break.

func.func @tma(%A: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
    // expected-error @+1 {{cannot use tma: sm_80 has no TMA}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @wgmma() attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{cannot use wgmma: sm_80 has no wgmma}}
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @sparse_floats() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
  %E = tile.alloc : memref<64x4xi16, #gpu.address_space<workgroup>>
  %B = tile.alloc : memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{cannot use mma: sm_80 has no mma.sp of 8-bit floats}}
  tile.gemm_sp %A, %E, %B, %C {instr = #tile.instr<mma>, transpose_b} : (memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @atomic_tma(%A: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 64] {align = 16 : i64} : memref<?x?xf32>
    // expected-error @+1 {{cannot use tma: sm_80 has no TMA}}
    tile.atomic add %S to %a {instr = #tile.instr<tma>} : memref<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}
