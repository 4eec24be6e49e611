// Copies between the registers of a fragment and memory.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

!acc = memref<64x8xf32, #tile.fragment>
gpu.module @m {
  // Towards a tensor there are two arms after one uniform branch: the tile lies
  // inside and its rows are aligned, then pairs of registers are stored without
  // conditions; or every element has its own.
  // CHECK-LABEL: llvm.func @two_arms
  // CHECK-SAME: %[[A:arg[0-9]+]]: !llvm.ptr<1>, %[[ROWS:arg[0-9]+]]: i32, %[[COLS:arg[0-9]+]]: i32, %[[M:arg[0-9]+]]: i32)
  // CHECK: arith.cmpi ult, %[[M]], %[[ROWS]] : i32
  // CHECK: %[[LAST:.*]] = arith.addi %[[M]], %c63{{.*}} : i32
  // CHECK: arith.cmpi ult, %[[LAST]], %[[ROWS]] : i32
  // CHECK: %[[LOW:.*]] = arith.andi %{{.*}}, %c7_i64 : i64
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0_i64{{.*}} : i64
  // CHECK: %[[FAST:.*]] = arith.andi %{{.*}}, %[[ALIGNED]] : i1
  // CHECK: cf.cond_br %[[FAST]], ^[[VECTORS:bb[0-9]+]], ^[[ELEMENTS:bb[0-9]+]]
  // CHECK: ^[[VECTORS]]:
  // CHECK-NOT: llvm.inline_asm
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
  // CHECK: cf.br ^[[END:bb[0-9]+]]
  // CHECK: ^[[ELEMENTS]]:
  // CHECK-NOT: !llvm.ptr<1>{{$}}
  // CHECK: llvm.inline_asm has_side_effects "{{.*}}setp.lt.and.u32{{.*}}st.global.b32{{.*}}st.global.b32
  // CHECK: llvm.inline_asm has_side_effects "{{.*}}setp.lt.and.u32{{.*}}st.global.b32{{.*}}st.global.b32
  // CHECK-NOT: llvm.inline_asm
  // CHECK: cf.br ^[[END]]
  gpu.func @two_arms(%A: memref<?x?xf32>, %m: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %a = tile.region %A[%m, 0] [64, 8] : memref<?x?xf32>
    tile.copy %f to %a {instr = #tile.instr<simt>} : !acc, !tile.region<64x8xf32>
    gpu.return
  }

  // Where all of that is known there is one arm.
  // CHECK-LABEL: llvm.func @one_arm
  // CHECK-NOT: cf.cond_br
  // CHECK-NOT: llvm.inline_asm
  // CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
  gpu.func @one_arm(%A: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %a = tile.region %A[0, 8] [64, 8] {align = 16 : i64} : memref<64x64xf32>
    tile.copy %f to %a {instr = #tile.instr<simt>} : !acc, !tile.region<64x8xf32>
    gpu.return
  }

  // Rows and where they begin are multiples of the vectors: each lies in the
  // tensor or not. There is one arm, in which vectors have conditions; what is
  // outside is zero.
  // CHECK-LABEL: llvm.func @whole_vectors
  // CHECK-NOT: cf.cond_br
  // CHECK-COUNT-2: llvm.inline_asm has_side_effects "{{.*}}ld.global.v4.b32
  // CHECK-NOT: ld.global
  // CHECK-NOT: cf.cond_br
  // CHECK-COUNT-2: llvm.inline_asm has_side_effects "@$5 st.global.v4.b32
  // CHECK-NOT: st.global
  // CHECK: llvm.return
  gpu.func @whole_vectors(%A: memref<?x?xbf16>, %B: memref<?x1000xbf16>, %m: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*8, d1:512*2), lane=(d1:8*32), warp=(d1:256*2) -> d0:1, d1:1024>">} : memref<1x1024xf32, #tile.fragment>
    %a = tile.region %A[%m, 0] [1, 1024] {align = 16 : i64, tile.row_multiple = 16 : i64} : memref<?x?xbf16>
    %b = tile.region %B[%m, 0] [1, 1024] {align = 16 : i64} : memref<?x1000xbf16>
    tile.copy %a to %f {instr = #tile.instr<simt>} : !tile.region<1x1024xbf16>, memref<1x1024xf32, #tile.fragment>
    tile.copy %f to %b {instr = #tile.instr<simt>} : memref<1x1024xf32, #tile.fragment>, !tile.region<1x1024xbf16>
    gpu.return
  }

  // A row of 1004 elements ends inside a vector.
  // CHECK-LABEL: llvm.func @cut_vector
  // CHECK: cf.cond_br
  gpu.func @cut_vector(%B: memref<?x1004xbf16>, %m: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*8, d1:512*2), lane=(d1:8*32), warp=(d1:256*2) -> d0:1, d1:1024>">} : memref<1x1024xf32, #tile.fragment>
    %b = tile.region %B[%m, 0] [1, 1024] {align = 16 : i64} : memref<?x1004xbf16>
    tile.copy %f to %b {instr = #tile.instr<simt>} : memref<1x1024xf32, #tile.fragment>, !tile.region<1x1024xbf16>
    gpu.return
  }

  // Block ids are below the grid: 4 x 8 tiles of 64 x 8 fill the tensor, and
  // nothing is compared.
  // CHECK-LABEL: llvm.func @static_grid
  // CHECK-NOT: arith.cmpi ult
  // CHECK-NOT: llvm.inline_asm
  // CHECK: cf.cond_br
  // CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  gpu.func @static_grid(%A: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 8, 1>} {
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %m = arith.muli %x, %c64 : index
    %n = arith.muli %y, %c8 : index
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %a = tile.region %A[%m, %n] [64, 8] : memref<256x64xf32>
    tile.copy %f to %a {instr = #tile.instr<simt>} : !acc, !tile.region<64x8xf32>
    gpu.return
  }

  // One row or one column too few, and the last block overhangs: that dimension
  // is compared, the other one is not.
  // CHECK-LABEL: llvm.func @overhanging_rows
  // CHECK: %[[ROWS:.*]] = arith.constant 255 : i32
  // CHECK: arith.cmpi ult, %{{.*}}, %[[ROWS]] : i32
  // CHECK: cf.cond_br
  // CHECK: llvm.inline_asm has_side_effects "{{.*}}setp.lt.and.u32
  gpu.func @overhanging_rows(%A: memref<255x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 8, 1>} {
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %m = arith.muli %x, %c64 : index
    %n = arith.muli %y, %c8 : index
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %a = tile.region %A[%m, %n] [64, 8] : memref<255x64xf32>
    tile.copy %f to %a {instr = #tile.instr<simt>} : !acc, !tile.region<64x8xf32>
    gpu.return
  }
  // CHECK-LABEL: llvm.func @overhanging_columns
  // CHECK: %[[COLS:.*]] = arith.constant 63 : i32
  // CHECK: arith.cmpi ult, %{{.*}}, %[[COLS]] : i32
  // CHECK: cf.cond_br
  // CHECK: llvm.inline_asm has_side_effects "{{.*}}setp.lt.u32
  gpu.func @overhanging_columns(%A: memref<256x63xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 8, 1>} {
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %m = arith.muli %x, %c64 : index
    %n = arith.muli %y, %c8 : index
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %a = tile.region %A[%m, %n] [64, 8] : memref<256x63xf32>
    tile.copy %f to %a {instr = #tile.instr<simt>} : !acc, !tile.region<64x8xf32>
    gpu.return
  }

  // A tensor that is aligned does not make a window at an odd column so.
  // CHECK-LABEL: llvm.func @odd_column
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c4_i64{{.*}} : i64
  // CHECK: arith.andi %[[BYTES]], %c7_i64 : i64
  // CHECK: cf.cond_br
  gpu.func @odd_column(%A: memref<64x64xf32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %a = tile.region %A[0, %n] [64, 8] {align = 16 : i64} : memref<64x64xf32>
    tile.copy %f to %a {instr = #tile.instr<simt>} : !acc, !tile.region<64x8xf32>
    gpu.return
  }

  // Elements are converted in registers, before they are packed.
  // CHECK-LABEL: llvm.func @converted
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  // CHECK: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
  gpu.func @converted() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64x8xbf16, #gpu.address_space<workgroup>>
    tile.copy %f to %s {instr = #tile.instr<simt>} : !acc, memref<64x8xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Threads that hold copies of an element leave the store to the first: lanes 8
  // to 31 repeat lanes 0 to 7 here.
  // CHECK-LABEL: llvm.func @replicas
  // CHECK: %[[SECOND:.*]] = arith.remui %{{.*}}, %c2{{.*}} : i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[SECOND]], %c0{{.*}} : i32
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.shared
  gpu.func @replicas() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*8, 0*4), warp=() -> d0:8>">} : memref<8xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
    tile.copy %f to %s {instr = #tile.instr<simt>} : memref<8xf32, #tile.fragment>, memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Equal layouts: registers to registers, whatever the memory in between.
  // CHECK-LABEL: llvm.func @registers
  // CHECK-COUNT-4: llvm.store %{{.*}} : f16, !llvm.ptr
  // CHECK-NOT: llvm.store
  gpu.func @registers() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : !acc
    %g = tile.alloc {layout = #tile.layout<"wgmma<64x8,wg=1x1>">} : memref<64x8xf16, #tile.fragment>
    tile.copy %f to %g {instr = #tile.instr<simt>} : !acc, memref<64x8xf16, #tile.fragment>
    gpu.return
  }
}
