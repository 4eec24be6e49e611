// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// What can be neither proved nor refuted is a remark; with `strict` an error
// (strict.mlir).

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Bounds that are equal and are not computed alike.
func.func @other_form(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %Q = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %h = arith.shrsi %n, %c1 : index
      %e:2 = scf.for %i = %c0 to %h step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        // expected-remark @+1 {{[tile-verify/deadlock] is not proved, and may well be right: the proof for role "consumer" stops at "waits here, and nobody who could end}}
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
      %h = arith.divui %n, %c2 : index
      %e:2 = scf.for %i = %c0 to %h step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
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

// A slot that comes from memory.
func.func @unknown_position(%A: memref<?x?xf32>, %n: index, %M: memref<?xi32>) attributes {tile.num_threads = 160 : i32} {
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
        %s9 = memref.load %M[%i] : memref<?xi32>
        // expected-remark @+1 {{[tile-verify/position] is not proved, and may well be right: the proof for role "consumer" stops at "the slot or parity is not a number that can be followed}}
        tile.wait %x[%s9, %p]
        tile.release %x[%s9, %p]
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

// A window at a place that is not constant.
func.func @moving_window(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
        %h = tile.region %R[%i9, %i, 0] [1, 4, 8] drop [0] : !ring
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

// The two guards of the reader go together: proved.
func.func @correlated(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %r = tile.region %R[0, 0, 0] [1, 8, 8] drop [0] : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      scf.if %g {
        tile.wait %x[%z, %z]
      }
      scf.if %g {
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%z, %z]
      }
    }
    tile.role "producer" warps 1 {
      scf.if %g {
        tile.acquire %x[%z, %z]
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%z, %z]
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

// Nobody reads.
func.func @nobody_reads(%A: memref<?x?xf32>, %n: index, %g: i1) attributes {tile.num_threads = 160 : i32} {
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
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "producer": waits for ever for slot 0, parity 0: the phase lacks 4 arrivals and 0 bytes}}
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

// Ping-pong roles, of which the second should read the second round.
!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @shared_rounds() attributes {tile.num_threads = 288 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "a" warps 4 pingpong {
      tile.wait %ch[%z, %z]
      tile.release %ch[%z, %z]
    }
    tile.role "b" warps 4 pingpong {
      tile.wait %ch[%z, %z]
      // expected-error @+1 {{[tile-verify/early-arrival] breaks the protocol of role "b": arrives in a phase while the one before it may not be complete}}
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      tile.acquire %ch[%z, %z]
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Ping-pong roles that share the rounds in runs of `m`: right, and not followed.
// No run that goes wrong is found either.
func.func @chunks(%A: memref<?x?xf32>, %n: index, %m: index) attributes {tile.num_threads = 288 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %cd = arith.constant 3 : index
  %R = tile.alloc : !ring
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {tma, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "even" warps 4 pingpong {
      %f = tile.alloc : !frag
      scf.for %t = %c0 to %n step %c2 {
        tile.turn <begin>
        scf.for %k = %c0 to %m step %c1 {
          %h = arith.muli %t, %m : index
          %i = arith.addi %h, %k : index
          %q = arith.remui %i, %cd : index
          %l = arith.divui %i, %cd : index
          %b = arith.andi %l, %c1 : index
          %s = arith.index_cast %q : index to i32
          %p = arith.index_cast %b : index to i32
          %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
          // expected-remark @+1 {{[tile-verify/position] is not proved, and may well be right: the proof for role "even"}}
          tile.wait %x[%s, %p]
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%s, %p]
        }
        tile.turn <end>
      }
    }
    tile.role "odd" warps 4 pingpong {
      %f = tile.alloc : !frag
      scf.for %t = %c1 to %n step %c2 {
        tile.turn <begin>
        scf.for %k = %c0 to %m step %c1 {
          %h = arith.muli %t, %m : index
          %i = arith.addi %h, %k : index
          %q = arith.remui %i, %cd : index
          %l = arith.divui %i, %cd : index
          %b = arith.andi %l, %c1 : index
          %s = arith.index_cast %q : index to i32
          %p = arith.index_cast %b : index to i32
          %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.wait %x[%s, %p]
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%s, %p]
        }
        tile.turn <end>
      }
    }
    tile.role "producer" warps 1 {
      scf.for %t = %c0 to %n step %c1 {
        scf.for %k = %c0 to %m step %c1 {
          %h = arith.muli %t, %m : index
          %i = arith.addi %h, %k : index
          %q = arith.remui %i, %cd : index
          %l = arith.divui %i, %cd : index
          %b = arith.andi %l, %c1 : index
          %s = arith.index_cast %q : index to i32
          %p = arith.index_cast %b : index to i32
          %r = tile.region %R[%q, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.acquire %x[%s, %p]
          tile.copy %a to %r signal %x[%q] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
        }
      }
    }
  }
  return
}
