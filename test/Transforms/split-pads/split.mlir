// RUN: %tile_opt_passes 'tile-split-pads{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-split-pads{target=sm_90a},tile-split-pads{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-split-pads{target=sm_80}' %s | FileCheck %s --check-prefix=NONE

#smem = #gpu.address_space<workgroup>

// NONE-LABEL: func @row
// NONE-NOT: scf.if

// The window may leave the tensor at columns only, and is read without the pad where
// it does not.
// CHECK-LABEL: func @row
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[LOWER:.*]] = arith.cmpi sge, %[[AT:.*]], %[[ZERO]]
// CHECK: %[[UPPER:.*]] = arith.cmpi sle, %[[AT]], %{{.*}}
// CHECK: %[[IN:.*]] = arith.andi %[[LOWER]], %[[UPPER]]
// CHECK: %[[INSIDE:.*]] = tile.region %{{.*}}[0, %{{.*}}] [16, 64] {align = 16 : i64} : memref<16x?xf32>
// CHECK: scf.if %[[IN]] {
// CHECK-NEXT: tile.copy %[[INSIDE]] to %[[S:.*]] : !tile.region
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.copy %{{.*}} to %[[S]] {prefer = #tile.instr<cp_async>}
// CHECK-NEXT: }
// CHECK-NOT: scf.if
// CHECK: gpu.terminator
func.func @row(%X: memref<16x?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %low = arith.constant 0xFF800000 : f32
    %S = tile.alloc : memref<16x64xf32, #smem>
    %j = arith.muli %bx, %c64 : index
    %x = tile.region %X[0, %j] [16, 64] pad %low : f32 in {align = 16 : i64} : memref<16x?xf32>
    tile.copy %x to %S : !tile.region<16x64xf32>, memref<16x64xf32, #smem>
    gpu.terminator
  }
  return
}

// A required TMA copy reads the windows that are inside.
// CHECK-LABEL: func @required
// CHECK: scf.if
// CHECK-NEXT: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<tma>}
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.copy %{{.*}} to %{{.*}} {prefer = #tile.instr<cp_async>}
func.func @required(%X: memref<16x?xf32>, %p: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<16x64xf32, #smem>
    %x = tile.region %X[0, 0] [16, 64] pad %p : f32 in {align = 16 : i64} : memref<16x?xf32>
    tile.copy %x to %S {instr = #tile.instr<tma>} : !tile.region<16x64xf32>, memref<16x64xf32, #smem>
    gpu.terminator
  }
  return
}

// Nothing to split: the pad is zero, the window is inside, rows are not aligned, or
// the user prefers another instruction.
// CHECK-LABEL: func @kept
// CHECK-NOT: scf.if
// CHECK: return
func.func @kept(%X: memref<32x64xf32>, %Y: memref<16x?xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %S = tile.alloc : memref<16x64xf32, #smem>
    %a = tile.region %X[24, 0] [16, 64] pad %zero : f32 in {align = 16 : i64} : memref<32x64xf32>
    tile.copy %a to %S : !tile.region<16x64xf32>, memref<16x64xf32, #smem>
    %b = tile.region %X[16, 0] [16, 64] pad %one : f32 in {align = 16 : i64} : memref<32x64xf32>
    tile.copy %b to %S : !tile.region<16x64xf32>, memref<16x64xf32, #smem>
    %c = tile.region %Y[0, 0] [16, 64] pad %one : f32 in : memref<16x?xf32>
    tile.copy %c to %S : !tile.region<16x64xf32>, memref<16x64xf32, #smem>
    %d = tile.region %X[24, 0] [16, 64] pad %one : f32 in {align = 16 : i64} : memref<32x64xf32>
    tile.copy %d to %S {prefer = #tile.instr<cp_async>} : !tile.region<16x64xf32>, memref<16x64xf32, #smem>
    gpu.terminator
  }
  return
}
