// A parameter for which every launch gives the same constant is no parameter.

// RUN: %tile_opt_passes 'tile-sink-constants' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-sink-constants' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// Attributes of the parameters that are left stay with them.
// CHECK: gpu.launch_func @m::@one {{.*}} args(%{{.*}} : memref<64xf32>, %{{.*}} : index)
// CHECK: gpu.func @one(%{{.*}}: memref<64xf32> {llvm.noalias}, %[[N:.*]]: index) kernel
// CHECK-DAG: arith.constant 4 : index
// CHECK-DAG: arith.constant 5.000000e-01 : f32
// CHECK: gpu.func @two(%{{.*}}: memref<64xf32>, %{{.*}}: index) kernel
// CHECK-NEXT: arith.constant 8 : index
// CHECK: gpu.func @nobody(%{{.*}}: index) kernel
// CHECK: gpu.func @threads(%{{.*}}: index) kernel
module attributes {gpu.container_module} {
  func.func @host(%A: memref<64xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %half = arith.constant 0.5 : f32
    gpu.launch_func @m::@one blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c4 : index, %A : memref<64xf32>, %n : index, %half : f32)
    // Two launches agree on one of two numbers.
    gpu.launch_func @m::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>, %c4 : index, %c8 : index)
    gpu.launch_func @m::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>, %c8 : index, %c8 : index)
    gpu.launch_func @m::@threads blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c8 : index)
    return
  }
  gpu.module @m {
    gpu.func @one(%i: index, %A: memref<64xf32> {llvm.noalias}, %n: index, %x: f32) kernel {
      tile.kernel_config
      memref.store %x, %A[%i] : memref<64xf32>
      memref.store %x, %A[%n] : memref<64xf32>
      gpu.return
    }
    gpu.func @two(%A: memref<64xf32>, %i: index, %j: index) kernel {
      tile.kernel_config
      %x = memref.load %A[%i] : memref<64xf32>
      memref.store %x, %A[%j] : memref<64xf32>
      gpu.return
    }
    gpu.func @nobody(%i: index) kernel {
      tile.kernel_config
      gpu.return
    }
    gpu.func @threads(%i: index) kernel {
      gpu.return
    }
  }
}
