// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s

// JSON readers hold numbers as doubles: beyond 2^53 an integer is text.
// CHECK: {"op": "constant", "type": "i64", "value": "9007199254740993"}
// CHECK: {"op": "constant", "type": "i64", "value": -9007199254740991}
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @run(%a: i64, %b: i64) kernel {
      gpu.return
    }
  }
  func.func @host() {
    %c1 = arith.constant 1 : index
    %large = arith.constant 9007199254740993 : i64
    %exact = arith.constant -9007199254740991 : i64
    gpu.launch_func @kernels::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%large : i64, %exact : i64)
    return
  }
}
