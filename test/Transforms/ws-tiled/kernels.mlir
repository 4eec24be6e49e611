// Every kind of kernel gets the threads of both roles in the same rewrite; what
// is no kernel, or has roles already, keeps its bytes.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The launch is inside its host function: its operand changes. Without `instr`
// the pass asks what could be: the rows are aligned by their type.
// CHECK-LABEL: func.func @launch
// CHECK: %[[T:.*]] = arith.constant 160 : index
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %[[T]], %{{.*}} = %[[ONE:.*]], %{{.*}} = %[[ONE]])
// CHECK: tile.channel(%{{.*}}) depth 2 {consumer_warps = 4 : i64, tma}
// CHECK: tile.role "consumer" warps 4
// CHECK: tile.role "producer" warps 1
// CHECK: instr = #tile.instr<tma>
func.func @launch(%A: memref<64x4096xbf16>, %O: memref<64x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c2, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x4096xbf16>
      %o = tile.region %O[0, %k] [64, 64] : memref<64x4096xbf16>
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
      tile.copy %F to %o : !frag, !win
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: gpu.func @outlined
// CHECK-SAME: known_block_size = array<i32: 160, 1, 1>
gpu.module @module {
  gpu.func @outlined(%A: !tensor, %n: index) kernel attributes {known_block_size = array<i32: 32, 4, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c1 {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
    gpu.return
  }
}

// What the kernel begins with stands before the roles and serves both; what
// comes later is computed where it is used.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[Y:.*]] = arith.addi %[[X]]
// CHECK: tile.channel
// CHECK: tile.specialize
// CHECK: tile.role "consumer"
// CHECK: arith.muli %[[Y]]
// CHECK: tile.role "producer"
// CHECK: tile.region %{{.*}}[%[[Y]]
// CHECK-NOT: arith.muli
// CHECK: return
func.func @scalars(%A: !tensor, %O: !tensor, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %x = memref.load %I[%c0] : memref<?xindex>
  %y = arith.addi %x, %c1 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[%y, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %z = arith.muli %y, %x : index
  %o = tile.region %O[%z, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// CHECK-LABEL: func.func @no_kernel
// CHECK: tile.num_stages = 3
func.func @no_kernel(%A: !tensor, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
  } {tile.num_stages = 3 : i32}
  return
}

// CHECK-LABEL: func.func @no_pipelined_loop
// CHECK-NOT: tile.role
// CHECK: return
func.func @no_pipelined_loop(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  }
  return
}
