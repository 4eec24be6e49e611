// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// What the kernel begins with, all threads do.
// CHECK-LABEL: func.func @first
// CHECK: tile.launch_wait
// CHECK: tile.specialize
// CHECK-NOT: tile.launch_wait
// CHECK: return
func.func @first(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  tile.launch_wait
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// Later, each role waits: before what it loads after it. A loop of tiles has a
// wait in it.
// CHECK-LABEL: func.func @later
// CHECK: tile.role "consumer"
// CHECK: tile.print
// CHECK: tile.launch_wait
// CHECK: tile.wait
// CHECK: tile.role "producer"
// CHECK: scf.for
// CHECK: tile.launch_wait
// CHECK: tile.copy {{.*}}tma
func.func @later(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %t = %c0 to %n step %c1 {
    tile.print "tile"(%t : index)
    tile.launch_wait
    scf.for %k = %c0 to %n step %c1 {
      %w = tile.region %A[%t, %k] [64, 64] : !tensor
      tile.copy %w to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
  }
  return
}
