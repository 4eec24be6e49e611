// An intrinsic that LLVM does not have: only its translation sees it.
gpu.module @k {
  llvm.func @run(%a: f32) attributes {nvvm.kernel} {
    %x = llvm.call_intrinsic "llvm.no.such.thing"(%a) : (f32) -> f32
    llvm.return
  }
}
