// How many slots a ring has.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>
!large = memref<256x256xbf16, #smem>

// A planned loop says it: S lives from stage 0 to stage 2, and is read before
// the copy of the same step in T's case. The plan is carried out, so it goes.
// CHECK-LABEL: func.func @planned
// CHECK: tile.channel(%{{.*}}) depth 3
// CHECK: tile.channel(%{{.*}}) depth 2
// CHECK-NOT: tile.stage
// CHECK-NOT: tile.order
// CHECK-NOT: tile.num_stages
// CHECK: return
func.func @planned(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tma, tile.stage = 0 : i32, tile.order = 0 : i32} : !win, !tile
    tile.copy %a to %T {instr = #tma, tile.stage = 0 : i32, tile.order = 3 : i32} : !win, !tile
    tile.copy %S to %F {tile.stage = 2 : i32, tile.order = 1 : i32} : !tile, !frag
    tile.copy %T to %F {tile.stage = 2 : i32, tile.order = 2 : i32} : !tile, !frag
  } {tile.num_stages = 5 : i32}
  return
}

// Tiles that only stages order take the number that was asked for.
// CHECK-LABEL: func.func @half_planned
// CHECK: tile.channel(%{{.*}}) depth 4
func.func @half_planned(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tma, tile.stage = 0 : i32} : !win, !tile
    tile.copy %S to %F {tile.stage = 2 : i32} : !tile, !frag
  } {tile.num_stages = 4 : i32}
  return
}

// Two slots for a tile of the outer loop would take 256 KiB: it gets one.
// CHECK-LABEL: func.func @large_prelude
// CHECK: tile.channel(%{{.*}}) depth 1 {{.*}} : memref<1x256x256xbf16
// CHECK: tile.channel(%{{.*}}) depth 3 {{.*}} : memref<3x64x64xbf16
func.func @large_prelude(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc : !large
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %t = %c0 to %n step %c1 {
    %q = tile.region %A[0, %t] [256, 256] : !tensor
    tile.copy %q to %Q {instr = #tma} : !tile.region<256x256xbf16>, !large
    scf.for %k = %c0 to %n step %c1 {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %a to %S {instr = #tma} : !win, !tile
      %part = tile.region %Q[0, 0] [64, 64] : !large
      tile.copy %part to %F : !tile.region<64x64xbf16, #smem>, !frag
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 3 : i32}
  }
  return
}

// A layout that the user gave is that of every slot (reference-system.md,
// 3.1.3: annotated layouts do not stand in the way of roles).
// CHECK-LABEL: func.func @layouts
// CHECK-DAG: tile.alloc {layout = #tile.layout<{{.*}}>} : memref<2x64x64xbf16
// CHECK-DAG: tile.alloc {alignment = 256 : i64} : memref<2x64x64xbf16
func.func @layouts(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !tile
  %T = tile.alloc {alignment = 256 : i64} : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tma} : !win, !tile
    tile.copy %a to %T {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// Three tiles of 80 KiB that live one after the other fit once they share bytes:
// those outside the loop stay with the consumers. (Its remark: declines.mlir.)
// CHECK-LABEL: func.func @tight
// CHECK: tile.alloc : memref<160x256xbf16
// CHECK: tile.alloc : memref<160x256xbf16
// CHECK: tile.channel(%{{.*}}) depth 2 {{.*}} : memref<2x64x64xbf16
// CHECK-NOT: tile.channel(
// CHECK: return
func.func @tight(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %P = tile.alloc : memref<160x256xbf16, #smem>
  %Q = tile.alloc : memref<160x256xbf16, #smem>
  %R = tile.alloc : memref<160x256xbf16, #smem>
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %a = tile.region %A[0, 0] [160, 256] : !tensor
  tile.copy %a to %P {instr = #tma} : !tile.region<160x256xbf16>, memref<160x256xbf16, #smem>
  %p = tile.region %P[0, 0] [64, 64] : memref<160x256xbf16, #smem>
  tile.copy %p to %F : !tile.region<64x64xbf16, #smem>, !frag
  tile.copy %a to %Q {instr = #tma} : !tile.region<160x256xbf16>, memref<160x256xbf16, #smem>
  %q = tile.region %Q[0, 0] [64, 64] : memref<160x256xbf16, #smem>
  tile.copy %q to %F : !tile.region<64x64xbf16, #smem>, !frag
  tile.copy %a to %R {instr = #tma} : !tile.region<160x256xbf16>, memref<160x256xbf16, #smem>
  %r = tile.region %R[0, 0] [64, 64] : memref<160x256xbf16, #smem>
  tile.copy %r to %F : !tile.region<64x64xbf16, #smem>, !frag
  scf.for %k = %c0 to %n step %c1 {
    %s = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %s to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}
