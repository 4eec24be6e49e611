// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// Protocols that hold for all trip counts, guards and schedules.

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A loop of n rounds on both sides.
func.func @loop(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Rounds that both sides skip.
func.func @guarded(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
        %g0:2 = scf.if %g -> (i32, i32) {
          tile.wait %x[%s, %p]
          %i3 = arith.index_cast %s : i32 to index
          %r3 = tile.region %R[%i3, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r3 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s0, %p0 = tile.advance %s, %p depth 3
          scf.yield %s0, %p0 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %g0#0, %g0#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %g0:2 = scf.if %g -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i4 = arith.index_cast %s : i32 to index
          %r4 = tile.region %R[%i4, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r4 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s0, %p0 = tile.advance %s, %p depth 3
          scf.yield %s0, %p0 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %g0#0, %g0#1 : i32, i32
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

// Whether a round happens is read from memory by both sides: a flag of a
// window, and of a single element, where the kernel writes other memory only.
func.func @predicate(%A: memref<?x?xf32>, %n: index, %M: memref<?xi1>) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %L = tile.alloc : memref<1xi1, #gpu.address_space<private>>
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %w1 = tile.region %M[%i] [8] : memref<?xi1>
        %any1 = tile.any_of %w1 : !tile.region<8xi1>
        %one1 = memref.load %M[%i] : memref<?xi1>
        %h1 = arith.ori %any1, %one1 : i1
        memref.store %h1, %L[%c0] : memref<1xi1, #gpu.address_space<private>>
        %g1 = memref.load %L[%c0] : memref<1xi1, #gpu.address_space<private>>
        %g0:2 = scf.if %g1 -> (i32, i32) {
          tile.wait %x[%s, %p]
          %i3 = arith.index_cast %s : i32 to index
          %r3 = tile.region %R[%i3, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r3 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s0, %p0 = tile.advance %s, %p depth 3
          scf.yield %s0, %p0 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %g0#0, %g0#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %w2 = tile.region %M[%i] [8] : memref<?xi1>
        %any2 = tile.any_of %w2 : !tile.region<8xi1>
        %one2 = memref.load %M[%i] : memref<?xi1>
        %g2 = arith.ori %any2, %one2 : i1
        %g0:2 = scf.if %g2 -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i4 = arith.index_cast %s : i32 to index
          %r4 = tile.region %R[%i4, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r4 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s0, %p0 = tile.advance %s, %p depth 3
          scf.yield %s0, %p0 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %g0#0, %g0#1 : i32, i32
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

// A guard that only the reader has decides whether it reads, not whether it waits.
func.func @private_guard(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
      %mask = tile.alloc : memref<8x8xi1, #tile.fragment>
      %true = arith.constant true
      tile.fill %mask, %true : memref<8x8xi1, #tile.fragment>, i1
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %any = tile.any_of %mask : memref<8x8xi1, #tile.fragment>
        scf.if %any {
          %i5 = arith.index_cast %s : i32 to index
          %r5 = tile.region %R[%i5, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r5 to %f : !slot, !frag
        }
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

// Positions go on in the next tile of a persistent loop.
func.func @persistent(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %so, %p = %po) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
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

// `scf.while` on both sides.
func.func @while(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
      %e:3 = scf.while (%k = %c0, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %more = arith.cmpi slt, %k, %n : index
        scf.condition(%more) %k, %s, %p : index, i32, i32
      } do {
      ^bb0(%k: index, %s: i32, %p: i32):
        tile.wait %x[%s, %p]
        %i6 = arith.index_cast %s : i32 to index
        %r6 = tile.region %R[%i6, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r6 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %s1, %p1 : index, i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%k = %c0, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %more = arith.cmpi slt, %k, %n : index
        scf.condition(%more) %k, %s, %p : index, i32, i32
      } do {
      ^bb0(%k: index, %s: i32, %p: i32):
        tile.acquire %x[%s, %p]
        %i7 = arith.index_cast %s : i32 to index
        %r7 = tile.region %R[%i7, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r7 : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %k1 = arith.addi %k, %c1 : index
        scf.yield %k1, %s1, %p1 : index, i32, i32
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

// Slot and parity computed from the induction variable.
func.func @counters(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %n step %c1 {
        %q = arith.remui %i, %c3 : index
        %s = arith.index_cast %q : index to i32
        %d = arith.divui %i, %c3 : index
        %dp = arith.remui %d, %c2 : index
        %p = arith.index_cast %dp : index to i32
        tile.wait %x[%s, %p]
        %i8 = arith.index_cast %s : i32 to index
        %r8 = tile.region %R[%i8, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r8 to %f : !slot, !frag
        tile.release %x[%s, %p]
      }
    }
    tile.role "producer" warps 1 {
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %n step %c1 {
        %q = arith.remui %i, %c3 : index
        %s = arith.index_cast %q : index to i32
        %d = arith.divui %i, %c3 : index
        %dp = arith.remui %d, %c2 : index
        %p = arith.index_cast %dp : index to i32
        tile.acquire %x[%s, %p]
        %i9 = arith.index_cast %s : i32 to index
        %r9 = tile.region %R[%i9, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r9 : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
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

// A reader that releases one round late, its first iteration peeled.
func.func @late_release(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
      %ran = arith.cmpi slt, %c0, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %e:4 = scf.for %i = %c1 to %n step %c1 iter_args(%s = %b0, %p = %b1, %rs = %z, %rp = %z) -> (i32, i32, i32, i32) {
          tile.wait %x[%s, %p]
          %i10 = arith.index_cast %s : i32 to index
          %r10 = tile.region %R[%i10, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r10 to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          scf.yield %s1, %p1, %s2, %p2 : i32, i32, i32, i32
        }
        tile.release %x[%e#2, %e#3]
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

// Two channels that the sides touch in different orders.
func.func @two_channels(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %y = tile.channel(%Q) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        tile.wait %y[%s, %p]
        %i11 = arith.index_cast %s : i32 to index
        %r11 = tile.region %Q[%i11, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r11 to %f : !slot, !frag
        tile.release %y[%s, %p]
        %i12 = arith.index_cast %s : i32 to index
        %r12 = tile.region %R[%i12, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %r12 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i13 = arith.index_cast %s : i32 to index
        %r13 = tile.region %R[%i13, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r13 : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        tile.acquire %y[%s, %p]
        %i14 = arith.index_cast %s : i32 to index
        %r14 = tile.region %Q[%i14, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r14 : !tile.region<8x8xf32>, !slot
        tile.commit %y[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
