// Barriers and fences.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s --check-prefixes=CHECK,SM80

gpu.module @m {
  // One thread initialises every slot, and where TMA will signal them it says so.
  // CHECK-LABEL: llvm.func @init
  // CHECK: %[[N:.*]] = arith.constant 5 : i32
  // CHECK: cf.cond_br %{{.*}}, ^[[ONE:bb[0-9]+]], ^[[ALL:bb[0-9]+]]
  // CHECK: ^[[ONE]]:
  // CHECK: nvvm.mbarrier.init %[[BARS:.*]], %[[N]]
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[BARS]][1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.init %[[SECOND]], %[[N]]
  // CHECK-NOT: nvvm.mbarrier.init
  // SM90: nvvm.fence.mbarrier.init
  // SM80-NOT: nvvm.fence.mbarrier.init
  // CHECK: cf.br ^[[ALL]]
  // CHECK: ^[[ALL]]:
  // CHECK: nvvm.barrier0
  gpu.func @init() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bar = tile.barrier_alloc {offset = 0 : i64} : !tile.barrier<2>
    tile.barrier_init %bar arrivals 5 : !tile.barrier<2>
    tile.barrier_sync
    gpu.return
  }

  // Every thread arrives on the slot; a wait asks until the phase is complete,
  // sleeping where the chip can.
  // CHECK-LABEL: llvm.func @wait
  // CHECK-SAME: %[[SLOT:arg[0-9]+]]: i32, %[[PARITY:arg[0-9]+]]: i32)
  // CHECK: %[[BAR:.*]] = llvm.getelementptr %{{.*}}[%[[SLOT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.arrive %[[BAR]]
  // CHECK: cf.br ^[[SPIN:bb[0-9]+]]
  // CHECK: ^[[SPIN]]:
  // SM90: %[[DONE:.*]] = nvvm.mbarrier.try_wait %{{.*}}, %[[PARITY]]
  // SM80: %[[DONE:.*]] = nvvm.mbarrier.test.wait %{{.*}}, %[[PARITY]]
  // CHECK: cf.cond_br %[[DONE]], ^[[AFTER:bb[0-9]+]], ^[[SPIN]]
  // CHECK: ^[[AFTER]]:
  gpu.func @wait(%slot: index, %parity: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bar = tile.barrier_alloc {offset = 0 : i64} : !tile.barrier<4>
    tile.barrier_arrive %bar[%slot] : !tile.barrier<4>
    tile.barrier_wait %bar[%slot] parity %parity : !tile.barrier<4>
    gpu.return
  }

  // Numbers of named barriers are constants: a register makes ptxas reserve all.
  // CHECK-LABEL: llvm.func @named
  // CHECK-DAG: %[[ID:.*]] = arith.constant 3 : i32
  // CHECK-DAG: %[[COUNT:.*]] = arith.constant 64 : i32
  // CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
  gpu.func @named() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.barrier_sync {id = 3 : i64, threads = 64 : i64}
    tile.barrier_sync {id = 4 : i64, threads = 128 : i64}
    gpu.return
  }

  // Without an asynchronous proxy there is nothing to fence.
  // CHECK-LABEL: llvm.func @fence
  // SM90: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // SM90: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // SM80-NOT: nvvm.fence
  // CHECK: llvm.return
  gpu.func @fence() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.fence_proxy
    tile.fence_proxy {global}
    gpu.return
  }
}
