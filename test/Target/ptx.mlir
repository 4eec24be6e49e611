// RUN: tile-compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: tile-compile %s --target=sm_90a --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: tile-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=SM80
// RUN: tile-compile %s --target=sm_90a --emit=ptx --no-line-info -o - | FileCheck %s --check-prefix=NOLINES

// The PTX version is that of the chip table.
// CHECK: .version 8.6
// CHECK: .target sm_90a
// SM80: .version 8.0
// SM80: .target sm_80

module {
  gpu.module @kernels {
    // The dynamic arena stays external: its size is known at launch.
    // CHECK: .extern .shared .align 1024 .b8 smem[];
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

    // A function that is no kernel is private, so that modules can be merged.
    // CHECK-NOT: .visible .func
    // LLVM: define internal float @twice
    llvm.func @twice(%x: f32) -> f32 attributes {no_inline} {
      %0 = llvm.fadd %x, %x : f32
      llvm.return %0 : f32
    }

    // Each line of the source is in the PTX, unless it was declined.
    // CHECK: .visible .entry scale(
    // CHECK: .loc 1
    // CHECK: .file 1 "{{.*}}ptx.mlir"
    // NOLINES: .visible .entry scale(
    // NOLINES-NOT: .loc
    llvm.func @scale(%p: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %inside = llvm.icmp "slt" %tid, %n : i32
      llvm.cond_br %inside, ^work, ^done
    ^work:
      %q = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %v = llvm.load %q : !llvm.ptr<1> -> f32
      %w = llvm.call @twice(%v) : (f32) -> f32
      // Asm that synchronises may not be copied into both arms of a branch;
      // pure asm may be.
      // LLVM: asm sideeffect "bar.warp.sync -1;", ""() #[[SYNC:[0-9]+]]
      // LLVM: asm "ex2.approx.ftz.f32 $0, $1;", "=f,f"(float %{{[0-9]+}}) #[[PURE:[0-9]+]]
      // LLVM-DAG: attributes #[[SYNC]] = { convergent
      // LLVM-DAG: attributes #[[PURE]] = { nounwind
      llvm.inline_asm has_side_effects asm_dialect = att "bar.warp.sync -1;", "" : () -> ()
      %e = llvm.inline_asm asm_dialect = att "ex2.approx.ftz.f32 $0, $1;", "=f,f" %w : (f32) -> f32
      llvm.store %e, %q : f32, !llvm.ptr<1>
      llvm.br ^done
    ^done:
      llvm.return
    }
  }
}
