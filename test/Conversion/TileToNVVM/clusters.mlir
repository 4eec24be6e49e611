// Blocks of a cluster: where they meet, and addresses of each other's tiles.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s --check-prefixes=CHECK,SM80

gpu.module @m {
  // A chip without clusters has one block in each, and means its own tile.
  // CHECK-LABEL: llvm.func @reach
  // SM90: %[[THEIRS:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // SM80-NOT: nvvm.mapa
  // SM90: nvvm.cluster.arrive
  // SM90: nvvm.cluster.wait
  // SM80: nvvm.barrier0
  // SM90: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<7>
  // SM80: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  // SM90: red.relaxed.cluster.shared::cluster.add.u32 [$0], $1
  // SM80: red.relaxed.cta.shared.add
  gpu.func @reach(%rank: index, %x: f32, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<128xf32, #gpu.address_space<workgroup>>
    %t = tile.alloc {layout = #tile.layout<"linear">, offset = 512 : i64} : memref<1xi32, #gpu.address_space<workgroup>>
    %rs = tile.remote %s at %rank : memref<128xf32, #gpu.address_space<workgroup>>
    %rt = tile.remote %t at %rank : memref<1xi32, #gpu.address_space<workgroup>>
    tile.cluster_sync
    tile.fill %rs, %x : memref<128xf32, #tile.cluster>, f32
    tile.atomic add %n to %rt : i32, memref<1xi32, #tile.cluster>
    gpu.return
  }

  // A copy for both blocks, and an arrival at the barrier of another one, of the
  // form that releases nothing but what the thread has seen.
  // CHECK-LABEL: llvm.func @signal
  // SM90: nvvm.mapa
  // SM90: llvm.inline_asm has_side_effects "mbarrier.arrive.shared::cluster.b64 _, [$0];"
  // SM80: nvvm.mbarrier.arrive
  gpu.func @signal(%rank: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %bar = tile.barrier_alloc {offset = 0 : i64} : !tile.barrier<1>
    tile.barrier_arrive %bar[%c0] at %rank by <leader> : !tile.barrier<1>
    gpu.return
  }
}
