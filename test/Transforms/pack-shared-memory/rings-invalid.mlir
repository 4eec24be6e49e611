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

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<7x128x128xbf16, #smem>
!slot = !tile.region<128x128xbf16, #smem>
!tile = memref<128x128xbf16, #smem>
!frag = memref<128x128xbf16, #tile.fragment>
!win = !tile.region<128x128xbf16>

// The producer fills more often than the consumer waits, as far as anybody knows:
// there is no proof that the fills are over.
// expected-error @+1 {{needs 262256 bytes of shared memory; a block of sm_90a has at most 232448}}
func.func @unproved(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index, %m: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  // expected-note @+1 {{the largest of 4 shared buffers takes 229376 bytes}}
  %R = tile.alloc : !ring
  %E = tile.alloc : !tile
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [128, 128] : memref<?x?xbf16>
  %c = tile.region %C[0, 0] [128, 128] : memref<?x?xbf16>
  %x = tile.channel(%R) depth 7 {simt_threads = 32 : i64, consumer_warps = 4 : i64} : !ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.wait %x[%s, %p]
        %i1 = arith.index_cast %s : i32 to index
        %r1 = tile.region %R[%i1, 0, 0] [1, 128, 128] drop [0] : !ring
        tile.copy %r1 to %f : !slot, !frag
        tile.release %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 7
        scf.yield %s1, %p1 : i32, i32
      }
      tile.copy %f to %E : !frag, !tile
      tile.copy %E to %c {instr = #tile.instr<simt>} : !tile, !win
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %m step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        tile.acquire %x[%s, %p]
        %i2 = arith.index_cast %s : i32 to index
        %r2 = tile.region %R[%i2, 0, 0] [1, 128, 128] drop [0] : !ring
        tile.copy %a to %r2 {instr = #tile.instr<simt>} : !win, !slot
        tile.commit %x[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 7
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
