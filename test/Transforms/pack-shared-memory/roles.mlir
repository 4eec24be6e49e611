// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a}' %s | FileCheck %s

!tile = memref<64xf32, #gpu.address_space<workgroup>>
!ring = memref<2x64xf32, #gpu.address_space<workgroup>>

// Tiles of one role share bytes when one is dead before the other is born. Roles
// run at the same time, so tiles of two never share; neither do rings, nor what
// two roles use.
// CHECK-LABEL: func.func @roles
func.func @roles(%v: f32, %A: memref<64xf32>) attributes {tile.num_threads = 64 : i32} {
  // CHECK: tile.alloc {offset = 0 : i64} : memref<64xf32
  // CHECK: tile.alloc {offset = 0 : i64} : memref<64xf32
  // CHECK: tile.alloc {offset = 256 : i64} : memref<64xf32
  // CHECK: tile.alloc {offset = 512 : i64} : memref<2x64xf32
  // CHECK: tile.alloc {offset = 1024 : i64} : memref<64xf32
  %a0 = tile.alloc : !tile
  %a1 = tile.alloc : !tile
  %b = tile.alloc : !tile
  %ring = tile.alloc : !ring
  %both = tile.alloc : !tile
  %full = tile.barrier_alloc : !tile.barrier<2>
  %empty = tile.barrier_alloc : !tile.barrier<2>
  tile.channel_barriers(%ring) full %full empty %empty : !tile.barrier<2>, !tile.barrier<2>, !ring
  tile.specialize {
    tile.role "a" warps 1 {
      tile.fill %a0, %v : !tile, f32
      tile.fill %a1, %v : !tile, f32
      tile.fill %both, %v : !tile, f32
      tile.barrier_sync {id = 1 : i64, threads = 64 : i64}
    }
    tile.role "b" warps 1 {
      tile.barrier_sync {id = 1 : i64, threads = 64 : i64}
      tile.fill %both, %v : !tile, f32
      tile.fill %b, %v : !tile, f32
    }
  }
  return
}
