// Element loops that compute a tile from tensors run in the producer, which gets a
// warpgroup at least. Those that need what only the consumers have, or for which
// there is no room, stay, with the reason.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -split-input-file -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @beside_a_copy
// CHECK-SAME: tile.num_threads = 256
// CHECK: tile.channel({{.*}}) depth 3 {consumer_warps = 4 : i64, tma}
// CHECK: tile.channel({{.*}}) depth 3 {consumer_warps = 4 : i64, simt_threads = 128 : i64}
// CHECK: tile.role "consumer" warps 4
// CHECK-NOT: tile.parallel
// CHECK: tile.role "producer" warps 4
// CHECK: tile.acquire
// CHECK: tile.parallel
// CHECK: memref.store {{.*}} : memref<3x64x64xbf16
// CHECK: tile.commit
func.func @beside_a_copy(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-remark @+1 {{[tile-ws/element-producer] runs in the producer, which gets 4 warps for it}}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %A[%i, %j] : !tensor
      memref.store %x, %T[%j, %i] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The scalar is what the consumers have summed up.
// CHECK-LABEL: func.func @consumer_data
// CHECK: tile.role "consumer"
// CHECK: tile.parallel
// CHECK: tile.role "producer" warps 1
func.func @consumer_data(%A: !tensor, %O: !tensor, %P: memref<64xbf16, #smem>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-remark @+1 {{[tile-ws/element-consumer-data] the computing warps keep this element loop: what an element loop computes depends on what the computing warps make; read it from global memory that the kernel does not write}}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %A[%i, %j] : !tensor
      // expected-note @+1 {{it depends on this}}
      %y = memref.load %P[%j] : memref<64xbf16, #smem>
      %z = arith.addf %x, %y : bf16
      memref.store %z, %T[%i, %j] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @written_global
// CHECK: tile.role "producer" warps 1
func.func @written_global(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-remark @+1 {{[tile-ws/element-written-global] the computing warps keep this element loop: what an element loop computes depends on a tensor that the kernel may write}}
    tile.parallel (%i, %j) in [64, 64] {
      // expected-note @+1 {{it is read here}}
      %x = memref.load %O[%i, %j] : !tensor
      memref.store %x, %T[%i, %j] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @side_effect
// CHECK: tile.role "producer" warps 1
func.func @side_effect(%A: !tensor, %O: !tensor, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %seven = arith.constant 7 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-note @+1 {{it depends on this}}
    %h0 = memref.atomic_rmw addi %seven, %J[%c0] : (i32, memref<?xi32>) -> i32
    %h = arith.index_cast %h0 : i32 to index
    // expected-remark @+1 {{[tile-ws/element-side-effect] the computing warps keep this element loop: what an element loop computes depends on an op that cannot be executed twice}}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %A[%h, %j] : !tensor
      memref.store %x, %T[%i, %j] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// One warp was asked for: it issues the copy, and the loop stays.
// CHECK-LABEL: func.func @one_warp
// CHECK: tile.role "producer" warps 1
func.func @one_warp(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  tile.kernel_config {producer_warps = 1}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-remark @+1 {{[tile-ws/few-producer-warps] the computing warps keep this element loop: the producer that was asked for has fewer than 4 warps; ask for 4 or 8, or leave the choice}}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %A[%i, %j] : !tensor
      memref.store %x, %T[%i, %j] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// 960 threads compute: one warp is left for copies, no warpgroup.
// CHECK-LABEL: func.func @many_threads
// CHECK: tile.role "producer" warps 1
func.func @many_threads(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 960 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-remark @+1 {{[tile-ws/too-many-threads] the computing warps keep this element loop: the block would have more threads than the chip allows with a producer: 1088 threads, at most 1024; use fewer computing threads}}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %A[%i, %j] : !tensor
      memref.store %x, %T[%i, %j] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// -----

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<128x128xbf16>
!tile = memref<128x128xbf16, #smem>
!frag = memref<128x128xbf16, #tile.fragment>

// Rings of both tiles would take 6 x 32 KiB beside 64 KiB: the loop has one slot.
// CHECK-LABEL: func.func @memory
// CHECK: tile.role "producer" warps 1
func.func @memory(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %U = tile.alloc : memref<64x512xbf16, #smem>
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [128, 128] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    // expected-remark @+1 {{[tile-ws/shared-memory] the computing warps keep this element loop: the rings of all tiles do not fit: 264192 bytes, at most 232448; ask for fewer stages}}
    tile.parallel (%i, %j) in [128, 128] {
      %x = memref.load %A[%i, %j] : !tensor
      memref.store %x, %T[%i, %j] : !tile
    }
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %zero = arith.constant 0.0 : bf16
  tile.fill %U, %zero : memref<64x512xbf16, #smem>, bf16
  %o = tile.region %O[0, 0] [128, 128] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
