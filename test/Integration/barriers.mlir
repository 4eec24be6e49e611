// Barriers that the program writes itself: arrivals counted by hand, named
// barriers. A proxy fence is nothing where there is no asynchronous proxy.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Every thread arrives, all of them wait: the barrier orders a copy into shared
// memory before a copy out of it. The named barrier does the same again.
// CASE: arrivals(A=ints:8x40:f32, B=junk:8x40:f32)
// EXPECT: B = A
func.func @arrivals(%A: memref<8x40xf32>, %B: memref<8x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    tile.barrier_init %bar arrivals 128 : !tile.barrier<1>
    tile.barrier_sync
    %S = tile.alloc : memref<8x40xf32, #gpu.address_space<workgroup>>
    tile.copy %A to %S : memref<8x40xf32>, memref<8x40xf32, #gpu.address_space<workgroup>>
    tile.barrier_arrive %bar[%c0] : !tile.barrier<1>
    tile.barrier_wait %bar[%c0] parity %i0 : !tile.barrier<1>
    tile.barrier_sync {id = 3 : i64, threads = 128 : i64}
    tile.fence_proxy
    tile.copy %S to %B : memref<8x40xf32, #gpu.address_space<workgroup>>, memref<8x40xf32>
    gpu.terminator
  }
  return
}
