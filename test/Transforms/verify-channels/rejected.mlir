// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// Each kernel breaks one rule. A rule is checked for all trip counts and
// schedules, so that a test may not show what is wrong for years.

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The reader never gives a slot back.
func.func @no_release(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 1: the phase lacks 32 arrivals and 0}}
        tile.wait %x[%s, %p]
        %i15 = arith.index_cast %s : i32 to index
        %r15 = tile.region %R[%i15, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r15 to %f : !slot, !frag
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// The reader does not wait.
func.func @no_wait(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %i16 = arith.index_cast %s : i32 to index
        %r16 = tile.region %R[%i16, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
        tile.copy %r16 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// The producer does not wait until the slot is empty.
func.func @no_acquire(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %i17 = arith.index_cast %s : i32 to index
        %r17 = tile.region %R[%i17, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r17 : !tile.region<8x8xf32>, !slot
        // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of role "producer": makes 31 arrivals where the phase waits for 30 more}}
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

// A commit is missing.
func.func @no_commit(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 0: the phase lacks 32 arrivals and 0}}
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i18 = arith.index_cast %s : i32 to index
        %r18 = tile.region %R[%i18, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r18 : !tile.region<8x8xf32>, !slot
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

// Nothing fills the slot.
func.func @no_fill(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
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

// The parity of the first lap is kept.
func.func @parity(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i19 = arith.index_cast %s : i32 to index
        %r19 = tile.region %R[%i19, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r19 to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of role "consumer": makes 3 arrivals where the phase waits for 2 more}}
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// The position does not move on.
func.func @slot(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i20 = arith.index_cast %s : i32 to index
        %r20 = tile.region %R[%i20, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r20 to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of role "consumer": makes 3 arrivals where the phase waits for 2 more}}
        tile.release %x[%s, %p]
        scf.yield %s, %p : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// The position of the reader begins again in each tile.
func.func @restart(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %o:2 = scf.for %t = %c0 to %n step %c1 iter_args(%so = %z, %po = %z) -> (i32, i32) {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of role "consumer": makes 3 arrivals where the phase waits for 2 more}}
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
        scf.yield %e#0, %e#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %o:2 = scf.for %t = %c0 to %n step %c1 iter_args(%so = %z, %po = %z) -> (i32, i32) {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %so, %p = %po) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
        scf.yield %e#0, %e#1 : i32, i32
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

// Two copies into one slot, by the threads of one role: the second one counts. Proved.
func.func @double_fill(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i21 = arith.index_cast %s : i32 to index
        %r21 = tile.region %R[%i21, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r21 : !tile.region<8x8xf32>, !slot
        tile.copy %a to %r21 : !tile.region<8x8xf32>, !slot
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

// Half of what is read is filled.
func.func @half_filled(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %v = arith.constant 0.0 : f32
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i9 = arith.index_cast %s : i32 to index
        %h = tile.region %R[%i9, 0, 0] [1, 4, 8] drop [0] : !ring
        tile.fill %h, %v : !tile.region<4x8xf32, #smem>, f32
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

// Stores that no arrival covers.
func.func @no_agent(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {tma, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a tile that may still be written by role "producer"}}
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// Releases before it reads.
func.func @released_early(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        tile.release %x[%s, %p]
        %i22 = arith.index_cast %s : i32 to index
        %r22 = tile.region %R[%i22, 0, 0] [1, 8, 8] drop [0] : !ring
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
        tile.copy %r22 to %f : !slot, !frag
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// Releases twice.
func.func @released_twice(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i23 = arith.index_cast %s : i32 to index
        %r23 = tile.region %R[%i23, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r23 to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of role "consumer": makes 3 arrivals where the phase waits for 2 more}}
        tile.release %x[%s, %p]
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// Holds a slot when it ends, which nobody waits for: proved.
func.func @held_at_end(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      tile.wait %x[%z, %z]
    }
    tile.role "producer" warps 1 {
      tile.acquire %x[%z, %z]
      tile.commit %x[%z, %z]
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A reader writes a slot that it holds: proved.
func.func @reader_writes(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %v = arith.constant 0.0 : f32
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i9 = arith.index_cast %s : i32 to index
        %h = tile.region %R[%i9, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.fill %h, %v : !slot, f32
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// Fewer arrivals than the reading warps make.
func.func @wrong_count(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 3 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        // expected-error @+1 {{[tile-verify/over-arrival] breaks the protocol of role "consumer": makes 3 arrivals where the phase waits for 2 more}}
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
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

// The producer fills one round more, which nobody waits for: proved.
func.func @one_more(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
      tile.acquire %x[%e#0, %e#1]
      %j = arith.index_cast %e#0 : i32 to index
      %h = tile.region %R[%j, 0, 0] [1, 8, 8] drop [0] : !ring
      tile.copy %a to %h : !tile.region<8x8xf32>, !slot
      tile.commit %x[%e#0, %e#1]
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The reader wants y first; the producer is out of slots of x.
func.func @deadlock(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R1 = tile.alloc : memref<1x8x8xf32, #smem>
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R1) depth 1 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : memref<1x8x8xf32, #smem>
  %y = tile.channel(%Q) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 0: the phase lacks 32 arrivals and 0}}
        tile.wait %y[%s, %p]
        tile.wait %x[%z, %z]
        tile.release %x[%z, %z]
        tile.wait %x[%z, %one]
        tile.release %x[%z, %one]
        tile.release %y[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%z, %z]
        tile.commit %x[%z, %z]
        tile.acquire %x[%z, %one]
        tile.commit %x[%z, %one]
        tile.acquire %y[%s, %p]
        tile.commit %y[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
