// Fragments between tensors of narrow elements and wide arithmetic.
// RUN: %tile_opt_passes 'func.func(tile-layout-inference{target=sm_90a})' %s | FileCheck %s

// Vectors of 16 bytes of the tensor are known to be whole: a thread holds eight
// neighbours, and so does what is computed of them.
// CHECK-LABEL: func.func @whole
// CHECK: tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*8, d1:512), lane=(d1:8*32), warp=(d1:256) -> d0:1, d1:1024>">}
// CHECK: tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*8, d0:512), lane=(d0:8*32), warp=(d0:256) -> d0:1024>">}
func.func @whole(%X: memref<?x?xbf16>, %scale: memref<?xbf16>, %m: index) attributes {tile.num_threads = 64 : i64} {
  %F = tile.alloc : memref<1x1024xf32, #tile.fragment>
  %w = tile.alloc : memref<1024xf32, #tile.fragment>
  %x = tile.region %X[%m, 0] [1, 1024] {align = 16 : i64, tile.row_multiple = 16 : i64} : memref<?x?xbf16>
  %s = tile.region %scale[0] [1024] {align = 16 : i64, tile.row_multiple = 16 : i64} : memref<?xbf16>
  tile.copy %x to %F {instr = #tile.instr<simt>} : !tile.region<1x1024xbf16>, memref<1x1024xf32, #tile.fragment>
  tile.copy %s to %w {instr = #tile.instr<simt>} : !tile.region<1024xbf16>, memref<1024xf32, #tile.fragment>
  tile.parallel (%i, %j) in [1, 1024] {
    %a = memref.load %F[%i, %j] : memref<1x1024xf32, #tile.fragment>
    %b = memref.load %w[%j] : memref<1024xf32, #tile.fragment>
    %c = arith.mulf %a, %b : f32
    memref.store %c, %F[%i, %j] : memref<1x1024xf32, #tile.fragment>
  }
  tile.copy %F to %x {instr = #tile.instr<simt>} : memref<1x1024xf32, #tile.fragment>, !tile.region<1x1024xbf16>
  return
}

// Nothing is known: elements may move one by one, and neighbours of lanes are
// closer together.
// CHECK-LABEL: func.func @unknown
// CHECK: tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d1:256*4), lane=(d1:4*32), warp=(d1:128) -> d0:1, d1:1024>">}
func.func @unknown(%X: memref<?x?xbf16>, %m: index) attributes {tile.num_threads = 64 : i64} {
  %F = tile.alloc : memref<1x1024xf32, #tile.fragment>
  %x = tile.region %X[%m, 0] [1, 1024] {align = 16 : i64} : memref<?x?xbf16>
  tile.copy %x to %F {instr = #tile.instr<simt>} : !tile.region<1x1024xbf16>, memref<1x1024xf32, #tile.fragment>
  tile.copy %F to %x {instr = #tile.instr<simt>} : memref<1x1024xf32, #tile.fragment>, !tile.region<1x1024xbf16>
  return
}
