// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvgpu,canonicalize,cse,loop-invariant-code-motion,sccp,convert-scf-to-cf,convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s

// Passes of others between ours change the form of the code, not that it can be
// lowered: here the product always starts at zero, which folds.
// CHECK-LABEL: llvm.func @kernel
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT: nvgpu.
// CHECK-NOT: vector.
// CHECK: llvm.return
gpu.module @m {
  gpu.func @kernel(%A: memref<?x?xf16>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %true = arith.constant true
    %As = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<16x16xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 512 : i64} : memref<16x16xf16, #gpu.address_space<workgroup>>
    %C = tile.alloc {layout = #tile.layout<"mma<16x16,warps=1x1>">} : memref<16x16xf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c16 {
      %a = tile.region %A[0, %k] [16, 16] {align = 16 : i64} : memref<?x?xf16>
      %b = tile.region %A[16, %k] [16, 16] {align = 16 : i64} : memref<?x?xf16>
      tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<16x16xf16>, memref<16x16xf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<16x16xf16>, memref<16x16xf16, #gpu.address_space<workgroup>>
      tile.barrier_sync
      tile.gemm %As, %Bs, %C clear %true {instr = #tile.instr<mma>, transpose_b} : (memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16, #tile.fragment>)
      tile.barrier_sync
    }
    gpu.return
  }
}
