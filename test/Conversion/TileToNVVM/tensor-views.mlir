// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s

// Parts of tensors are a pointer, extents that are not negative, and strides.

// CHECK-LABEL: llvm.func @part
// CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr<1>
gpu.module @kernels {
  gpu.func @part(%A: memref<?x32xf32>, %first: index, %count: index, %out: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // CHECK: %[[COUNT:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i32
    // CHECK: %[[PLACE:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
    // CHECK: %[[PART:.*]] = llvm.getelementptr %[[A]][%[[PLACE]]]
    %p = memref.subview %A[%first, 0] [%count, 32] [2, 1] : memref<?x32xf32> to memref<?x32xf32, strided<[64, 1], offset: ?>>
    %n = memref.dim %p, %c0 : memref<?x32xf32, strided<[64, 1], offset: ?>>
    // CHECK: llvm.getelementptr %[[PART]]
    %v = memref.load %p[%n, %c0] : memref<?x32xf32, strided<[64, 1], offset: ?>>
    memref.store %v, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @address
  gpu.func @address(%address: i64, %rows: index, %pitch: index, %out: memref<1xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
    %at = tile.tensor_at %address : memref<f32>
    %A = memref.reinterpret_cast %at to offset: [0], sizes: [%rows, 8], strides: [%pitch, 1] : memref<f32> to memref<?x8xf32, strided<[?, 1]>>
    %v = memref.load %A[%rows, %c0] : memref<?x8xf32, strided<[?, 1]>>
    memref.store %v, %out[%c0] : memref<1xf32>
    gpu.return
  }
}
