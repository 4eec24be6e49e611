// RUN: tile-compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s --check-prefix=JSON

// All kernels of a host function are one PTX file: one arena, kernels of the
// same name told apart by the name of their gpu.module, private functions of
// the same name kept apart.
// CHECK: .extern .shared .align 1024 .b8 smem[];
// CHECK-NOT: smem[]
// CHECK: .func (.param .b32 func_retval0) step(
// CHECK: shl.b32
// CHECK: .visible .entry run(
// CHECK: call.uni (retval0), step,
// CHECK: .func (.param .b32 func_retval0) [[OTHER:step[0-9a-z_.]+]](
// CHECK: mul.lo.s32
// CHECK: .visible .entry second(
// CHECK: call.uni (retval0), [[OTHER]],
// JSON: "kernel": "run"
// JSON: "kernel": "second"
// JSON: "kernel": "run"
module attributes {gpu.container_module} {
  gpu.module @first {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @step(%x: i32) -> i32 attributes {no_inline} {
      %0 = llvm.add %x, %x : i32
      llvm.return %0 : i32
    }
    llvm.func @run(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %1 = llvm.call @step(%x) : (i32) -> i32
      llvm.store %1, %0 : i32, !llvm.ptr<3>
      llvm.return
    }
  }
  gpu.module @second {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @step(%x: i32) -> i32 attributes {no_inline} {
      %0 = llvm.mul %x, %x : i32
      llvm.return %0 : i32
    }
    llvm.func @run(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
      %1 = llvm.call @step(%x) : (i32) -> i32
      llvm.store %1, %0 : i32, !llvm.ptr<3>
      llvm.return
    }
  }
  func.func @host(%x: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @first::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    gpu.launch_func @second::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    gpu.launch_func @first::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    return
  }
}
