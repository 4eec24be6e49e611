// RUN: %tile_opt_passes 'tile-persist{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-persist{target=sm_90a},tile-persist{target=sm_90a}' %s | FileCheck %s

// Blocks that do not stay are numbered as tiles are: neighbours share the copy
// that brings more bytes.

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!B = memref<128x64xbf16, #smem>
!acc = memref<64x128xf32, #tile.fragment>
!tensor = memref<?x?xbf16>

// Columns in x: those of one column of B are neighbours.
// CHECK-LABEL: func @rows
// CHECK: gpu.launch
// CHECK: %[[X:.*]] = gpu.block_id x
// CHECK: %[[Y:.*]] = gpu.block_id y
// CHECK: %[[I:.*]], %[[J:.*]] = tile.block_swizzle %[[X]], %[[Y]] of %{{.*}}, %{{.*}} {panel = 16 : i64}
// CHECK-NOT: tile.block_swizzle
// CHECK: arith.muli %[[J]], %c64
// CHECK: arith.muli %[[I]], %c128
func.func @rows(%A: !tensor, %B: !tensor, %C: memref<?x?xf32>, %gx: index, %gy: index, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  // expected-remark @+1 {{[tile-persist/order] its blocks run in panels of 16 rows: neighbours share the copy that brings more bytes; tile.block_swizzle gives an order}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = false}
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] {align = 16 : i64} : !tensor
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [64, 128] : memref<?x?xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x128xf32>
    gpu.terminator
  }
  return
}

// Rows in x: the same neighbours. All blocks run at once.
// CHECK-LABEL: func @columns
// CHECK: tile.block_swizzle {{.*}} {panel = 16 : i64, raster = #tile.raster<column>}
// CHECK-NOT: tile.block_swizzle
func.func @columns(%A: !tensor, %B: !tensor, %C: memref<?x?xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  // expected-remark @+2 {{[tile-persist/few-tiles]}}
  // expected-remark @+1 {{[tile-persist/order] its blocks run in panels of 16 columns}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c64, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c64 : index
    %n = arith.muli %by, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] {align = 16 : i64} : !tensor
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [64, 128] : memref<?x?xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x128xf32>
    gpu.terminator
  }
  return
}
