// Warpgroups of a consumer whose loops are rotated take turns to multiply
// (RoleRotate.c); tile-inject-pipeline says where a turn begins and ends.

// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-pipeline-planning,tile-inject-pipeline' %s 2>/dev/null | FileCheck %s --check-prefix=INJECT

#smem = #gpu.address_space<workgroup>
!Q = memref<128x64xbf16, #smem>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<128x64xf32, #tile.fragment>

// A turn holds the products of a step and nothing that all threads do together.
// The first step and the last one are no turns: each has one product.
// CHECK-LABEL: func @two_warpgroups
// CHECK: tile.role "consumer" warps 8 {{.*}}pingpong
// CHECK: tile.role "producer"
// CHECK-NOT: pingpong
// INJECT-LABEL: func @two_warpgroups
// INJECT-NOT: tile.turn
// INJECT: tile.gemm
// INJECT: scf.for
// INJECT: tile.wait
// INJECT: tile.turn <begin>
// INJECT: tile.gemm
// INJECT: tile.wait
// INJECT: tile.gemm
// INJECT-NEXT: tile.turn <end>
// INJECT: tile.release
// INJECT: scf.yield
// INJECT-NOT: tile.turn
// INJECT: tile.role "producer"
func.func @two_warpgroups(%Q: memref<128x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 256 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !Q
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : memref<128x64xbf16, #tile.fragment>
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [128, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, !Q
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!Q, !T, !acc)
      tile.copy %s to %p : !acc, memref<128x64xbf16, #tile.fragment>
      tile.gemm %p, %Vs, %o : (memref<128x64xbf16, #tile.fragment>, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [128, 64] : memref<128x64xf32>
    tile.copy %o to %out : !acc, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @cooperative
// CHECK: tile.role "consumer" warps {{[0-9]+( registers [0-9]+)?}} {
// CHECK: return
// INJECT-LABEL: func @cooperative
// INJECT-NOT: tile.turn
// INJECT: return
func.func @cooperative(%Q: memref<128x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 256 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {partition = #tile.partition<cooperative>}
    %Qs = tile.alloc : !Q
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : memref<128x64xbf16, #tile.fragment>
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [128, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, !Q
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!Q, !T, !acc)
      tile.copy %s to %p : !acc, memref<128x64xbf16, #tile.fragment>
      tile.gemm %p, %Vs, %o : (memref<128x64xbf16, #tile.fragment>, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [128, 64] : memref<128x64xf32>
    tile.copy %o to %out : !acc, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// There is nobody to take turns with.
// CHECK-LABEL: func @one_warpgroup
// CHECK: tile.role "consumer" warps {{[0-9]+( registers [0-9]+)?}} {
// CHECK: return
func.func @one_warpgroup(%Q: memref<128x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    // expected-remark @+1 {{[tile-rotation/turns] the computing warpgroups do not take turns: it takes from 2 to 8 warpgroups}}
    tile.kernel_config {partition = #tile.partition<pingpong>}
    %Qs = tile.alloc : !Q
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : memref<128x64xbf16, #tile.fragment>
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [128, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, !Q
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!Q, !T, !acc)
      tile.copy %s to %p : !acc, memref<128x64xbf16, #tile.fragment>
      tile.gemm %p, %Vs, %o : (memref<128x64xbf16, #tile.fragment>, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [128, 64] : memref<128x64xf32>
    tile.copy %o to %out : !acc, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @in_order
// CHECK: tile.role "consumer" warps {{[0-9]+( registers [0-9]+)?}} {
// CHECK: return
func.func @in_order(%Q: memref<128x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 256 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    // expected-remark @+1 {{[tile-rotation/turns] the computing warpgroups do not take turns: no loop of the role runs products beside scalar work, and its blocks do not loop over tiles}}
    tile.kernel_config {partition = #tile.partition<pingpong>, rotate = false}
    %Qs = tile.alloc : !Q
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : memref<128x64xbf16, #tile.fragment>
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [128, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, !Q
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!Q, !T, !acc)
      tile.copy %s to %p : !acc, memref<128x64xbf16, #tile.fragment>
      tile.gemm %p, %Vs, %o : (memref<128x64xbf16, #tile.fragment>, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [128, 64] : memref<128x64xf32>
    tile.copy %o to %out : !acc, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// The second factor passes shared memory: all threads of both warpgroups meet before
// the product.
// CHECK-LABEL: func @shared_factor
// CHECK: tile.role "consumer" warps {{[0-9]+( registers [0-9]+)?}} {
// CHECK: return
func.func @shared_factor(%Q: memref<128x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 256 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    // expected-remark @+1 {{[tile-rotation/turns] the computing warpgroups do not take turns: threads of all of them fill a factor in shared memory together}}
    tile.kernel_config {partition = #tile.partition<pingpong>}
    %Qs = tile.alloc : !Q
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : memref<128x64xbf16, #smem>
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [128, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, !Q
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!Q, !T, !acc)
      tile.copy %s to %p : !acc, memref<128x64xbf16, #smem>
      tile.gemm %p, %Vs, %o : (memref<128x64xbf16, #smem>, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [128, 64] : memref<128x64xf32>
    tile.copy %o to %out : !acc, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// 64 rows for two warpgroups: each has half of the columns of the first product, and
// needs those of the other for the second one.
// CHECK-LABEL: func @few_rows
// CHECK: tile.role "consumer" warps {{[0-9]+( registers [0-9]+)?}} {
// CHECK: return
func.func @few_rows(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 256 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    // expected-remark @+1 {{[tile-rotation/turns] the computing warpgroups do not take turns: there are not 64 rows for each of them, so that one computes parts of the factors of another}}
    tile.kernel_config {partition = #tile.partition<pingpong>}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xbf16, #tile.fragment>
    %o = tile.alloc : memref<64x64xf32, #tile.fragment>
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, memref<64x64xf32, #tile.fragment>)
      tile.copy %s to %p : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16, #tile.fragment>
      tile.gemm %p, %Vs, %o : (memref<64x64xbf16, #tile.fragment>, !T, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
