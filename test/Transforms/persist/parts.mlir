// In a loop over tiles the rings are full while a tile is stored. Where what it is
// stored from has no place beside them, it is cut into parts, two of which have, or
// one.

// RUN: %tile_opt_passes 'tile-persist{target=sm_90a}' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!C = memref<8x4096x4096xbf16>
!tile = memref<128x64xbf16, #smem>
!wide = memref<256x64xbf16, #smem>
!stage = memref<128x256xbf16, #smem>
!win = !tile.region<128x64xbf16>
!winw = !tile.region<256x64xbf16>
!winc = !tile.region<128x256xbf16>
!acc = memref<128x256xf32, #tile.fragment>

// 4 x 48 KiB and 64 KiB are too much; 2 x 16 KiB fit.
// CHECK-LABEL: func.func @product
// CHECK: tile.alloc : memref<256x64xbf16
// CHECK: %[[P0:.*]] = tile.alloc : memref<128x64xbf16
// CHECK: %[[P1:.*]] = tile.alloc : memref<128x64xbf16
// CHECK-NOT: memref<128x256xbf16, #gpu
// CHECK: tile.num_stages
// CHECK: %[[F0:.*]] = tile.region %[[ACC:.*]][0, 0] [128, 64]
// CHECK: tile.copy %[[F0]] to %[[P0]]
// CHECK: %[[C0:.*]] = tile.region %{{.*}}[%[[Z:.*]], %[[M:.*]], %[[N:.*]]] [1, 128, 64] drop [0] {align = 16 : i64}
// CHECK: tile.copy %[[P0]] to %[[C0]] {instr = #tile.instr<tma>}
// CHECK: %[[F1:.*]] = tile.region %[[ACC]][0, 64] [128, 64]
// CHECK: tile.copy %[[F1]] to %[[P1]]
// CHECK: %[[W:.*]] = arith.constant 64 : index
// CHECK: %[[N1:.*]] = arith.addi %[[N]], %[[W]] : index
// CHECK: %[[C1:.*]] = tile.region %{{.*}}[%[[Z]], %[[M]], %[[N1]]] [1, 128, 64] drop [0] {align = 16 : i64}
// CHECK: tile.copy %[[P1]] to %[[C1]] {instr = #tile.instr<tma>}
// CHECK: tile.region %[[ACC]][0, 128] [128, 64]
// CHECK: tile.copy %{{.*}} to %[[P0]]
// CHECK: tile.region %[[ACC]][0, 192] [128, 64]
// CHECK: tile.copy %{{.*}} to %[[P1]]
// CHECK-NOT: tile.region %[[ACC]]
// CHECK: return
func.func @product(%A: !A, %B: !A, %C: !C) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c16, %sy = %c32, %sz = %c8)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c256 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !wide
    %Cs = tile.alloc : !stage
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !winw, !wide
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !wide, !acc)
    } {tile.num_stages = 4 : i32}
    tile.copy %acc to %Cs : !acc, !stage
    %c = tile.region %C[%bz, %m, %n] [1, 128, 256] drop [0] {align = 16 : i64} : !C
    tile.copy %Cs to %c {instr = #tile.instr<tma>} : !stage, !winc
    gpu.terminator
  }
  return
}

// With three stages the tile has a place, and stays as it is.
// CHECK-LABEL: func.func @room
// CHECK: tile.num_sms
// CHECK: tile.alloc : memref<128x256xbf16, #gpu
// CHECK: tile.copy %{{.*}} to %{{.*}} : memref<128x256xbf16, #gpu
func.func @room(%A: !A, %B: !A, %C: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c16, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c256 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !wide
    %Cs = tile.alloc : !stage
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !winw, !wide
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !wide, !acc)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %Cs : !acc, !stage
    %c = tile.region %C[%m, %n] [128, 256] {align = 16 : i64} : !A
    tile.copy %Cs to %c : !stage, !winc
    gpu.terminator
  }
  return
}

// 11 x 20 KiB leave 5 KiB, and 16 KiB are cut into rows of 32 bytes: two parts of 4
// KiB are too much, one has a place.
// CHECK-LABEL: func.func @one_place
// CHECK: tile.num_sms
// CHECK: %[[P:.*]] = tile.alloc : memref<128x8xf32, #gpu
// CHECK-NOT: memref<128x8xf32, #gpu.address_space<workgroup>>{{$}}
// CHECK: tile.num_stages
// CHECK-COUNT-4: tile.copy %{{.*}} to %[[P]] :
// CHECK-NOT: tile.copy %{{.*}} to %[[P]] :
// CHECK: return
func.func @one_place(%A: !A, %B: !A, %C: memref<4096x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c128, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c32 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %Cs = tile.alloc : memref<128x32xf32, #smem>
    %acc = tile.alloc : memref<128x32xf32, #tile.fragment>
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [32, 64] {align = 16 : i64} : !A
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, memref<32x64xbf16, #smem>, memref<128x32xf32, #tile.fragment>)
    } {tile.num_stages = 11 : i32}
    tile.copy %acc to %Cs : memref<128x32xf32, #tile.fragment>, memref<128x32xf32, #smem>
    %c = tile.region %C[%m, %n] [128, 32] {align = 16 : i64} : memref<4096x4096xf32>
    tile.copy %Cs to %c : memref<128x32xf32, #smem>, !tile.region<128x32xf32>
    gpu.terminator
  }
  return
}

// Rows of a part are rows of a swizzle: 192 columns are three times 64, and not four
// times 48. Two warpgroups that take tiles in turn have two places each.
// CHECK-LABEL: func.func @thirds
// CHECK: tile.alloc : memref<128x64xbf16, #gpu
// CHECK: %[[T0:.*]] = tile.alloc : memref<128x64xbf16, #gpu
// CHECK: %[[T1:.*]] = tile.alloc : memref<128x64xbf16, #gpu
// CHECK: tile.region %{{.*}}[0, 0] [128, 64]
// CHECK: tile.copy %{{.*}} to %[[T0]]
// CHECK: tile.region %{{.*}}[0, 64] [128, 64]
// CHECK: tile.copy %{{.*}} to %[[T1]]
// CHECK: tile.region %{{.*}}[0, 128] [128, 64]
// CHECK: tile.copy %{{.*}} to %[[T0]]
// CHECK: {tile.persistent, tile.pingpong}
func.func @thirds(%A: !A, %B: memref<3840x4096xbf16>, %C: memref<4096x3840xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c20, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c192 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : memref<192x64xbf16, #smem>
    %Cs = tile.alloc : memref<128x192xbf16, #smem>
    %acc = tile.alloc : memref<128x192xf32, #tile.fragment>
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [192, 64] {align = 16 : i64} : memref<3840x4096xbf16>
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !tile.region<192x64xbf16>, memref<192x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, memref<192x64xbf16, #smem>, memref<128x192xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 192] {align = 16 : i64} : memref<4096x3840xbf16>
    tile.copy %acc to %Cs : memref<128x192xf32, #tile.fragment>, memref<128x192xbf16, #smem>
    tile.copy %Cs to %c {instr = #tile.instr<tma>} : memref<128x192xbf16, #smem>, !tile.region<128x192xbf16>
    gpu.terminator
  }
  return
}

// Beside one more tile thirds have no place. Quarters would, but rows of 96 bytes are
// no rows of a swizzle: 6 parts.
// CHECK-LABEL: func.func @sixths
// CHECK-COUNT-2: tile.alloc : memref<128x32xbf16, #gpu
// CHECK-COUNT-12: tile.copy {{.*}}128x32x
// CHECK: {tile.persistent, tile.pingpong}
func.func @sixths(%A: !A, %B: memref<3840x4096xbf16>, %C: memref<4096x3840xbf16>, %R: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c20, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c192 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : memref<192x64xbf16, #smem>
    %Cs = tile.alloc : memref<128x192xbf16, #smem>
    %row = tile.alloc : memref<512xf32, #smem>
    tile.fill %row, %zero : memref<512xf32, #smem>, f32
    %acc = tile.alloc : memref<128x192xf32, #tile.fragment>
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [192, 64] {align = 16 : i64} : memref<3840x4096xbf16>
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !tile.region<192x64xbf16>, memref<192x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, memref<192x64xbf16, #smem>, memref<128x192xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 192] {align = 16 : i64} : memref<4096x3840xbf16>
    tile.copy %acc to %Cs : memref<128x192xf32, #tile.fragment>, memref<128x192xbf16, #smem>
    tile.copy %Cs to %c {instr = #tile.instr<tma>} : memref<128x192xbf16, #smem>, !tile.region<128x192xbf16>
    %r = tile.region %R[0] [512] {align = 16 : i64} : memref<512xf32>
    tile.copy %row to %r : memref<512xf32, #smem>, !tile.region<512xf32>
    gpu.terminator
  }
  return
}

// A row of 32 bytes is not cut, though half the tile would have a place.
// CHECK-LABEL: func.func @one_line
// CHECK-NOT: tile.num_sms
// CHECK-NOT: memref<128x4xf32
// CHECK: return
func.func @one_line(%A: !A, %B: !A, %C: memref<4096x4096xf32>, %R: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c512, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c8 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : memref<8x64xbf16, #smem>
    %Cs = tile.alloc : memref<128x8xf32, #smem>
    %row = tile.alloc : memref<512xf32, #smem>
    tile.fill %row, %zero : memref<512xf32, #smem>, f32
    %acc = tile.alloc : memref<128x8xf32, #tile.fragment>
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [8, 64] {align = 16 : i64} : !A
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !tile.region<8x64xbf16>, memref<8x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, memref<8x64xbf16, #smem>, memref<128x8xf32, #tile.fragment>)
    } {tile.num_stages = 13 : i32}
    tile.copy %acc to %Cs : memref<128x8xf32, #tile.fragment>, memref<128x8xf32, #smem>
    %c = tile.region %C[%m, %n] [128, 8] {align = 16 : i64} : memref<4096x4096xf32>
    tile.copy %Cs to %c : memref<128x8xf32, #smem>, !tile.region<128x8xf32>
    %r = tile.region %R[0] [512] {align = 16 : i64} : memref<512xf32>
    tile.copy %row to %r : memref<512xf32, #smem>, !tile.region<512xf32>
    gpu.terminator
  }
  return
}
