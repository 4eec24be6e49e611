// RUN: %tile_opt_passes tile-insert-sync %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes tile-insert-sync %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>
#simt = #tile.instr<simt>
#tma = #tile.instr<tma>
!tile = memref<64xf32, #shared>
!remote = memref<64xf32, #tile.cluster>
!frag = memref<64xf32, #tile.fragment>

// Blocks that reach others meet before, and before they end. The meeting of the
// user is the barrier of the block as well.
// CHECK-LABEL: func.func @reach
// CHECK: tile.cluster_sync lifetime
// CHECK-NEXT: tile.copy {{.*}}#tile.cluster
// CHECK-NEXT: tile.cluster_sync{{$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy {{.*}}#tile.cluster
// CHECK-NEXT: tile.cluster_sync lifetime
// CHECK-NEXT: return
func.func @reach(%f: !frag, %g: !frag, %rank: index) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : !tile
  %r = tile.remote %s at %rank : !tile
  tile.copy %f to %r {instr = #simt} : !frag, !remote
  tile.cluster_sync
  tile.copy %s to %g {instr = #simt} : !tile, !frag
  tile.copy %r to %f {instr = #simt} : !remote, !frag
  return
}

// Between meetings of the user nothing is missing; the block itself may be meant.
// CHECK-LABEL: func.func @between
// CHECK: tile.copy {{.*}}workgroup
// CHECK-NEXT: tile.cluster_sync{{$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.cluster_sync{{$}}
// CHECK-NEXT: return
func.func @between(%f: !frag, %g: !frag, %rank: index) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : !tile
  %r = tile.remote %s at %rank : !tile
  tile.copy %f to %s {instr = #simt} : !frag, !tile
  tile.cluster_sync
  tile.copy %r to %g {instr = #simt} : !remote, !frag
  tile.copy %f to %s {instr = #simt} : !frag, !tile
  tile.cluster_sync
  return
}

// What the block has stored by TMA is there for the others when they have met.
// CHECK-LABEL: func.func @stored
// CHECK: tile.copy
// CHECK-NEXT: tile.tma_wait
// CHECK-NEXT: tile.cluster_sync{{$}}
func.func @stored(%A: memref<64xf32>, %m: !tile.tensor_map) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : !tile
  %a = tile.region %A[0] [64] : memref<64xf32>
  tile.copy %s to %a map %m {async, instr = #tma} : !tile, !tile.region<64xf32>
  tile.cluster_sync
  return
}
