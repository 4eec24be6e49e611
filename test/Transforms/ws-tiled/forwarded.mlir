// Scalars that come from a copied tile are read from the tensor by both roles.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#simt = #tile.instr<simt>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// A block mask: element 5 of a tile copied from %BM at %k is %BM[%k + 5], false
// outside.
// CHECK-LABEL: func.func @guard
// CHECK-NOT: memref<{{.*}}xi1, #gpu
// CHECK: tile.role "consumer"
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %c5
// CHECK: %[[E:.*]] = memref.dim
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[E]]
// CHECK: %[[V:.*]] = scf.if %[[IN]] -> (i1)
// CHECK: memref.load %{{.*}}[%[[I]]] : memref<?xi1>
// CHECK: } else {
// CHECK: scf.yield %false
// CHECK: scf.if %[[V]] -> (i32, i32)
// CHECK: tile.wait
// CHECK: tile.role "producer"
// CHECK: %[[V:.*]] = scf.if %{{.*}} -> (i1)
// CHECK: memref.load
// CHECK: scf.if %[[V]] -> (i32, i32)
// CHECK: tile.acquire
func.func @guard(%A: !tensor, %O: !tensor, %BM: memref<?xi1>, %P: memref<64xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %G = tile.alloc : memref<64xi1, #smem>
  %c5 = arith.constant 5 : index
  scf.for %k = %c0 to %n step %c1 {
    %im = tile.region %BM[%k] [64] : memref<?xi1>
    tile.copy %im to %G {instr = #simt} : !tile.region<64xi1>, memref<64xi1, #smem>
    %g = memref.load %G[%c5] : memref<64xi1, #smem>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Whether any flag of the tile is set, asked of the tensor.
// CHECK-LABEL: func.func @predicate
// CHECK: tile.role "consumer"
// CHECK: %[[W:.*]] = tile.region %{{.*}}[%{{.*}}] [64] : memref<?xi1>
// CHECK: tile.any_of %[[W]] : !tile.region<64xi1>
// CHECK: tile.role "producer"
// CHECK: tile.region %{{.*}}[%{{.*}}] [64] : memref<?xi1>
// CHECK: tile.any_of %{{.*}} : !tile.region<64xi1>
// CHECK: scf.if
// CHECK: tile.acquire
func.func @predicate(%A: !tensor, %O: !tensor, %BM: memref<?xi1>, %P: memref<64xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %G = tile.alloc : memref<64xi1, #smem>
  scf.for %k = %c0 to %n step %c1 {
    %im = tile.region %BM[%k] [64] : memref<?xi1>
    tile.copy %im to %G {instr = #simt} : !tile.region<64xi1>, memref<64xi1, #smem>
    %g = tile.any_of %G : memref<64xi1, #smem>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Paged: the page table is copied ahead of the loop.
// CHECK-LABEL: func.func @address
// CHECK: tile.role "consumer"
// CHECK: tile.role "producer"
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<64xi32>
// CHECK: arith.index_cast
// CHECK: tile.acquire
func.func @address(%A: !tensor, %O: !tensor, %BM: memref<?xi1>, %P: memref<64xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %G = tile.alloc : memref<64xi32, #smem>
  %pt = tile.region %P[0] [64] : memref<64xi32>
  tile.copy %pt to %G {instr = #simt} : !tile.region<64xi32>, memref<64xi32, #smem>
  scf.for %k = %c0 to %n step %c1 {
    %page = memref.load %G[%k] : memref<64xi32, #smem>
    %q = arith.index_cast %page : i32 to index
    %w1 = tile.region %A[0, %q] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A private array that only holds what both roles can know: both write it (3.1.6,
// a guard that is a one-element local).
// CHECK-LABEL: func.func @private
// CHECK: %[[L:.*]] = tile.alloc : memref<1xi1, #gpu.address_space<private>>
// CHECK: tile.role "consumer"
// CHECK: memref.store %{{.*}}, %[[L]]
// CHECK: memref.load %[[L]]
// CHECK: scf.if
// CHECK: tile.role "producer"
// CHECK: memref.store %{{.*}}, %[[L]]
// CHECK: memref.load %[[L]]
// CHECK: scf.if
// CHECK: tile.acquire
func.func @private(%A: !tensor, %O: !tensor, %BM: memref<?xi1>, %P: memref<64xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %L = tile.alloc : memref<1xi1, #gpu.address_space<private>>
  scf.for %k = %c0 to %n step %c1 {
    %f = memref.load %BM[%k] : memref<?xi1>
    memref.store %f, %L[%c0] : memref<1xi1, #gpu.address_space<private>>
    %g = memref.load %L[%c0] : memref<1xi1, #gpu.address_space<private>>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
