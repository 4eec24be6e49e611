// Tiles whose value an iteration leaves for the next one, or for what is after the
// loop, share nothing, however short memory is.
// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_80}' %s -split-input-file -verify-diagnostics

!large = memref<256x128xbf16, #gpu.address_space<workgroup>>
!frag = memref<256x128xbf16, #tile.fragment>

// expected-error @+1 {{needs 196608 bytes of shared memory; a block of sm_80 has at most 166912}}
func.func @read_behind(%n: index, %f: !frag) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the largest of 3 shared buffers takes 65536 bytes}}
  %a = tile.alloc : !large
  %b = tile.alloc : !large
  %c = tile.alloc : !large
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %f to %a : !frag, !large
    tile.copy %a to %f : !large, !frag
    tile.copy %f to %b : !frag, !large
    tile.copy %b to %f : !large, !frag
    tile.copy %f to %c : !frag, !large
    tile.copy %c to %f : !large, !frag
  }
  tile.copy %a to %f : !large, !frag
  tile.copy %b to %f : !large, !frag
  tile.copy %c to %f : !large, !frag
  return
}

// -----

!large = memref<256x128xbf16, #gpu.address_space<workgroup>>
!part = memref<128x128xbf16, #tile.fragment>
!window = !tile.region<128x128xbf16, #gpu.address_space<workgroup>>
!frag = memref<256x128xbf16, #tile.fragment>

// %a is written in part, %b under a condition, %c read first.
// expected-error @+1 {{needs 196608 bytes of shared memory; a block of sm_80 has at most 166912}}
func.func @not_written_first(%n: index, %x: i1, %p: !part, %f: !frag) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the largest of 3 shared buffers takes 65536 bytes}}
  %a = tile.alloc : !large
  %b = tile.alloc : !large
  %c = tile.alloc : !large
  %w = tile.region %a[0, 0] [128, 128] : !large
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %p to %w : !part, !window
    tile.copy %a to %f : !large, !frag
    scf.if %x {
      tile.copy %f to %b : !frag, !large
    }
    tile.copy %b to %f : !large, !frag
    tile.copy %c to %f : !large, !frag
    tile.copy %f to %c : !frag, !large
  }
  return
}
