// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// scf.index_switch in roles: its cases are branches.

#smem = #gpu.address_space<workgroup>
!ring = memref<3x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Rounds in two of three cases on both sides, and positions that the cases yield.
func.func @cases(%A: memref<?x?xf32>, %M: memref<?xindex>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = memref.load %M[%i] : memref<?xindex>
        %t:2 = scf.index_switch %m -> i32, i32
        case 3 {
          tile.wait %x[%s, %p]
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %r to %f : !slot, !frag
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
        case 5 {
          scf.yield %s, %p : i32, i32
        }
        default {
          tile.wait %x[%s, %p]
          tile.release %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
        scf.yield %t#0, %t#1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %m = memref.load %M[%i] : memref<?xindex>
        %t:2 = scf.index_switch %m -> i32, i32
        case 3 {
          tile.acquire %x[%s, %p]
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
        case 5 {
          scf.yield %s, %p : i32, i32
        }
        default {
          tile.acquire %x[%s, %p]
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
          tile.copy %a to %r : !tile.region<8x8xf32>, !slot
          tile.commit %x[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
        scf.yield %t#0, %t#1 : i32, i32
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

// A case reads what has been given back.
func.func @late(%A: memref<?x?xf32>, %M: memref<?xindex>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 3 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        tile.release %x[%s, %p]
        %m = memref.load %M[%i] : memref<?xindex>
        scf.index_switch %m
        case 3 {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
          // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
          tile.copy %r to %f : !slot, !frag
          scf.yield
        }
        default {
        }
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.copy %a to %r : !tile.region<8x8xf32>, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
