// Which kernels and loops get roles: the user's word, then the chip's.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_80}' %s | FileCheck %s --check-prefixes=CHECK,SM80

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @off
// CHECK-NOT: tile.specialize {
// CHECK: tile.num_stages = 2
func.func @off(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  tile.kernel_config {specialize = #tile.specialize<off>}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// One loop wants none: the consumers keep it as it is, stages and all.
// CHECK-LABEL: func.func @loop_off
// SM90: tile.role "consumer"
// SM90: tile.wait
// SM90: }
// SM90: tile.copy {{.*}}tma
// SM90: } {tile.num_stages = 3 : i32, tile.specialize = "off"}
// SM90: tile.role "producer"
// SM90: scf.for
// SM90-NOT: scf.for
// SM90: return
// SM80-NOT: tile.role
// SM80: return
func.func @loop_off(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %T {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32, tile.specialize = "off"}
  return
}

// A chip without TMA makes roles when it has to: cp.async completes on the same
// barriers.
// CHECK-LABEL: func.func @required
// CHECK: tile.channel(%{{.*}}) depth 2 {consumer_warps = 4 : i64, cp_async_threads = 128 : i64}
// CHECK: tile.role "producer" warps 4
func.func @required(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  tile.kernel_config {specialize = #tile.specialize<required>}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<cp_async>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// Arguments that may be the same memory: what is written is not read ahead.
// CHECK-LABEL: func.func @may_alias
// CHECK-NOT: tile.role
// CHECK: return
func.func @may_alias(%A: !tensor {tile.may_alias}, %O: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    %o = tile.region %O[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %o {instr = #tile.instr<simt>} : !tile, !win
  } {tile.num_stages = 2 : i32}
  return
}
