// Where the target of a kernel comes from, and what is wrong with it.
// RUN: split-file %s %t

// Who names none gets the default.
// RUN: tile-compile %t/none.mlir --emit=ptx -o - | FileCheck %s --check-prefix=NONE
// NONE: .target sm_90a
//--- none.mlir
gpu.module @m {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// RUN: not tile-compile %t/unknown.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{'gpu.module' op }}has unknown target 'sm_70'; known chips are sm_80,
//--- unknown.mlir
module attributes {tile.target = #nvvm.target<chip = "sm_70">} {
  gpu.module @m {
  }
}

// RUN: not tile-compile %t/conflict.mlir --target=sm_90a --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: error: {{'builtin.module' op }}is for target sm_80, but the option says target=sm_90a
//--- conflict.mlir
module attributes {tile.target = #nvvm.target<chip = "sm_80">} {
  gpu.module @m {
  }
}

// RUN: not tile-compile %t/chipless.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=CHIPLESS
// CHIPLESS: error: {{'gpu.module' op }}expects a target of the form #nvvm.target<chip = "<chip>">; known chips are sm_80,
//--- chipless.mlir
gpu.module @m [#nvvm.target] {
}

// The targets of a gpu.module serve as well.
// RUN: tile-compile %t/gpu-module.mlir --emit=ptx -o - | FileCheck %s --check-prefix=GPUMODULE
// GPUMODULE: .target sm_86
//--- gpu-module.mlir
gpu.module @m [#nvvm.target<chip = "sm_86">] {
  llvm.func @run() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
