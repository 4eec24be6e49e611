// Tiles that do not lie in rings: the ring is filled again, or read later.

// RUN: %tile_opt_passes 'canonicalize,tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-layout-inference{target=sm_90a},tile-lower-channels,tile-pack-shared-memory{target=sm_90a}' %s -split-input-file -verify-diagnostics

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!tile = memref<128x128xbf16, #smem>
!frag = memref<128x128xbf16, #tile.fragment>
!win = !tile.region<128x128xbf16>

// A loop over tiles: the producer is at the next one.
func.func @persistent(%A: !A, %C: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-error @+1 {{needs 262256 bytes of shared memory; a block of sm_90a has at most 232448}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-note @+1 {{the largest of 4 shared buffers takes 229376 bytes}}
    %S = tile.alloc : !tile
    %E = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %t = %bx to %n step %sx {
      scf.for %k = %c0 to %n step %c128 {
        %a = tile.region %A[%k, 0] [128, 128] {align = 16 : i64} : !A
        tile.copy %a to %S : !win, !tile
        tile.copy %S to %F : !tile, !frag
      } {tile.num_stages = 7 : i32}
      tile.copy %F to %E : !frag, !tile
      %c = tile.region %C[%t, 0] [128, 128] {align = 16 : i64} : !A
      tile.copy %E to %c : !tile, !win
    }
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!tile = memref<128x128xbf16, #smem>
!frag = memref<128x128xbf16, #tile.fragment>
!win = !tile.region<128x128xbf16>

// A second loop fills the same ring.
func.func @again(%A: !A, %C: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-error @+1 {{needs 262256 bytes of shared memory; a block of sm_90a has at most 232448}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-note @+1 {{the largest of 4 shared buffers takes 229376 bytes}}
    %S = tile.alloc : !tile
    %E = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, 0] [128, 128] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 7 : i32}
    tile.copy %F to %E : !frag, !tile
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, 0] [128, 128] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 7 : i32}
    %c = tile.region %C[%bx, 0] [128, 128] {align = 16 : i64} : !A
    tile.copy %E to %c : !tile, !win
    gpu.terminator
  }
  return
}
