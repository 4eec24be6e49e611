// RUN: %tile_opt_passes 'tile-verify-channels{strict=true schedule=false}' %s -split-input-file -verify-diagnostics

// What element loops read of slots and write to them.

#smem = #gpu.address_space<workgroup>
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Every element: proved.
func.func @whole(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [8, 8] {
          memref.store %v, %R[%k, %u, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Indices in another order, a half from an offset on, a constant column, and
// stores in both branches: proved.
func.func @exchanged(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [8, 3] {
          memref.store %v, %R[%k, %w, %u] : !ring
        }
        tile.parallel (%u, %w) in [5, 7] {
          %c3 = arith.constant 3 : index
          %q = arith.addi %u, %c3 : index
          %in = arith.cmpi ult, %w, %n : index
          scf.if %in {
            memref.store %v, %R[%k, %q, %w] : !ring
          } else {
            %o = arith.negf %v : f32
            memref.store %o, %R[%k, %q, %w] : !ring
          }
        }
        tile.parallel (%u) in [5] {
          %c3 = arith.constant 3 : index
          %c7 = arith.constant 7 : index
          %q = arith.addi %u, %c3 : index
          memref.store %v, %R[%k, %q, %c7] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Half of the rows.
func.func @half(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [4, 8] {
          memref.store %v, %R[%k, %u, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A guard on the stores: nothing is filled for sure.
func.func @guarded(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [8, 8] {
          %in = arith.cmpi ult, %u, %n : index
          scf.if %in {
            memref.store %v, %R[%k, %u, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Places that are not followed.
func.func @scattered(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [8, 8] {
          %q = arith.xori %u, %c1 : index
          memref.store %v, %R[%k, %q, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// The same part twice: the second one counts. Proved.
func.func @twice(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.fill %r, %v : !slot, f32
        tile.parallel (%u, %w) in [8, 8] {
          memref.store %v, %R[%k, %u, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// Another slot than the one that is held.
func.func @other_slot(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [8, 8] {
          memref.store %v, %R[%c1, %u, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// A slot that differs from element to element.
func.func @slot_by_element(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
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
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [2, 8] {
          memref.store %v, %R[%u, %c0, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// An element loop reads a slot behind its release.
func.func @read_late(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.release %x[%s, %p]
        tile.parallel (%u, %w) in [8, 8] {
          // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
          %y = memref.load %R[%k, %u, %w] : !ring
          memref.store %y, %f[%u, %w] : !frag
        }
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.fill %r, %v : !slot, f32
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

// Only what is read must be filled: proved.
func.func @reads_half(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        tile.parallel (%u, %w) in [4, 8] {
          %y = memref.load %R[%k, %u, %w] : !ring
          memref.store %y, %A[%u, %w] : memref<?x?xf32>
        }
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.parallel (%u, %w) in [4, 8] {
          memref.store %v, %R[%k, %u, %w] : !ring
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
!ring = memref<2x8x8xf32, #smem>
!slot = !tile.region<8x8xf32, #smem>
!frag = memref<8x8xf32, #tile.fragment>

// All slots at once.
func.func @whole_ring(%A: memref<?x?xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %f = tile.alloc : !frag
  %g = tile.alloc : memref<2x8x8xf32, #tile.fragment>
  %a = tile.region %A[0, 0] [8, 8] : memref<?x?xf32>
  %x = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.wait %x[%s, %p]
        // expected-error @+1 {{[tile-verify/unfilled] breaks the protocol of role "consumer": reads a part of a slot that nobody has filled in this round}}
        tile.copy %R to %g : !ring, memref<2x8x8xf32, #tile.fragment>
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %k = arith.index_cast %s : i32 to index
        %r = tile.region %R[%k, 0, 0] [1, 8, 8] drop [0] : !ring
        tile.acquire %x[%s, %p]
        tile.fill %r, %v : !slot, f32
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
