// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-pipeline-planning,tile-inject-pipeline' %s | FileCheck %s

// Barriers of pipelines without roles on sm_90a (reference-system.md 3.1.4). There
// plain products have neither TMA loads nor barriers; here they have both
// (passes.md): one array of barriers, with a barrier per slot.

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!A = memref<128x32xbf16, #smem>
!B = memref<32x128xbf16, #smem>
!C = memref<128x128xf32, #frag>

// A plain product, three stages (28).
// CHECK-LABEL: func @three_stages
// CHECK: %[[BAR:.*]] = tile.barrier_alloc : !tile.barrier<3>
// CHECK-NOT: tile.barrier_alloc
// CHECK: scf.for
// CHECK: tile.barrier_expect %[[BAR]][{{.*}}] bytes 16384
// CHECK: tile.copy {{.*}} signal %[[BAR]]
// CHECK: tile.copy {{.*}} signal %[[BAR]]
// CHECK-NOT: tile.copy
// CHECK: return
func.func @three_stages(%A: memref<128x512xbf16>, %B: memref<512x128xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 512 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    scf.for %k = %c0 to %n step %c32 {
      %a = tile.region %A[0, %k] [128, 32] {align = 16 : i64} : memref<128x512xbf16>
      %b = tile.region %B[%k, 0] [32, 128] {align = 16 : i64} : memref<512x128xbf16>
      tile.copy %a to %As : !tile.region<128x32xbf16>, !A
      tile.copy %b to %Bs : !tile.region<32x128xbf16>, !B
      tile.gemm %As, %Bs, %acc : (!A, !B, !C)
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

// The same, one stage (62): one slot, copied again after the product.
// CHECK-LABEL: func @one_stage
// CHECK: tile.barrier_alloc : !tile.barrier<1>
// CHECK-NOT: tile.barrier_alloc
// CHECK: return
func.func @one_stage(%A: memref<128x512xbf16>, %B: memref<512x128xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 512 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    scf.for %k = %c0 to %n step %c32 {
      %a = tile.region %A[0, %k] [128, 32] {align = 16 : i64} : memref<128x512xbf16>
      %b = tile.region %B[%k, 0] [32, 128] {align = 16 : i64} : memref<512x128xbf16>
      tile.copy %a to %As : !tile.region<128x32xbf16>, !A
      tile.copy %b to %Bs : !tile.region<32x128xbf16>, !B
      tile.gemm %As, %Bs, %acc : (!A, !B, !C)
    } {tile.num_stages = 1 : i32}
    gpu.terminator
  }
  return
}

// A convolution (96): the image by TMA in im2col mode, the filter by TMA, both on
// the three barriers of the pipeline; no barrier for a copy alone.
// CHECK-LABEL: func @convolution
// CHECK: %[[BAR:.*]] = tile.barrier_alloc : !tile.barrier<3>
// CHECK-NOT: tile.barrier_alloc
// CHECK: scf.for
// CHECK: %[[W:.*]] = tile.im2col
// CHECK: tile.copy %[[W]] to %{{.*}} signal %[[BAR]]{{.*}} {instr = #tile.instr<tma>
// CHECK: tile.copy {{.*}} signal %[[BAR]]{{.*}} {instr = #tile.instr<tma>
// CHECK-NOT: tile.copy
// CHECK: return
func.func @convolution(%X: memref<4x32x32x64xbf16>, %W: memref<576x128xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %n = arith.constant 576 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c64, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x128xbf16, #smem>
    %acc = tile.alloc : memref<64x128xf32, #frag>
    %row = arith.muli %bx, %c64 : index
    scf.for %k = %c0 to %n step %c32 {
      %x = tile.im2col %X[%row, %k] [64, 32] kernel [3, 3] pad [1, 1] {align = 16 : i64} : memref<4x32x32x64xbf16>
      %w = tile.region %W[%k, 0] [32, 128] {align = 16 : i64} : memref<576x128xbf16>
      tile.copy %x to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      tile.copy %w to %Bs : !tile.region<32x128xbf16>, memref<32x128xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x128xbf16, #smem>, memref<64x128xf32, #frag>)
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}
