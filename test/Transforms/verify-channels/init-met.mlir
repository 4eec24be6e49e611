// RUN: %tile_opt_passes 'tile-verify-channels{synced=true schedule=false}' %s -split-input-file -verify-diagnostics

// Whether all threads have met behind the initialisation of an mbarrier, when they
// use it.

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// Threads wait on what one of them initialises.
func.func @unseen_init(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/init-unseen] breaks the protocol of the block: uses a barrier before all threads have met after its initialisation}}
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// They have met in one branch only.
func.func @one_branch(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.if %x {
    tile.barrier_sync
  }
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/init-unseen] breaks the protocol of the block: uses a barrier before all threads have met after its initialisation}}
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// In either.
func.func @both_branches(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.if %x {
    tile.barrier_sync
  } else {
    tile.barrier_sync
  }
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// In a loop that may have no round.
func.func @no_round(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_sync
  }
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/init-unseen] breaks the protocol of the block: uses a barrier before all threads have met after its initialisation}}
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// In front of the wait, in the branch that has it.
func.func @inside(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.if %x {
    tile.barrier_expect %b[%c0] bytes 2048 : !b1
    tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
    tile.barrier_sync
    tile.barrier_wait %b[%c0] parity %z : !b1
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// In the condition of a loop, which runs at least once.
func.func @condition(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  scf.while : () -> () {
    tile.barrier_sync
    scf.condition(%x)
  } do {
    scf.yield
  }
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// In a loop that runs.
func.func @loop(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.for %i = %c0 to %c3 step %c1 {
    tile.barrier_sync
  }
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// In one that may have no iterations.
func.func @empty_loop(%A: memref<?x?xbf16>, %n: index, %x: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_sync
  }
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/init-unseen] breaks the protocol of the block: uses a barrier before all threads have met after its initialisation}}
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}
