// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// Ping-pong roles: turns, and rounds of a channel that the roles share.

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Depth 3: the turns keep the order of the rounds. Proved.
func.func @by_turns(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 3
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 3
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 3
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 3
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 3
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<4x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A depth that is a multiple: each role has slots of its own. Proved.
func.func @each_its_slots(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 4 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 4
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 4
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<4x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Three roles. Proved.
func.func @three(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 416 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 4 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c3 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        %ws2, %wp2 = tile.advance %ws1, %wp1 depth 4
        scf.yield %ws2, %wp2 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 4
      %e:2 = scf.for %i = %c1 to %n step %c3 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        %ws2, %wp2 = tile.advance %ws1, %wp1 depth 4
        scf.yield %ws2, %wp2 : i32, i32
      }
    }
    tile.role "third" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 4
      %fs1, %fp1 = tile.advance %fs0, %fp0 depth 4
      %e:2 = scf.for %i = %c2 to %n step %c3 iter_args(%s = %fs1, %p = %fp1) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        %ws2, %wp2 = tile.advance %ws1, %wp1 depth 4
        scf.yield %ws2, %wp2 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 4
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Every second tile of a block: bounds that only the launch knows. Proved.
func.func @blocks(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %b = gpu.block_id x
  %g = gpu.grid_dim x
  %g2 = arith.muli %g, %c2 : index
  %b1 = arith.addi %b, %g : index
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %b to %n step %g2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 2
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 2
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 2
      %e:2 = scf.for %i = %b1 to %n step %g2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 2
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 2
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %b to %n step %g iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Depth 3 without turns: a role may be a lap ahead of a slow copy.
func.func @no_turns(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %ws0, %wp0 = tile.advance %s, %p depth 3
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 3
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 3
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/early-wait] breaks the protocol of role "odd": waits for parity 1 of slot 0 while an earlier phase of that parity may be the}}
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %ws0, %wp0 = tile.advance %s, %p depth 3
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 3
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The wait is before the turn: proved.
func.func @outside(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.turn <begin>
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 3
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 3
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 3
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.turn <begin>
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 3
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 3
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<4x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// One role keeps its turn.
func.func @no_end(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 4 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 4
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/turn] breaks the protocol of role "odd": a turn may begin within a turn}}
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %is_first = arith.cmpi eq, %i, %c1 : index
        scf.if %is_first {
          tile.turn <end>
        }
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 4
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The odd role begins with the round of the even one.
func.func @one_more(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 2
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 2
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "odd": reads a part of a slot that nobody has filled in this round}}
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 2
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 2
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<1x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// What the first role waits for in its turn comes behind the turn of the second.
func.func @waits_in_turn(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %v = arith.constant 0.0 : f32
  %R = tile.alloc : !ring
  %ry = tile.region %R[0, 0, 0] [1, 8, 8] drop [0] : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %y = tile.channel(%R) depth 1 {simt_threads = 128, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "first" warps 4 pingpong {
      tile.turn <begin>
      // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "first": waits for ever for slot 0, parity 0: the phase lacks 128 arrivals and 0 bytes}}
      tile.wait %y[%z, %z]
      tile.release %y[%z, %z]
      tile.turn <end>
    }
    tile.role "second" warps 4 pingpong {
      tile.turn <begin>
      tile.turn <end>
      tile.acquire %y[%z, %z]
      tile.fill %ry, %v : !slot, f32
      tile.commit %y[%z, %z]
    }
    tile.role "producer" warps 1 {
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Guards that go together: proved.
func.func @correlated(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      scf.if %g {
        tile.turn <begin>
      }
      scf.if %g {
        tile.turn <end>
      }
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %ws0, %wp0 = tile.advance %s, %p depth 2
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 2
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 2
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %ws0, %wp0 = tile.advance %s, %p depth 2
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 2
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The second warpgroup has not given the first slot back when the first one waits
// for the second.
func.func @two_in_turn(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 8} : !ring
  tile.specialize {
    tile.role "both" warps 8 pingpong {
      tile.turn <begin>
      tile.wait %x[%z, %z]
      tile.release %x[%z, %z]
      %o = arith.constant 1 : i32
      // expected-error @+1 {{[tile-verify/turn] breaks the protocol of role "both": waits after an arrival in the same turn, while other warpgroups of the role wait for}}
      tile.wait %x[%o, %z]
      tile.release %x[%o, %z]
      tile.turn <end>
    }
    tile.role "producer" warps 1 {
      %o = arith.constant 1 : i32
      tile.acquire %x[%z, %z]
      %r0 = tile.region %R[0, 0, 0] [1, 8, 8] drop [0] : !ring
      tile.copy %a to %r0 signal %x[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
      tile.commit %x[%z, %z]
      tile.acquire %x[%o, %z]
      %r1 = tile.region %R[1, 0, 0] [1, 8, 8] drop [0] : !ring
      tile.copy %a to %r1 signal %x[%c1] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
      tile.commit %x[%o, %z]
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<4x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A turn ends twice.
func.func @ends_twice(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 4 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      %fs0, %fp0 = tile.advance %z, %z depth 4
      %e:2 = scf.for %i = %c1 to %n step %c2 iter_args(%s = %fs0, %p = %fp0) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.turn <begin>
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        tile.turn <end>
        // expected-error @+1 {{[tile-verify/turn] breaks the protocol of role "odd": a turn may end that has not begun}}
        tile.turn <end>
        %ws0, %wp0 = tile.advance %s, %p depth 4
        %ws1, %wp1 = tile.advance %ws0, %wp0 depth 4
        scf.yield %ws1, %wp1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.index_cast %s : i32 to index
        %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 4
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
