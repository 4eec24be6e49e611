// Loops without roles that multiply what TMA copies: the product of an iteration
// is under way while the next tiles are copied and waited for. The tiles of the
// product before are overwritten after its await.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=3
// RUN: %tile_opt_passes 'canonicalize,tile-instruction-annotation{target=sm_90a},tile-pipeline-planning,tile-inject-pipeline,tile-async-products' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
#fragment = #tile.fragment
!A = memref<128x64xbf16, #smem>
!B = memref<128x64xbf16, #smem>
!C = memref<128x128xf32, #fragment>

// CHECK-LABEL: func @three_slots
// CHECK: tile.alloc : memref<3x128x64xbf16
// CHECK: scf.for
// CHECK: tile.barrier_wait
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.await pending 1{{$}}
// CHECK-NEXT: scf.if
// CHECK: tile.copy {{.*}}tma
// CHECK: scf.yield
// CHECK: }
// CHECK: tile.await pending 0 for
// CASE: three_slots(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=0)
// CASE: three_slots(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=64)
// CASE: three_slots(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=450)
// CASE: two_slots(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=128)
// CASE: two_slots(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=320)
// EXPECT: k = (K + 63) // 64 * 64
// EXPECT: O = A[:, :k] @ B[:, :k].T
func.func @three_slots(%A: memref<512x512xbf16>, %B: memref<512x512xbf16>, %O: memref<512x512xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %threads = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c4, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !C)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %O[%m, %n] [128, 128] : memref<512x512xf32>
    tile.copy %acc to %c : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

func.func @two_slots(%A: memref<512x512xbf16>, %B: memref<512x512xbf16>, %O: memref<512x512xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %threads = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c4, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !C)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %O[%m, %n] [128, 128] : memref<512x512xf32>
    tile.copy %acc to %c : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// A product before the loop and those of the loop into one accumulator, of tiles
// with other extents along K (reference-system.md, 3.4: dual_gemm_shared_accumulator):
// the first one of the loop continues it.
// CHECK-LABEL: func @dual
// CHECK: tile.gemm {{.*}} clear
// CASE: dual(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=0)
// CASE: dual(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=192)
// CASE: dual_roles(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=0)
// CASE: dual_roles(A=ints:512x512:bf16, B=ints:512x512:bf16, O=junk:512x512:f32, K=192)
// EXPECT: k = (K + 63) // 64 * 64
// EXPECT: O = A[:, :k] @ B[:, :k].T + A[:, :32] @ B[:, :32].T
func.func @dual(%A: memref<512x512xbf16>, %B: memref<512x512xbf16>, %O: memref<512x512xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %threads = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c4, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %A0 = tile.alloc : memref<128x32xbf16, #smem>
    %B0 = tile.alloc : memref<128x32xbf16, #smem>
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    %a0 = tile.region %A[%m, 0] [128, 32] {align = 16 : i64} : memref<512x512xbf16>
    %b0 = tile.region %B[%n, 0] [128, 32] {align = 16 : i64} : memref<512x512xbf16>
    tile.copy %a0 to %A0 : !tile.region<128x32xbf16>, memref<128x32xbf16, #smem>
    tile.copy %b0 to %B0 : !tile.region<128x32xbf16>, memref<128x32xbf16, #smem>
    tile.gemm %A0, %B0, %acc {transpose_b} : (memref<128x32xbf16, #smem>, memref<128x32xbf16, #smem>, !C)
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !C)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %O[%m, %n] [128, 128] : memref<512x512xf32>
    tile.copy %acc to %c : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

func.func @dual_roles(%A: memref<512x512xbf16>, %B: memref<512x512xbf16>, %O: memref<512x512xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %threads = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c4, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %A0 = tile.alloc : memref<128x32xbf16, #smem>
    %B0 = tile.alloc : memref<128x32xbf16, #smem>
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    %a0 = tile.region %A[%m, 0] [128, 32] {align = 16 : i64} : memref<512x512xbf16>
    %b0 = tile.region %B[%n, 0] [128, 32] {align = 16 : i64} : memref<512x512xbf16>
    tile.copy %a0 to %A0 : !tile.region<128x32xbf16>, memref<128x32xbf16, #smem>
    tile.copy %b0 to %B0 : !tile.region<128x32xbf16>, memref<128x32xbf16, #smem>
    tile.gemm %A0, %B0, %acc {transpose_b} : (memref<128x32xbf16, #smem>, memref<128x32xbf16, #smem>, !C)
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      %b = tile.region %B[%n, %k] [128, 64] {align = 16 : i64} : memref<512x512xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !C)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %O[%m, %n] [128, 128] : memref<512x512xf32>
    tile.copy %acc to %c : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}
