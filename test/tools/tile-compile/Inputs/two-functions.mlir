module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @run() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  gpu.module @alone {
    llvm.func @solo() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @first() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  func.func @second() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
