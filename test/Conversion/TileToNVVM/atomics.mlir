// Atomic updates: red where the chip has it, else compare-and-swap.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s --check-prefixes=CHECK,SM80

#fragment = #tile.fragment

gpu.module @m {
  // Neighbours go together on sm_90 when the window lies inside and its rows are
  // aligned; each has its own condition otherwise.
  // CHECK-LABEL: llvm.func @vectors
  // SM90: cf.cond_br
  // SM90-COUNT-2: llvm.inline_asm has_side_effects "red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};", "l,f,f"
  // SM90: cf.br
  // SM90-COUNT-4: llvm.inline_asm has_side_effects "@$2 red.relaxed.gpu.global.add.f32 [$0], $1;", "l,f,b"
  // SM80-NOT: cf.cond_br
  // SM80-COUNT-4: llvm.inline_asm has_side_effects "@$2 red.relaxed.gpu.global.add.f32 [$0], $1;", "l,f,b"
  // CHECK: llvm.return
  gpu.func @vectors(%A: memref<?x8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #fragment>
    %a = tile.region %A[0, 0] [64, 8] : memref<?x8xf32>
    tile.atomic add %f to %a : memref<64x8xf32, #fragment>, !tile.region<64x8xf32>
    gpu.return
  }

  // Pairs of f16 are one word on both chips; sm_80 has no red of bf16, and swaps
  // words of pairs, or where rows are not aligned each of them.
  // CHECK-LABEL: llvm.func @halves
  // CHECK: red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;", "l,r"
  // SM90: red.relaxed.gpu.global.add.noftz.bf16x2 [$0], $1;", "l,r"
  // SM80: %[[OLD:.*]] = llvm.load %{{.*}} atomic syncscope("device") monotonic
  // SM80: cf.br ^[[AGAIN:bb[0-9]+]](%[[OLD]] : i32)
  // SM80: ^[[AGAIN]](%[[WAS:.*]]: i32):
  // SM80-COUNT-2: arith.addf %{{.*}} : f32
  // SM80: %[[NEXT:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
  // SM80: %[[SAME:.*]] = arith.cmpi eq, %[[NEXT]], %[[WAS]]
  // SM80: cf.cond_br %[[SAME]], ^[[DONE:bb[0-9]+]], ^{{.*}}
  // SM80: %[[FOUND:.*]] = llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r" %{{.*}}, %[[WAS]], %[[NEXT]]
  // SM80: %[[FREE:.*]] = arith.cmpi eq, %[[FOUND]], %[[WAS]]
  // SM80: cf.cond_br %[[FREE]], ^[[DONE]], ^[[AGAIN]](%[[FOUND]] : i32)
  // SM80: "atom.relaxed.gpu.global.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h"
  gpu.func @halves(%A: memref<64x8xf16>, %B: memref<64x8xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #fragment>
    tile.atomic add %f to %A : memref<64x8xf32, #fragment>, memref<64x8xf16>
    tile.atomic add %f to %B : memref<64x8xf32, #fragment>, memref<64x8xbf16>
    gpu.return
  }

  // Integers have a red for everything, at the scope of the block in shared
  // memory. A scalar updates its element from one thread.
  // CHECK-LABEL: llvm.func @integers
  // CHECK: %[[FIRST:.*]] = arith.cmpi ult, %{{.*}}, %c1_i32
  // CHECK: "@$2 red.relaxed.gpu.global.max.s32 [$0], $1;", "l,r,b" %{{.*}}, %{{.*}}, %[[FIRST]]
  // CHECK: "@$2 red.relaxed.cta.shared.xor.b64 [$0], $1;", "r,l,b"
  gpu.func @integers(%A: memref<1xi32>, %x: i32, %y: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8xi64, #gpu.address_space<workgroup>>
    tile.atomic max %x to %A : i32, memref<1xi32>
    tile.atomic xor %y to %s : i64, memref<8xi64, #gpu.address_space<workgroup>>
    gpu.return
  }

  // A byte is loaded alone, and swapped with the word that holds it; 16 bits are
  // swapped alone.
  // CHECK-LABEL: llvm.func @bytes
  // CHECK: %[[LOW:.*]] = arith.andi %{{.*}}, %c3_i64
  // CHECK: %[[BACK:.*]] = arith.subi %c0_i64{{.*}}, %[[LOW]]
  // CHECK: llvm.getelementptr %{{.*}}[%[[BACK]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  // CHECK: arith.maxsi %{{.*}} : i8
  // CHECK: "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r"
  // CHECK: llvm.load %{{.*}} atomic syncscope("block") monotonic {alignment = 2 : i64} : !llvm.ptr<3> -> i16
  // CHECK: arith.addi %{{.*}} : i16
  // CHECK: "atom.relaxed.cta.shared.cas.b16 $0, [$1], $2, $3;", "=h,r,h,h"
  gpu.func @bytes(%A: memref<1xi8>, %x: i8, %y: i16) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8xi16, #gpu.address_space<workgroup>>
    tile.atomic max %x to %A : i8, memref<1xi8>
    tile.atomic add %y to %s : i16, memref<8xi16, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Bits of bytes are combined by a red of words, whose other bits stay.
  // CHECK-LABEL: llvm.func @bits
  // CHECK: %[[ONES:.*]] = arith.shli %{{.*}}, %[[SHIFT:.*]] : i32
  // CHECK: %[[REST:.*]] = arith.xori %[[ONES]], %c-1_i32
  // CHECK: %[[OTHERS:.*]] = arith.andi %c-1_i32{{.*}}, %[[REST]]
  // CHECK: %[[ITS:.*]] = arith.shli %{{.*}}, %[[SHIFT]] : i32
  // CHECK: %[[OPERAND:.*]] = arith.ori %[[OTHERS]], %[[ITS]]
  // CHECK: "@$2 red.relaxed.gpu.global.and.b32 [$0], $1;", "l,r,b" %{{.*}}, %[[OPERAND]]
  gpu.func @bits(%A: memref<1xi8>, %x: i8) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.atomic and %x to %A : i8, memref<1xi8>
    gpu.return
  }

  // The greater of two floats: NaN wins, which no instruction does atomically.
  // CHECK-LABEL: llvm.func @maximum
  // CHECK: arith.maximumf %{{.*}} : f64
  // CHECK: "atom.relaxed.gpu.global.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l"
  gpu.func @maximum(%A: memref<1xf64>, %x: f64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.atomic max %x to %A : f64, memref<1xf64>
    gpu.return
  }

  // One thread issues the boxes, and waits for all of them.
  // SM90-LABEL: llvm.func @tma
  // SM90: %[[ELECTED:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
  // SM90: cf.cond_br %[[ELECTED]]
  // SM90: nvvm.cp.async.bulk.tensor.reduce %{{.*}}, %{{.*}}, box[%c32_i32{{.*}}, %c16_i32{{.*}}] {redKind = #nvvm.tma_redux_kind<add>}
  // SM90-NEXT: nvvm.cp.async.bulk.commit.group
  // SM90-NEXT: nvvm.cp.async.bulk.wait_group 0
  // SM90-NEXT: cf.br
  gpu.func @tma(%A: memref<?x?xf32>, %map: !tile.tensor_map) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8x32xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[16, 32] [8, 32] : memref<?x?xf32>
    tile.atomic add %s to %a map %map {instr = #tile.instr<tma>} : memref<8x32xf32, #gpu.address_space<workgroup>>, !tile.region<8x32xf32>
    gpu.return
  }

  // A counter that begins again: one instruction with what it found, and without.
  // CHECK-LABEL: llvm.func @counters
  // CHECK: llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.inc.u32 $0, [$1], $2;", "=r,l,r"
  // CHECK: llvm.inline_asm has_side_effects "@$2 red.relaxed.gpu.global.inc.u32 [$0], $1;", "l,r,b"
  gpu.func @counters(%n: memref<1xi32>, %last: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<1xi32, #gpu.address_space<workgroup>>
    tile.atomic inc %last to %n old %t : i32, memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>>
    tile.atomic inc %last to %n : i32, memref<1xi32>
    gpu.return
  }
}
