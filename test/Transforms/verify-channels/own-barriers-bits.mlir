// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false max-states=4}' %s -split-input-file -verify-diagnostics

// A block keeps the parities of two slots as bits of one number. Which slot is next,
// memory says: so each combination of the two comes up, and the bits of one slot must
// stay what they are while those of the other are turned. All of these are a few states.

#smem = #gpu.address_space<workgroup>
!b = !tile.barrier<2>
!tile = memref<64xf32, #smem>

func.func @bits(%A: memref<64xf32>, %L: memref<?xi32>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %a = tile.region %A[0] [64] : memref<64xf32>
  %b = tile.barrier_alloc : !b
  tile.barrier_init %b arrivals 1 : !b
  tile.barrier_sync
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%bits = %zero) -> (i32) {
    %l = memref.load %L[%i] : memref<?xi32>
    %first = arith.cmpi ne, %l, %zero : i32
    %next = scf.if %first -> (i32) {
      tile.barrier_expect %b[%c0] bytes 256 : !b
      tile.copy %a to %S signal %b[%c0] of !b {instr = #tile.instr<tma>} : !tile.region<64xf32>, !tile
      %s = arith.shrui %bits, %zero : i32
      %p = arith.andi %s, %one : i32
      tile.barrier_wait %b[%c0] parity %p : !b
      %m = arith.shli %one, %zero : i32
      %x = arith.xori %bits, %m : i32
      scf.yield %x : i32
    } else {
      tile.barrier_expect %b[%c1] bytes 256 : !b
      tile.copy %a to %T signal %b[%c1] of !b {instr = #tile.instr<tma>} : !tile.region<64xf32>, !tile
      %s = arith.shrui %bits, %one : i32
      %p = arith.andi %s, %one : i32
      tile.barrier_wait %b[%c1] parity %p : !b
      %m = arith.shli %one, %one : i32
      %x = arith.xori %bits, %m : i32
      scf.yield %x : i32
    }
    tile.barrier_sync
    scf.yield %next : i32
  }
  return
}

// -----

// The bit of the other slot is asked for.

#smem = #gpu.address_space<workgroup>
!b = !tile.barrier<2>
!tile = memref<64xf32, #smem>

func.func @other_bit(%A: memref<64xf32>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %S = tile.alloc : !tile
  %a = tile.region %A[0] [64] : memref<64xf32>
  %b = tile.barrier_alloc : !b
  tile.barrier_init %b arrivals 1 : !b
  tile.barrier_sync
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%bits = %zero) -> (i32) {
    tile.barrier_expect %b[%c0] bytes 256 : !b
    // expected-error @+1 {{[tile-verify/missed-phase]}}
    tile.copy %a to %S signal %b[%c0] of !b {instr = #tile.instr<tma>} : !tile.region<64xf32>, !tile
    %s = arith.shrui %bits, %one : i32
    %p = arith.andi %s, %one : i32
    tile.barrier_wait %b[%c0] parity %p : !b
    %x = arith.xori %bits, %one : i32
    tile.barrier_sync
    scf.yield %x : i32
  }
  return
}
