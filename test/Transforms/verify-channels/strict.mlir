// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

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
        // expected-error @+1 {{[tile-verify/deadlock] cannot be proved for role "consumer": waits here, and nobody who could end this wait goes on}}
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
