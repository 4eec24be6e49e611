// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// Loops that copy a slot part by part are one fill of it.

#smem = #gpu.address_space<workgroup>
#cp = #tile.instr<cp_async>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!row = !tile.region<1x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Every row once, copied or filled: proved.
func.func @whole(%A: memref<?x?xf32>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 0.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %x = tile.channel(%R) depth 2 {cp_async_threads = 32, simt_threads = 32, consumer_warps = 4} : !ring
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
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        tile.acquire %x[%s, %p]
        scf.for %j = %c0 to %c8 step %c1 {
          %row = memref.load %I[%j] : memref<?xindex>
          %is = arith.cmpi sge, %row, %c0 : index
          %to = tile.region %R[%k, %j, 0] [1, 1, 8] drop [0] : !ring
          scf.if %is {
            %a = tile.region %A[%row, 0] [1, 8] : memref<?x?xf32>
            tile.copy %a to %to signal %x[%k] of !tile.channel {instr = #cp} : !tile.region<1x8xf32>, !row
          } else {
            tile.fill %to, %v : !row, f32
          }
        }
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
#cp = #tile.instr<cp_async>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!row = !tile.region<1x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The last row is left out.
func.func @short(%A: memref<?x?xf32>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %x = tile.channel(%R) depth 2 {cp_async_threads = 32, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
        tile.copy %r to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        tile.acquire %x[%s, %p]
        scf.for %j = %c0 to %c7 step %c1 {
          %row = memref.load %I[%j] : memref<?xindex>
          %to = tile.region %R[%k, %j, 0] [1, 1, 8] drop [0] : !ring
          %a = tile.region %A[%row, 0] [1, 8] : memref<?x?xf32>
          tile.copy %a to %to signal %x[%k] of !tile.channel {instr = #cp} : !tile.region<1x8xf32>, !row
        }
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
#cp = #tile.instr<cp_async>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Rows of one iteration are filled by the next one again.
func.func @overlapping(%A: memref<?x?xf32>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %x = tile.channel(%R) depth 2 {cp_async_threads = 32, consumer_warps = 4} : !ring
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
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        tile.acquire %x[%s, %p]
        scf.for %j = %c0 to %c7 step %c1 {
          %row = memref.load %I[%j] : memref<?xindex>
          %to = tile.region %R[%k, %j, 0] [1, 2, 8] drop [0] : !ring
          %a = tile.region %A[%row, 0] [2, 8] : memref<?x?xf32>
          // expected-error @+1 {{[tile-verify/double-fill] cannot be proved for role "producer": writes a tile that may still be written by role "producer"}}
          tile.copy %a to %to signal %x[%k] of !tile.channel {instr = #cp} : !tile.region<2x8xf32>, !tile.region<2x8xf32, #smem>
        }
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
