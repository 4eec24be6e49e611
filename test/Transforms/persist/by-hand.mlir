// Kernels whose blocks loop over tiles as they are written: nothing to do, and
// nothing to advise. Without the loop each would be told of.

// RUN: %tile_opt_passes 'tile-persist{target=sm_90a}' %s -verify-diagnostics -o %t
// RUN: %tile_opt_passes '' %s | diff - %t

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!tile = memref<128x64xbf16, #smem>
!win = !tile.region<128x64xbf16>
!frag = memref<128x64xbf16, #tile.fragment>

// A block for each multiprocessor, by its number.
func.func @constant(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c132 = arith.constant 132 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c132, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    %step = arith.constant 132 : index
    scf.for %t = %bx to %n step %step {
      scf.for %k = %c0 to %n step %c64 {
        %a = tile.region %A[%t, %k] [128, 64] {align = 16 : i64} : !A
        tile.copy %a to %S : !win, !tile
        tile.copy %S to %F : !tile, !frag
      } {tile.num_stages = 4 : i32}
    }
    gpu.terminator
  }
  return
}

// The grid as the launch names it, times the rows of a tile.
func.func @named(%A: !A, %n: index, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %blocks, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    %first = arith.muli %bx, %c128 : index
    %step = arith.muli %sx, %c128 : index
    scf.for %m = %first to %n step %step {
      scf.for %k = %c0 to %n step %c64 {
        %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
        tile.copy %a to %S : !win, !tile
        tile.copy %S to %F : !tile, !frag
      } {tile.num_stages = 4 : i32}
    }
    gpu.terminator
  }
  return
}

// A part of the steps of a product for each block is no loop over tiles.
func.func @split(%A: !A, %n: index, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  // expected-remark @+1 {{[tile-persist/uneven] is not persistent: how long a block takes depends on its number}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %blocks, %sy = %blocks, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    // expected-note @+1 {{this op}}
    scf.for %k = %by to %n step %sy {
      %a = tile.region %A[%k, 0] [128, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}
