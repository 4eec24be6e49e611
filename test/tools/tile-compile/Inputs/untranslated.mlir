// A cast that nothing resolves has no translation to LLVM IR.
gpu.module @m {
  llvm.func @run(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = builtin.unrealized_conversion_cast %x : i32 to f32
    %1 = llvm.mlir.zero : !llvm.ptr<1>
    llvm.store %0, %1 : f32, !llvm.ptr<1>
    llvm.return
  }
}
