// Bytes that a barrier expects are announced once, by one thread.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @expect
  // CHECK: %[[BYTES:.*]] = arith.constant 24576 : i32
  // CHECK: cf.cond_br %{{.*}}, ^[[ONE:bb[0-9]+]], ^[[ALL:bb[0-9]+]]
  // CHECK: ^[[ONE]]:
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]] : !llvm.ptr<3>, i32 -> i64
  // CHECK: cf.br ^[[ALL]]
  // CHECK: ^[[ALL]]:
  // CHECK-NEXT: llvm.return
  gpu.func @expect() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %bar = tile.barrier_alloc {offset = 0 : i64} : !tile.barrier<1>
    tile.barrier_expect %bar[%c0] bytes 24576 : !tile.barrier<1>
    gpu.return
  }
}
