// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_80}' %s 2>/dev/null | FileCheck %s --check-prefix=SM80

#smem = #gpu.address_space<workgroup>

// How many columns are of one element of the filter is written down.
// CHECK-LABEL: func.func @choices
// SM80-LABEL: func.func @choices
func.func @choices(%X: memref<?x?x?x64xbf16>, %Y: memref<?x?x?x?xbf16>, %n: index, %p: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c24 = arith.constant 24 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xbf16, #smem>
    %f = tile.alloc : memref<64x32xbf16, #tile.fragment>
    %r = arith.muli %n, %c32 : index
    %q = arith.muli %n, %c24 : index
    // CHECK: kernel [3, 3] {align = 16 : i64, run = 32 : i64}
    // CHECK-NEXT: tile.copy {{.*}} {instr = #tile.instr<tma>}
    // SM80: tile.copy {{.*}} {instr = #tile.instr<cp_async>}
    %a = tile.im2col %X[%n, %r] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    tile.copy %a to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>

    // 16 bytes of a run are enough for cp.async; TMA's boxes have more here.
    // CHECK: {align = 16 : i64, run = 8 : i64}
    // CHECK-NEXT: tile.copy {{.*}} {instr = #tile.instr<cp_async>}
    %b = tile.im2col %X[%n, %q] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/layout] uses cp_async; not tma: no layout of the tile suits TMA: boxes of 32 columns, where 8 are of one element of the filter}}
    tile.copy %b to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>

    // CHECK: run = 1 : i64
    // CHECK-NEXT: tile.copy {{.*}} {instr = #tile.instr<simt>}
    %c = tile.im2col %X[%n, %n] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/channels] uses simt; not tma: columns of one element of the filter are known to come in runs of 2 bytes; TMA needs multiples of 16; not cp_async: columns of one element of the filter are known to come in runs of 2 bytes; cp.async needs multiples of 4; not vectors: columns of one element of the filter are known to come in runs of 1}}
    tile.copy %c to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>

    // Rounded up channels, and those of the image, which the host could know.
    // CHECK: channels %{{.*}} {align = 16 : i64, run = 32 : i64}
    // CHECK-NEXT: tile.copy {{.*}} {instr = #tile.instr<tma>}
    %d = tile.im2col %Y[%n, %r] [64, 32] kernel [3, 3] channels %r {align = 16 : i64} : memref<?x?x?x?xbf16>
    tile.copy %d to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: run = 1 : i64
    // CHECK-NEXT: tile.copy {{.*}} {instr = #tile.instr<simt>}
    %e = tile.im2col %Y[%n, %r] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x?xbf16>
    // expected-remark @+1 {{[tile-instr/alignment] uses simt; not tma: columns of one element of the filter are known to come in runs of 2 bytes}}
    tile.copy %e to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<simt>}
    %g = tile.im2col %X[%n, %r] [64, 32] kernel [3, 3] : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/alignment] uses simt; not tma: pixels are known to be aligned to 2 bytes; TMA needs 16; not cp_async: pixels are known to be aligned to 2 bytes; cp.async needs 4; not vectors: pixels are known to be aligned to 2 bytes}}
    tile.copy %g to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<simt>} : {{.*}}#tile.fragment
    tile.copy %a to %f : !tile.region<64x32xbf16>, memref<64x32xbf16, #tile.fragment>
    gpu.terminator
  }
  return
}

// What a map of the im2col form cannot hold.
// CHECK-LABEL: func.func @filters
// CHECK-NOT: #tile.instr<tma>
func.func @filters(%X: memref<?x?x?x64xbf16>, %S: memref<2x4x4x64xbf16>, %E: memref<0x4x4x64xbf16>, %D: memref<?x?x?x64xbf16, strided<[?, ?, ?, 2]>>, %Y: memref<?x?x?x?xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xbf16, #smem>
    %f = tile.alloc : memref<64x32xf32, #smem>
    %a = tile.im2col %X[%n, %c0] [64, 32] kernel [3, 3] stride [1, 9] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/filter] uses cp_async; not tma: the filter moves 9 pixels; TMA moves it 8 at most}}
    tile.copy %a to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    %b = tile.im2col %X[%n, %c0] [64, 32] kernel [3, 3] pad [129, 0] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/filter] uses cp_async; not tma: the filter begins -129 to 127 pixels from the image; TMA takes -128 to 127}}
    tile.copy %b to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    %c = tile.im2col %X[%n, %c0] [64, 32] kernel [1, 2] dilation [1, 256] pad [0, 128] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/filter] uses cp_async; not tma: the filter reaches 256 pixels far; TMA takes 255}}
    tile.copy %c to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    %d = tile.im2col %S[%n, %c0] [64, 32] kernel [5, 3] {align = 16 : i64} : memref<2x4x4x64xbf16>
    // expected-remark @+1 {{[tile-instr/filter] uses cp_async; not tma: the filter exceeds the padded image}}
    tile.copy %d to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    %e = tile.im2col %E[%n, %c0] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<0x4x4x64xbf16>
    // expected-remark @+1 {{[tile-instr/filter] uses cp_async; not tma: the image has no element}}
    tile.copy %e to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    %g = tile.im2col %D[%n, %c0] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16, strided<[?, ?, ?, 2]>>
    // expected-remark @+1 {{[tile-instr/stride] uses simt; not tma: the channels of the image are not known to be contiguous; not cp_async: the channels of the image are not known to be contiguous; not vectors: the channels of the image are not known to be contiguous}}
    tile.copy %g to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // expected-remark-re @+1 {{{{not cp_async: cp.async does not convert elements$}}}}
    tile.copy %a to %f : !tile.region<64x32xbf16>, memref<64x32xf32, #smem>
    %i = tile.im2col %Y[%n, %c0] [64, 32] kernel [3, 3] channels %c128 {align = 16 : i64} : memref<?x?x?x?xbf16>
    // expected-remark @+1 {{[tile-instr/convert] uses simt; not tma: TMA does not convert elements; not cp_async: cp.async does not convert elements; not vectors: the image may have any number of channels, which are rounded up}}
    tile.copy %i to %f : !tile.region<64x32xbf16>, memref<64x32xf32, #smem>
    %w = tile.region %t[0, 0] [32, 32] : memref<64x32xbf16, #smem>
    %h = tile.im2col %X[%n, %c0] [32, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/window] uses simt; not tma: TMA writes whole tiles and slots of rings, and the destination is another window; not cp_async: cp.async writes whole tiles}}
    tile.copy %h to %w : !tile.region<32x32xbf16>, !tile.region<32x32xbf16, #smem>
    gpu.terminator
  }
  return
}

// Other numbers of dimensions have other limits: corners and offsets share 16 bits.
// CHECK-LABEL: func.func @ranks
func.func @ranks(%X: memref<?x?x64xbf16>, %Y: memref<?x?x?x?x64xbf16>, %Z: memref<?x?x?x64xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<tma>}
    %a = tile.im2col %X[%n, %c0] [64, 32] kernel [3] dilation [32767] pad [32767] pad_upper [32766] {align = 16 : i64} : memref<?x?x64xbf16>
    tile.copy %a to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<cp_async>}
    %b = tile.im2col %X[%n, %c0] [64, 32] kernel [3] dilation [32767] {align = 16 : i64} : memref<?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/filter] uses cp_async; not tma: the filter begins 0 to -65534 pixels from the image; TMA takes -32768 to 32767}}
    tile.copy %b to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<tma>}
    %c = tile.im2col %X[%n, %c0] [64, 32] kernel [4] dilation [21845] pad [0] pad_upper [32767] {align = 16 : i64} : memref<?x?x64xbf16>
    tile.copy %c to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<tma>}
    %d = tile.im2col %Y[%n, %c0] [64, 32] kernel [32, 5, 3] dilation [1, 4, 8] pad [16, 1, 0] pad_upper [15, 0, 0] {align = 16 : i64} : memref<?x?x?x?x64xbf16>
    tile.copy %d to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<cp_async>}
    %e = tile.im2col %Y[%n, %c0] [64, 32] kernel [3, 3, 3] pad [0, 17, 0] {align = 16 : i64} : memref<?x?x?x?x64xbf16>
    // expected-remark @+1 {{the filter begins -17 to 15 pixels from the image; TMA takes -16 to 15}}
    tile.copy %e to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<cp_async>}
    %f = tile.im2col %Y[%n, %c0] [64, 32] kernel [3, 3, 33] pad [0, 0, 16] {align = 16 : i64} : memref<?x?x?x?x64xbf16>
    // expected-remark @+1 {{the filter reaches 32 pixels far; TMA takes 31}}
    tile.copy %f to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<cp_async>}
    %g = tile.im2col %Y[%n, %c0] [64, 32] kernel [1, 1, 1] pad_upper [16, 0, 0] {align = 16 : i64} : memref<?x?x?x?x64xbf16>
    // expected-remark @+1 {{the filter begins 0 to 16 pixels from the image; TMA takes -16 to 15}}
    tile.copy %g to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    // CHECK: tile.copy {{.*}} {instr = #tile.instr<tma>}
    %h = tile.im2col %Z[%n, %c0] [64, 32] kernel [1, 1] pad [128, 0] pad_upper [127, 0] {align = 16 : i64} : memref<?x?x?x64xbf16>
    tile.copy %h to %t : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    gpu.terminator
  }
  return
}

// Layouts that the user gave.
// CHECK-LABEL: func.func @layouts
func.func @layouts(%X: memref<?x?x?x64xbf16>, %B: memref<?x?x?x64xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<64x64xbf16, #smem>
    %u = tile.alloc {layout = #tile.layout<"bases<d0=(o:1*64), d1=(o:64*32) -> o:2048>">} : memref<64x32xbf16, #smem>
    %v = tile.alloc : memref<64x32xi1, #smem>
    %big = tile.alloc : memref<8192x64xbf16, #smem>
    // CHECK: instr = #tile.instr<tma>
    %a = tile.im2col %X[%n, %c0] [64, 64] kernel [3, 3] {align = 16 : i64, run = 32 : i64} : memref<?x?x?x64xbf16>
    tile.copy %a to %t : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
    %b = tile.im2col %X[%n, %c0] [64, 64] kernel [3, 3] {align = 16 : i64, run = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/layout] uses cp_async; not tma: the given layout does not suit TMA: boxes of 32 columns, where 16 are of one element of the filter}}
    tile.copy %b to %t : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
    %c = tile.im2col %X[%n, %c0] [64, 32] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{not cp_async: the given layout stores 2 bytes of a row together; cp.async needs 4}}
    tile.copy %c to %u : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    %d = tile.im2col %B[%n, %c0] [64, 32] kernel [3, 3] {align = 4 : i64} : memref<?x?x?x64xi1>
    // expected-remark @+1 {{not cp_async: i1 has no packed form that cp.async could copy}}
    tile.copy %d to %v : !tile.region<64x32xi1>, memref<64x32xi1, #smem>
    %e = tile.im2col %X[%n, %c0] [8192, 64] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-remark @+1 {{[tile-instr/size] uses cp_async; not tma: a barrier can expect at most 1048575 bytes, the tile has 1048576}}
    tile.copy %e to %big : !tile.region<8192x64xbf16>, memref<8192x64xbf16, #smem>
    gpu.terminator
  }
  return
}
