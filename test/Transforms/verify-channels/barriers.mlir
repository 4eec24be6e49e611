// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// Roles on mbarriers, as tile-lower-channels makes them and as users write them.

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One TMA copy per round: proved.
func.func @tma(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q {leader} : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// A block that is executed where it stands: proved.
func.func @region(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        scf.execute_region {
          tile.copy %r to %f : !slot, !frag
          scf.yield
        }
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q {leader} : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// Stores of all threads, which arrive themselves: proved.
func.func @stores(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 32 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %r {instr = #tile.instr<simt>} : !tile.region<64x64xbf16>, !slot
        tile.fence_proxy
        tile.barrier_arrive %full[%si] : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// Asynchronous copies of all threads: proved.
func.func @cp_async(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 32 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %r {instr = #tile.instr<cp_async>, async} : !tile.region<64x64xbf16>, !slot
        tile.barrier_arrive %full[%si] by <cp_async> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The arrival does not wait for the copies.
func.func @cp_async_arrives_early(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 32 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a tile that may still be written by role "producer"}}
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %r {instr = #tile.instr<cp_async>, async} : !tile.region<64x64xbf16>, !slot
        tile.barrier_arrive %full[%si] : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// Fewer bytes are expected than come.
func.func @too_few_bytes(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8176 : !tile.barrier<3>
        // expected-error @+1 {{[tile-verify/tx-bytes] breaks the protocol of role "producer": copies have 16 bytes more than the phase expects}}
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// More bytes are expected than come.
func.func @too_many_bytes(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 0: the phase lacks 0 arrivals and 16}}
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8208 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The bytes are counted on another slot.
func.func @other_slot(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/missed-phase] breaks the protocol of role "consumer": completes a phase while threads of role "producer" may still wait for}}
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%c0] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One arrival where four warps are counted.
func.func @leader(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 1: the phase lacks 1 arrivals and 0 bytes}}
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <leader> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One thread arrives for all of its role, while the others may still read.
func.func @alone(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 1 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/missed-phase] breaks the protocol of role "consumer": completes a phase while threads of role "producer" may still wait for}}
        tile.barrier_arrive %empty[%si] by <leader> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The same when they have met.
func.func @met(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 1 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_sync
        tile.barrier_arrive %empty[%si] by <leader> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q {leader} : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The producer waits for the parity of the reader.
func.func @same_parity(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 0: the phase lacks 1 arrivals and 0 bytes}}
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %z : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The reader waits for the barrier it arrives on.
func.func @own_barrier(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 0: the phase lacks 4 arrivals and 0 bytes}}
        tile.barrier_wait %empty[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// A barrier with two initialisations.
func.func @two_inits(%A: memref<?x?xbf16>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  // expected-error @+1 {{[tile-verify/form] cannot be proved: the op is not initialised once}}
  %full = tile.barrier_alloc : !tile.barrier<3>
  scf.if %g {
    tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  } else {
    tile.barrier_init %full arrivals 2 : !tile.barrier<3>
  }
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// A TMA store reads the slot, and is waited for before the release: proved.
func.func @stored(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %o = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %r to %o {instr = #tile.instr<tma>} : !slot, !tile.region<64x64xbf16>
        tile.tma_wait pending 0 {read}
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q {leader} : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The store may still read when the slot is released.
func.func @released_while_stored(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 1 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %o = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %r to %o {instr = #tile.instr<tma>} : !slot, !tile.region<64x64xbf16>
        // expected-error @+1 {{[tile-verify/missed-phase] breaks the protocol of role "consumer": completes a phase while threads of role "producer" may still wait for}}
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.barrier_expect %full[%si] bytes 8192 : !tile.barrier<3>
        tile.copy %a to %r signal %full[%si] of !tile.barrier<3> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// Copies that the role has waited for are arrived for as stores are: proved.
func.func @cp_async_waited(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 32 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %r {instr = #tile.instr<cp_async>, async} : !tile.region<64x64xbf16>, !slot
        tile.cp_async_commit
        tile.cp_async_wait pending 0
        tile.barrier_arrive %full[%si] : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x64x64xbf16, #smem>
!slot = !tile.region<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One group of copies may be under way.
func.func @cp_async_under_way(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %full = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %full arrivals 32 : !tile.barrier<3>
  %empty = tile.barrier_alloc : !tile.barrier<3>
  tile.barrier_init %empty arrivals 4 : !tile.barrier<3>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<3>, !tile.barrier<3>, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%si] parity %p : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a tile that may still be written by role "producer"}}
        tile.copy %r to %f : !slot, !frag
        tile.barrier_arrive %empty[%si] by <warps> : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %q = arith.xori %p, %one : i32
        %si = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%si] parity %q : !tile.barrier<3>
        %r = tile.region %R[%si, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[%i, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %r {instr = #tile.instr<cp_async>, async} : !tile.region<64x64xbf16>, !slot
        tile.cp_async_commit
        tile.cp_async_wait pending 1
        tile.barrier_arrive %full[%si] : !tile.barrier<3>
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
