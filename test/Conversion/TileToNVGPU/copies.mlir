// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!global = memref<?x?xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>

// A thread copies 4 of the 512 chunks of 16 bytes. Rows and columns outside of
// the tensor read nothing and are filled with zeros: the number of elements that
// are read is 0, or what is left of the row.
// CHECK-LABEL: func.func @ragged_edges
// CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[M:.*]]: index, %[[K:.*]]: index)
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[S:.*]] = tile.storage
// CHECK: %[[ROWS:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[COLUMNS:.*]] = memref.dim %[[A]], %c1
// CHECK: %[[ROW:.*]] = arith.addi %[[M]],
// CHECK: %[[ROW_INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]] : index
// CHECK: %[[COLUMN_INSIDE:.*]] = arith.cmpi ult, %[[COLUMN:.*]], %[[COLUMNS]] : index
// CHECK: %[[LEFT:.*]] = arith.subi %[[COLUMNS]], %[[COLUMN]] : index
// CHECK: %[[PART:.*]] = arith.minui %[[LEFT]], %{{.*}} : index
// CHECK: %[[INSIDE:.*]] = arith.andi %[[ROW_INSIDE]], %[[COLUMN_INSIDE]] : i1
// CHECK: %[[COUNT:.*]] = arith.select %[[INSIDE]], %[[PART]], %c0{{.*}} : index
// CHECK: %[[ROW_READ:.*]] = arith.select %[[INSIDE]], %[[ROW]], %c0{{.*}} : index
// CHECK: %[[COLUMN_READ:.*]] = arith.select %[[INSIDE]], %[[COLUMN]], %c0{{.*}} : index
// CHECK: nvgpu.device_async_copy %[[A]][%[[ROW_READ]], %[[COLUMN_READ]]], %[[S]][%{{.*}}], 8, %[[COUNT]] {bypassL1}
// CHECK-COUNT-3: nvgpu.device_async_copy {{.*}}, 8, %{{.*}} {bypassL1}
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: return
func.func @ragged_edges(%A: !global, %m: index, %k: index) attributes {tile.num_threads = 128 : i32} {
  %c64 = arith.constant 64 : index
  %k64 = arith.muli %k, %c64 : index
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !shared
  %a = tile.region %A[%m, %k64] [64, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// A swizzle costs one XOR per copy: chunks of a thread are a constant apart.
// CHECK-LABEL: func.func @swizzle
// CHECK-COUNT-1: arith.xori
// CHECK-NOT: arith.xori
// CHECK: return
func.func @swizzle(%A: !global, %m: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !shared
  %a = tile.region %A[%m, 0] [64, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// Block ids are below a constant grid, and loops end: these windows never leave
// the tensor, so nothing is checked.
// CHECK-LABEL: gpu.func @always_inside
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-4: nvgpu.device_async_copy %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}], 8 {bypassL1}
// CHECK: gpu.return
gpu.module @static {
  gpu.func @always_inside(%A: memref<256x256xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %K = memref.dim %A, %c1 : memref<256x256xbf16>
    %bx = gpu.block_id x
    %m = arith.muli %bx, %c64 : index
    %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !shared
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] {align = 16 : i64} : memref<256x256xbf16>
      tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
    }
    gpu.return
  }
}

// With five blocks the last one is outside: rows are checked, columns are not.
// CHECK-LABEL: gpu.func @rows_may_leave
// CHECK: arith.cmpi ult
// CHECK-NOT: arith.minui
// CHECK-COUNT-4: nvgpu.device_async_copy {{.*}}, 8, %{{.*}} {bypassL1}
// CHECK: gpu.return
gpu.module @blocks {
  gpu.func @rows_may_leave(%A: memref<256x64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 5, 1, 1>} {
    %c64 = arith.constant 64 : index
    %bx = gpu.block_id x
    %m = arith.muli %bx, %c64 : index
    %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !shared
    %a = tile.region %A[%m, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
    gpu.return
  }
}

// The dropped dimension is an index of the tensor like the others, and checked.
// CHECK-LABEL: func.func @dropped_dimension
// CHECK-SAME: (%[[A:.*]]: memref<?x?x?xbf16>, %[[B:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[BATCHES:.*]] = memref.dim %[[A]], %c0
// CHECK: arith.cmpi ult, %[[B]], %[[BATCHES]] : index
// CHECK: %[[BATCH:.*]] = arith.select %{{.*}}, %[[B]], %c0{{.*}} : index
// CHECK: nvgpu.device_async_copy %[[A]][%[[BATCH]], %{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}], 8, %{{.*}}
func.func @dropped_dimension(%A: memref<?x?x?xbf16>, %b: index, %m: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[%b, %m, 0] [1, 64, 64] drop [0] {align = 16 : i64} : memref<?x?x?xbf16>
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// A slot of a ring: its offset is added, and the swizzle is that of one slot.
// CHECK-LABEL: func.func @slot_of_a_ring
// CHECK-SAME: (%{{.*}}: memref<?x?xbf16>, %[[SLOT:.*]]: index)
// CHECK: %[[BASE:.*]] = arith.muli %[[SLOT]], %c4096{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[BASE]] : index
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}[%[[FIRST]]]
// CHECK: %[[START:.*]] = arith.addi %{{.*}}, %[[BASE]] : index
// CHECK: %[[SECOND:.*]] = arith.addi %[[START]], %c1024{{.*}} : index
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}[%[[SECOND]]]
func.func @slot_of_a_ring(%A: !global, %slot: index) attributes {tile.num_threads = 128 : i32} {
  %ring = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
  %As = tile.region %ring[%slot, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// A window of a tile that may start at any row: the row comes first, then the
// swizzle.
// CHECK-LABEL: func.func @any_row_of_a_tile
// CHECK-SAME: (%{{.*}}: memref<?x?xbf16>, %[[START:.*]]: index)
// CHECK: %[[ROW:.*]] = arith.addi %[[START]], %{{.*}} : index
// CHECK: arith.remui %[[ROW]], %c8{{.*}} : index
// CHECK: %[[OFFSET:.*]] = arith.addi
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}[%[[OFFSET]]]
func.func @any_row_of_a_tile(%A: !global, %start: index) attributes {tile.num_threads = 128 : i32} {
  %big = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %As = tile.region %big[%start, 0] [64, 64] : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
  return
}
