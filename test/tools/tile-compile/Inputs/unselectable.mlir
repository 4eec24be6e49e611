// The NVPTX back end has no instruction for this logarithm.
gpu.module @m {
  llvm.func @run(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.load %p : !llvm.ptr<1> -> f64
    %1 = llvm.intr.log2(%0) : (f64) -> f64
    llvm.store %1, %p : f64, !llvm.ptr<1>
    llvm.return
  }
}
