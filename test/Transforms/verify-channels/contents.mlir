// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// Guards that each role computes in tiles of its own: they are equal when the
// tiles are computed alike.

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// A copy, an element loop and a predicate.
func.func @fragments(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// Maxima are the same whoever takes them.
func.func @folds(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.scan max %m to %m dim 0 : !mask, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.scan max %m to %m dim 0 : !mask, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// Tables in shared memory, made in front of the loop.
func.func @tables(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %c16 = arith.constant 16 : index
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %T[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %T[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %U[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %U[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// One that the block made before there were roles.
func.func @common(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %c16 = arith.constant 16 : index
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %lim : i32
        memref.store %w, %T[%y] : memref<16xi32, #smem>
      }
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %T[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %T[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// Another comparison, another operand, another predicate.
func.func @other_predicate(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sge, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
func.func @other_limit(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %one : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
func.func @other_kind(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.all_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// Another table, another place.
func.func @other_table(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %c16 = arith.constant 16 : index
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %T[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %T[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %lim : i32
        memref.store %w, %U[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %U[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
func.func @other_place(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %c16 = arith.constant 16 : index
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %T[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %T[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %U[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %U[%c1] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// A tensor that the kernel writes may change in between.
func.func @written_tensor(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %O[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        tile.copy %m to %w : !mask, !tile.region<16xi32>
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %O[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// What a role writes behind the reader, it finds in the next iteration.
func.func @written_behind(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  %c16 = arith.constant 16 : index
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %T[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %T[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        memref.store %one, %T[%c0] : memref<16xi32, #smem>
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      tile.parallel (%y) in [16] {
        %v = memref.load %M[%c0, %y] : memref<?x16xi32>
        %w = arith.xori %v, %one : i32
        memref.store %w, %U[%y] : memref<16xi32, #smem>
      }
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %y = arith.remui %i, %c16 : index
        %v = memref.load %U[%y] : memref<16xi32, #smem>
        %on = arith.cmpi sgt, %v, %z : i32
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>
!mask = memref<16xi32, #frag>
!bits = memref<16xi1, #frag>
// A tile that one role changes in some iterations only.
func.func @own_guard(%A: memref<8x8xf32>, %M: memref<?x16xi32>, %O: memref<?x16xi32>, %n: index, %lim: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : memref<16xi32, #smem>
  %U = tile.alloc : memref<16xi32, #smem>
  %a = tile.region %A[0, 0] [8, 8] : memref<8x8xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %f = tile.alloc : !frag
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %h = arith.cmpi eq, %i, %c1 : index
        scf.if %h {
          %t = arith.constant true
          tile.fill %b, %t : !bits, i1
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          // expected-error@+1 {{[tile-verify/deadlock] cannot be proved for role "consumer"}}
          tile.wait %x[%s, %p]
          %i1 = arith.index_cast %s : i32 to index
          %r1 = tile.region %R[%i1, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r1 to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = tile.alloc : !mask
        %b = tile.alloc : !bits
        %w = tile.region %M[%i, 0] [1, 16] drop [0] : memref<?x16xi32>
        tile.copy %w to %m : !tile.region<16xi32>, !mask
        tile.parallel (%y) in [16] {
          %v = memref.load %m[%y] : !mask
          %q = arith.cmpi sgt, %v, %lim : i32
          memref.store %q, %b[%y] : !bits
        }
        %on = tile.any_of %b : !bits
        %r:2 = scf.if %on -> (i32, i32) {
          tile.acquire %x[%s, %p]
          %i2 = arith.index_cast %s : i32 to index
          %r2 = tile.region %R[%i2, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r2 : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        } else {
          scf.yield %s, %p : i32, i32
        }
        scf.yield %r#0, %r#1 : i32, i32
      }
    }
  }
  return
}
