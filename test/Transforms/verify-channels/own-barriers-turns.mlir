// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// Turns of roles beside mbarriers that no channel has.

!b1 = !tile.barrier<1>

// Both warpgroups of a role have an mbarrier each, and take their turns: proved.
func.func @in_turn() attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 4 : !b1
  tile.barrier_sync
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      tile.turn <begin>
      tile.barrier_arrive %b[%c0] by <warps> : !b1
      tile.turn <end>
    }
    tile.role "odd" warps 4 pingpong {
      tile.turn <begin>
      tile.barrier_wait %b[%c0] parity %z : !b1
      tile.turn <end>
    }
  }
  return
}

// -----

!b1 = !tile.barrier<1>

// The turn that the other role waits for ends only once that role has arrived.
func.func @crossed() attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 4 : !b1
  tile.barrier_sync
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      tile.turn <begin>
      // expected-error@+1 {{[tile-verify/deadlock] breaks the protocol of role "even": waits for ever for slot 0, parity 0}}
      tile.barrier_wait %b[%c0] parity %z : !b1
      tile.turn <end>
    }
    tile.role "odd" warps 4 pingpong {
      tile.turn <begin>
      tile.barrier_arrive %b[%c0] by <warps> : !b1
      tile.turn <end>
    }
  }
  return
}

// -----

!b1 = !tile.barrier<1>

// A turn within a turn.
func.func @twice() attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 4 : !b1
  tile.barrier_sync
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      tile.turn <begin>
      // expected-error@+1 {{[tile-verify/turn] breaks the protocol of role "even": a turn may begin within a turn}}
      tile.turn <begin>
      tile.barrier_arrive %b[%c0] by <warps> : !b1
      tile.turn <end>
    }
    tile.role "odd" warps 4 pingpong {
      tile.turn <begin>
      tile.barrier_wait %b[%c0] parity %z : !b1
      tile.turn <end>
    }
  }
  return
}

// -----

!b1 = !tile.barrier<1>

// Two warpgroups of one role: the second has its turn once the first has ended
// its own, which waits for the arrivals of both.
func.func @of_both() attributes {tile.num_threads = 512 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 8 : !b1
  tile.barrier_sync
  tile.specialize {
    tile.role "even" warps 8 pingpong {
      tile.turn <begin>
      tile.barrier_arrive %b[%c0] by <warps> : !b1
      // expected-error@+1 {{[tile-verify/turn] breaks the protocol of role "even": waits after an arrival in the same turn, while other warpgroups of the role wait for theirs}}
      tile.barrier_wait %b[%c0] parity %z : !b1
      tile.turn <end>
    }
    tile.role "odd" warps 8 pingpong {
      tile.turn <begin>
      tile.barrier_wait %b[%c0] parity %z : !b1
      tile.turn <end>
    }
  }
  return
}
