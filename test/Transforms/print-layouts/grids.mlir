// RUN: %tile_opt_passes 'tile-print-layouts{rows=9 columns=4}' %s 2>&1 | FileCheck %s

#smem = #gpu.address_space<workgroup>

// 16-byte units of row r are exchanged by r modulo 8; row 8 is the first again.
// CHECK-LABEL: line {{[0-9]+}}: shared memory 16x64xbf16, layout swizzle<128>
// CHECK-NEXT: 2048 bytes; offset of the first byte, b bank
// CHECK-NEXT: 0 8 16 24 ...
// CHECK-NEXT: 0 0:b0 16:b4 32:b8 48:b12 ...
// CHECK-NEXT: 1 144:b4 128:b0 176:b12 160:b8 ...
// CHECK: 8 1024:b0 1040:b4 1056:b8 1072:b12 ...
// CHECK-NEXT: ... (16 rows)

// Two neighbours in a row are registers 0 and 1 of a lane; eight rows further
// down are registers 2 and 3.
// CHECK-LABEL: line {{[0-9]+}}: a fragment 16x16xf32, layout mma<16x16,warps=1x1>
// CHECK-NEXT: 8 registers in 32 threads, every element held 1 times; w warp, t lane, r register
// CHECK-NEXT: 0 2 4 6 ...
// CHECK-NEXT: 0 w0.t0.r0 w0.t1.r0 w0.t2.r0 w0.t3.r0 ...
// CHECK-NEXT: 1 w0.t4.r0
// CHECK: 8 w0.t0.r2

// CHECK: line {{[0-9]+}}: shared memory 16x8xf32, layout linear
// CHECK: line {{[0-9]+}}: shared memory 4xf32, layout none

// The swizzle keeps eight rows apart; rows of 32 bytes meet in the same banks.
// CHECK: line {{[0-9]+}}: tile.gemm reads A: 4 ldmatrix of 2 elements per warp, 16 wavefronts, no bank conflicts
// CHECK-NEXT: tile.gemm reads B: 4 ldmatrix.trans of 2 elements per warp, 32 wavefronts, 16 without bank conflicts
// CHECK: line {{[0-9]+}}: tile.copy writes: 4 ld/st of 2 elements per warp, 16 wavefronts, 8 without bank conflicts
func.func @kernel() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<16x64xbf16, #smem>
  %acc = tile.alloc {layout = #tile.layout<"mma<16x16,warps=1x1>">} : memref<16x16xf32, #tile.fragment>
  %O = tile.alloc {layout = #tile.layout<"linear">} : memref<16x8xf32, #smem>
  %N = tile.alloc : memref<4xf32, #smem>
  %B = tile.alloc {layout = #tile.layout<"linear">} : memref<64x16xbf16, #smem>
  %P = tile.alloc {layout = #tile.layout<"linear">} : memref<16x16xf32, #smem>
  tile.gemm %A, %B, %acc {instr = #tile.instr<mma>} : (memref<16x64xbf16, #smem>, memref<64x16xbf16, #smem>, memref<16x16xf32, #tile.fragment>)
  tile.copy %acc to %P : memref<16x16xf32, #tile.fragment>, memref<16x16xf32, #smem>
  return
}

// Tiles of more dimensions have a grid for each place of the others. A view is a
// tile of its own: row 7 is the last one of place [1, 1].
// CHECK: line {{[0-9]+}}: a fragment 2x2x2x3xf32, layout bases<
// CHECK-NEXT: 12 registers in 32 threads, every element held 16 times
// CHECK-NEXT: [0, 0, row, column]
// CHECK: [1, 1, row, column]
// CHECK-NEXT: 0 1 2
// CHECK-NEXT: 0 w0.t1.r6 w0.t1.r7 w0.t1.r8
// CHECK-NEXT: 1 w0.t1.r9 w0.t1.r10 w0.t1.r11
// CHECK-NEXT: line {{[0-9]+}}: a fragment 8x3xi32, a view, layout bases<reg=(d1:1*3, d0:1*4), lane=(d0:4, 0*16), warp=() -> d0:8, d1:3>
// CHECK: 7 w0.t1.r9 w0.t1.r10 w0.t1.r11
// CHECK-NEXT: line {{[0-9]+}}: shared memory 5x8x64xbf16, layout swizzle<128>
// CHECK: [3, row, column]
// CHECK: ... (5 grids)
// CHECK: line {{[0-9]+}}: shared memory 8x64xi16, a view, layout swizzle<128>

// Windows are accesses, too, and the elements of a loop: 16 bytes of rows that
// are 32 bytes apart meet in the banks.
// CHECK: line {{[0-9]+}}: tile.copy reads: 1 ld/st of 2 elements per warp, 1 wavefronts, no bank conflicts
// CHECK-NEXT: line {{[0-9]+}}: tile.parallel reads: 2 ld/st of 4 elements per warp, 16 wavefronts, 8 without bank conflicts
// CHECK-NEXT: line {{[0-9]+}}: tile.parallel writes: 8 ld/st of 1 elements per warp, 8 wavefronts, no bank conflicts
func.func @more() attributes {tile.num_threads = 32 : i32} {
  %b = tile.alloc {layout = #tile.layout<"bases<reg=(d3:1*3, d2:1*2, d1:1*2), lane=(d0:1*2, 0*16), warp=() -> d0:2, d1:2, d2:2, d3:3>">} : memref<2x2x2x3xf32, #tile.fragment>
  %v = tile.view %b : memref<2x2x2x3xf32, #tile.fragment> to memref<8x3xi32, #tile.fragment>
  %r = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<5x8x64xbf16, #smem>
  %s = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<8x64xbf16, #smem>
  %i16 = tile.view %s : memref<8x64xbf16, #smem> to memref<8x64xi16, #smem>
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*2), lane=(d1:2*32), warp=() -> d0:1, d1:64>">} : memref<1x64xbf16, #tile.fragment>
  %w = tile.region %s[2, 0] [1, 64] : memref<8x64xbf16, #smem>
  tile.copy %w to %f : !tile.region<1x64xbf16, #smem>, memref<1x64xbf16, #tile.fragment>
  %y = tile.alloc {layout = #tile.layout<"linear">} : memref<8x32xf32, #smem>
  %z = tile.alloc {layout = #tile.layout<"linear">} : memref<32x8xf32, #smem>
  tile.parallel (%i, %j) in [8, 32] {
    %e = memref.load %z[%j, %i] : memref<32x8xf32, #smem>
    memref.store %e, %y[%i, %j] : memref<8x32xf32, #smem>
  } {layout = #tile.layout<"bases<reg=(d0:1*8), lane=(d1:1*32), warp=() -> d0:8, d1:32>">}
  return
}
