// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

// Consumers who meet other blocks wait for the threads that have not ended. A
// producer has, when nothing is left to copy.

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @after
// CHECK: tile.role "consumer"
// CHECK: tile.cluster_sync
// CHECK: tile.role "producer"
// CHECK-NOT: tile.cluster_sync
func.func @after(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  tile.cluster_sync
  return
}

// CHECK-LABEL: func.func @before
// CHECK-NOT: tile.role
func.func @before(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-note @+1 {{they meet here}}
  tile.cluster_sync
  // expected-remark @+1 {{[tile-ws/nothing-left]}}
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/cluster-sync] the computing warps keep this copy: the blocks of the cluster meet before it, and a producer would be late; meet after the last copy}}
    tile.copy %w to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// CHECK-LABEL: func.func @inside
// CHECK-NOT: tile.role
func.func @inside(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/nothing-left]}}
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/cluster-sync]}}
    tile.copy %w to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
    // expected-note @+1 {{they meet here}}
    tile.cluster_sync
  } {tile.num_stages = 2 : i32}
  return
}
