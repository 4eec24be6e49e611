// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s 2>/dev/null | FileCheck %s

// What the annotation chooses lowers.

!a = memref<64x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x264xbf16, #gpu.address_space<workgroup>>
!c = memref<64x264xf32, #tile.fragment>

// A warpgroup cuts more than 256 columns at multiples of 64: 264 has none.
// CHECK-LABEL: func.func @columns_of_a_warpgroup
// CHECK: tile.gemm {{.*}}#tile.instr<mma>
func.func @columns_of_a_warpgroup(%C: !c) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !a
  %B = tile.alloc : !b
  tile.gemm %A, %B, %C : (!a, !b, !c)
  return
}

!b320 = memref<64x320xbf16, #gpu.address_space<workgroup>>
!c320 = memref<64x320xf32, #tile.fragment>

// CHECK-LABEL: func.func @columns_that_are_cut
// CHECK: tile.gemm {{.*}}#tile.instr<wgmma>
func.func @columns_that_are_cut(%C: !c320) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !a
  %B = tile.alloc : !b320
  tile.gemm %A, %B, %C : (!a, !b320, !c320)
  return
}

!long = memref<3x1000xf16, #gpu.address_space<workgroup>>

// Boxes of 200 of 1,000 columns would start 400 bytes apart; TMA needs 128.
// CHECK-LABEL: func.func @long_rows
// CHECK: tile.copy {{.*}}#tile.instr<cp_async>
// CHECK: tile.copy {{.*}}#tile.instr<tma>
func.func @long_rows(%A: memref<?x?xf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !long
    %a = tile.region %A[0, 0] [3, 1000] {align = 16 : i64} : memref<?x?xf16>
    tile.copy %a to %S : !tile.region<3x1000xf16>, !long
    %T = tile.alloc : memref<3x1024xf16, #gpu.address_space<workgroup>>
    %b = tile.region %A[0, 0] [3, 1024] {align = 16 : i64} : memref<?x?xf16>
    tile.copy %b to %T : !tile.region<3x1024xf16>, memref<3x1024xf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
