// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false max-states=1}' %s -verify-diagnostics

// What is said where there is no room for a proof.

!b1 = !tile.barrier<1>

// One state does not suffice for the loop. A role waits for what another one
// does ten decisions later, each of which the first role takes alike.
// expected-remark @+1 {{[tile-verify/too-many-states] is not proved, and may well be right: the proof for role "all" stops at "the threads reach more than 1 states}}
func.func @far_behind(%n: index) attributes {tile.num_threads = 64 : i32} {
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
      scf.for %i = %c0 to %n step %c1 {
        tile.barrier_sync
      }
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
