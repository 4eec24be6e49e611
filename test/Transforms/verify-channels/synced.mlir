// RUN: %tile_opt_passes 'tile-verify-channels{synced=true}' %s -split-input-file -verify-diagnostics
// What tile-insert-sync puts in is what lacked.
// RUN: sed '/expected-error/d' %s > %t.mlir
// RUN: %tile_opt_passes 'tile-insert-sync,tile-verify-channels{synced=true}' %t.mlir -split-input-file -verify-diagnostics
// Without the option it counts as if it stood there.
// RUN: %tile_opt_passes tile-verify-channels %t.mlir -split-input-file -verify-diagnostics

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

func.func @barrier(%Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : !S
  tile.fill %s, %x : !S, f32
  // expected-error @below {{[tile-verify/missing-barrier] threads do not meet between this op and accesses of other threads to the same bytes}}
  tile.copy %s to %Z {instr = #tile.instr<simt>} : !S, memref<64x64xf32>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

// The same bytes, as packing says.
func.func @overlaid(%Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc {offset = 0 : i64} : !S
  %t = tile.alloc {offset = 8192 : i64} : !S
  tile.fill %s, %x : !S, f32
  tile.barrier_sync
  tile.copy %s to %Z {instr = #tile.instr<simt>} : !S, memref<64x64xf32>
  // expected-error @below {{[tile-verify/missing-barrier]}}
  tile.fill %t, %x : !S, f32
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

func.func @fence(%Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : !S
  tile.fill %s, %x : !S, f32
  tile.barrier_sync
  // expected-error @below {{[tile-verify/missing-proxy-fence] no proxy fence stands between writes of threads and this op, which reads them by the asynchronous proxy}}
  tile.copy %s to %Z {async, instr = #tile.instr<tma>} : !S, memref<64x64xf32>
  tile.tma_wait pending 0 {read}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

func.func @wait(%Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : !S
  tile.fill %s, %x : !S, f32
  tile.fence_proxy
  tile.barrier_sync
  tile.copy %s to %Z {async, instr = #tile.instr<tma>} : !S, memref<64x64xf32>
  tile.barrier_sync
  // expected-error @below {{[tile-verify/missing-tma-wait] nobody waits for a TMA store that may be under way when this op accesses the same bytes}}
  tile.fill %s, %x : !S, f32
  tile.tma_wait pending 0 {read}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

func.func @end(%Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : !S
  tile.fill %s, %x : !S, f32
  tile.fence_proxy
  tile.barrier_sync
  // expected-error @below {{[tile-verify/missing-tma-wait] nobody waits behind this op, the last one, for TMA stores that may still read shared memory}}
  tile.copy %s to %Z {async, instr = #tile.instr<tma>} : !S, memref<64x64xf32>
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

// Behind the wait for a group threads meet once, also where one waits for a store.
func.func @group(%A: memref<64x64xf32>, %Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : !S
  %t = tile.alloc : !S
  tile.fill %t, %x : !S, f32
  tile.fence_proxy
  tile.barrier_sync
  tile.copy %t to %Z {async, instr = #tile.instr<tma>} : !S, memref<64x64xf32>
  tile.copy %A to %s {async, instr = #tile.instr<cp_async>} : memref<64x64xf32>, !S
  tile.cp_async_commit
  tile.cp_async_wait pending 0
  // expected-error @below {{[tile-verify/missing-tma-wait]}}
  tile.copy %s to %t {instr = #tile.instr<simt>} : !S, !S
  tile.fence_proxy
  tile.barrier_sync
  tile.copy %t to %Z {async, instr = #tile.instr<tma>} : !S, memref<64x64xf32>
  tile.tma_wait pending 0 {read}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf32, #smem>

// Nobody meets at the end, whatever is waited for there.
func.func @last(%A: memref<64x64xf32>, %Z: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc {offset = 0 : i64} : !S
  %t = tile.alloc {offset = 16384 : i64} : !S
  tile.fill %t, %x : !S, f32
  tile.fence_proxy
  tile.barrier_sync
  tile.copy %t to %Z {async, instr = #tile.instr<tma>} : !S, memref<64x64xf32>
  tile.copy %A to %s {async, instr = #tile.instr<cp_async>} : memref<64x64xf32>, !S
  tile.cp_async_commit
  // expected-error @below {{[tile-verify/missing-tma-wait] nobody waits behind this op, the last one}}
  tile.cp_async_wait pending 0
  return
}
