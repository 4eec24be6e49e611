// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s -split-input-file -verify-diagnostics | FileCheck %s

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>

// A role shares the work among its own threads, who count from its first warp.
// An asynchronous copy is not waited for.
// CHECK-LABEL: gpu.func @role
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[OFF:.*]] = arith.constant -128 : index
// CHECK: %[[MINE:.*]] = arith.addi %[[T]], %[[OFF]]
gpu.module @m {
  gpu.func @role(%A: memref<64x64xbf16>) kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
    %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.specialize {
      tile.role "first" warps 4 {
      }
      // CHECK: tile.role "second"
      // CHECK: arith.{{.*}} %[[MINE]]
      // CHECK: nvgpu.device_async_copy
      // CHECK-NOT: nvgpu.device_async_create_group
      // CHECK: tile.cp_async_commit
      tile.role "second" warps 2 {
        tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, !smem
        tile.cp_async_commit
        tile.cp_async_wait pending 0
      }
    }
    gpu.return
  }
}

// -----

// Ordinary loads and stores are waited for.
!small = memref<4x3xi8, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @plain(%A: memref<?x?xi8>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"linear">} : !small
    %a = tile.region %A[0, 0] [4, 3] : memref<?x?xi8>
    // expected-error @+1 {{is asynchronous, which cp.async cannot do: }}
    tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<4x3xi8>, !small
    gpu.return
  }
}

// -----

// Threads store the pad themselves, which the arrival of their copies says nothing
// of.
!small = memref<4x64xf32, #gpu.address_space<workgroup>>
!bar = !tile.barrier<1>
gpu.module @m {
  gpu.func @padded(%A: memref<?x?xf32>, %p: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = tile.barrier_alloc : !bar
    %S = tile.alloc {layout = #tile.layout<"linear">} : !small
    %a = tile.region %A[0, 0] [4, 64] pad %p : f32 in {align = 16 : i64} : memref<?x?xf32>
    // expected-error @+1 {{is asynchronous, and its pad other than zero is stored by threads, which nobody waits for: commit a group, or let the threads arrive as well}}
    tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<4x64xf32>, !small
    tile.barrier_arrive %b[%c0] {by = #tile.arrival<cp_async>} : !bar
    gpu.return
  }
}
