// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// Barriers that no channel has.

// Complete: the arrivals of 64 threads, twice.
func.func @twice() attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %b arrivals 128 : !tile.barrier<1>
  tile.barrier_sync
  tile.barrier_arrive %b[%c0] : !tile.barrier<1>
  tile.barrier_arrive %b[%c0] : !tile.barrier<1>
  tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  return
}

// -----

func.func @not_initialised() attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  // expected-error @+1 {{[tile-verify/not-initialised] breaks the protocol of the block: is used and nothing initialises it}}
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  return
}

// -----

// More arrivals than there are threads, and no multiple of them.
func.func @too_many() attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %b arrivals 100 : !tile.barrier<1>
  tile.barrier_sync
  tile.barrier_arrive %b[%c0] : !tile.barrier<1>
  // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of the block: waits for ever for slot 0, parity 0: the phase lacks 36 arrivals and 0 bytes}}
  tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  return
}

// -----

// Bytes alone end no phase.
func.func @nobody_arrives(%A: memref<64xf32>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0] [64] : memref<64xf32>
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %b arrivals 1 : !tile.barrier<1>
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 256 {no_arrival} : !tile.barrier<1>
  tile.copy %a to %s signal %b[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{waits for ever for slot 0, parity 0: the phase lacks 1 arrivals and 0 bytes}}
  tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  return
}

// -----

// In a role the arrivals are those of its warps.
func.func @role() attributes {tile.num_threads = 96 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %b arrivals 5 : !tile.barrier<1>
  tile.barrier_sync
  tile.specialize {
    tile.role "waits" warps 1 {
      // expected-error @+1 {{waits for ever for slot 0, parity 0: the phase lacks 3 arrivals and 0 bytes}}
      tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
    }
    tile.role "arrives" warps 2 {
      tile.barrier_arrive %b[%c0] by <warps> : !tile.barrier<1>
    }
  }
  return
}

// -----

// There is a barrier already, of the iteration before.
func.func @init_in_a_loop(%n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %b = tile.barrier_alloc : !tile.barrier<1>
    // expected-error @+1 {{[tile-verify/initialised-again] breaks the protocol of the block: initialises a barrier again, in a loop or after another initialisation}}
    tile.barrier_init %b arrivals 64 : !tile.barrier<1>
    tile.barrier_sync
    tile.barrier_arrive %b[%c0] : !tile.barrier<1>
    tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  }
  return
}

// -----

func.func @init_twice() attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %b arrivals 64 : !tile.barrier<1>
  tile.barrier_sync
  tile.barrier_arrive %b[%c0] : !tile.barrier<1>
  tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  // expected-error @+1 {{[tile-verify/initialised-again]}}
  tile.barrier_init %b arrivals 32 : !tile.barrier<1>
  tile.barrier_sync
  return
}

// -----

// One or the other.
func.func @init_in_branches(%c: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  // expected-remark @+1 {{[tile-verify/form] is not proved, and may well be right: the proof does not follow an op that is not initialised once}}
  %b = tile.barrier_alloc : !tile.barrier<1>
  scf.if %c {
    tile.barrier_init %b arrivals 64 : !tile.barrier<1>
  } else {
    tile.barrier_init %b arrivals 2 : !tile.barrier<1>
  }
  tile.barrier_sync
  scf.if %c {
    tile.barrier_arrive %b[%c0] : !tile.barrier<1>
  } else {
    tile.barrier_arrive %b[%c0] by <warps> : !tile.barrier<1>
  }
  tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
  return
}
