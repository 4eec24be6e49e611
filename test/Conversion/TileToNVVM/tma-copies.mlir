// Copies by TMA: one thread issues the boxes that the layout of the tile asks for.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

!tile64 = memref<64x64xbf16, #gpu.address_space<workgroup>>
!tile128 = memref<64x128xbf16, #gpu.address_space<workgroup>>
gpu.module @m {
  // Coordinates are those of the window, the contiguous dimension first. A swizzle
  // of 128 bytes holds 64 columns: two boxes, 8 KiB apart, on the same barrier.
  // CHECK-LABEL: llvm.func @two_boxes
  // CHECK-SAME: %[[MAP:arg[0-9]+]]: !llvm.ptr {{{.*}}}, %[[M:arg[0-9]+]]: i32, %[[K:arg[0-9]+]]: i32)
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[BARS:.*]] = llvm.getelementptr %{{.*}}[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  // CHECK: %[[ELECTED:.*]] = arith.cmpi eq, %[[TID]], %{{.*}} : i32
  // CHECK: cf.cond_br %[[ELECTED]], ^[[ISSUE:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
  // CHECK: ^[[ISSUE]]:
  // CHECK: %[[BAR:.*]] = llvm.getelementptr %[[BARS]][1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  // CHECK: %[[S:.*]] = llvm.addrspacecast %[[SMEM:.*]] : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[S]], %[[MAP]], %[[BAR]], box[%[[K]], %[[M]]] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: %[[K2:.*]] = arith.addi %[[K]], %c64{{.*}} : i32
  // CHECK: %[[S2:.*]] = llvm.getelementptr %[[SMEM]][4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, bf16
  // CHECK: %[[T:.*]] = llvm.addrspacecast %[[S2]] : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[T]], %[[MAP]], %[[BAR]], box[%[[K2]], %[[M]]]
  // CHECK-NOT: nvvm.cp.async.bulk
  // CHECK: cf.br ^[[AFTER]]
  gpu.func @two_boxes(%A: memref<?x?xbf16>, %map: !tile.tensor_map, %m: index, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %bar = tile.barrier_alloc {offset = 16384 : i64} : !tile.barrier<2>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !tile128
    %a = tile.region %A[%m, %k] [64, 128] : memref<?x?xbf16>
    tile.copy %a to %s map %map signal %bar[%c1] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<64x128xbf16>, !tile128
    gpu.return
  }

  // Dropped dimensions have a coordinate all the same.
  // CHECK-LABEL: llvm.func @dropped
  // CHECK-SAME: %[[MAP:arg[0-9]+]]: !llvm.ptr {{{.*}}}, %[[B:arg[0-9]+]]: i32, %[[M:arg[0-9]+]]: i32)
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%{{c0.*}}, %[[M]], %[[B]]]
  gpu.func @dropped(%A: memref<?x?x?xbf16>, %map: !tile.tensor_map, %b: index, %m: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %bar = tile.barrier_alloc {offset = 8192 : i64} : !tile.barrier<1>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !tile64
    %a = tile.region %A[%b, %m, 0] [1, 64, 64] drop [0] : memref<?x?x?xbf16>
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile64
    gpu.return
  }

  // The eviction policy is a cache hint.
  // CHECK-LABEL: llvm.func @policies
  // CHECK: %[[FIRST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"  : () -> i64
  // CHECK: %[[LAST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"  : () -> i64
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[FIRST]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} l2_cache_hint = %[[LAST]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK-NOT: l2_cache_hint
  gpu.func @policies(%A: memref<?x?xbf16>, %map: !tile.tensor_map) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %bar = tile.barrier_alloc {offset = 8192 : i64} : !tile.barrier<1>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !tile64
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>, eviction = #tile.eviction<first>} : !tile.region<64x64xbf16>, !tile64
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>, eviction = #tile.eviction<last>} : !tile.region<64x64xbf16>, !tile64
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>, eviction = #tile.eviction<normal>} : !tile.region<64x64xbf16>, !tile64
    gpu.return
  }
}
