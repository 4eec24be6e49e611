// Products by wgmma: one block of assembly per product, so that its results exist
// only after the wait.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

gpu.module @m {
  // C is cut in pieces of 64 rows; all pieces take a step along K before the next
  // step. Only the first step may overwrite C. A is stored with K contiguous, B
  // with N: the last two operands say so.
  // CHECK-LABEL: llvm.func @pieces
  // CHECK: %[[SCALE:.*]] = arith.select %{{.*}}, %c0{{.*}}, %c1{{.*}} : i32
  // CHECK: %[[SUM:.*]] = llvm.inline_asm has_side_effects
  // CHECK-SAME: wgmma.fence.sync.aligned;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{[^}]*}}$31}, $128, $132, p, 1, 1, 0, 1;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$32, {{[^}]*}}$63}, $130, $132, p, 1, 1, 0, 1;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{[^}]*}}$31}, $129, $133, q, 1, 1, 0, 1;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$32, {{[^}]*}}$63}, $131, $133, q, 1, 1, 0, 1;
  // CHECK-NOT: wgmma.mma_async
  // CHECK-SAME: wgmma.commit_group.sync.aligned;
  // CHECK-SAME: wgmma.wait_group.sync.aligned 0;
  // CHECK-SAME: %[[SCALE]] :
  // CHECK: llvm.extractvalue %[[SUM]][0]
  // CHECK: llvm.extractvalue %[[SUM]][63]
  // CHECK-NOT: llvm.inline_asm
  gpu.func @pieces(%p: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<64>">, offset = 0 : i64} : memref<128x32xbf16, #gpu.address_space<workgroup>>
    %b = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 8192 : i64} : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<128x64,wg=1x1>">} : memref<128x64xf32, #tile.fragment>
    tile.gemm %a, %b, %c clear %p {instr = #tile.instr<wgmma>} : (memref<128x32xbf16, #gpu.address_space<workgroup>>, memref<32x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xf32, #tile.fragment>)
    gpu.return
  }

  // Stored the other way round.
  // CHECK-LABEL: llvm.func @transposed
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{[^}]*}}}, $64, $65, p, 1, 1, 1, 0;
  // CHECK-NOT: wgmma.mma_async
  gpu.func @transposed() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : memref<16x64xf16, #gpu.address_space<workgroup>>
    %b = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 2048 : i64} : memref<64x16xf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %b, %c {instr = #tile.instr<wgmma>, transpose_a, transpose_b} : (memref<16x64xf16, #gpu.address_space<workgroup>>, memref<64x16xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    gpu.return
  }

  // More than 256 columns are several instructions of equal width.
  // CHECK-LABEL: llvm.func @columns
  // CHECK: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {$0, {{[^}]*}}$95},
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {$96, {{[^}]*}}$191},
  // CHECK-NOT: wgmma.mma_async
  gpu.func @columns() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<64x16xbf16, #gpu.address_space<workgroup>>
    %b = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 2048 : i64} : memref<16x384xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x384,wg=1x1>">} : memref<64x384xf32, #tile.fragment>
    tile.gemm %a, %b, %c {instr = #tile.instr<wgmma>} : (memref<64x16xbf16, #gpu.address_space<workgroup>>, memref<16x384xbf16, #gpu.address_space<workgroup>>, memref<64x384xf32, #tile.fragment>)
    gpu.return
  }

  // Two warpgroups share the rows of C: each reads its half of A, from a warp
  // number that is uniform, and all of B.
  // CHECK-LABEL: llvm.func @warpgroups
  // CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
  // CHECK: %[[GROUP:.*]] = arith.divui %[[WARP]], %c4{{.*}} : i32
  // CHECK: %[[HALF:.*]] = arith.remui %[[GROUP]], %c2{{.*}} : i32
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[HALF]], %c2048{{.*}} : i32
  // CHECK: %[[ADDRESS:.*]] = arith.addi %{{.*}}, %[[OFFSET]] : i32
  // CHECK: %[[BITS:.*]] = arith.andi %[[ADDRESS]], %c262143{{.*}} : i32
  // CHECK: arith.shrui %[[BITS]], %c4{{.*}} : i32
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 1;
  // CHECK-NOT: wgmma.mma_async
  gpu.func @warpgroups() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<128x16xbf16, #gpu.address_space<workgroup>>
    %b = tile.alloc {layout = #tile.layout<"coreMatrix">, offset = 4096 : i64} : memref<16x8xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<128x8,wg=2x1>">} : memref<128x8xf32, #tile.fragment>
    tile.gemm %a, %b, %c {instr = #tile.instr<wgmma>} : (memref<128x16xbf16, #gpu.address_space<workgroup>>, memref<16x8xbf16, #gpu.address_space<workgroup>>, memref<128x8xf32, #tile.fragment>)
    gpu.return
  }

  // Other types: floats of 8 bits and tf32 have no storage order, integers no
  // signs either and sums in integer registers.
  // CHECK-LABEL: llvm.func @types
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{{[^}]*}}}, $64, $65, p, 1, 1;\0A
  // CHECK-SAME: "=f,
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{{[^}]*}}}, $64, $65, p, 1, 1;\0A
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {{{[^}]*}}}, $64, $65, p;\0A
  // CHECK-SAME: "=r,
  gpu.func @types() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
    %i = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xi32, #tile.fragment>
    %a8 = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>
    %b8 = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 2048 : i64} : memref<64x32xf8E5M2, #gpu.address_space<workgroup>>
    tile.gemm %a8, %b8, %c {instr = #tile.instr<wgmma>, transpose_b} : (memref<64x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x32xf8E5M2, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    %a32 = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 4096 : i64} : memref<64x8xf32, #gpu.address_space<workgroup>>
    tile.gemm %a32, %a32, %c {instr = #tile.instr<wgmma>, transpose_b, precision = "tf32"} : (memref<64x8xf32, #gpu.address_space<workgroup>>, memref<64x8xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    %ai = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 8192 : i64} : memref<64x32xi8, #gpu.address_space<workgroup>>
    tile.gemm %ai, %ai, %i {instr = #tile.instr<wgmma>, transpose_b} : (memref<64x32xi8, #gpu.address_space<workgroup>>, memref<64x32xi8, #gpu.address_space<workgroup>>, memref<64x64xi32, #tile.fragment>)
    gpu.return
  }

  // A in registers: four words per piece and step, of two elements each. Only B
  // says which dimension is contiguous.
  // CHECK-LABEL: llvm.func @factor_in_registers
  // CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{{[^}]*}}}, {$16, $17, $18, $19}, $24, p, 1, 1, 1;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{{[^}]*}}}, {$20, $21, $22, $23}, $25, q, 1, 1, 1;
  // CHECK-NOT: wgmma.mma_async
  gpu.func @factor_in_registers() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"wgmma<64x32,wg=1x1>">} : memref<64x32xbf16, #tile.fragment>
    %b = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<32x16xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x16,wg=1x1>">} : memref<64x16xf32, #tile.fragment>
    tile.gemm %a, %b, %c {instr = #tile.instr<wgmma>} : (memref<64x32xbf16, #tile.fragment>, memref<32x16xbf16, #gpu.address_space<workgroup>>, memref<64x16xf32, #tile.fragment>)
    gpu.return
  }

  // A sparse A stores half of K: its descriptor steps as that of a dense one, the
  // descriptor of B twice as far; each step has its metadata, of selector 0.
  // CHECK-LABEL: llvm.func @sparse
  // CHECK: wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.bf16.bf16 {{{[^}]*}}}, $16, $18, $20, 0, p, 1, 1, 0, 1;
  // CHECK-SAME: wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.bf16.bf16 {{{[^}]*}}}, $17, $19, $21, 0, q, 1, 1, 0, 1;
  // CHECK-NOT: wgmma.mma_async
  gpu.func @sparse() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<64>">, offset = 0 : i64} : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %e = tile.alloc {layout = #tile.layout<"linear">, offset = 8192 : i64} : memref<64x4xi16, #gpu.address_space<workgroup>>
    %b = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 4096 : i64} : memref<64x16xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x16,wg=1x1>">} : memref<64x16xf32, #tile.fragment>
    tile.gemm_sp %a, %e, %b, %c {instr = #tile.instr<wgmma>} : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x16xbf16, #gpu.address_space<workgroup>>, memref<64x16xf32, #tile.fragment>)
    gpu.return
  }

  // Packed metadata: two steps share a word, of which they take other lanes.
  // CHECK-LABEL: llvm.func @packed
  // CHECK: %[[WORD:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: !llvm.ptr<3> -> i16
  // CHECK: wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.bf16.bf16 {{{[^}]*}}}, $16, $18, $20, 0, p, 1, 1, 0, 1;
  // CHECK-SAME: wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.bf16.bf16 {{{[^}]*}}}, $17, $19, $20, 1, q, 1, 1, 0, 1;
  // CHECK-NOT: wgmma.mma_async
  gpu.func @packed() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<64>">, offset = 0 : i64} : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %e = tile.alloc {layout = #tile.layout<"linear">, offset = 8192 : i64} : memref<1x1x128xi32, #gpu.address_space<workgroup>>
    %b = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 4096 : i64} : memref<64x16xbf16, #gpu.address_space<workgroup>>
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x16,wg=1x1>">} : memref<64x16xf32, #tile.fragment>
    tile.gemm_sp %a, %e, %b, %c {instr = #tile.instr<wgmma>} : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<1x1x128xi32, #gpu.address_space<workgroup>>, memref<64x16xbf16, #gpu.address_space<workgroup>>, memref<64x16xf32, #tile.fragment>)
    gpu.return
  }
}
