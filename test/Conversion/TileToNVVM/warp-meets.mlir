// One thread issues TMA in an arm of a conditional: its warp meets at the end of the
// arm. Elsewhere ptxas has it meet.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

!tile = memref<64x64xbf16, #gpu.address_space<workgroup>>
gpu.module @m {
  // CHECK-LABEL: llvm.func @arms
  // CHECK: %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK: cf.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
  // CHECK: ^[[THEN]]:
  // CHECK: nvvm.mbarrier.arrive.expect_tx
  // CHECK-NOT: bar.warp.sync
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK: cf.br ^[[MEET:bb[0-9]+]]
  // CHECK: ^[[MEET]]:
  // CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]]
  // CHECK-NEXT: cf.br ^[[AFTER:bb[0-9]+]]
  // CHECK: ^[[ELSE]]:
  // CHECK-NOT: bar.warp.sync
  // CHECK: ^[[AFTER]]:
  gpu.func @arms(%A: memref<?x?xbf16>, %map: !tile.tensor_map, %p: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %bar = tile.barrier_alloc {offset = 8192 : i64} : !tile.barrier<1>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !tile
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
    cf.cond_br %p, ^then, ^else
  ^then:
    tile.barrier_expect %bar[%c0] bytes 8192 : !tile.barrier<1>
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
    cf.br ^after
  ^else:
    tile.barrier_arrive %bar[%c0] : !tile.barrier<1>
    cf.br ^after
  ^after:
    gpu.return
  }

  // A loop, straight code, and an arm that ends with a barrier of all.
  // CHECK-LABEL: llvm.func @elsewhere
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK-NOT: bar.warp.sync
  // CHECK: llvm.return
  gpu.func @elsewhere(%A: memref<?x?xbf16>, %map: !tile.tensor_map, %n: index, %p: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bar = tile.barrier_alloc {offset = 8192 : i64} : !tile.barrier<1>
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !tile
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %more = arith.cmpi slt, %i, %n : index
    cf.cond_br %more, ^body, ^done
  ^body:
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
    %next = arith.addi %i, %c1 : index
    cf.br ^head(%next : index)
  ^done:
    cf.cond_br %p, ^then, ^after
  ^then:
    tile.copy %a to %s map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile
    tile.barrier_sync
    cf.br ^after
  ^after:
    gpu.return
  }
}
