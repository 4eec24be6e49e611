// RUN: tile-compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: tile-compile %s --target=sm_90a --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: tile-compile %s --target=sm_90a --emit=ptx --threads=3 -o - > %t.3
// RUN: tile-compile %s --target=sm_90a --emit=ptx -o - | diff %t.3 -

// Each gpu.module is compiled apart. The joined file has one header, what they
// share once and with the larger alignment, and the source files of all.
// CHECK: .address_size 64
// CHECK-NOT: .address_size
// CHECK: .extern .shared .align 1024 .b8 smem[];
// CHECK-NOT: .extern
// CHECK: .visible .entry one(
// CHECK: .loc [[#A:]] 10 3
// CHECK: .visible .entry two(
// CHECK: .loc [[#B:]] 20 3
// CHECK: .visible .entry three(
// CHECK: .loc [[#A]] 30 3
// CHECK: .file [[#A]] "{{.*}}a.mlir"
// CHECK: .file [[#B]] "{{.*}}b.mlir"
// CHECK-NOT: .file
// LLVM: define ptx_kernel void @one(
// LLVM: define ptx_kernel void @two(
// LLVM: define ptx_kernel void @three(
module attributes {gpu.container_module} {
  gpu.module @first {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @one(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
      llvm.store %x, %0 : i32, !llvm.ptr<3> loc("a.mlir":10:3)
      llvm.return
    } loc("a.mlir":9:1)
  }
  gpu.module @second {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @two(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
      llvm.store %x, %0 : i32, !llvm.ptr<3> loc("b.mlir":20:3)
      llvm.return
    } loc("b.mlir":19:1)
  }
  gpu.module @third {
    llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @three(%x: i32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @smem : !llvm.ptr<3>
      llvm.store %x, %0 : i32, !llvm.ptr<3> loc("a.mlir":30:3)
      llvm.return
    } loc("a.mlir":29:1)
  }
  func.func @host(%x: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @first::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    gpu.launch_func @second::@two blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    gpu.launch_func @third::@three blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    return
  }
}
