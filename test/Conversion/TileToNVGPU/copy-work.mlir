// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

!global = memref<?x?xbf16>

// 33 x 8 chunks for 96 threads: every thread copies two, the first 72 one more.
// CHECK-LABEL: func.func @tail
// CHECK-COUNT-2: nvgpu.device_async_copy
// CHECK: %[[TAKES_PART:.*]] = arith.cmpi ult, %{{.*}}, %c72{{.*}} : index
// CHECK: scf.if %[[TAKES_PART]] {
// CHECK: nvgpu.device_async_copy
// CHECK-NEXT: {{^ *}}}
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: nvgpu.device_async_create_group
func.func @tail(%A: !global, %m: index) attributes {tile.num_threads = 96 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : memref<33x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%m, 0] [33, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<33x64xbf16>, memref<33x64xbf16, #gpu.address_space<workgroup>>
  return
}

// 64 chunks per thread: four rounds of 16, in a loop.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} {
// CHECK-COUNT-16: nvgpu.device_async_copy
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: nvgpu.device_async_create_group
func.func @loop(%A: !global, %m: index) attributes {tile.num_threads = 32 : i32} {
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<256x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%m, 0] [256, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<256x64xbf16>, memref<256x64xbf16, #gpu.address_space<workgroup>>
  return
}

// Fewer chunks than threads: some threads copy nothing.
// CHECK-LABEL: func.func @small
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy
// CHECK: nvgpu.device_async_create_group
// CHECK-NEXT: nvgpu.device_async_wait
func.func @small(%A: !global, %m: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : memref<8x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%m, 0] [8, 64] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<8x64xbf16>, memref<8x64xbf16, #gpu.address_space<workgroup>>
  return
}

// 549 chunks for 32 threads: 17 rounds, then 5 threads copy one more. What the
// loop found out about the only row is found out again after it.
// CHECK-LABEL: func.func @one_row
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c17{{.*}} step %c1{{.*}} {
// CHECK: arith.cmpi ult, %arg1, %[[ROWS:.*]] : index
// CHECK: nvgpu.device_async_copy
// CHECK-NEXT: {{^ *}}}
// CHECK: scf.if
// CHECK: arith.cmpi ult, %arg1, %[[ROWS]] : index
// CHECK: nvgpu.device_async_copy
// CHECK-NEXT: {{^ *}}}
// CHECK-NOT: nvgpu.device_async_copy
func.func @one_row(%A: !global, %m: index) attributes {tile.num_threads = 32 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : memref<1x4392xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%m, 0] [1, 4392] {align = 16 : i64} : !global
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<1x4392xbf16>, memref<1x4392xbf16, #gpu.address_space<workgroup>>
  return
}
