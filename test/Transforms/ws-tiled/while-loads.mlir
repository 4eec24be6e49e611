// A while whose threads load something themselves decides where the producer does:
// its loads are no iteration ahead, and both are seen to decide alike.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a},tile-pipeline-planning,tile-inject-pipeline,tile-verify-channels{strict=true schedule=false}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @loads
// CHECK: tile.role "consumer"
// CHECK: scf.while
// CHECK: memref.load
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : index, i32, i32
// CHECK: tile.role "producer"
// CHECK: scf.while
func.func @loads(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %G = tile.alloc : !frag
  // expected-remark @+1 {{[tile-pipeline/plain] its threads load in every iteration and wait for memory: ahead, the loop would carry its decisions, and roles have to be seen to decide alike}}
  %r = scf.while (%q = %c0) : (index) -> index {
    %lt = arith.cmpi ult, %q, %n : index
    %h = memref.load %M[%q] : memref<?xi1>
    %go = arith.andi %lt, %h : i1
    scf.condition(%go) %q : index
  } do {
    ^bb0(%k: index):
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %o = tile.region %O[0, %k] [64, 64] : !tensor
    tile.copy %F to %o : !frag, !win
    %w2 = tile.region %A[%k, 0] [64, 64] : !tensor
    tile.copy %w2 to %G : !win, !frag
    %o2 = tile.region %O[%k, 0] [64, 64] : !tensor
    tile.copy %G to %o2 : !frag, !win
    %kn = arith.addi %k, %c1 : index
    scf.yield %kn : index
  } attributes {tile.num_stages = 2 : i32}
  return
}
