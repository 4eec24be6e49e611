// RUN: %tile_opt_passes 'tile-verify-channels{synced=true}' %s -split-input-file -verify-diagnostics

// What the proof of mbarriers without a channel gives up at, and no run shows.

!b7 = !tile.barrier<7>
!b11 = !tile.barrier<11>
!b13 = !tile.barrier<13>

// Slots that come back together after 7 * 11 * 13 rounds.
// expected-remark@+1 {{[tile-verify/position] cannot be proved for the block: slots and parities depend on more than can be followed}}
func.func @long_period() attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %a = tile.barrier_alloc : !b7
  tile.barrier_init %a arrivals 128 : !b7
  %b = tile.barrier_alloc : !b11
  tile.barrier_init %b arrivals 128 : !b11
  %c = tile.barrier_alloc : !b13
  tile.barrier_init %c arrivals 128 : !b13
  tile.barrier_sync
  tile.barrier_arrive %a[%c0] by <threads> : !b7
  tile.barrier_arrive %b[%c0] by <threads> : !b11
  tile.barrier_arrive %c[%c0] by <threads> : !b13
  return
}

// -----

!b1 = !tile.barrier<1>

// A role waits for what another one does ten decisions later, each of which the
// first role takes alike.
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
          // expected-remark@+1 {{[tile-verify/out-of-step] cannot be proved for role "early": goes on only when role "late" takes more decisions in front of those that are alike than can be followed}}
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
