// A loop that copies a tile row by row is one fill of it: the producer runs the
// loop between acquire and commit. Rows that a condition leaves out are filled in
// its else; without one the loop stays, with the reason.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#cp = #tile.instr<cp_async>
!tensor = memref<?x64xbf16>
!win = !tile.region<64x64xbf16>
!row = !tile.region<1x64xbf16, #smem>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @filled
// CHECK: tile.channel({{.*}}) depth 2 {consumer_warps = 4 : i64, cp_async_threads = 128 : i64, simt_threads = 128 : i64}
// CHECK: tile.role "consumer"
// CHECK-NOT: cp_async
// CHECK: tile.role "producer" warps 4
// CHECK: tile.acquire
// CHECK: tile.acquire
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.copy {{.*}} signal {{.*}} {instr = #tile.instr<cp_async>}
// CHECK: tile.fill
// CHECK: tile.commit
func.func @filled(%A: !tensor, %O: !tensor, %I: memref<64xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c64 {
    %w = tile.region %A[%k, 0] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    scf.for %r = %c0 to %c64 step %c1 {
      %row = memref.load %I[%r] : memref<64xindex>
      %is = arith.cmpi sge, %row, %c0 : index
      %to = tile.region %T[%r, 0] [1, 64] : !tile
      scf.if %is {
        %a = tile.region %A[%row, 0] [1, 64] : !tensor
        tile.copy %a to %to {instr = #cp} : !tile.region<1x64xbf16>, !row
      } else {
        tile.fill %to, %zero : !row, bf16
      }
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// CHECK-LABEL: func.func @left_out
// CHECK: tile.role "consumer"
// CHECK: cp_async
// CHECK: tile.role "producer" warps 1
func.func @left_out(%A: !tensor, %O: !tensor, %I: memref<64xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c64 {
    %w = tile.region %A[%k, 0] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    scf.for %r = %c0 to %c64 step %c1 {
      %row = memref.load %I[%r] : memref<64xindex>
      %is = arith.cmpi sge, %row, %c0 : index
      %to = tile.region %T[%r, 0] [1, 64] : !tile
      scf.if %is {
        %a = tile.region %A[%row, 0] [1, 64] : !tensor
        // expected-remark @+1 {{[tile-ws/partial-fill] the computing warps keep this copy: a part of what is read is not filled by the same run of copies; copy the whole tile at once, or use two tiles; fill the rows that a condition leaves out in its else}}
        tile.copy %a to %to {instr = #cp} : !tile.region<1x64xbf16>, !row
      }
    }
    tile.copy %S to %F : !tile, !frag
    // expected-note @+1 {{it is read here}}
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Either arm fills all of the tile: a copy, or a constant. Both are the producer's. The
// second tile, which a constant fills under a condition and no copy, stays.
// CHECK-LABEL: func.func @branch
// CHECK: tile.channel({{.*}}) depth 2 {consumer_warps = 4 : i64, simt_threads = 128 : i64, tma}
// CHECK: tile.role "consumer"
// CHECK-NOT: signal
// CHECK: tile.fill %{{.*}} : memref<64x64xbf16
// CHECK: tile.role "producer" warps 4
// CHECK: tile.acquire
// CHECK: scf.if
// CHECK: tile.copy {{.*}} signal {{.*}} {instr = #tile.instr<tma>}
// CHECK: } else {
// CHECK: tile.fill
// CHECK: tile.commit
func.func @branch(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %on = memref.load %M[%k] : memref<?xi1>
    scf.if %on {
      %w = tile.region %A[%k, 0] [64, 64] : !tensor
      tile.copy %w to %S {instr = #tma} : !win, !tile
    } else {
      tile.fill %S, %zero : !tile, bf16
      tile.fill %T, %zero : !tile, bf16
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %F to %T : !frag, !tile
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %T to %o : !tile, !win
  return
}
