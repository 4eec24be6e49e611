// RUN: not tile-compile %s --target=sm_80 -o %t 2>&1 | FileCheck %s

// One function, two kinds of GPU: no file could describe it.
// CHECK: [[@LINE+22]]:5: error: 'gpu.launch_func' op launches a kernel for another kind of GPU beside one for NVIDIA's
module attributes {gpu.container_module} {
  gpu.module @amd [#rocdl.target<chip = "gfx90a">] {
    gpu.func @other(%A: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
  gpu.module @nvidia {
    gpu.func @ours(%A: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @both(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @nvidia::@ours blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    gpu.launch_func @amd::@other blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    return
  }
}
