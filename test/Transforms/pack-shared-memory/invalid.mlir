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
