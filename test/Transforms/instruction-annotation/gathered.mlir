// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>

// Rows move by cp.async; TMA takes boxes; a pad is no zero; single elements are
// loaded.
// CHECK-LABEL: func.func @loads
// CHECK-COUNT-1: instr = #tile.instr<cp_async>
// CHECK-COUNT-2: instr = #tile.instr<simt>
func.func @loads(%A: memref<64x128xbf16>, %ids: memref<?xi32>, %m: index, %k: index, %pad: bf16) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<16x32xbf16, #smem>
    %rows = tile.region %A[0, 32] [16, 32] by %ids[%m] dim 0 {align = 16} : memref<64x128xbf16>, memref<?xi32>
    %padded = tile.region %A[0, 32] [16, 32] by %ids[%m] dim 0 pad %pad : bf16 in {align = 16} : memref<64x128xbf16>, memref<?xi32>
    %columns = tile.region %A[16, 0] [16, 32] by %ids[%m] dim 1 {align = 16} : memref<64x128xbf16>, memref<?xi32>
    // expected-remark @+1 {{[tile-instr/gather] uses cp_async; not tma: TMA takes boxes, and numbers name rows of the window}}
    tile.copy %rows to %t : !tile.region<16x32xbf16>, memref<16x32xbf16, #smem>
    // expected-remark @+1 {{not cp_async: it fills in zeros for rows that numbers do not name, and the pad is not known to be 0}}
    tile.copy %padded to %t : !tile.region<16x32xbf16>, memref<16x32xbf16, #smem>
    // expected-remark @+1 {{[tile-instr/gather] uses simt; not tma: elements of its rows are named by numbers; not cp_async: elements of its rows are named by numbers}}
    tile.copy %columns to %t : !tile.region<16x32xbf16>, memref<16x32xbf16, #smem>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @updates
// CHECK: tile.atomic add {{.*}}instr = #tile.instr<simt>
func.func @updates(%A: memref<64x128xf32>, %ids: memref<?xi32>, %m: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<16x32xf32, #smem>
    %rows = tile.region %A[0, 32] [16, 32] by %ids[%m] dim 0 {align = 16} : memref<64x128xf32>, memref<?xi32>
    %group = tile.region %A[0, 32] [16, 32] end [0] (%m) {align = 16} : memref<64x128xf32>
    // expected-remark @+1 {{[tile-instr/end] uses simt; not tma: the window ends where the kernel says, which updates by TMA do not know}}
    tile.atomic add %t to %group : memref<16x32xf32, #smem>, !tile.region<16x32xf32>
    // expected-remark @+1 {{[tile-instr/gather] uses simt; not tma: TMA takes boxes, and numbers name rows of the window}}
    tile.atomic add %t to %rows : memref<16x32xf32, #smem>, !tile.region<16x32xf32>
    gpu.terminator
  }
  return
}
