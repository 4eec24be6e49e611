// Doubles the first n elements of A.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @scale_kernel(%p: !llvm.ptr<1>, %extent: i32, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %inside = llvm.icmp "slt" %tid, %n : i32
      llvm.cond_br %inside, ^work, ^done
    ^work:
      %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %v = llvm.load %q : !llvm.ptr<1> -> f32
      %w = llvm.fadd %v, %v : f32
      llvm.store %w, %q : f32, !llvm.ptr<1>
      llvm.br ^done
    ^done:
      llvm.return
    }
  }
  func.func @scale(%A: memref<?xf32>, %n: i32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@scale_kernel blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%A : memref<?xf32>, %n : i32)
    return
  }
}
