// Two warpgroups of a persistent product take its tiles in turn (RolePingpong.c):
// one multiplies while the other stores.

// RUN: %tile_opt_passes 'tile-persist{target=sm_90a},tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-persist{target=sm_90a},tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-async-products' %s 2>/dev/null | FileCheck %s --check-prefix=ASYNC
// RUN: tile-opt --pass-pipeline='builtin.module(tile-persist{target=sm_90a},tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-async-products,tile-layout-inference{target=sm_90a},tile-lower-channels,tile-pack-shared-memory{target=sm_90a},tile-insert-sync{target=sm_90a},tile-verify-channels{synced=true target=sm_90a})' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROOF --allow-empty

// The proof covers all trip counts.
// PROOF-NOT: tile-verify

#smem = #gpu.address_space<workgroup>
!A = memref<128x64xbf16, #smem>
!B = memref<128x64xbf16, #smem>
!C = memref<128x128xbf16, #smem>
!acc = memref<128x128xf32, #tile.fragment>

// The first tile of a round is that of one warpgroup, the second one that of the
// other, which stores from a tile of its own. Each goes past the slots of the other:
// of what it skips, only the positions are left. One channel, which either of them
// releases with four warps.
// CHECK-LABEL: func @product
// CHECK: %[[OWN0:[a-z0-9_]+]] = tile.alloc : memref<128x128xbf16
// CHECK: %[[OWN1:[a-z0-9_]+]] = tile.alloc : memref<128x128xbf16
// CHECK: tile.channel{{.*}} depth 4 {consumer_warps = 4
// CHECK: tile.role "consumer-0" warps 4 pingpong
// CHECK: %[[STEP0:[a-z0-9_]+]] = arith.addi %[[GRID:[a-z0-9_]+]], %[[GRID]]
// CHECK: scf.for %[[T0:[a-z0-9_]+]] = %{{.*}} to %{{.*}} step %[[STEP0]]
// CHECK: tile.turn <begin>
// CHECK: scf.for
// CHECK: tile.wait
// CHECK: tile.gemm
// CHECK: tile.release
// CHECK: tile.turn <end>
// CHECK: tile.copy %{{.*}} to %[[OWN0]]
// CHECK: arith.addi %[[T0]], %[[GRID]]
// CHECK: scf.if
// CHECK-NOT: tile.wait
// CHECK: scf.for
// CHECK-NEXT: tile.advance
// CHECK-NEXT: scf.yield
// CHECK: tile.role "consumer-1" warps 4 pingpong
// CHECK: scf.for %[[T1:[a-z0-9_]+]] =
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.advance
// CHECK-NEXT: scf.yield
// CHECK: arith.addi %[[T1]], %[[GRID]]
// CHECK: scf.if
// CHECK: tile.turn <begin>
// CHECK: tile.gemm
// CHECK: tile.turn <end>
// CHECK: tile.copy %{{.*}} to %[[OWN1]]
// CHECK: } else {
// CHECK: tile.role "producer" warps 1
// CHECK: scf.for %{{.*}} step %[[GRID]]

// The turn ends when the last product is issued, and not when it is done; on the
// path without one as well.
// ASYNC-LABEL: func @product
// ASYNC: tile.role "consumer-0"
// ASYNC: tile.turn <begin>
// ASYNC: tile.await pending 1
// ASYNC-NEXT: tile.release
// ASYNC: tile.turn <end>
// ASYNC-NEXT: tile.await pending 0
// ASYNC-NEXT: tile.release
// ASYNC: else
// ASYNC-NEXT: tile.fill
// ASYNC-NEXT: tile.turn <end>
// ASYNC-NEXT: scf.yield
// ASYNC-NOT: tile.turn <end>
// ASYNC: tile.role "consumer-1"
func.func @product(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<4096x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %size = arith.constant 32 : index
  %threads = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %size, %sy = %size, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %Cs = tile.alloc : !C
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 128] {align = 16 : i64} : memref<4096x4096xbf16>
    tile.copy %acc to %Cs : !acc, !C
    tile.copy %Cs to %c : !C, !tile.region<128x128xbf16>
    gpu.terminator
  }
  return
}

// The kernel may say that its warps compute each tile together.
// CHECK-LABEL: func @cooperative
// CHECK: tile.role "consumer" warps 8
// CHECK-NOT: tile.turn
// CHECK: tile.role "producer"
func.func @cooperative(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<4096x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %size = arith.constant 32 : index
  %threads = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %size, %sy = %size, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {partition = #tile.partition<cooperative>}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 128] : memref<4096x4096xbf16>
    tile.copy %acc to %c : !acc, !tile.region<128x128xbf16>
    gpu.terminator
  }
  return
}

// 256 columns of sums on 128 threads are more than a thread has registers for.
// CHECK-LABEL: func @wide
// CHECK: tile.role "consumer" warps 8
// CHECK-NOT: pingpong
// CHECK: tile.role "producer"
func.func @wide(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<4096x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %size = arith.constant 32 : index
  %threads = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %size, %sy = %size, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    // expected-remark @+1 {{[tile-rotation/turns] the computing warpgroups do not take turns: a tile has no place in the registers of one warpgroup, or is not made of pipelined products of shared tiles alone}}
    tile.kernel_config {partition = #tile.partition<pingpong>}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c256 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : memref<256x64xbf16, #smem>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x256xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [256, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<256x64xbf16>, memref<256x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, memref<256x64xbf16, #smem>, memref<128x256xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 256] : memref<4096x4096xbf16>
    tile.copy %acc to %c : memref<128x256xf32, #tile.fragment>, !tile.region<128x256xbf16>
    gpu.terminator
  }
  return
}

// A row beside the sums takes 48 registers of a thread, as many as its columns are
// read by: with the sums there are too many for one warpgroup.
// CHECK-LABEL: func @beside_row
// CHECK: tile.role "consumer" warps 4
// CHECK-NOT: pingpong
// CHECK: return
func.func @beside_row(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<3840xf32>, %C: memref<4096x3840xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c20, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c192 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : memref<192x64xbf16, #smem>
    %row = tile.alloc : memref<192xf32, #tile.fragment>
    %acc = tile.alloc : memref<128x192xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x192xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [192, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<192x64xbf16>, memref<192x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, memref<192x64xbf16, #smem>, memref<128x192xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %r = tile.region %R[%n] [192] : memref<3840xf32>
    tile.copy %r to %row : !tile.region<192xf32>, memref<192xf32, #tile.fragment>
    tile.parallel (%i, %j) in [128, 192] {
      %x = memref.load %acc[%i, %j] : memref<128x192xf32, #tile.fragment>
      %y = memref.load %row[%j] : memref<192xf32, #tile.fragment>
      %z = arith.addf %x, %y : f32
      memref.store %z, %acc[%i, %j] : memref<128x192xf32, #tile.fragment>
    }
    %c = tile.region %C[%m, %n] [128, 192] : memref<4096x3840xbf16>
    tile.copy %acc to %c : memref<128x192xf32, #tile.fragment>, !tile.region<128x192xbf16>
    gpu.terminator
  }
  return
}

// A row in shared memory takes none. The producer fills a ring of two with rows, a
// slot for each warpgroup: the turn ends with the products, not with the row.
// CHECK-LABEL: func @row_in_ring
// CHECK: tile.role "consumer-0" warps 4 {{.*}}pingpong
// CHECK: tile.turn <begin>
// CHECK: tile.gemm
// CHECK: tile.turn <end>
// CHECK-NEXT: tile.wait
// CHECK: tile.parallel
// CHECK: tile.release
// CHECK-NOT: tile.turn
// CHECK: tile.role "consumer-1" warps 4 {{.*}}pingpong
func.func @row_in_ring(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<3840xf32>, %C: memref<4096x3840xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c20, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c192 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : memref<192x64xbf16, #smem>
    %row = tile.alloc : memref<192xf32, #smem>
    %acc = tile.alloc : memref<128x192xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x192xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [192, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<192x64xbf16>, memref<192x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, memref<192x64xbf16, #smem>, memref<128x192xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %r = tile.region %R[%n] [192] {align = 16 : i64} : memref<3840xf32>
    tile.copy %r to %row : !tile.region<192xf32>, memref<192xf32, #smem>
    tile.parallel (%i, %j) in [128, 192] {
      %x = memref.load %acc[%i, %j] : memref<128x192xf32, #tile.fragment>
      %y = memref.load %row[%j] : memref<192xf32, #smem>
      %z = arith.addf %x, %y : f32
      memref.store %z, %acc[%i, %j] : memref<128x192xf32, #tile.fragment>
    }
    %c = tile.region %C[%m, %n] [128, 192] : memref<4096x3840xbf16>
    tile.copy %acc to %c : memref<128x192xf32, #tile.fragment>, !tile.region<128x192xbf16>
    gpu.terminator
  }
  return
}
