// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -split-input-file -verify-diagnostics

// Instructions that are required and cannot be used, with the rule they break.

func.func @whole_row_dropped(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : memref<64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 1] drop [1] {align = 16 : i64} : memref<?x?xbf16>
  // expected-error @+1 {{cannot use cp_async: the window drops the contiguous dimension of the tensor}}
  tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<64xbf16>, memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bits(%A: memref<?x?xi1>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : memref<64x64xi1, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xi1>
  // expected-error @+1 {{cannot use cp_async: i1 has no packed form that cp.async could copy}}
  tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<64x64xi1>, memref<64x64xi1, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @columns_together(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"swizzle<128,t>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  // expected-error @+1 {{cannot use cp_async: the given layout stores 2 bytes of a row together; cp.async needs 4}}
  tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @long_rows(%A: memref<?x?xf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<3x1000xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [3, 1000] {align = 16 : i64} : memref<?x?xf16>
    // expected-error @+1 {{cannot use tma: no layout of the tile suits TMA: boxes would start 400 bytes apart, TMA needs a multiple of 128}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<3x1000xf16>, memref<3x1000xf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @columns_for_tma(%A: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"swizzle<128,t>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
    // expected-error @+1 {{cannot use tma: the given layout does not suit TMA: only 2 contiguous bytes of dimension 1, TMA needs a multiple of 16}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Slots of a given layout may begin where no box can.
func.func @slots_for_tma(%A: memref<?x?xf16>, %i: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"linear">} : memref<2x3x24xf16, #gpu.address_space<workgroup>>
    %s = tile.region %S[%i, 0, 0] [1, 3, 24] drop [0] : memref<2x3x24xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [3, 24] {align = 16 : i64} : memref<?x?xf16>
    // expected-error @+1 {{cannot use tma: the given layout does not suit TMA: slots start 144 bytes apart, TMA needs a multiple of 128}}
    tile.copy %a to %s {instr = #tile.instr<tma>} : !tile.region<3x24xf16>, !tile.region<3x24xf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Rows may end within 16 bytes, and the hardware would write beside them.
func.func @store_beside_rows(%A: memref<?x?xf32, strided<[?, 1]>>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 64] {align = 16 : i64} : memref<?x?xf32, strided<[?, 1]>>
    // expected-error @+1 {{cannot use tma: TMA stores whole pieces of 16 bytes, and rows of the tensor are not known to end with one}}
    tile.copy %S to %a {instr = #tile.instr<tma>} : memref<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// -----

func.func @update_beside_rows(%A: memref<64x61xf32, strided<[64, 1]>>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 64] {align = 16 : i64} : memref<64x61xf32, strided<[64, 1]>>
    // expected-error @+1 {{cannot use tma: TMA stores whole pieces of 16 bytes, and rows of the tensor are not known to end with one}}
    tile.atomic add %S to %a {instr = #tile.instr<tma>} : memref<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// -----

// Columns of a transposed tensor.
func.func @columns_that_lie_apart(%A: memref<?x?xf32, strided<[1, ?]>>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xf32, strided<[1, ?]>>
  // expected-error @+1 {{cannot use cp_async: the last stride of the tensor is not known to be 1}}
  tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @short_rows(%A: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x4xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 4] {align = 16 : i64} : memref<?x?xbf16>
    // expected-error @+1 {{cannot use tma: rows of the tile have 8 bytes, no multiple of 16}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<64x4xbf16>, memref<64x4xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
