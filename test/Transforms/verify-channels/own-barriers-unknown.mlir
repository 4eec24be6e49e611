// RUN: %tile_opt_passes 'tile-verify-channels{synced=true}' %s -split-input-file -verify-diagnostics

// What the proof of mbarriers without a channel gives up at, and no run shows.

!b7 = !tile.barrier<7>
!b11 = !tile.barrier<11>
!b13 = !tile.barrier<13>

// Slots that come back together after 7 * 11 * 13 rounds.
// expected-remark@+1 {{[tile-verify/position] is not proved, and may well be right: the proof for the block stops at "slots and parities depend on more than can be followed}}
func.func @long_period(%n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c13 = arith.constant 13 : index
  %a = tile.barrier_alloc : !b7
  tile.barrier_init %a arrivals 128 : !b7
  %b = tile.barrier_alloc : !b11
  tile.barrier_init %b arrivals 128 : !b11
  %c = tile.barrier_alloc : !b13
  tile.barrier_init %c arrivals 128 : !b13
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    %in_a = arith.remui %i, %c7 : index
    %in_b = arith.remui %i, %c11 : index
    %in_c = arith.remui %i, %c13 : index
    %round_a = arith.divui %i, %c7 : index
    %bit_a = arith.remui %round_a, %c2 : index
    %parity_a = arith.index_cast %bit_a : index to i32
    tile.barrier_arrive %a[%in_a] by <threads> : !b7
    tile.barrier_wait %a[%in_a] parity %parity_a : !b7
    %round_b = arith.divui %i, %c11 : index
    %bit_b = arith.remui %round_b, %c2 : index
    %parity_b = arith.index_cast %bit_b : index to i32
    tile.barrier_arrive %b[%in_b] by <threads> : !b11
    tile.barrier_wait %b[%in_b] parity %parity_b : !b11
    %round_c = arith.divui %i, %c13 : index
    %bit_c = arith.remui %round_c, %c2 : index
    %parity_c = arith.index_cast %bit_c : index to i32
    tile.barrier_arrive %c[%in_c] by <threads> : !b13
    tile.barrier_wait %c[%in_c] parity %parity_c : !b13
    tile.barrier_sync
  }
  return
}

// -----

!b7 = !tile.barrier<7>
!b11 = !tile.barrier<11>
!b13 = !tile.barrier<13>

// The same rows, but slots that do not move have no period: proved.
func.func @fixed_slots(%n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %a = tile.barrier_alloc : !b7
  tile.barrier_init %a arrivals 128 : !b7
  %b = tile.barrier_alloc : !b11
  tile.barrier_init %b arrivals 128 : !b11
  %c = tile.barrier_alloc : !b13
  tile.barrier_init %c arrivals 128 : !b13
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    %round = arith.remui %i, %c2 : index
    %parity = arith.index_cast %round : index to i32
    tile.barrier_arrive %a[%c0] by <threads> : !b7
    tile.barrier_arrive %b[%c1] by <threads> : !b11
    tile.barrier_arrive %c[%c5] by <threads> : !b13
    tile.barrier_wait %a[%c0] parity %parity : !b7
    tile.barrier_wait %b[%c1] parity %parity : !b11
    tile.barrier_wait %c[%c5] parity %parity : !b13
    tile.barrier_sync
  }
  return
}

// -----

!b1 = !tile.barrier<1>

// 27,000 rounds: proved.
func.func @long_run() attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c30 = arith.constant 30 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 128 : !b1
  tile.barrier_sync
  scf.for %i = %c0 to %c30 step %c1 {
    scf.for %j = %c0 to %c30 step %c1 {
      scf.for %k = %c0 to %c30 step %c1 {
        %round = arith.remui %k, %c2 : index
        %parity = arith.index_cast %round : index to i32
        tile.barrier_arrive %b[%c0] by <threads> : !b1
        tile.barrier_wait %b[%c0] parity %parity : !b1
        tile.barrier_sync
      }
    }
  }
  return
}

// -----

!b1 = !tile.barrier<1>

// A role waits for what another one does ten decisions later, each of which the
// first role takes alike: proved.
func.func @far_behind(%p: i1) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.specialize {
    tile.role "early" warps 1 {
      scf.for %i = %c0 to %c20 step %c1 {
        %first = arith.cmpi eq, %i, %c0 : index
        scf.if %first {
          tile.barrier_wait %b[%c0] parity %z : !b1
        }
      }
    }
    tile.role "late" warps 1 {
      scf.for %i = %c0 to %c20 step %c1 {
        %tenth = arith.cmpi eq, %i, %c10 : index
        scf.if %tenth {
          tile.barrier_arrive %b[%c0] by <leader> : !b1
        }
      }
    }
  }
  return
}
