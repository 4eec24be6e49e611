// Where there is no other room, a tile of a role lies in a ring that the role has
// read to the end; the threads of the role meet in between.

// RUN: %tile_opt_passes 'canonicalize,tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-layout-inference{target=sm_90a},tile-lower-channels' %s -o %t.lowered
// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a},tile-insert-sync' %t.lowered -split-input-file -verify-diagnostics -o %t.packed
// RUN: FileCheck %s < %t.packed
// RUN: %tile_opt_passes 'tile-insert-sync' %t.lowered | FileCheck %s --check-prefix=UNPACKED

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!tile = memref<128x128xbf16, #smem>
!frag = memref<128x128xbf16, #tile.fragment>
!win = !tile.region<128x128xbf16>

// 7 x 32 KiB are filled and read; then 32 KiB are stored from.
// CHECK-LABEL: func.func @drained
// CHECK: tile.alloc {{.*}}offset = 0 : i64} : memref<128x128xbf16
// CHECK: tile.alloc {{.*}}offset = 0 : i64} : memref<7x128x128xbf16
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: tile.barrier_wait
// CHECK: }
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy {{.*}}tile.fragment>, memref<128x128xbf16
// CHECK: tile.role "producer"
// Packing may come later, and then share: without offsets they meet as well.
// UNPACKED-LABEL: func.func @drained
// UNPACKED: scf.for
// UNPACKED: }
// UNPACKED: tile.barrier_sync
// UNPACKED-NEXT: tile.copy {{.*}}tile.fragment>, memref<128x128xbf16
func.func @drained(%A: !A, %C: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !tile
    %E = tile.alloc {layout = #tile.layout<"linear">} : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, 0] [128, 128] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 7 : i32}
    tile.copy %F to %E : !frag, !tile
    %c = tile.region %C[%bx, 0] [128, 128] {align = 16 : i64} : !A
    tile.copy %E to %c : !tile, !win
    gpu.terminator
  }
  return
}

// Who writes the tile has read these bytes, whatever the slot: nobody else did.
// CHECK-LABEL: func.func @by_itself
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: tile.barrier_wait
// CHECK: }
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.copy {{.*}}tile.fragment>, memref<128x128xbf16
// CHECK: tile.role "producer"
func.func @by_itself(%A: !A, %C: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %E = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, 0] [128, 128] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 7 : i32}
    tile.copy %F to %E : !frag, !tile
    %c = tile.region %C[%bx, 0] [128, 128] {align = 16 : i64} : !A
    tile.copy %E to %c : !tile, !win
    gpu.terminator
  }
  return
}

// Where there is room nobody meets for it.
// CHECK-LABEL: func.func @room
// CHECK: tile.alloc {{.*}}offset = 0 : i64} : memref<128x128xbf16
// CHECK: tile.alloc {{.*}}offset = 32768 : i64} : memref<4x128x128xbf16
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.copy {{.*}}tile.fragment>, memref<128x128xbf16
func.func @room(%A: !A, %C: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %E = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, 0] [128, 128] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    tile.copy %F to %E : !frag, !tile
    %c = tile.region %C[%bx, 0] [128, 128] {align = 16 : i64} : !A
    tile.copy %E to %c : !tile, !win
    gpu.terminator
  }
  return
}
