// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// Two tiles in the same bytes: what is under way to one is under way to the other.

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

func.func @overwritten(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc {offset = 1024} : !tile
  %T = tile.alloc {offset = 2048} : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc {offset = 0} : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  // expected-remark @+1 {{a copy may be under way}}
  tile.copy %a to %T : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tile = memref<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!b1 = !tile.barrier<1>

// Beside each other, or when the copy has landed: proved.
func.func @apart(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %S = tile.alloc {offset = 1024} : !tile
  %T = tile.alloc {offset = 3072} : !tile
  %U = tile.alloc {offset = 2048} : !tile
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc {offset = 0} : !b1
  tile.barrier_init %b arrivals 1 : !b1
  tile.barrier_sync
  tile.barrier_expect %b[%c0] bytes 2048 : !b1
  tile.copy %a to %S signal %b[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
  tile.copy %a to %T : !row, !tile
  tile.barrier_wait %b[%c0] parity %z : !b1
  tile.copy %a to %U : !row, !tile
  return
}
