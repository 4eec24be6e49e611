// RUN: %tile_opt_passes 'tile-expand-elements' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-elements' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// The tile lies in one element of the filter: which one is found once, in front
// of the loop; the channel is the column and no division is left.
// CHECK-LABEL: func.func @one_tap
// CHECK: arith.muli %arg1, %c32
// CHECK: %[[C:.*]] = arith.remui %{{.*}}, %c64
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [128, 32] {
// CHECK-NOT: c64
// CHECK: %[[CHANNEL:.*]] = arith.addi %[[C]], %[[J]]
// CHECK-NOT: c64
// CHECK: %[[V:.*]] = scf.if
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %[[CHANNEL]]]
// CHECK: else
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: scf.yield %[[ZERO]]
// CHECK: memref.store %[[V]], %{{.*}}[%[[I]], %[[J]]]
func.func @one_tap(%X: memref<8x16x16x64xbf16>, %s: index) attributes {tile.num_threads = 128 : i32} {
  %c32 = arith.constant 32 : index
  %t = tile.alloc : memref<128x32xbf16, #gpu.address_space<workgroup>>
  %k = arith.muli %s, %c32 : index
  // expected-remark @+1 {{[tile-im2col/gather] reads the image one element at a time, 4096 in all; copies of windows by TMA or cp.async are not made}}
  tile.im2col %X[%s, %k] to %t kernel [3, 3] pad [1, 1] : memref<8x16x16x64xbf16>, memref<128x32xbf16, #gpu.address_space<workgroup>>
  return
}

// Here columns may be of several elements, and each finds its own.
// CHECK-LABEL: func.func @several_taps
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [128, 32] {
// CHECK: %[[COLUMN:.*]] = arith.addi %arg1, %[[J]]
// CHECK: %[[CHANNEL:.*]] = arith.remui %[[COLUMN]]
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %[[CHANNEL]]]
func.func @several_taps(%X: memref<8x16x16x64xbf16>, %k: index) attributes {tile.num_threads = 128 : i32} {
  %t = tile.alloc : memref<128x32xbf16, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{[tile-im2col/gather] reads the image one element at a time, 4096 in all; copies of windows by TMA or cp.async are not made}}
  tile.im2col %X[%k, %k] to %t kernel [3, 3] pad [1, 1] : memref<8x16x16x64xbf16>, memref<128x32xbf16, #gpu.address_space<workgroup>>
  return
}
