// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

#shared = #gpu.address_space<workgroup>

// Blocks that meet, and tiles of another one, are printed as they are read.
// CHECK-LABEL: func.func @clusters
func.func @clusters(%rank: index, %i: index) {
  %s = tile.alloc : memref<8x4xf32, #shared>
  %v = tile.view %s : memref<8x4xf32, #shared> to memref<32xi32, #shared>
  %f = tile.alloc : memref<4xf32, #tile.fragment>
  // CHECK: tile.cluster_sync{{$}}
  tile.cluster_sync
  // CHECK: %[[R:.*]] = tile.remote %{{.*}} at %{{.*}} : memref<8x4xf32, #gpu.address_space<workgroup>>
  %r = tile.remote %s at %rank : memref<8x4xf32, #shared>
  // CHECK: tile.remote %{{.*}} at %{{.*}} : memref<32xi32, #gpu.address_space<workgroup>>
  %t = tile.remote %v at %rank : memref<32xi32, #shared>
  // CHECK: tile.region %[[R]][%{{.*}}, 0] [1, 4] drop [0] : memref<8x4xf32, #tile.cluster>
  %w = tile.region %r[%i, 0] [1, 4] drop [0] : memref<8x4xf32, #tile.cluster>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : !tile.region<4xf32, #tile.cluster>, memref<4xf32, #tile.fragment>
  tile.copy %w to %f : !tile.region<4xf32, #tile.cluster>, memref<4xf32, #tile.fragment>
  // CHECK: tile.cluster_sync lifetime
  tile.cluster_sync lifetime
  return
}

// Copies for several blocks, and arrivals at barriers of others.
// CHECK-LABEL: func.func @signals
func.func @signals(%A: memref<64xf32>, %mask: i32, %rank: index, %i: index) {
  %bar = tile.barrier_alloc : !tile.barrier<2>
  %s = tile.alloc : memref<64xf32, #shared>
  %a = tile.region %A[0] [64] : memref<64xf32>
  // CHECK: tile.copy %{{.*}} to %{{.*}} signal %{{.*}}[%{{.*}}] of !tile.barrier<2> multicast %{{.*}} {instr = #tile.instr<tma>}
  tile.copy %a to %s signal %bar[%i] of !tile.barrier<2> multicast %mask {instr = #tile.instr<tma>} : !tile.region<64xf32>, memref<64xf32, #shared>
  // CHECK: tile.barrier_arrive %{{.*}}[%{{.*}}] at %{{.*}} by <leader> : !tile.barrier<2>
  tile.barrier_arrive %bar[%i] at %rank by <leader> : !tile.barrier<2>
  return
}
