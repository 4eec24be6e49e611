// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s -verify-diagnostics | FileCheck %s

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>

// What cp.async cannot copy, ordinary accesses can: the window starts at any
// column.
// CHECK-LABEL: func.func @any_column
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>}
func.func @any_column(%A: memref<?x?xbf16>, %k: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  // expected-remark @+1 {{[tile-nvgpu/alignment] uses simt; not cp_async: rows of the window are known to start at multiples of 2 bytes; they have 128 bytes, stored in runs of 128; cp.async needs 4 of each}}
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// The loop may start at any column, though its step is a multiple of 16.
// CHECK-LABEL: func.func @any_start
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>}
func.func @any_start(%A: memref<?x?xbf16>, %start: index, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c16 = arith.constant 16 : index
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  scf.for %k = %start to %n step %c16 {
    %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
    // expected-remark @+1 {{uses simt; not cp_async: rows of the window are known to start at multiples of 2 bytes}}
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  }
  return
}

// CHECK-LABEL: func.func @flags
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>}
func.func @flags(%A: memref<?x?xi1>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : memref<64x64xi1, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xi1>
  // expected-remark @+1 {{[tile-nvgpu/type] uses simt; not cp_async: nvgpu has no asynchronous copy of i1}}
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<64x64xi1>, memref<64x64xi1, #gpu.address_space<workgroup>>
  return
}
