// Sparse products under way: in roles, where a slot is released after the product
// of the next one, and without them, beside the copies of the next tiles. E says
// that the two elements which are stored are the first ones of their group.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=3
// RUN: %tile_opt_passes 'canonicalize,tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-pipeline-planning,tile-inject-pipeline,tile-async-products' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
#fragment = #tile.fragment
!A = memref<64x32xbf16, #smem>
!B = memref<64x64xbf16, #smem>
!E = memref<64x4xi16, #smem>
!C = memref<64x64xf32, #fragment>

// CHECK-LABEL: func @in_roles
// CHECK: tile.gemm_sp {{.*}}async
// CHECK: scf.for
// CHECK: tile.wait
// CHECK: tile.gemm_sp {{.*}}async
// CHECK: tile.await pending 1
// CHECK-NEXT: tile.release
// CASE: in_roles(A=ints:64x160:bf16, B=ints:64x320:bf16, O=junk:64x64:f32, K=0)
// CASE: in_roles(A=ints:64x160:bf16, B=ints:64x320:bf16, O=junk:64x64:f32, K=64)
// CASE: in_roles(A=ints:64x160:bf16, B=ints:64x320:bf16, O=junk:64x64:f32, K=320)
// EXPECT: S = np.zeros((64, 320), np.float32)
// EXPECT: S[:, 0::4] = A[:, 0::2]; S[:, 1::4] = A[:, 1::2]
// EXPECT: O = S[:, :K] @ B[:, :K].T
func.func @in_roles(%A: memref<64x160xbf16>, %B: memref<64x320xbf16>, %O: memref<64x64xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 17476 : i16 // 0x4444
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %Es = tile.alloc : !E
    %acc = tile.alloc : !C
    tile.fill %Es, %first : !E, i16
    tile.fill %acc, %zero : !C, f32
    %half = arith.divui %K, %c2 : index
    scf.for %h = %c0 to %half step %c32 {
      %k = arith.muli %h, %c2 : index
      %a = tile.region %A[0, %h] [64, 32] {align = 16 : i64} : memref<64x160xbf16>
      %b = tile.region %B[0, %k] [64, 64] {align = 16 : i64} : memref<64x320xbf16>
      tile.copy %a to %As : !tile.region<64x32xbf16>, !A
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, !B
      tile.gemm_sp %As, %Es, %Bs, %acc {transpose_b, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !C, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @without_roles
// CHECK: scf.for
// CHECK: tile.barrier_wait
// CHECK: tile.gemm_sp {{.*}}async
// CHECK: tile.await pending 1{{$}}
// CHECK-NEXT: scf.if
// CASE: without_roles(A=ints:64x160:bf16, B=ints:64x320:bf16, O=junk:64x64:f32, K=0)
// CASE: without_roles(A=ints:64x160:bf16, B=ints:64x320:bf16, O=junk:64x64:f32, K=64)
// CASE: without_roles(A=ints:64x160:bf16, B=ints:64x320:bf16, O=junk:64x64:f32, K=320)
// EXPECT: S = np.zeros((64, 320), np.float32)
// EXPECT: S[:, 0::4] = A[:, 0::2]; S[:, 1::4] = A[:, 1::2]
// EXPECT: O = S[:, :K] @ B[:, :K].T
func.func @without_roles(%A: memref<64x160xbf16>, %B: memref<64x320xbf16>, %O: memref<64x64xf32>, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 17476 : i16 // 0x4444
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %Es = tile.alloc : !E
    %acc = tile.alloc : !C
    tile.fill %Es, %first : !E, i16
    tile.fill %acc, %zero : !C, f32
    %half = arith.divui %K, %c2 : index
    scf.for %h = %c0 to %half step %c32 {
      %k = arith.muli %h, %c2 : index
      %a = tile.region %A[0, %h] [64, 32] {align = 16 : i64} : memref<64x160xbf16>
      %b = tile.region %B[0, %k] [64, 64] {align = 16 : i64} : memref<64x320xbf16>
      tile.copy %a to %As : !tile.region<64x32xbf16>, !A
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, !B
      tile.gemm_sp %As, %Es, %Bs, %acc {transpose_b, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !C, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
