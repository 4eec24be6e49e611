// RUN: %tile_opt_passes 'tile-lower-channels' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-lower-channels' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!tensor = memref<64x64xbf16>
!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!tile = !tile.region<64x64xbf16>

// Copies in flight complete in any order. Two that fill one tile are two
// groups; the third joins the second.
// CHECK-LABEL: func.func @same_destination
// CHECK: tile.barrier_alloc : !tile.barrier<2>
// CHECK: tile.barrier_expect %{{.*}} bytes 8192
// CHECK-NEXT: tile.copy
// CHECK: tile.barrier_wait
// CHECK: tile.barrier_expect %{{.*}} bytes 16384
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK: tile.barrier_wait
func.func @same_destination(%A: !tensor, %B: !tensor) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %b = tile.region %B[0, 0] [64, 64] : !tensor
  tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, !shared
  tile.copy %b to %S {instr = #tile.instr<tma>} : !tile, !shared
  tile.copy %b to %T {instr = #tile.instr<tma>} : !tile, !shared
  return
}

// Everything else on the copy stays.
// CHECK-LABEL: func.func @keeps_attributes
// CHECK: tile.copy {{.*}} signal {{.*}}eviction = #tile.eviction<first>{{.*}}prefer = #tile.instr<tma>{{.*}}tile.group = 3 : i32
func.func @keeps_attributes(%A: !tensor) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %a to %S {eviction = #tile.eviction<first>, instr = #tile.instr<tma>, prefer = #tile.instr<tma>, tile.group = 3 : i32} : !tile, !shared
  return
}

// Groups do not reach over the end of a block; a guard without else has one.
// CHECK-LABEL: func.func @guarded
// CHECK: tile.barrier_alloc : !tile.barrier<2>
// CHECK: scf.if
// CHECK: tile.barrier_wait
// CHECK: }
// CHECK: tile.barrier_expect
func.func @guarded(%A: !tensor, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !shared
  %T = tile.alloc : !shared
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  scf.if %go {
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, !shared
  }
  tile.copy %a to %T {instr = #tile.instr<tma>} : !tile, !shared
  return
}
