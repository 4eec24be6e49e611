// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!s = memref<32x64xf32, #gpu.address_space<workgroup>>
!r = !tile.region<32x64xf32>

// The thread that issued the store waits until its tile has been read; then the
// threads meet, and write. A tile that nobody writes again is waited for at the end.
// CHECK-LABEL: func.func @reuse
func.func @reuse(%C: memref<64x64xf32>, %D: memref<64x64xf32>, %v: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !s
  %c = tile.region %C[0, 0] [32, 64] : memref<64x64xf32>
  %d = tile.region %D[0, 0] [32, 64] : memref<64x64xf32>
  // CHECK: tile.fill
  // CHECK-NEXT: tile.fence_proxy
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: tile.tma_wait pending 0 {read}
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.fill
  // CHECK-NEXT: tile.fence_proxy
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: tile.tma_wait pending 0 {read}
  // CHECK-NEXT: return
  tile.fill %S, %v : !s, f32
  tile.copy %S to %c {async, instr = #tile.instr<tma>} : !s, !r
  tile.fill %S, %v : !s, f32
  tile.copy %S to %d {async, instr = #tile.instr<tma>} : !s, !r
  return
}

// Two places in turn: only the older store has to be over. On a path without the
// store between them the count is that of the shorter one.
// CHECK-LABEL: func.func @two_places
func.func @two_places(%C: memref<64x64xf32>, %D: memref<64x64xf32>, %E: memref<64x64xf32>, %v: f32, %b: i1) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !s
  %T = tile.alloc {offset = 8192} : !s
  %c = tile.region %C[0, 0] [32, 64] : memref<64x64xf32>
  %d = tile.region %D[0, 0] [32, 64] : memref<64x64xf32>
  %e = tile.region %E[0, 0] [32, 64] : memref<64x64xf32>
  // CHECK: tile.copy %{{.*}} to %{{.*}} {async
  // CHECK: tile.copy %{{.*}} to %{{.*}} {async
  // CHECK-NEXT: tile.tma_wait pending 1 {read}
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.fill
  tile.fill %S, %v : !s, f32
  tile.copy %S to %c {async, instr = #tile.instr<tma>} : !s, !r
  tile.fill %T, %v : !s, f32
  tile.copy %T to %d {async, instr = #tile.instr<tma>} : !s, !r
  tile.fill %S, %v : !s, f32
  // CHECK: tile.copy %{{.*}} to %{{.*}} {async
  tile.copy %S to %e {async, instr = #tile.instr<tma>} : !s, !r
  // CHECK: scf.if
  // CHECK: tile.tma_wait pending 1 {read}
  // CHECK: tile.fill
  // CHECK: tile.copy %{{.*}} to %{{.*}} {async
  // CHECK: {{^  }$}}
  // CHECK-NEXT: tile.tma_wait pending 0 {read}
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.fill
  scf.if %b {
    tile.fill %T, %v : !s, f32
    tile.copy %T to %d {async, instr = #tile.instr<tma>} : !s, !r
  }
  tile.fill %S, %v : !s, f32
  return
}

// Who reads the tensor waits until the store is complete.
// CHECK-LABEL: func.func @read_back
func.func @read_back(%C: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !s
  %T = tile.alloc {offset = 8192} : !s
  %c = tile.region %C[0, 0] [32, 64] : memref<64x64xf32>
  // CHECK: tile.copy
  // CHECK-NEXT: tile.tma_wait pending 0{{$}}
  // CHECK-NEXT: tile.barrier_sync
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: tile.tma_wait
  tile.copy %S to %c {async, instr = #tile.instr<tma>} : !s, !r
  tile.copy %c to %T {instr = #tile.instr<simt>} : !r, !s
  return
}

// A role ends when its stores have read what they store.
// CHECK-LABEL: func.func @role
func.func @role(%C: memref<64x64xf32>) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc {offset = 0} : !s
  tile.specialize {
    tile.role "stores" warps 1 {
      %c = tile.region %C[0, 0] [32, 64] : memref<64x64xf32>
      // CHECK: tile.copy
      // CHECK-NEXT: tile.tma_wait pending 0 {read}
      // CHECK-NEXT: }
      tile.copy %S to %c {async, instr = #tile.instr<tma>} : !s, !r
    }
    // CHECK: tile.role "idle"
    // CHECK-NOT: tile.tma_wait
    tile.role "idle" warps 1 {
    }
  }
  return
}
