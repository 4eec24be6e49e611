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
  // Each lane keeps its own place: those after the first may lack a warp.
  // CHECK: memref.load %[[M]][%[[LANE:[0-9]+]]]
  // CHECK: memref.store %{{.*}}, %[[M]][%[[LANE]]] {tile.by_thread}
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

  // Vectors of parts of a warp and wide numbers, which the patterns leave.
  // CHECK-LABEL: gpu.func @wide
  // CHECK-NOT: gpu.subgroup_reduce
  // CHECK: gpu.return
  gpu.func @wide(%x: f64, %v: vector<2xf32>, %A: memref<1xf64>, %B: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %s = gpu.subgroup_reduce add %x : (f64) -> f64
    %t = gpu.subgroup_reduce add %v cluster(size = 8) : (vector<2xf32>) -> vector<2xf32>
    memref.store %s, %A[%c0] : memref<1xf64>
    vector.store %t, %B[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // Shuffles move words: a small number in one, four of 16 bits in two.
  // CHECK-LABEL: gpu.func @shuffles
  // CHECK: arith.bitcast %{{.*}} : f16 to i16
  // CHECK-NEXT: arith.extui
  // CHECK-NEXT: gpu.shuffle xor %{{.*}} : i32
  // CHECK-NEXT: arith.trunci
  // CHECK: vector.bitcast %{{.*}} : vector<4xf16> to vector<2xi32>
  // CHECK-COUNT-2: gpu.shuffle down %{{.*}} : i32
  // CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<4xf16>
  gpu.func @shuffles(%x: f16, %v: vector<4xf16>, %A: memref<1xf16>, %B: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %o = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %s, %p = gpu.shuffle xor %x, %o, %w : f16
    %t, %q = gpu.shuffle down %v, %o, %w : vector<4xf16>
    memref.store %s, %A[%c0] : memref<1xf16>
    vector.store %t, %B[%c0] : memref<4xf16>, vector<4xf16>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @vectors
  // CHECK-NOT: vector.multi_reduction
  // CHECK-NOT: vector.scan
  // CHECK: gpu.return
  gpu.func @vectors(%v: vector<2x4xf32>, %z: vector<2xf32>, %A: memref<2xf32>, %B: memref<2x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %s = vector.multi_reduction <add>, %v, %z [1] : vector<2x4xf32> to vector<2xf32>
    %t, %last = vector.scan <add>, %v, %z {inclusive = true, reduction_dim = 1 : i64}
        : vector<2x4xf32>, vector<2xf32>
    vector.store %s, %A[%c0] : memref<2xf32>, vector<2xf32>
    vector.store %t, %B[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
    gpu.return
  }
}
