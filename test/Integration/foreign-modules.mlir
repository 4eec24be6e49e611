// A gpu.module for another kind of GPU, and a host function that launches from it,
// are passed by. One with several targets is compiled for NVIDIA's; how many
// threads it has is found at run time.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_80 --out=%t
// RUN: ls %t/sm_80 | FileCheck %s
// CHECK-NOT: for_amd

module attributes {gpu.container_module} {
  gpu.module @amd [#rocdl.target<chip = "gfx90a">] {
    gpu.func @other(%A: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
  gpu.module @both [#rocdl.target<chip = "gfx90a">, #nvvm.target<chip = "sm_80">] {
    gpu.func @scale(%A: memref<?xf32>, %n: index) kernel {
      %t = gpu.thread_id x
      %d = gpu.block_dim x
      %b = gpu.block_id x
      %o = arith.muli %d, %b : index
      %i = arith.addi %o, %t : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<?xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %A[%i] : memref<?xf32>
      }
      gpu.return
    }
  }
  func.func @for_amd(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @amd::@other blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    return
  }
// CASE: scale(A=ints:100:f32, n=100, t=32)
// CASE: scale(A=ints:100:f32, n=50, t=64)
// EXPECT: A[:n] *= 2
  func.func @scale(%A: memref<?xf32>, %n: index, %t: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    gpu.launch_func @both::@scale blocks in (%c4, %c1, %c1) threads in (%t, %c1, %c1) args(%A : memref<?xf32>, %n : index)
    return
  }
}
