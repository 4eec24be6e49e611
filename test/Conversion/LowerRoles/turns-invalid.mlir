// A barrier that nobody wrote: the message is about the statement that needs it.
// RUN: %tile_opt_passes 'tile-insert-sync,tile-lower-roles{target=sm_90a}' %s -verify-diagnostics

!tile = memref<128x64xf32, #gpu.address_space<workgroup>>
func.func @meets_in_a_turn(%v: f32, %A: memref<128x64xf32>) attributes {tile.num_threads = 256 : i32} {
  %s = tile.alloc : !tile
  %a = tile.region %A[0, 0] [128, 64] : memref<128x64xf32>
  tile.specialize {
    tile.role "a" warps 8 pingpong {
      // expected-note @+1 {{the turn begins here}}
      tile.turn <begin>
      tile.fill %s, %v : !tile, f32
      // expected-error @+1 {{makes all 8 warps of the role meet during the turn of one of its warpgroups, because they share what it reads or writes: the others wait for the turn}}
      tile.copy %s to %a : !tile, !tile.region<128x64xf32>
      tile.turn <end>
    }
  }
  return
}
