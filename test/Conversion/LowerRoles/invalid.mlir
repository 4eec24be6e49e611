// RUN: %tile_opt_passes 'tile-lower-roles{target=sm_90a}' %s -split-input-file -verify-diagnostics

// The kernel names all barriers but one, and two roles need one each.
func.func @barriers() attributes {tile.num_threads = 128 : i32} {
  tile.barrier_sync {id = 1, threads = 32}
  tile.barrier_sync {id = 2, threads = 32}
  tile.barrier_sync {id = 3, threads = 32}
  tile.barrier_sync {id = 4, threads = 32}
  tile.barrier_sync {id = 5, threads = 32}
  tile.barrier_sync {id = 6, threads = 32}
  tile.barrier_sync {id = 7, threads = 32}
  tile.barrier_sync {id = 8, threads = 32}
  tile.barrier_sync {id = 9, threads = 32}
  tile.barrier_sync {id = 10, threads = 32}
  tile.barrier_sync {id = 11, threads = 32}
  tile.barrier_sync {id = 12, threads = 32}
  tile.barrier_sync {id = 13, threads = 32}
  tile.barrier_sync {id = 15, threads = 32}
  // expected-error @+1 {{needs 2 named barriers beside those that the kernel names; a block has 16}}
  tile.specialize {
    tile.role "a" warps 2 {
      tile.barrier_sync
    }
    tile.role "b" warps 2 {
      tile.barrier_sync
    }
  }
  return
}

// -----

// The barrier waits for both warpgroups, and the second one for its turn.
func.func @turn_of_one() attributes {tile.num_threads = 256 : i32} {
  tile.specialize {
    tile.role "a" warps 8 pingpong {
      // expected-note @+1 {{the turn begins here}}
      tile.turn <begin>
      // expected-error @+1 {{waits for all 8 warps of the role during the turn of one of its warpgroups: the others wait for the turn}}
      tile.barrier_sync
      tile.turn <end>
      tile.barrier_sync
    }
  }
  return
}
