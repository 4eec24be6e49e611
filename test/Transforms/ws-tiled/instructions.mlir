// Channels record who arrives; a producer has as many threads as its copies use.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#cp_async = #tile.instr<cp_async>
#simt = #tile.instr<simt>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One round, three agents (roles.md S7, S8), all of the producer
// (reference-system.md 3.1.5, line 195).
// CHECK-LABEL: func.func @three_kinds
// CHECK: tile.channel(%{{.*}}) depth 2 {consumer_warps = 4 : i64, tma}
// CHECK: tile.channel(%{{.*}}) depth 2 {consumer_warps = 4 : i64, cp_async_threads = 128 : i64}
// CHECK: tile.channel(%{{.*}}) depth 2 {consumer_warps = 4 : i64, simt_threads = 128 : i64}
// CHECK: tile.role "consumer" warps 4
// CHECK-NOT: instr = #tile.instr<{{tma|cp_async}}>
// CHECK: tile.role "producer" warps 4
// CHECK: instr = #tile.instr<tma>
// CHECK: instr = #tile.instr<cp_async>
// CHECK: instr = #tile.instr<simt>
// CHECK: return
func.func @three_kinds(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %U = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #cp_async} : !win, !tile
    %w3 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w3 to %U {instr = #simt} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
    tile.copy %U to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A by TMA and B by cp.async (3.1.5, line 253): one channel, one arrival of the TMA
// leader and one of each producer thread. The reference counts 128 for both.
// CHECK-LABEL: func.func @mixed_gemm
// CHECK: tile.channel(%{{.*}}, %{{.*}}) depth 3 {consumer_warps = 4 : i64, cp_async_threads = 128 : i64, tma}
// CHECK: tile.role "producer" warps 4
// CHECK: tile.acquire
// CHECK: instr = #tile.instr<tma>
// CHECK: instr = #tile.instr<cp_async>
// CHECK: tile.commit
// CHECK-NOT: tile.commit
// CHECK: return
func.func @mixed_gemm(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #cp_async} : !win, !tile
    tile.gemm %S, %T, %acc : (!tile, !tile, memref<64x64xf32, #tile.fragment>)
  } {tile.num_stages = 3 : i32}
  tile.copy %acc to %F : memref<64x64xf32, #tile.fragment>, !frag
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A shared tile that the consumers write stays single and is none of the
// producer's business.
// CHECK-LABEL: func.func @consumer_writes
// CHECK: tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
// CHECK: tile.alloc : memref<2x64x64xbf16
// CHECK: tile.role "consumer"
// CHECK: tile.copy %{{.*}} to %[[P:.*]] : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #gpu
// CHECK: tile.role "producer"
// CHECK-NOT: #tile.fragment
// CHECK: return
func.func @consumer_writes(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %P = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %F to %P : !frag, !tile
    tile.copy %P to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A view of the tile is a view of the ring (reference-system.md, section 7, 2031
// and 2953).
// CHECK-LABEL: func.func @views
// CHECK: %[[RING:.*]] = tile.alloc : memref<2x64x64xbf16
// CHECK: tile.role "consumer"
// CHECK: %[[VIEW:.*]] = tile.view %[[RING]] : {{.*}} to memref<2x4096xi16
// CHECK: %[[SLOT:.*]] = tile.region %[[VIEW]][%{{.*}}, 0] [1, 4096] drop [0]
// CHECK: tile.copy %[[SLOT]] to
// CHECK: tile.view %[[RING]] : {{.*}} to memref<2x4096xi16
// CHECK: tile.region %{{.*}}[%{{.*}}, 64] [1, 64] drop [0]
// CHECK: memref.load %{{.*}}[%{{.*}}, %c0] : memref<2x4096xi16
// CHECK: tile.role "producer"
func.func @views(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %v = tile.view %S : !tile to memref<4096xi16, #smem>
  %f16 = tile.alloc : memref<4096xi16, #tile.fragment>
  %part = tile.region %v[64] [64] : memref<4096xi16, #smem>
  %fp = tile.alloc : memref<64xi16, #tile.fragment>
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %v to %f16 : memref<4096xi16, #smem>, memref<4096xi16, #tile.fragment>
    tile.copy %part to %fp : !tile.region<64xi16, #smem>, memref<64xi16, #tile.fragment>
    %x = memref.load %v[%c0] : memref<4096xi16, #smem>
    %px = tile.alloc : memref<1xi16, #gpu.address_space<private>>
    memref.store %x, %px[%c0] : memref<1xi16, #gpu.address_space<private>>
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
