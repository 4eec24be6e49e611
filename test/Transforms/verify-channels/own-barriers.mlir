// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// mbarriers that no channel has, of a block without roles. Barriers of threads that
// tile-insert-sync adds count as if they stood there.

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// A copy that all threads wait for: proved.
func.func @once(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %S to %f : !tile, !frag
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The copy is issued first; the phase cannot end without the arrival: proved.
func.func @expected_later(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %S to %f : !tile, !frag
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// Nobody waits before the tile is read.
func.func @not_waited(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of the block: reads a tile while a copy may be under way}}
  tile.copy %S to %f : !tile, !frag
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The phase ends when the copy has not.
func.func @too_few_bytes(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2000 : !b1
  // expected-error @+1 {{[tile-verify/tx-bytes] breaks the protocol of the block: copies have 48 bytes more than the phase expects}}
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %S to %f : !tile, !frag
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The phase never ends.
func.func @too_many_bytes(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2064 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of the block: waits for ever for slot 0, parity 0: the phase lacks 0 arrivals and 16 bytes}}
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %S to %f : !tile, !frag
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// No arrival keeps the phase open for these bytes.
func.func @late_bytes(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 64 : !b1
  tile.barrier_sync
  // expected-error @+1 {{[tile-verify/tx-bytes] breaks the protocol of the block: the phase may complete before bytes are expected that no arrival of the same thread follows}}
  tile.barrier_arrive %b[%c0] : !b1
  tile.barrier_expect %b[%c0] bytes 2048 {no_arrival} : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The parity of the phase before the first one.
func.func @other_parity(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-error @+1 {{[tile-verify/early-wait] breaks the protocol of the block: waits for parity 1 of slot 0 while an earlier phase of that parity may be the last one that is complete}}
  tile.barrier_wait %b[%c0] parity %one : !b1
  tile.copy %S to %f : !tile, !frag
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The second round waits for the parity of the first.
func.func @same_parity(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_expect %b[%c0] bytes 2048 : !b1
    // expected-error @+1 {{[tile-verify/overwritten] breaks the protocol of the block: writes a tile that may still be read by other threads}}
    tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
    tile.barrier_wait %b[%c0] parity %z : !b1
    tile.copy %S to %f : !tile, !frag
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// Threads that still wait may miss two phases.
func.func @missed(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %q = arith.andi %k, %one : i32
    tile.barrier_arrive %b[%c0] by <leader> : !b1
    // expected-error @+1 {{[tile-verify/early-wait] breaks the protocol of the block: waits for parity 0 of slot 0}}
    tile.barrier_wait %b[%c0] parity %q : !b1
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The same, when they meet in every round: proved.
func.func @met(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %q = arith.andi %k, %one : i32
    tile.barrier_arrive %b[%c0] by <leader> : !b1
    tile.barrier_wait %b[%c0] parity %q : !b1
    tile.barrier_sync
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// A slot that is none.
func.func @no_slot(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 64 : !b1
  tile.barrier_sync
  scf.for %i = %c0 to %c2 step %c1 {
    // expected-error @+1 {{[tile-verify/no-slot] breaks the protocol of the block: uses slot 1 of 1}}
    tile.barrier_arrive %b[%i] : !b1
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// An arrival that may count in the phase before.
func.func @one_more(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_arrive %b[%c0] by <leader> : !b1
  // expected-error @+1 {{[tile-verify/early-arrival] breaks the protocol of the block: arrives in a phase while the one before it may not be complete}}
  tile.barrier_arrive %b[%c0] by <leader> : !b1
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// More arrivals than the phase has.
func.func @too_many(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 64 : !b1
  tile.barrier_sync
  tile.barrier_arrive %b[%c0] by <leader> : !b1
  // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of the block: makes 63 arrivals where the phase waits for 61 more}}
  tile.barrier_arrive %b[%c0] : !b1
  tile.barrier_arrive %b[%c0] by <leader> : !b1
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The block ends with a phase that waits for bytes.
// expected-error @+1 {{[tile-verify/tx-bytes] breaks the protocol of the block: ends while a phase waits for 2048 bytes that no copy brings}}
func.func @no_copy(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// The block ends with the copy.
// expected-error @+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @left_alone(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// A parity that comes from outside.
func.func @from_outside(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-remark @+1 {{[tile-verify/position] is not proved, and may well be right: the proof for the block stops at "the slot or parity is not a number that can be followed}}
  tile.barrier_wait %b[%c0] parity %p : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// Initialised in a branch.
func.func @in_a_branch(%A: memref<?x?xbf16>, %n: i1, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  scf.if %n {
    // expected-remark @+1 {{[tile-verify/form] is not proved, and may well be right: the proof does not follow an op that initialises barriers inside of control flow}}
    tile.barrier_init %b arrivals 1 : !b1
  }
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// A named barrier for fewer threads than execute it.
func.func @some_threads(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-remark @+1 {{[tile-verify/form] is not proved, and may well be right: the proof does not follow an op that meets some of the threads that execute it only}}
  tile.barrier_sync {id = 2 : i64, threads = 32 : i64}
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// A named barrier of all of them: proved.
func.func @whole_role(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.barrier_sync {id = 2 : i64, threads = 64 : i64}
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %S to %f : !tile, !frag
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// Control flow that is not understood.
func.func @unknown_control(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-remark @+1 {{[tile-verify/form] is not proved, and may well be right: the proof does not follow an op that holds barriers in control flow that is not understood}}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    tile.barrier_wait %b[%c0] parity %z : !b1
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>
!b1 = !tile.barrier<1>

// One tile in all rounds, and a barrier that tile-insert-sync adds: proved.
func.func @again(%A: memref<?x?xbf16>, %n: index, %p: i32) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %q = arith.andi %k, %one : i32
    tile.barrier_expect %b[%c0] bytes 2048 : !b1
    tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
    tile.barrier_wait %b[%c0] parity %q : !b1
    tile.copy %S to %f : !tile, !frag
  }
  return
}
