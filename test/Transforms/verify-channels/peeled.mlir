// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// One role has peeled the first iteration of a loop that the other has whole. What
// has no remark is proved.

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A reader that releases one round late, its first iteration peeled.
func.func @late(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %i0 = arith.addi %first, %c1 : index
        %e:5 = scf.while (%i = %i0, %s = %b0, %p = %b1, %rs = %z, %rp = %z) : (index, i32, i32, i32, i32) -> (index, i32, i32, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p, %rs, %rp : index, i32, i32, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32, %rs: i32, %rp: i32):
          tile.wait %x[%s, %p]
          %t = arith.index_cast %s : i32 to index
          %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          %i1 = arith.addi %i, %c1 : index
          scf.yield %i1, %s1, %p1, %s2, %p2 : index, i32, i32, i32, i32
        }
        tile.release %x[%e#3, %e#4]
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        tile.acquire %x[%s, %p]
        %t = arith.index_cast %s : i32 to index
        %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1, %s1, %p1 : index, i32, i32
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

// The next value comes from memory that nobody writes.
func.func @listed(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %j0 = memref.load %L[%first] : memref<?xi32>
        %i0 = arith.index_cast %j0 : i32 to index
        %e:5 = scf.while (%i = %i0, %s = %b0, %p = %b1, %rs = %z, %rp = %z) : (index, i32, i32, i32, i32) -> (index, i32, i32, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p, %rs, %rp : index, i32, i32, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32, %rs: i32, %rp: i32):
          tile.wait %x[%s, %p]
          %t = arith.index_cast %s : i32 to index
          %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          %j = memref.load %L[%i] : memref<?xi32>
          %i1 = arith.index_cast %j : i32 to index
          scf.yield %i1, %s1, %p1, %s2, %p2 : index, i32, i32, i32, i32
        }
        tile.release %x[%e#3, %e#4]
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        tile.acquire %x[%s, %p]
        %t = arith.index_cast %s : i32 to index
        %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %j = memref.load %L[%i] : memref<?xi32>
        %i1 = arith.index_cast %j : i32 to index
        scf.yield %i1, %s1, %p1 : index, i32, i32
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

// The reader leaves the second iteration out. Each round is read all
// the same, an iteration early: proved.
func.func @skips(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %i0 = arith.addi %first, %c2 : index
        %e:5 = scf.while (%i = %i0, %s = %b0, %p = %b1, %rs = %z, %rp = %z) : (index, i32, i32, i32, i32) -> (index, i32, i32, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p, %rs, %rp : index, i32, i32, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32, %rs: i32, %rp: i32):
          tile.wait %x[%s, %p]
          %t = arith.index_cast %s : i32 to index
          %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          %i1 = arith.addi %i, %c1 : index
          scf.yield %i1, %s1, %p1, %s2, %p2 : index, i32, i32, i32, i32
        }
        tile.release %x[%e#3, %e#4]
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        tile.acquire %x[%s, %p]
        %t = arith.index_cast %s : i32 to index
        %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1, %s1, %p1 : index, i32, i32
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

// The reader asks whether there are two iterations. So it reads one
// round less, which nobody waits for: proved.
func.func @decides_late(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %second = arith.addi %first, %c1 : index
      %ran = arith.cmpi slt, %second, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %i0 = arith.addi %first, %c1 : index
        %e:5 = scf.while (%i = %i0, %s = %b0, %p = %b1, %rs = %z, %rp = %z) : (index, i32, i32, i32, i32) -> (index, i32, i32, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p, %rs, %rp : index, i32, i32, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32, %rs: i32, %rp: i32):
          tile.wait %x[%s, %p]
          %t = arith.index_cast %s : i32 to index
          %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          %i1 = arith.addi %i, %c1 : index
          scf.yield %i1, %s1, %p1, %s2, %p2 : index, i32, i32, i32, i32
        }
        tile.release %x[%e#3, %e#4]
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        tile.acquire %x[%s, %p]
        %t = arith.index_cast %s : i32 to index
        %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1, %s1, %p1 : index, i32, i32
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

// The two go on differently behind the first iteration.
func.func @other_step(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %i0 = arith.addi %first, %c1 : index
        %e:5 = scf.while (%i = %i0, %s = %b0, %p = %b1, %rs = %z, %rp = %z) : (index, i32, i32, i32, i32) -> (index, i32, i32, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p, %rs, %rp : index, i32, i32, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32, %rs: i32, %rp: i32):
          tile.wait %x[%s, %p]
          %t = arith.index_cast %s : i32 to index
          %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          %i1 = arith.addi %i, %c2 : index
          scf.yield %i1, %s1, %p1, %s2, %p2 : index, i32, i32, i32, i32
        }
        tile.release %x[%e#3, %e#4]
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        // expected-error @+1 {{[tile-verify/deadlock] breaks the protocol of role "producer": waits for ever for slot 1, parity 0: the phase lacks 4 arrivals and 0 bytes}}
        tile.acquire %x[%s, %p]
        %t = arith.index_cast %s : i32 to index
        %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1, %s1, %p1 : index, i32, i32
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

// They go on alike, and differently from the first iteration.
func.func @other_first(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        tile.wait %x[%z, %z]
        %b0, %b1 = tile.advance %z, %z depth 3
        %i0 = arith.addi %first, %c1 : index
        %e:5 = scf.while (%i = %i0, %s = %b0, %p = %b1, %rs = %z, %rp = %z) : (index, i32, i32, i32, i32) -> (index, i32, i32, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p, %rs, %rp : index, i32, i32, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32, %rs: i32, %rp: i32):
          // expected-error @+1 {{[tile-verify/deadlock]}}
          tile.wait %x[%s, %p]
          %t = arith.index_cast %s : i32 to index
          %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%rs, %rp]
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %rs, %rp depth 3
          %j = memref.load %L[%i] : memref<?xi32>
          %i1 = arith.index_cast %j : i32 to index
          scf.yield %i1, %s1, %p1, %s2, %p2 : index, i32, i32, i32, i32
        }
        tile.release %x[%e#3, %e#4]
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        tile.acquire %x[%s, %p]
        %t = arith.index_cast %s : i32 to index
        %r = tile.region %R[%t, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        %j = memref.load %L[%i] : memref<?xi32>
        %i1 = arith.index_cast %j : i32 to index
        scf.yield %i1, %s1, %p1 : index, i32, i32
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

// A guard on what the loop hands on.
func.func @while_guard(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        %l1 = memref.load %L[%first] : memref<?xi32>
        %g1 = arith.cmpi ne, %l1, %z : i32
        %b:2 = scf.if %g1 -> (i32, i32) {
          tile.wait %x[%z, %z]
          %t1 = arith.index_cast %z : i32 to index
          %r1 = tile.region %R[%t1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%z, %z]
          %u1, %v1 = tile.advance %z, %z depth 3
          scf.yield %u1, %v1 : i32, i32
        } else {
          scf.yield %z, %z : i32, i32
        }
        %i0 = arith.addi %first, %c1 : index
        %e:3 = scf.while (%i = %i0, %s = %b#0, %p = %b#1) : (index, i32, i32) -> (index, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p : index, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32):
          %l2 = memref.load %L[%i] : memref<?xi32>
          %g2 = arith.cmpi ne, %l2, %z : i32
          %w:2 = scf.if %g2 -> (i32, i32) {
            tile.wait %x[%s, %p]
            %t2 = arith.index_cast %s : i32 to index
            %r2 = tile.region %R[%t2, 0, 0] [1, 8, 8] drop [0] : !ring
            tile.copy %r2 to %f : !slot, !frag
            tile.release %x[%s, %p]
            %u2, %v2 = tile.advance %s, %p depth 3
            scf.yield %u2, %v2 : i32, i32
          } else {
            scf.yield %s, %p : i32, i32
          }
          %i1 = arith.addi %i, %c1 : index
          scf.yield %i1, %w#0, %w#1 : index, i32, i32
        }
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        %l3 = memref.load %L[%i] : memref<?xi32>
        %g3 = arith.cmpi ne, %l3, %z : i32
        %w:2 = scf.if %g3 -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %t3 = arith.index_cast %s : i32 to index
          %r3 = tile.region %R[%t3, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r3 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %u3, %v3 = tile.advance %s, %p depth 3
          scf.yield %u3, %v3 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1, %w#0, %w#1 : index, i32, i32
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

// A guard on the counter.
func.func @for_guard(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        %l1 = memref.load %L[%first] : memref<?xi32>
        %g1 = arith.cmpi ne, %l1, %z : i32
        %b:2 = scf.if %g1 -> (i32, i32) {
          tile.wait %x[%z, %z]
          %t1 = arith.index_cast %z : i32 to index
          %r1 = tile.region %R[%t1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%z, %z]
          %u1, %v1 = tile.advance %z, %z depth 3
          scf.yield %u1, %v1 : i32, i32
        } else {
          scf.yield %z, %z : i32, i32
        }
        %i0 = arith.addi %first, %c1 : index
        %e:2 = scf.for %i = %i0 to %n step %c1 iter_args(%s = %b#0, %p = %b#1) -> (i32, i32) {
          %l2 = memref.load %L[%i] : memref<?xi32>
          %g2 = arith.cmpi ne, %l2, %z : i32
          %w:2 = scf.if %g2 -> (i32, i32) {
            tile.wait %x[%s, %p]
            %t2 = arith.index_cast %s : i32 to index
            %r2 = tile.region %R[%t2, 0, 0] [1, 8, 8] drop [0] : !ring
            tile.copy %r2 to %f : !slot, !frag
            tile.release %x[%s, %p]
            %u2, %v2 = tile.advance %s, %p depth 3
            scf.yield %u2, %v2 : i32, i32
          } else {
            scf.yield %s, %p : i32, i32
          }
          scf.yield %w#0, %w#1 : i32, i32
        }
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %first to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %l3 = memref.load %L[%i] : memref<?xi32>
        %g3 = arith.cmpi ne, %l3, %z : i32
        %w:2 = scf.if %g3 -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %t3 = arith.index_cast %s : i32 to index
          %r3 = tile.region %R[%t3, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r3 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %u3, %v3 = tile.advance %s, %p depth 3
          scf.yield %u3, %v3 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %w#0, %w#1 : i32, i32
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

// The guard of the first iteration is of another value.
func.func @other_guard(%A: memref<?x?xf32>, %L: memref<?xi32>, %n: index, %first: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %first, %n : index
      scf.if %ran {
        %l1 = memref.load %L[%c0] : memref<?xi32>
        %g1 = arith.cmpi ne, %l1, %z : i32
        %b:2 = scf.if %g1 -> (i32, i32) {
          // expected-error @+1 {{[tile-verify/deadlock]}}
          tile.wait %x[%z, %z]
          %t1 = arith.index_cast %z : i32 to index
          %r1 = tile.region %R[%t1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%z, %z]
          %u1, %v1 = tile.advance %z, %z depth 3
          scf.yield %u1, %v1 : i32, i32
        } else {
          scf.yield %z, %z : i32, i32
        }
        %i0 = arith.addi %first, %c1 : index
        %e:3 = scf.while (%i = %i0, %s = %b#0, %p = %b#1) : (index, i32, i32) -> (index, i32, i32) {
          %go = arith.cmpi slt, %i, %n : index
          scf.condition(%go) %i, %s, %p : index, i32, i32
        } do {
        ^bb0(%i: index, %s: i32, %p: i32):
          %l2 = memref.load %L[%i] : memref<?xi32>
          %g2 = arith.cmpi ne, %l2, %z : i32
          %w:2 = scf.if %g2 -> (i32, i32) {
            tile.wait %x[%s, %p]
            %t2 = arith.index_cast %s : i32 to index
            %r2 = tile.region %R[%t2, 0, 0] [1, 8, 8] drop [0] : !ring
            tile.copy %r2 to %f : !slot, !frag
            tile.release %x[%s, %p]
            %u2, %v2 = tile.advance %s, %p depth 3
            scf.yield %u2, %v2 : i32, i32
          } else {
            scf.yield %s, %p : i32, i32
          }
          %i1 = arith.addi %i, %c1 : index
          scf.yield %i1, %w#0, %w#1 : index, i32, i32
        }
      }
    }
    tile.role "producer" warps 1 {
      %e:3 = scf.while (%i = %first, %s = %z, %p = %z) : (index, i32, i32) -> (index, i32, i32) {
        %go = arith.cmpi slt, %i, %n : index
        scf.condition(%go) %i, %s, %p : index, i32, i32
      } do {
      ^bb0(%i: index, %s: i32, %p: i32):
        %l3 = memref.load %L[%i] : memref<?xi32>
        %g3 = arith.cmpi ne, %l3, %z : i32
        %w:2 = scf.if %g3 -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %t3 = arith.index_cast %s : i32 to index
          %r3 = tile.region %R[%t3, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r3 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %u3, %v3 = tile.advance %s, %p depth 3
          scf.yield %u3, %v3 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1, %w#0, %w#1 : index, i32, i32
      }
    }
  }
  return
}
