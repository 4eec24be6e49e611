// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s -split-input-file -verify-diagnostics | FileCheck %s

// Short vectors are one access each; constants of indices are its offset.
// CHECK-LABEL: llvm.func @copy
// CHECK: %[[P:.*]] = llvm.getelementptr {{.*}} !llvm.ptr<1>, f32
// CHECK: llvm.getelementptr %{{.*}}[4]
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
gpu.module @m {
  gpu.func @copy(%A: memref<64xf32>, %B: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %k = arith.addi %t, %c4 : index
    %v = vector.load %A[%k] {alignment = 16} : memref<64xf32>, vector<4xf32>
    vector.store %v, %B[%k] {alignment = 16} : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}
