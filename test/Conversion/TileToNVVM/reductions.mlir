// Reductions, scans and predicates: registers, then lanes, then shared memory.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

gpu.module @m {
  // Two rows in four lanes: 2 x 15 sums of registers, 2 x 2 butterflies by
  // distances 1 and 2, no memory but registers.
  // CHECK-LABEL: llvm.func @rows
  // CHECK-COUNT-30: arith.addf
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[X:.*]], %c1_i32{{.*}}, %c31_i32{{.*}} : f32 -> f32
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32{{.*}} : f32 -> f32
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32{{.*}} : f32 -> f32
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32{{.*}} : f32 -> f32
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: ptr<3>
  // CHECK: llvm.return
  gpu.func @rows() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #fragment>
    %r = tile.alloc {layout = #tile.layout<"bases<reg=(d0:8), lane=(0*4, d0:1*8), warp=(d0:16*4) -> d0:64>">} : memref<64xf32, #fragment>
    tile.reduce sum %f to %r dim 1 {clear} : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
    gpu.return
  }

  // A row of integers in all lanes of a warp: one instruction. The old value is
  // combined afterwards.
  // CHECK-LABEL: llvm.func @warp_of_integers
  // CHECK-NOT: nvvm.shfl.sync bfly
  // CHECK: %[[R:.*]] = nvvm.redux.sync  max
  // CHECK: arith.maxsi %{{.*}}, %[[R]] : i32
  gpu.func @warp_of_integers() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4), lane=(d1:4*32), warp=(d0:1*4) -> d0:4, d1:128>">} : memref<4x128xi32, #fragment>
    %r = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(0*32), warp=(d0:1*4) -> d0:4>">} : memref<4xi32, #fragment>
    tile.reduce max %f to %r dim 1 : memref<4x128xi32, #fragment>, memref<4xi32, #fragment>
    gpu.return
  }

  // 64-bit values go as two words; NaN wins.
  // CHECK-LABEL: llvm.func @doubles
  // CHECK: %[[LOW:.*]] = arith.trunci %[[BITS:.*]] : i64 to i32
  // CHECK: %[[UP:.*]] = arith.shrui %[[BITS]], %c32_i64
  // CHECK: %[[HIGH:.*]] = arith.trunci %[[UP]] : i64 to i32
  // CHECK: %[[L:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[LOW]], %{{.*}} : i32 -> i32
  // CHECK: %[[L64:.*]] = arith.extui %[[L]] : i32 to i64
  // CHECK: %[[H:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[HIGH]], %{{.*}} : i32 -> i32
  // CHECK: %[[H64:.*]] = arith.extui %[[H]] : i32 to i64
  // CHECK: %[[HS:.*]] = arith.shli %[[H64]], %c32_i64
  // CHECK: arith.ori %[[L64]], %[[HS]]
  // CHECK: arith.maximumf %{{.*}} : f64
  gpu.func @doubles() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d1:1*2, d0:1*16), warp=() -> d0:16, d1:2>">} : memref<16x2xf64, #fragment>
    %r = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(0*2, d0:1*16), warp=() -> d0:16>">} : memref<16xf64, #fragment>
    tile.reduce max %f to %r dim 1 {clear} : memref<16x2xf64, #fragment>, memref<16xf64, #fragment>
    gpu.return
  }

  // Sums of magnitudes.
  // CHECK-LABEL: llvm.func @magnitudes
  // CHECK: math.absf
  // CHECK: arith.addf
  // CHECK: arith.maximumf
  // CHECK-NOT: math.absf
  // CHECK: llvm.return
  gpu.func @magnitudes() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<4x100xf64, #shared>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 8192} : memref<4xf64, #shared>
    tile.reduce abssum %a to %s dim 1 {clear} : memref<4x100xf64, #shared>, memref<4xf64, #shared>
    tile.reduce max %a to %s dim 1 {clear} : memref<4x100xf64, #shared>, memref<4xf64, #shared>
    gpu.return
  }

  // Partial results: one lane of each row stores, at the number of its warp.
  // CHECK-LABEL: llvm.func @partial
  // CHECK: %[[OWNER:.*]] = arith.cmpi eq
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.shared.b32 [$1], $0;", "r,r,b" %{{.*}}, %{{.*}}, %[[OWNER]]
  gpu.func @partial() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf32, #fragment>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<4x8xf32, #shared>
    tile.reduce sum %f to %s dim 0 {clear, partial} : memref<64x8xf32, #fragment>, memref<4x8xf32, #shared>
    gpu.return
  }

  // Lines of a shared tile: a loop over the rows, three steps of 32 lanes and a
  // ragged one, butterflies, one store.
  // CHECK-LABEL: llvm.func @lines
  // CHECK: cf.br ^[[ROWS:bb[0-9]+]]
  // CHECK: ^[[ROWS]](
  // CHECK-COUNT-3: arith.addf
  // CHECK: arith.select
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK: st.shared.b32
  // CHECK: cf.cond_br %{{.*}}, ^[[ROWS]]
  gpu.func @lines() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<64x100xf32, #shared>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 25600} : memref<64xf32, #shared>
    tile.reduce sum %a to %s dim 1 {clear} : memref<64x100xf32, #shared>, memref<64xf32, #shared>
    gpu.return
  }

  // Columns are side by side already: one lane each, no shuffles.
  // CHECK-LABEL: llvm.func @columns
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.return
  gpu.func @columns() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<4x128xf32, #shared>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 2048} : memref<128xf32, #shared>
    tile.reduce max %a to %s dim 0 {clear} : memref<4x128xf32, #shared>, memref<128xf32, #shared>
    gpu.return
  }

  // Runs of four lanes scan by distances 1 and 2 within their segment.
  // CHECK-LABEL: llvm.func @scan
  // CHECK: nvvm.shfl.sync up %{{.*}}, %{{.*}}, %c1_i32{{.*}}, %c7168_i32
  // CHECK: nvvm.shfl.sync up %{{.*}}, %{{.*}}, %c2_i32{{.*}}, %c7168_i32
  // CHECK-NOT: nvvm.shfl.sync up
  gpu.func @scan() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8x4xf32, #shared>
    tile.scan sum %a to %a dim 1 : memref<8x4xf32, #shared>, memref<8x4xf32, #shared>
    gpu.return
  }

  // Every warp reads the mask and votes; there is no barrier.
  // CHECK-LABEL: llvm.func @predicate
  // CHECK: %[[P:.*]] = nvvm.vote.sync  any
  // CHECK-NOT: nvvm.barrier
  // CHECK: cf.cond_br %[[P]]
  gpu.func @predicate(%m: memref<40xi1>, %x: memref<1xf32>, %v: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %p = tile.any_of %m : memref<40xi1>
    cf.cond_br %p, ^then, ^end
  ^then:
    tile.fill %x, %v : memref<1xf32>, f32
    cf.br ^end
  ^end:
    gpu.return
  }
}
