// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

gpu.module @m {
  // Threads, warps and the elected thread are those of the role. The number of
  // the warp comes from a shuffle, so that it is known to be uniform.
  // CHECK-LABEL: llvm.func @role
  gpu.func @role(%A: memref<64xf32>, %v: f32) kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %c0 = arith.constant 0 : index
    // CHECK-DAG: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
    // CHECK-DAG: %[[MINE:.*]] = arith.subi %[[T]], %c128_i32
    // CHECK: nvvm.shfl.sync idx
    // CHECK: arith.cmpi eq, %[[MINE]], %c0_i32
    memref.store %v, %A[%c0] {tile.warps = array<i64: 4, 2>} : memref<64xf32>
    %w = tile.warp_id
    %x = arith.index_cast %w : i32 to index
    memref.store %v, %A[%x] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @arrivals
  gpu.func @arrivals() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = tile.barrier_alloc {offset = 0} : !tile.barrier<1>
    // Who arrives for a warp has met its other threads before.
    // CHECK: nvvm.bar.warp.sync
    // CHECK: cf.cond_br
    // CHECK: nvvm.mbarrier.arrive
    tile.barrier_arrive %b[%c0] by <warps> : !tile.barrier<1>
    // CHECK: nvvm.cp.async.mbarrier.arrive {{.*}}noinc = true
    tile.barrier_arrive %b[%c0] by <cp_async> : !tile.barrier<1>
    // CHECK: arith.cmpi eq
    // CHECK: nvvm.mbarrier.arrive
    tile.barrier_arrive %b[%c0] by <leader> : !tile.barrier<1>
    // CHECK: nvvm.mbarrier.expect_tx
    tile.barrier_expect %b[%c0] bytes 64 {no_arrival} : !tile.barrier<1>
    // CHECK: nvvm.bar.warp.sync
    tile.barrier_sync {id = 0, threads = 32}
    // CHECK: nvvm.cp.async.commit.group
    // CHECK: nvvm.cp.async.wait.group 3
    tile.cp_async_commit
    tile.cp_async_wait pending 3
    gpu.return
  }

  // CHECK-LABEL: llvm.func @positions
  gpu.func @positions(%s: i32, %p: i32, %A: memref<64xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c1_i32
    // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c3_i32
    // CHECK: arith.select %[[WRAPS]], %c0_i32{{.*}}, %[[NEXT]]
    // CHECK: %[[BIT:.*]] = arith.extui %[[WRAPS]]
    // CHECK: arith.xori %{{.*}}, %[[BIT]]
    %s1, %p1 = tile.advance %s, %p depth 3
    %x = arith.index_cast %s1 : i32 to index
    memref.store %p1, %A[%x] : memref<64xi32>
    gpu.return
  }
}
