// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The consumers wait for other blocks of the launch; the producer goes on, as no
// block writes what it loads.
// CHECK-LABEL: func.func @blocks
// CHECK: tile.role "consumer"
// CHECK: tile.atomic_load
// CHECK: tile.role "producer"
// CHECK-NOT: tile.atomic_load
// CHECK: tile.copy {{.*}}tma
func.func @blocks(%A: !tensor, %l: memref<1xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %s = tile.alloc : memref<1xi32, #smem>
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.atomic_load %l to %s {order = #tile.order<acquire>} : memref<1xi32>, memref<1xi32, #smem>
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// What others than its blocks write may be any tensor.
// CHECK-LABEL: func.func @system
// CHECK-NOT: tile.role
func.func @system(%A: !tensor, %l: memref<1xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %s = tile.alloc : memref<1xi32, #smem>
  // expected-remark @+1 {{[tile-ws/nothing-left] this loop runs without roles: none of its copies can move to a producer; see the remarks on the copies}}
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-note @+1 {{it is written here}}
    tile.atomic_load %l to %s {order = #tile.order<acquire>, scope = #tile.scope<system>} : memref<1xi32>, memref<1xi32, #smem>
    // expected-remark @+1 {{[tile-ws/source-written] the computing warps keep this copy: the kernel may write what is copied; write another tensor; arguments marked tile.may_alias count as one}}
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}
