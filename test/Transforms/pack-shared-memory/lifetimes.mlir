// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!tensor = memref<64x64xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!fragment = memref<64x64xbf16, #tile.fragment>
!tile = !tile.region<64x64xbf16>

// Nobody reads %S, but the copy to it is in flight until the wait: the fill must
// not get its bytes.
// CHECK-LABEL: func.func @in_flight
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
func.func @in_flight(%A: !tensor, %map: !tile.tensor_map, %zero: bf16, %parity: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %full = tile.barrier_alloc : !tile.barrier<2>
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %a to %S map %map signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile, !shared
  tile.fill %T, %zero : !shared, bf16
  tile.barrier_wait %full[%c0] parity %parity : !tile.barrier<2>
  return
}

// A product under way reads %S until it is awaited, which a loop that does not run does
// not do: the tile that is filled after the loop must not get its bytes. After the
// await it may.
// CHECK-LABEL: func.func @product_under_way
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
// CHECK: tile.alloc {offset = 0 : i64}
func.func @product_under_way(%acc0: f32, %zero: bf16, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %U = tile.alloc : !shared
  %p = tile.alloc : !fragment
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %S, %zero : !shared, bf16
  tile.gemm %p, %S, %acc {async, instr = #tile.instr<wgmma>} : (!fragment, !shared, memref<64x64xf32, #tile.fragment>)
  scf.for %i = %c0 to %n step %c1 {
    tile.await pending 0 for %acc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %acc0 : memref<64x64xf32, #tile.fragment>, f32
  }
  tile.fill %T, %zero : !shared, bf16
  tile.await pending 0 for %acc : memref<64x64xf32, #tile.fragment>
  tile.fill %U, %zero : !shared, bf16
  return
}

// The wait on another slot does not complete the copy, and nobody waits for it:
// it may be in flight to the end.
// CHECK-LABEL: func.func @never_waited_for
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
func.func @never_waited_for(%A: !tensor, %map: !tile.tensor_map, %zero: bf16, %parity: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %full = tile.barrier_alloc : !tile.barrier<2>
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %a to %S map %map signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile, !shared
  tile.barrier_wait %full[%c1] parity %parity : !tile.barrier<2>
  tile.fill %T, %zero : !shared, bf16
  return
}

// After its wait a copy is done, and its bytes are free.
// CHECK-LABEL: func.func @waited_for
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 0 : i64}
func.func @waited_for(%A: !tensor, %map: !tile.tensor_map, %zero: bf16, %parity: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %full = tile.barrier_alloc : !tile.barrier<2>
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %a to %S map %map signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile, !shared
  tile.barrier_wait %full[%c0] parity %parity : !tile.barrier<2>
  tile.fill %T, %zero : !shared, bf16
  return
}

// A launch that waits for another and has a size already: both stay.
// CHECK-LABEL: func.func @asynchronous_launch
// CHECK: %[[SIZE:.*]] = arith.constant 8192 : i32
// CHECK: gpu.launch async [%{{.*}}, %{{.*}}] {{.*}} dynamic_shared_memory_size %[[SIZE]]
func.func @asynchronous_launch(%zero: bf16) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %old = arith.constant 100 : i32
  %t0 = gpu.wait async
  %t1 = gpu.wait async
  %t = gpu.launch async [%t0, %t1] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
       threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %old {
    %S = tile.alloc : !shared
    tile.fill %S, %zero : !shared, bf16
    gpu.terminator
  }
  gpu.wait [%t]
  return
}

// One op reads the last of %S and writes the first of %T: both are there at once,
// whichever is placed first.
// CHECK-LABEL: func.func @one_op_uses_both
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
// CHECK-LABEL: func.func @one_op_uses_both_otherwise
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
func.func @one_op_uses_both(%zero: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.copy %S to %T : !shared, !shared
  tile.fill %T, %zero : !shared, bf16
  return
}
func.func @one_op_uses_both_otherwise(%zero: bf16) attributes {tile.num_threads = 128 : i32} {
  %T = tile.alloc : !shared
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.copy %S to %T : !shared, !shared
  tile.fill %T, %zero : !shared, bf16
  return
}

// One product may be under way after the await: that of %T, not that of %S.
// CHECK-LABEL: func.func @one_of_two_products
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
// CHECK: tile.alloc {offset = 16384 : i64}
func.func @one_of_two_products(%zero: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %U = tile.alloc : !shared
  %p = tile.alloc : !fragment
  %q = tile.alloc : !fragment
  %accp = tile.alloc : memref<64x64xf32, #tile.fragment>
  %accq = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %S, %zero : !shared, bf16
  tile.fill %T, %zero : !shared, bf16
  tile.gemm %p, %S, %accp {async, instr = #tile.instr<wgmma>} : (!fragment, !shared, memref<64x64xf32, #tile.fragment>)
  tile.gemm %q, %T, %accq {async, instr = #tile.instr<wgmma>} : (!fragment, !shared, memref<64x64xf32, #tile.fragment>)
  tile.await pending 1 for %accp : memref<64x64xf32, #tile.fragment>
  tile.fill %U, %zero : !shared, bf16
  tile.await pending 0 for %accq : memref<64x64xf32, #tile.fragment>
  return
}

// The pattern of a swizzle begins at multiples of 1024 bytes, also behind a tile of
// 256.
// CHECK-LABEL: func.func @small_swizzled_tiles
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64}
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 1024 : i64}
!small = memref<8x16xbf16, #gpu.address_space<workgroup>>
func.func @small_swizzled_tiles(%zero: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"swizzle<32>">} : !small
  %T = tile.alloc {layout = #tile.layout<"swizzle<32>">} : !small
  tile.fill %S, %zero : !small, bf16
  tile.copy %S to %T : !small, !small
  return
}
