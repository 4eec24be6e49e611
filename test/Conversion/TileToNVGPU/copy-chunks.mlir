// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

!global = memref<?x?xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>

// Rows that are aligned to 8 bytes only: chunks of 4 elements, through L1.
// CHECK-LABEL: func.func @rows_of_8_bytes
// CHECK: nvgpu.device_async_copy {{.*}}, 4, %{{[0-9]+}} : memref
func.func @rows_of_8_bytes(%A: !global, %m: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[%m, 0] [64, 64] {align = 8 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// The window starts at an even column of aligned rows: 4 bytes are all that is
// known.
// CHECK-LABEL: func.func @even_columns
// CHECK: nvgpu.device_async_copy {{.*}}, 2, %{{[0-9]+}} : memref
func.func @even_columns(%A: !global, %k: index) attributes {tile.num_threads = 128 : i32} {
  %c2 = arith.constant 2 : index
  %even = arith.muli %k, %c2 : index
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[0, %even] [64, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// Sums, differences, remainders, shifts, choices and loops of multiples of 8
// are multiples of 8.
// CHECK-LABEL: func.func @multiples_of_8
// CHECK: nvgpu.device_async_copy {{.*}}, 8, %{{[0-9]+}} {bypassL1}
func.func @multiples_of_8(%A: !global, %k: index, %n: index, %c: i1) attributes {tile.num_threads = 128 : i32} {
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %shifted = arith.shli %k, %c3 : index
  %chosen = arith.select %c, %shifted, %c40 : index
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  scf.for %i = %chosen to %n step %c16 {
    %rest = arith.remui %i, %c40 : index
    %sum = arith.addi %rest, %c16 : index
    %difference = arith.subi %sum, %i : index
    %a = tile.region %A[0, %difference] [64, 64] {align = 16 : i64} : !global
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  }
  return
}

// Rows of 136 bytes: chunks of 8 bytes, though all rows are aligned.
// CHECK-LABEL: func.func @rows_of_the_tile
// CHECK: nvgpu.device_async_copy {{.*}}, 4, %{{[0-9]+}} : memref
func.func @rows_of_the_tile(%A: !global, %m: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : memref<64x68xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%m, 0] [64, 68] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<64x68xbf16>, memref<64x68xbf16, #gpu.address_space<workgroup>>
  return
}

// The layout keeps 8 bytes of a row together.
// CHECK-LABEL: func.func @rows_of_the_layout
// CHECK: nvgpu.device_async_copy {{.*}}, 4, %{{[0-9]+}} : memref
func.func @rows_of_the_layout(%A: !global, %m: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"padded<68>">} : !shared
  %a = tile.region %A[%m, 0] [64, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// One element of f64 per 8 bytes, sixteen of an 8-bit float per chunk.
// CHECK-LABEL: func.func @other_elements
// CHECK: nvgpu.device_async_copy %arg0{{.*}}, 2, %{{[0-9]+}} {bypassL1} : memref<?x?xf64>
// CHECK: nvgpu.device_async_copy %arg1{{.*}}, 16, %{{[0-9]+}} {bypassL1} : memref<?x?xf8E4M3FN>
func.func @other_elements(%A: memref<?x?xf64>, %B: memref<?x?xf8E4M3FN>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : memref<64x16xf64, #gpu.address_space<workgroup>>
  %Bs = tile.alloc {layout = #tile.layout<"linear">} : memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 16] {align = 16 : i64} : memref<?x?xf64>
  %b = tile.region %B[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xf8E4M3FN>
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<64x16xf64>, memref<64x16xf64, #gpu.address_space<workgroup>>
  tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<64x64xf8E4M3FN>, memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
  return
}
