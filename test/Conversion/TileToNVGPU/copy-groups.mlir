// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

!global = memref<?x?xbf16>
!shared = memref<32x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<32x64xbf16>

// Copies that stand together, with index arithmetic and windows between them,
// form one group; one wait follows the last, before anything else.
// CHECK-LABEL: func.func @one_group
// CHECK: %[[A0:.*]] = nvgpu.device_async_copy %arg0
// CHECK: %[[A1:.*]] = nvgpu.device_async_copy %arg0
// CHECK-NOT: nvgpu.device_async_wait
// CHECK: %[[B0:.*]] = nvgpu.device_async_copy %arg1
// CHECK: %[[B1:.*]] = nvgpu.device_async_copy %arg1
// CHECK-NEXT: %[[GROUP:.*]] = nvgpu.device_async_create_group %[[A0]], %[[A1]], %[[B0]], %[[B1]]
// CHECK-NEXT: nvgpu.device_async_wait %[[GROUP]] {numGroups = 0 : i32}
// CHECK-NEXT: tile.barrier_sync
// CHECK-NOT: tile.copy
func.func @one_group(%A: !global, %B: !global, %m: index) attributes {tile.num_threads = 128 : i32} {
  %c32 = arith.constant 32 : index
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %Bs = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[%m, 0] [32, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  %n = arith.addi %m, %c32 : index
  %b = tile.region %B[%n, 0] [32, 64] {align = 16 : i64} : !global
  tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !window, !shared
  tile.barrier_sync
  return
}

// Anything with an effect between two copies must see the first one's result.
// CHECK-LABEL: func.func @two_groups
// CHECK: nvgpu.device_async_copy %arg0
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: tile.barrier_sync
// CHECK: nvgpu.device_async_copy %arg1
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: return
func.func @two_groups(%A: !global, %B: !global) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %Bs = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[0, 0] [32, 64] {align = 16 : i64} : !global
  %b = tile.region %B[0, 0] [32, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  tile.barrier_sync
  tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !window, !shared
  return
}

// A plain copy ends the group as well; so does the end of a block.
// CHECK-LABEL: func.func @group_ends_with_the_block
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %arg0
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: {{^ *}}}
// CHECK: nvgpu.device_async_copy %arg1
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: tile.copy
func.func @group_ends_with_the_block(%A: !global, %B: !global, %c: i1) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %Bs = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[0, 0] [32, 64] {align = 16 : i64} : !global
  %b = tile.region %B[0, 0] [32, 64] {align = 16 : i64} : !global
  scf.if %c {
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  }
  tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !window, !shared
  tile.copy %b to %As {instr = #tile.instr<simt>} : !window, !shared
  return
}

// A copy to a tile that one under way fills waits for it: the thread is the same, but
// copies land in any order.
// CHECK-LABEL: func.func @overwritten
// CHECK: nvgpu.device_async_wait
// CHECK: nvgpu.device_async_copy
// CHECK: nvgpu.device_async_wait
func.func @overwritten(%A: memref<16x32xf32>, %B: memref<16x32xf32>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">} : memref<16x32xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [16, 32] {align = 16} : memref<16x32xf32>
  %b = tile.region %B[0, 0] [16, 32] {align = 16} : memref<16x32xf32>
  tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<16x32xf32>, memref<16x32xf32, #gpu.address_space<workgroup>>
  tile.copy %b to %S {instr = #tile.instr<cp_async>} : !tile.region<16x32xf32>, memref<16x32xf32, #gpu.address_space<workgroup>>
  return
}
