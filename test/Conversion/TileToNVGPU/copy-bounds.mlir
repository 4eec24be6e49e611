// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

// Where the bounds of an offset are known, windows that fit are not checked; one
// element more and they are.

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>
!rows256 = memref<256x64xbf16>
!rows255 = memref<255x64xbf16>

// CHECK-LABEL: func.func @remainder
// CHECK: scf.if
// CHECK-NOT: arith.cmpi
// CHECK: nvgpu.device_async_copy {{.*}}, 8 {bypassL1}
// CHECK: else
// CHECK: arith.cmpi ult, %{{.*}}, %c255
func.func @remainder(%A: !rows256, %B: !rows255, %c: i1) attributes {tile.num_threads = 128 : i32} {
  %i = gpu.block_id x
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %slot = arith.remui %i, %c4 : index
  %m = arith.muli %slot, %c64 : index
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  scf.if %c {
    %a = tile.region %A[%m, 0] [64, 64] {align = 16 : i64} : !rows256
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  } else {
    %b = tile.region %B[%m, 0] [64, 64] {align = 16 : i64} : !rows255
    tile.copy %b to %As {instr = #tile.instr<cp_async>} : !window, !shared
  }
  return
}

// Block ids of a launch that is not outlined.
// CHECK-LABEL: func.func @launch
// CHECK: scf.if
// CHECK-NOT: arith.cmpi
// CHECK: nvgpu.device_async_copy {{.*}}, 8 {bypassL1}
// CHECK: else
// CHECK: arith.cmpi ult, %{{.*}}, %c255
func.func @launch(%A: !rows256, %B: !rows255, %c: i1) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c4, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
    scf.if %c {
      %a = tile.region %A[%m, 0] [64, 64] {align = 16 : i64} : !rows256
      tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
    } else {
      %b = tile.region %B[%m, 0] [64, 64] {align = 16 : i64} : !rows255
      tile.copy %b to %As {instr = #tile.instr<cp_async>} : !window, !shared
    }
    gpu.terminator
  }
  return
}

// The last of the steps 10, 74, 138, 202 is what counts, not the end of the loop;
// with differences and quotients of known numbers.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: nvgpu.device_async_copy {{.*}}, 8 {bypassL1}
// CHECK: scf.for
// CHECK: arith.cmpi ult, %{{.*}}, %c255
func.func @loop(%A: !rows256, %B: !rows255) attributes {tile.num_threads = 128 : i32} {
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %c64 = arith.constant 64 : index
  %c266 = arith.constant 266 : index
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %ten = arith.divui %c20, %c2 : index
  scf.for %i = %c10 to %c266 step %c64 {
    %m = arith.subi %i, %ten : index
    %a = tile.region %A[%m, 0] [64, 64] {align = 16 : i64} : !rows256
    tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  }
  scf.for %i = %c10 to %c266 step %c64 {
    %m = arith.subi %i, %ten : index
    %b = tile.region %B[%m, 0] [64, 64] {align = 16 : i64} : !rows255
    tile.copy %b to %As {instr = #tile.instr<cp_async>} : !window, !shared
  }
  return
}

// A negative start, and a number of unknown sign: both are checked.
// CHECK-LABEL: func.func @not_known
// CHECK-COUNT-2: arith.cmpi ult, %{{.*}}, %c256
func.func @not_known(%A: !rows256, %i: index) attributes {tile.num_threads = 512 : i32} {
  %As = tile.alloc {layout = #tile.layout<"linear">} : !shared
  %a = tile.region %A[-1, 0] [64, 64] {align = 16 : i64} : !rows256
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !window, !shared
  tile.barrier_sync
  %b = tile.region %A[%i, 0] [64, 64] {align = 16 : i64} : !rows256
  tile.copy %b to %As {instr = #tile.instr<cp_async>} : !window, !shared
  return
}
