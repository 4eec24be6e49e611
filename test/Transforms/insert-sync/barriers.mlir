// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!global = memref<64x64xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!window = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>

// Writers and readers are different threads.
// CHECK-LABEL: func.func @read_after_write
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier_sync
func.func @read_after_write(%F: memref<64x64xbf16, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, memref<64x64xbf16, #tile.fragment>
  return
}

// wgmma reads through the asynchronous proxy: the writers fence first.
// CHECK-LABEL: func.func @asynchronous_read_after_write
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func @asynchronous_read_after_write(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!shared, !shared, !acc)
  return
}

// mma.sync reads through the generic proxy: no fence.
// CHECK-LABEL: func.func @generic_product
// CHECK: tile.fill
// CHECK-NOT: tile.fence_proxy
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func @generic_product(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.gemm %S, %S, %C {instr = #tile.instr<mma>} : (!shared, !shared, !acc)
  return
}

// The next iteration overwrites what the product of this one may still read.
// CHECK-LABEL: func.func @loop_carried_conflict
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func @loop_carried_conflict(%A: !global, %C: !acc, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !global
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %a to %S {instr = #tile.instr<simt>} : !window, !shared
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!shared, !shared, !acc)
  }
  return
}

// The wait on the mbarrier orders what TMA wrote, for every thread; only the
// overwriting of what was read needs a barrier.
// CHECK-LABEL: func.func @wait_orders_tma
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_wait
// CHECK-NEXT: tile.gemm
// CHECK-NOT: tile.fence_proxy
func.func @wait_orders_tma(%A: !global, %m: !tile.tensor_map, %C: !acc, %n: index, %p: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bar = tile.barrier_alloc : !tile.barrier<1>
  %S = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !global
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %a to %S map %m signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !window, !shared
    tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!shared, !shared, !acc)
  }
  return
}

// A barrier that the user wrote counts; a missing fence is added to it.
// CHECK-LABEL: func.func @written_barrier_counts
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.gemm
func.func @written_barrier_counts(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  tile.fill %S, %zero : !shared, bf16
  tile.barrier_sync
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!shared, !shared, !acc)
  return
}

// Tiles that share bytes conflict like one tile.
// CHECK-LABEL: func.func @shared_bytes_conflict
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @shared_bytes_conflict(%F: memref<64x64xbf16, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc {offset = 0 : i64} : !shared
  %T = tile.alloc {offset = 4096 : i64} : !shared
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, memref<64x64xbf16, #tile.fragment>
  tile.fill %T, %zero : !shared, bf16
  return
}

// Reads do not conflict, nor do other tiles.
// CHECK-LABEL: func.func @no_conflict
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @no_conflict(%F: memref<64x64xbf16, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc {offset = 0 : i64} : !shared
  %T = tile.alloc {offset = 8192 : i64} : !shared
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, memref<64x64xbf16, #tile.fragment>
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, memref<64x64xbf16, #tile.fragment>
  tile.fill %T, %zero : !shared, bf16
  return
}

// A branch that may not run still leaves its accesses after; the barrier goes
// where every thread comes by.
// CHECK-LABEL: func.func @guarded_write
// CHECK: scf.if
// CHECK-NEXT: tile.fill
// CHECK: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @guarded_write(%F: memref<64x64xbf16, #tile.fragment>, %c: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !shared
  scf.if %c {
    tile.fill %S, %zero : !shared, bf16
  }
  tile.copy %S to %F {instr = #tile.instr<simt>} : !shared, memref<64x64xbf16, #tile.fragment>
  return
}

// Every thread waits for a copy by parity. Nothing reads the tile, so no barrier
// of that kind keeps a thread from being two copies late: the next copy has one.
// CHECK-LABEL: func.func @copies_that_nobody_reads
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_wait
// CHECK-NOT: tile.barrier_sync
func.func @copies_that_nobody_reads(%A: !global, %n: index, %p: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !shared
  %bar = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %bar arrivals 1 : !tile.barrier<1>
  tile.barrier_sync
  %a = tile.region %A[0, 0] [64, 64] : !global
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_expect %bar[%c0] bytes 8192 : !tile.barrier<1>
    tile.copy %a to %S signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !window, !shared
    tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
  }
  return
}
