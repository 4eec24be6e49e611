// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of tile.specialize, tile.role or tile.turn;
// its name cites the label in TileRoleOps.td.

func.func @specialize_c2_empty() {
  // expected-error @+1 {{expects at least one role}}
  tile.specialize {
  }
  return
}

// -----

func.func @specialize_c2_other() {
  tile.specialize {
    // expected-error @+1 {{is directly inside tile.specialize, which holds tile.role ops only}}
    %c = arith.constant 0 : i32
  }
  return
}

// -----

func.func @specialize_c2_names() {
  tile.specialize {
    // expected-note @+1 {{the other one is here}}
    tile.role "a" warps 1 {
    }
    // expected-error @+1 {{expects a name that no other role has, got "a"}}
    tile.role "a" warps 1 {
    }
  }
  return
}

// -----

func.func @specialize_c3() {
  // expected-error @+1 {{expects at most 32 warps in all roles together, got 33}}
  tile.specialize {
    tile.role "a" warps 32 {
    }
    tile.role "b" warps 1 {
    }
  }
  return
}

// -----

func.func @specialize_c4() {
  // expected-error @+1 {{expects budgets of at most 65536 registers, got 69632}}
  tile.specialize {
    tile.role "a" warps 8 registers 240 {
    }
    tile.role "b" warps 4 registers 64 {
    }
  }
  return
}

// -----

func.func @role_c1() {
  // expected-error @+1 {{expects parent op 'tile.specialize'}}
  tile.role "a" warps 1 {
  }
  return
}

// -----

func.func @role_c2() {
  tile.specialize {
    // expected-error @+1 {{expects 'warps' from 1 to 32, got 0}}
    tile.role "a" warps 0 {
    }
  }
  return
}

// -----

func.func @role_c3_value() {
  tile.specialize {
    // expected-error @+1 {{expects 'registers' to be a multiple of 8 from 24 to 256, got 100}}
    tile.role "a" warps 4 registers 100 {
    }
  }
  return
}

// -----

func.func @role_c3_warps() {
  tile.specialize {
    // expected-error @+1 {{expects 'registers' on whole warpgroups of 4 warps, got 1 warps after 0 others}}
    tile.role "a" warps 1 registers 24 {
    }
  }
  return
}

// -----

func.func @role_c3_start() {
  tile.specialize {
    tile.role "a" warps 2 {
    }
    // expected-error @+1 {{expects 'registers' on whole warpgroups of 4 warps, got 4 warps after 2 others}}
    tile.role "b" warps 4 registers 24 {
    }
  }
  return
}

// -----

func.func @role_c4() {
  tile.specialize {
    // expected-error @+1 {{expects 'pingpong' on whole warpgroups of 4 warps, got 2 warps after 0 others}}
    tile.role "a" warps 2 pingpong {
    }
  }
  return
}

// -----

func.func @turn_c1() {
  tile.specialize {
    tile.role "a" warps 4 {
      // expected-error @+1 {{expects to be inside a tile.role that says 'pingpong'}}
      tile.turn <begin>
    }
  }
  return
}

// -----

func.func @turn_c2() {
  tile.specialize {
    tile.role "a" warps 4 pingpong {
      // expected-error @+1 {{expects from 2 to 8 warpgroups that take turns, got 1}}
      tile.turn <end>
    }
  }
  return
}
