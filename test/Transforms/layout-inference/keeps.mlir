// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>

// A copy that gets a tensor map keeps all else.
// CHECK-LABEL: func.func @attributes_of_a_copy
// CHECK: %[[MAP:.*]] = tile.tensor_map
// CHECK: tile.copy {{.*}} map %[[MAP]] {eviction = #tile.eviction<last>, instr = #tile.instr<tma>, prefer = #tile.instr<tma>, tile.stage = 0 : i32, vector_width = 4 : i64}
func.func @attributes_of_a_copy(%A: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !shared
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
    tile.copy %a to %S {eviction = #tile.eviction<last>, instr = #tile.instr<tma>, prefer = #tile.instr<tma>, tile.stage = 0 : i32, vector_width = 4 : i64} : !tile.region<64x64xbf16>, !shared
    gpu.terminator
  }
  return
}

// The place of a tile was found for the size that it had without a layout, so
// packing has to run again. With a layout of its own it is kept.
// CHECK-LABEL: func.func @places
// CHECK: tile.alloc {layout = #tile.layout<"{{[^"]*}}">} : memref
// CHECK: tile.alloc {layout = #tile.layout<"linear">, offset = 8192 : i64} : memref
func.func @places(%zero: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0 : i64} : !shared
  %T = tile.alloc {layout = #tile.layout<"linear">, offset = 8192 : i64} : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.fill %T, %zero : !shared, bf16
  return
}
