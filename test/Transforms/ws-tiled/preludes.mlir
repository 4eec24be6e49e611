// Copies ahead of a loop are issued early and awaited at the first statement of
// their block that reads them (reference-system.md, 3.1.3, last row; 2.3.11: there
// the wait is in the first iteration).

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#simt = #tile.instr<simt>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One slot: the tile is filled once.
// CHECK-LABEL: func.func @used_in_loop
// CHECK: %[[Q:.*]] = tile.channel({{.*}}) depth 1
// CHECK: %[[S:.*]] = tile.channel({{.*}}) depth 2
// CHECK: tile.role "consumer"
// CHECK: tile.wait %[[Q]]
// CHECK: scf.for
// CHECK: tile.wait %[[S]]
// CHECK: tile.release %[[S]]
// CHECK: }
// CHECK: tile.release %[[Q]]
// CHECK: tile.role "producer"
// CHECK: tile.acquire %[[Q]]
// CHECK: tile.commit %[[Q]]
// CHECK: scf.for
func.func @used_in_loop(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc : !tile
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %Q {instr = #tma} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %Q to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Whether the guard is ever true is not known: wait ahead of the loop.
// CHECK-LABEL: func.func @first_used_in_guard
// CHECK: %[[Q:.*]] = tile.channel({{.*}}) depth 1
// CHECK: tile.role "consumer"
// CHECK: tile.wait %[[Q]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: tile.wait %[[Q]]
// CHECK: }
// CHECK: tile.release %[[Q]]
// CHECK: tile.role "producer"
func.func @first_used_in_guard(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc : !tile
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %Q {instr = #tma} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      tile.copy %Q to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Nothing waits before it has to.
// CHECK-LABEL: func.func @used_behind
// CHECK: %[[Q:.*]] = tile.channel({{.*}}) depth 1
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: }
// CHECK: tile.wait %[[Q]]
// CHECK: tile.copy
// CHECK: tile.release %[[Q]]
// CHECK: tile.role "producer"
// CHECK: tile.acquire %[[Q]]
// CHECK: scf.for
func.func @used_behind(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc : !tile
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %Q {instr = #tma} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  tile.copy %Q to %F : !tile, !frag
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// K and V ahead of the loop (3.1.3, line 305): both copies, then the loop; waits are the
// consumers'.
// CHECK-LABEL: func.func @two_tiles
// CHECK: %[[K:.*]] = tile.channel({{.*}}) depth 1
// CHECK: %[[V:.*]] = tile.channel({{.*}}) depth 1
// CHECK: tile.role "consumer"
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: tile.wait %[[K]][%[[Z]], %[[Z]]]
// CHECK-NEXT: tile.wait %[[V]][%[[Z]], %[[Z]]]
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.wait %[[K]]
// CHECK-NOT: tile.wait %[[V]]
// CHECK: tile.role "producer"
// CHECK: tile.copy {{.*}} signal %[[K]]
// CHECK: tile.copy {{.*}} signal %[[V]]
// CHECK: scf.for
// CHECK-NOT: signal %[[K]]
// CHECK-NOT: signal %[[V]]
// CHECK: return
func.func @two_tiles(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !tile
  %V = tile.alloc : !tile
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %K {instr = #tma} : !win, !tile
  %w2 = tile.region %A[0, %c1] [64, 64] : !tensor
  tile.copy %w2 to %V {instr = #tma} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    %w3 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w3 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %K to %F : !tile, !frag
    tile.copy %V to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A plain copy ahead of the loop gains nothing from a producer.
// CHECK-LABEL: func.func @plain_prelude_stays
// CHECK: tile.role "consumer"
// CHECK: tile.copy {{.*}} {instr = #tile.instr<simt>}
// CHECK: scf.for
// CHECK: tile.role "producer" warps 1
// CHECK-NOT: simt
// CHECK: return
func.func @plain_prelude_stays(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc : !tile
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %Q {instr = #simt} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %Q to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
