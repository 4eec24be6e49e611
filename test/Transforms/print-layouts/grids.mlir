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
