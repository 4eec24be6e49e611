// Reductions of gpu become shuffles; those of a block pass memory of the kernel,
// in which each warp stores.

// RUN: %tile_opt_passes 'gpu.module(tile-expand-reductions)' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'gpu.module(tile-expand-reductions)' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: gpu.func @warp
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.subgroup_reduce
gpu.module @m {
  gpu.func @warp(%x: f32, %A: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %s = gpu.subgroup_reduce add %x : (f32) -> f32
    memref.store %s, %A[%c0] : memref<1xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @block
  // CHECK-SAME: workgroup(%[[M:.*]] : memref<32xf32, #gpu.address_space<workgroup>>)
  // CHECK: memref.store %{{.*}}, %[[M]][%{{.*}}] {tile.by_thread}
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.all_reduce
  // CHECK: memref.store %{{.*}}, %arg1[%{{.*}}] : memref<1xf32>
  gpu.func @block(%x: f32, %A: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %s = gpu.all_reduce add %x uniform {} : (f32) -> f32
    memref.store %s, %A[%c0] : memref<1xf32>
    gpu.return
  }

  // Upstream's pattern takes uniform ones only.
  // CHECK-LABEL: gpu.func @kept
  // CHECK: gpu.all_reduce
  gpu.func @kept(%x: f32, %A: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %s = gpu.all_reduce add %x {} : (f32) -> f32
    memref.store %s, %A[%c0] : memref<1xf32>
    gpu.return
  }
}
