// A round is one filling of the tile: a run of disjoint copies in one block.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#cp_async = #tile.instr<cp_async>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// Two copies, one round; each expects its own bytes.
// CHECK-LABEL: func.func @two_halves
// CHECK: tile.channel({{.*}}) depth 2 {consumer_warps = 4 : i64, cp_async_threads = 128 : i64, tma}
// CHECK: tile.wait
// CHECK: tile.release
// CHECK: tile.role "producer" warps 4
// CHECK: tile.acquire
// CHECK: tile.region %{{.*}}[%{{.*}}, 0, 0] [1, 32, 64] drop [0]
// CHECK: tile.copy {{.*}} signal
// CHECK: tile.region %{{.*}}[%{{.*}}, 32, 0] [1, 32, 64] drop [0]
// CHECK: tile.copy {{.*}} signal
// CHECK: tile.commit
func.func @two_halves(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [32, 64] : !tensor
    %b = tile.region %A[32, %k] [32, 64] : !tensor
    %lo = tile.region %S[0, 0] [32, 64] : !tile
    %hi = tile.region %S[32, 0] [32, 64] : !tile
    tile.copy %a to %lo {instr = #tma} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #smem>
    tile.copy %b to %hi {instr = #cp_async} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #smem>
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The first version is never read, so it is not copied.
// CHECK-LABEL: func.func @copied_twice
// CHECK: tile.role "consumer"
// CHECK: tile.wait
// CHECK: tile.copy
// CHECK: tile.release
// CHECK-NOT: tile.wait
// CHECK: tile.role "producer"
// CHECK: tile.region %{{.*}}[0, %c0]
// CHECK: tile.acquire
// CHECK: tile.copy
// CHECK: tile.commit
// CHECK-NOT: tile.copy
// CHECK: return
func.func @copied_twice(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %w2 = tile.region %A[0, %c0] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Copies of one round complete in any order, so a branch that fills a part of the
// tile twice has no round around it: the first of the two is dropped.
// CHECK-LABEL: func.func @twice_in_a_branch
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tile.wait
// CHECK: tile.copy
// CHECK: tile.release
// CHECK: tile.role "producer"
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: tile.acquire
// CHECK: tile.copy
// CHECK: tile.commit
// CHECK-NOT: tile.copy
// CHECK: } else {
// CHECK: tile.acquire
// CHECK: tile.copy
// CHECK: tile.commit
func.func @twice_in_a_branch(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      %w2 = tile.region %A[0, %c0] [64, 64] : !tensor
      tile.copy %w2 to %S {instr = #tma} : !win, !tile
    } else {
      %w3 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w3 to %S {instr = #tma} : !win, !tile
    }
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Copy, use, copy, use: two rounds per iteration.
// CHECK-LABEL: func.func @used_between
// CHECK: tile.role "consumer"
// CHECK: tile.wait
// CHECK: tile.copy
// CHECK: tile.release
// CHECK: tile.wait
// CHECK: tile.copy
// CHECK: tile.release
// CHECK: tile.role "producer"
// CHECK: tile.acquire
// CHECK: tile.commit
// CHECK: tile.acquire
// CHECK: tile.commit
func.func @used_between(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %c0] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Tiles that are needed at different points have channels of their own.
// CHECK-LABEL: func.func @two_points
// CHECK: %[[S:.*]] = tile.channel
// CHECK: %[[T:.*]] = tile.channel
// CHECK: tile.role "consumer"
// CHECK: tile.wait %[[S]]
// CHECK: tile.copy
// CHECK: tile.wait %[[T]]
// CHECK: tile.copy
// CHECK: tile.release %[[T]]
// CHECK: tile.copy
// CHECK: tile.release %[[S]]
func.func @two_points(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Tiles that one op needs share a channel (2.3.8, merge).
// CHECK-LABEL: func.func @one_point
// CHECK: tile.channel(%{{.*}}, %{{.*}}) depth 2
// CHECK-NOT: tile.channel(
// CHECK: tile.role "consumer"
// CHECK: tile.wait
// CHECK-NOT: tile.wait
// CHECK: tile.gemm
// CHECK: tile.release
// CHECK-NOT: tile.release
// CHECK: tile.role "producer"
// CHECK: tile.acquire
// CHECK: tile.copy
// CHECK: tile.copy
// CHECK: tile.commit
// CHECK-NOT: tile.commit
// CHECK: return
func.func @one_point(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
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
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.gemm %S, %T, %acc : (!tile, !tile, memref<64x64xf32, #tile.fragment>)
  } {tile.num_stages = 2 : i32}
  tile.copy %acc to %F : memref<64x64xf32, #tile.fragment>, !frag
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A copy that nobody reads is dropped.
// CHECK-LABEL: func.func @never_used
// CHECK: tile.alloc : memref<2x64x64xbf16
// CHECK-NOT: tile.alloc : memref<{{.*}}#gpu.address_space
// CHECK: tile.role "producer"
// CHECK: tile.copy
// CHECK-NOT: tile.copy
// CHECK: return
func.func @never_used(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The fill ahead of the loop is that of round 0; the last fill is drained after
// the loop.
// CHECK-LABEL: func.func @hand_pipelined
// CHECK: %[[S:.*]] = tile.channel({{.*}}) depth 2
// CHECK: %[[T:.*]] = tile.channel({{.*}}) depth 2
// CHECK: tile.role "consumer"
// CHECK: %[[R:.*]]:4 = scf.for
// CHECK: tile.wait %[[S]]
// CHECK: tile.copy
// CHECK: tile.release %[[S]]
// CHECK: tile.wait %[[T]]
// CHECK: tile.release %[[T]]
// CHECK: }
// CHECK: tile.wait %[[S]][%[[R]]#0, %[[R]]#1]
// CHECK: tile.release %[[S]][%[[R]]#0, %[[R]]#1]
// CHECK: tile.role "producer"
// CHECK: tile.acquire %[[S]]
// CHECK: tile.commit %[[S]]
// CHECK: scf.for
// CHECK: tile.acquire %[[S]]
// CHECK: tile.commit %[[S]]
// CHECK: tile.acquire %[[T]]
// CHECK: tile.commit %[[T]]
func.func @hand_pipelined(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %S {instr = #tma} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    %w3 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w3 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
