// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false max-states=4}' %s -split-input-file -verify-diagnostics

// Guards of what memory says, and a loop of such: none of them makes a difference to
// the barrier, so the loop has a few states and not thousands.

#smem = #gpu.address_space<workgroup>
!b = !tile.barrier<1>
!tile = memref<64xf32, #smem>
!frag = memref<64xf32, #tile.fragment>

func.func @guards(%A: memref<64xf32>, %L: memref<?xi32>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  %S = tile.alloc : !tile
  %T = tile.alloc : !frag
  %a = tile.region %A[0] [64] : memref<64xf32>
  %b = tile.barrier_alloc : !b
  tile.barrier_init %b arrivals 1 : !b
  tile.barrier_sync
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (i32) {
    %l = memref.load %L[%i] : memref<?xi32>
    %g = arith.cmpi ne, %l, %zero : i32
    scf.if %g {
      tile.fill %T, %x : !frag, f32
      scf.for %k = %c0 to %i step %c1 {
        %m = memref.load %L[%k] : memref<?xi32>
        %h = arith.cmpi eq, %m, %one : i32
        scf.if %h {
          tile.fill %T, %x : !frag, f32
        }
      }
    }
    tile.barrier_expect %b[%c0] bytes 256 : !b
    tile.copy %a to %S signal %b[%c0] of !b {instr = #tile.instr<tma>} : !tile.region<64xf32>, !tile
    tile.barrier_wait %b[%c0] parity %p : !b
    %q = arith.xori %p, %one : i32
    tile.barrier_sync
    scf.yield %q : i32
  }
  return
}

// -----

// The guard says whether the parity is turned: it makes one.

#smem = #gpu.address_space<workgroup>
!b = !tile.barrier<1>
!tile = memref<64xf32, #smem>

func.func @parity(%A: memref<64xf32>, %L: memref<?xi32>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0] [64] : memref<64xf32>
  %b = tile.barrier_alloc : !b
  tile.barrier_init %b arrivals 1 : !b
  tile.barrier_sync
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (i32) {
    %l = memref.load %L[%i] : memref<?xi32>
    %g = arith.cmpi ne, %l, %zero : i32
    tile.barrier_expect %b[%c0] bytes 256 : !b
    // expected-error @+1 {{[tile-verify/missed-phase]}}
    tile.copy %a to %S signal %b[%c0] of !b {instr = #tile.instr<tma>} : !tile.region<64xf32>, !tile
    tile.barrier_wait %b[%c0] parity %p : !b
    %q = arith.xori %p, %one : i32
    %r = scf.if %g -> (i32) {
      scf.yield %q : i32
    } else {
      scf.yield %p : i32
    }
    tile.barrier_sync
    scf.yield %r : i32
  }
  return
}
