// Kernels that cannot become PTX.
// RUN: split-file %s %t

// RUN: not tile-compile %t/name.mlir --target=sm_90a --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: name.mlir:2:3: error: {{'llvm.func' op }}has a name that PTX cannot spell: 'a-b'
// NAME-NOT: .entry
//--- name.mlir
gpu.module @m {
  llvm.func @"a-b"() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// RUN: not tile-compile %t/file.mlir --target=sm_90a --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: {{'gpu.module' op }}has a name that is no file name: '../m'
//--- file.mlir
gpu.module @"../m" {
}

// RUN: not tile-compile %t/entry.mlir --target=sm_90a --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: {{'gpu.launch_func' op }}launches 'run', which is no kernel in the PTX; its function needs the attribute nvvm.kernel
//--- entry.mlir
module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @run() attributes {gpu.kernel} {
      llvm.return
    }
  }
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// RUN: not tile-compile %t/binary.mlir --target=sm_90a --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=BINARY
// BINARY: error: {{'gpu.launch_func' op }}launches a kernel of 'm', which is no gpu.module
//--- binary.mlir
module attributes {gpu.container_module} {
  gpu.binary @m [#gpu.object<#nvvm.target, "">]
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
