// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: tile-compile %s --target=sm_80 --emit=json -o - | FileCheck %s --check-prefixes=CHECK,OLD

// Launches whose blocks meet are cooperative; those that wait for the one before
// them may begin early, on chips that know of it.
// CHECK: "kernel": "plain"
// CHECK: "dynamic_smem_bytes": 0,
// CHECK-NEXT: "params"
// CHECK: "kernel": "meets"
// CHECK: "dynamic_smem_bytes": 0, "cooperative": true,
// CHECK: "kernel": "waits"
// NEW: "dynamic_smem_bytes": 0, "dependent": true,
// OLD: "dynamic_smem_bytes": 0,{{$}}
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @plain() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.launch_next
      gpu.return
    }
    gpu.func @meets(%n: memref<1xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.grid_sync %n : memref<1xi32>
      gpu.return
    }
    gpu.func @waits() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.launch_wait
      gpu.return
    }
  }
  func.func @host(%n: memref<1xi32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@plain blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    gpu.launch_func @kernels::@meets blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%n : memref<1xi32>)
    gpu.launch_func @kernels::@waits blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    return
  }
}
