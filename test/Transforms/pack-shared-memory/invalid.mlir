// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a}' %s -split-input-file -verify-diagnostics

!large = memref<256x256xbf16, #gpu.address_space<workgroup>>

// Two tiles of 128 KiB that live together.
// expected-error @+1 {{needs 262144 bytes of shared memory; a block of sm_90a has at most 232448}}
func.func @too_much(%n: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  // expected-note @+1 {{the largest of 2 shared buffers takes 131072 bytes}}
  %a = tile.alloc : !large
  %b = tile.alloc : !large
  tile.fill %a, %zero : !large, bf16
  tile.fill %b, %zero : !large, bf16
  tile.fill %a, %zero : !large, bf16
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!ring = memref<8x128x128xbf16, #smem>
!small = memref<4x1024xbf16, #smem>
!other = memref<2x128x128xbf16, #smem>

// Two rings and a tile that is none, of 64 KiB: with four slots the rings take
// 136 KiB, with five 168 KiB, of 227 KiB.
// expected-error @+1 {{needs 335872 bytes of shared memory; a block of sm_90a has at most 232448; tile.num_stages = 4 fits}}
func.func @stages(%slot: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  // expected-note @+1 {{the largest of 3 shared buffers takes 262144 bytes}}
  %a = tile.alloc : !ring
  %b = tile.alloc : !small
  %c = tile.alloc : !other
  %x = tile.region %a[%slot, 0, 0] [1, 128, 128] drop [0] : !ring
  %y = tile.region %b[%slot, 0] [1, 1024] drop [0] : !small
  tile.fill %c, %zero : !other, bf16
  tile.fill %x, %zero : !tile.region<128x128xbf16, #smem>, bf16
  tile.fill %y, %zero : !tile.region<1024xbf16, #smem>, bf16
  tile.fill %x, %zero : !tile.region<128x128xbf16, #smem>, bf16
  tile.fill %c, %zero : !other, bf16
  return
}
