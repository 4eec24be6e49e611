// Loads and stores that stand before and after the bodies of several elements
// are of the line of the access, not of the loop: findings of the emulator and
// profilers name it.

// RUN: %tile_opt_passes 'convert-tile-to-threads' %s -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @accesses
// CHECK: vector.load {{.*}} loc("kernel":3:5)
// CHECK: vector.store {{.*}} loc("kernel":4:5)
func.func @accesses(%A: memref<128xf32>, %B: memref<128xf32>) attributes {tile.num_threads = 32 : i32} {
  tile.parallel (%i) in [128] {
    %x = memref.load %A[%i] {tile.align = 16 : i64} : memref<128xf32> loc("kernel":3:5)
    memref.store %x, %B[%i] {tile.align = 16 : i64} : memref<128xf32> loc("kernel":4:5)
  } {layout = #tile.layout<"bases<reg=(d0:1*4), lane=(d0:4*32), warp=() -> d0:128>">} loc("kernel":2:1)
  return
}
