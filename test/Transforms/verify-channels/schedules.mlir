// RUN: not %tile_opt_passes 'tile-verify-channels' %s -split-input-file 2>&1 | FileCheck %s
// RUN: not %tile_opt_passes 'tile-verify-channels{max-events=2}' %s -split-input-file 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: %tile_opt_passes 'tile-verify-channels{max-runs=0}' %s -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROOF
// RUN: not %tile_opt_passes 'tile-verify-channels{strict=true}' %s -split-input-file 2>&1 | FileCheck %s --check-prefix=STRICT

// What is not proved is executed, and the shortest schedule that goes wrong is
// shown event by event.

#smem = #gpu.address_space<workgroup>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The producer makes one round less: the reader waits for ever.
// CHECK: error: 'tile.wait' op [tile-verify/deadlock] breaks the protocol of role "consumer": waits for ever for slot 0, parity 0: the phase lacks 1 arrivals
// CHECK: note: in a run where this loop has 1 iteration{{$}}
// CHECK: note: in a run where this loop has 0 iterations
// CHECK: note: 1: role "consumer" waits for ever for full 0[0], parity 0
// CHECK: note: fault: waits for ever for slot 0, parity 0: the phase lacks 1 arrivals
// PROOF: remark: [tile-verify/deadlock] is not proved, and may well be right
func.func @one_less(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c1 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%k] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
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

// The reader begins at slot 0 again in each outer iteration.
// CHECK: error: 'tile.release' op [tile-verify/over-arrival]
// CHECK: note: in a run where this loop has 2 iterations
// CHECK: note: in a run where this loop has 2 iterations
// CHECK: note: 1: role "producer" has waited for empty 0[0], parity 1
// CHECK: note: 2: role "producer" begins to fill slot 0
// CHECK: note: 3: role "consumer" has waited for full 0[0], parity 0
// CHECK: note: 5: role "consumer" reads slot 0
// CHECK: note: 6: role "consumer" makes 4 arrivals on empty 0[0]
// CHECK: note: fault: makes 3 arrivals where the phase waits for 2 more
// LAST: error: {{.*}}over-arrival
// LAST-NOT: note: 4:
// LAST: note: 5:
// LAST: note: 6:
// PROOF: remark: [tile-verify/unfilled] is not proved, and may well be right
func.func @starts_anew(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      scf.for %t = %c0 to %n step %c1 {
        %e:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.wait %x[%s, %p]
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%k] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
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

// The slot is read behind its release.
// CHECK: error: 'tile.copy' op [tile-verify/unfilled]
// CHECK: note: 2: role "producer" begins to fill slot 0
// CHECK: note: 3: role "consumer" has waited for full 0[0], parity 0
// CHECK: note: 5: role "consumer" makes 4 arrivals on empty 0[0]
// CHECK: note: 6: role "consumer" reads slot 0
// CHECK: note: fault: reads a part of a slot that nobody has filled in this round
func.func @released_early(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 1 {cp_async_threads = 32, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.release %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        %s1, %p1 = tile.advance %s, %p depth 1
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%k] of !tile.channel {instr = #tile.instr<cp_async>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 1
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

// Bounds that are equal and are not computed alike: no error, and one line that is
// no claim; who asks for proofs sees the run.
// CHECK: remark: [tile-verify/deadlock] is not proved, and may well be right
// CHECK-NOT: note:
// STRICT: error: {{.*}}[tile-verify/deadlock] cannot be proved
// STRICT: note: a run that goes wrong, if its values are possible:
// STRICT: note: in a run where this loop has 1 iteration{{$}}
// STRICT: note: in a run where this loop has 0 iterations
// STRICT: note: 1: role "consumer" waits for ever
func.func @other_form(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %h = arith.shrsi %n, %c1 : index
      %e:2 = scf.for %i = %c0 to %h step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %h = arith.divui %n, %c2 : index
      %e:2 = scf.for %i = %c0 to %h step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.copy %a to %r signal %x[%k] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
