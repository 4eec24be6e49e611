// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

// TMA takes windows that end where the kernel says in dimensions but the last, where
// they are known to begin inside, and as many as a tensor map has room for.

#smem = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @ends
// CHECK-COUNT-4: tile.copy {{.*}}instr = #tile.instr<tma>
// CHECK-COUNT-3: tile.copy {{.*}}instr = #tile.instr<cp_async>
// CHECK: tile.copy {{.*}}instr = #tile.instr<tma>
func.func @ends(%A: memref<64x128xf32>, %B: memref<4x4x4x64x128xf32>, %m: index, %e: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %c16 = arith.constant 16 : index
    %t = tile.alloc : memref<16x32xf32, #smem>
    %row = arith.muli %bx, %c16 : index
    %first = tile.region %A[0, 32] [16, 32] end [0] (%e) {align = 16} : memref<64x128xf32>
    %known = tile.region %A[%row, 32] [16, 32] end [0] (%e) {align = 16} : memref<64x128xf32>
    %stated = tile.region %A[%m, 32] [16, 32] end [0] (%e) {align = 16, starts_inside} : memref<64x128xf32>
    %c0 = arith.constant 0 : index
    %raised = arith.maxsi %m, %c0 : index
    %larger = tile.region %A[%raised, 32] [16, 32] end [0] (%e) {align = 16} : memref<64x128xf32>
    %anywhere = tile.region %A[%m, 32] [16, 32] end [0] (%e) {align = 16} : memref<64x128xf32>
    %columns = tile.region %A[0, 32] [16, 32] end [1] (%e) {align = 16} : memref<64x128xf32>
    %full = tile.region %B[0, 0, 0, 0, 0] [1, 1, 1, 16, 32] drop [0, 1, 2] end [3] (%e) {align = 16} : memref<4x4x4x64x128xf32>
    tile.copy %first to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    tile.copy %known to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    tile.copy %stated to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    tile.copy %larger to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    // expected-remark @+1 {{[tile-instr/end] uses cp_async; not tma: the window ends where the kernel says, and may begin before place 0}}
    tile.copy %anywhere to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    // expected-remark @+1 {{[tile-instr/end] uses cp_async; not tma: rows of the window end where the kernel says, and TMA knows where those of the tensor do}}
    tile.copy %columns to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    // expected-remark @+1 {{[tile-instr/end] uses cp_async; not tma: the window ends where the kernel says in 1 of 5 dimensions, and a tensor map has at most 5 of both together}}
    tile.copy %full to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    %part = memref.reinterpret_cast %A to offset: [%m], sizes: [16, 32], strides: [128, 1] : memref<64x128xf32> to memref<16x32xf32, strided<[128, 1], offset: ?>>
    %of_part = tile.region %part[0, 0] [16, 32] {align = 16} : memref<16x32xf32, strided<[128, 1], offset: ?>>
    tile.copy %of_part to %t : !tile.region<16x32xf32>, memref<16x32xf32, #smem>
    gpu.terminator
  }
  return
}
