// RUN: %tile_opt_passes 'tile-verify-channels{synced=true}' %s -split-input-file -verify-diagnostics

// What the proof of mbarriers without a channel gives up at, and no run shows.

#smem = #gpu.address_space<workgroup>
!b1 = !tile.barrier<1>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>

// Two branches on one value in memory, which are not seen to be equal.
func.func @one_value(%A: memref<?x?xbf16>, %M: memref<4xi1>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  %x = memref.load %M[%c0] : memref<4xi1>
  scf.if %x {
    tile.barrier_expect %b[%c0] bytes 2048 : !b1
    tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  }
  %y = memref.load %M[%c0] : memref<4xi1>
  scf.if %y {
    // expected-remark@+1 {{[tile-verify/deadlock] cannot be proved for the block: waits here, and nobody who could end this wait goes on}}
    tile.barrier_wait %b[%c0] parity %z : !b1
  }
  return
}

// -----

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

// Each of three roles shares a decision with each other one, in another order.
func.func @circle(%p: i1, %q: i1, %r: i1) attributes {tile.num_threads = 96 : i32} {
  %c0 = arith.constant 0 : index
  %b = tile.barrier_alloc : !b1
  tile.barrier_init %b arrivals 1000 : !b1
  tile.barrier_sync
  tile.specialize {
    tile.role "a" warps 1 {
      // expected-remark@+1 {{[tile-verify/out-of-step] cannot be proved for role "a": decides on a value that other roles are not seen to decide on at the same time}}
      scf.if %p {
        tile.barrier_arrive %b[%c0] by <threads> : !b1
      }
      scf.if %q {
        tile.barrier_arrive %b[%c0] by <threads> : !b1
      }
    }
    tile.role "b" warps 1 {
      scf.if %q {
        tile.barrier_arrive %b[%c0] by <threads> : !b1
      }
      scf.if %r {
        tile.barrier_arrive %b[%c0] by <threads> : !b1
      }
    }
    tile.role "c" warps 1 {
      scf.if %r {
        tile.barrier_arrive %b[%c0] by <threads> : !b1
      }
      scf.if %p {
        tile.barrier_arrive %b[%c0] by <threads> : !b1
      }
    }
  }
  return
}
