// RUN: tile-compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s

// LLVM folds a sum with a value that nobody wrote to NaN and a comparison to
// either answer. The PTX keeps both, on registers that nothing writes, so that
// the emulator can tell.
gpu.module @kernels {
  // CHECK-LABEL: .visible .entry sum(
  // CHECK: add.rn.f32
  // CHECK: st.global
  llvm.func @sum(%out: !llvm.ptr<1>, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
    %u = llvm.mlir.undef : f32
    %s = llvm.fadd %u, %x : f32
    llvm.store %s, %out : f32, !llvm.ptr<1>
    llvm.return
  }
  // CHECK-LABEL: .visible .entry branch(
  // CHECK: setp
  // CHECK: bra
  llvm.func @branch(%out: !llvm.ptr<1>, %x: i32) attributes {gpu.kernel, nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %memory = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    %u = llvm.load %memory : !llvm.ptr -> i32
    %c = llvm.icmp "slt" %u, %x : i32
    llvm.cond_br %c, ^store, ^end
  ^store:
    llvm.store %x, %out {alignment = 4} : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
