// Products under way: the block of a product ends with its group, the wait takes
// the accumulators through, so that nothing that reads them moves above it.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>

gpu.module @m {
  // The first one overwrites: no accumulator goes in. The second one takes them.
  // CHECK-LABEL: llvm.func @two
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: wgmma.fence.sync.aligned
  // CHECK-SAME: {$0, {{[^}]*}}$31}, $32, $33, p
  // CHECK-SAME: wgmma.commit_group.sync.aligned;
  // CHECK-NOT: wait_group
  // CHECK-SAME: "=&f,=&f,
  // CHECK-NOT: ,0,1,
  // CHECK-SAME: ,l,l,r" %
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: {$0, {{[^}]*}}$31}, $64, $65, p
  // CHECK-SAME: wgmma.commit_group.sync.aligned;
  // CHECK-NOT: wait_group
  // CHECK-SAME: "=f,=f,
  // CHECK-SAME: ,0,1,
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,=f,{{.*}},0,1,
  gpu.func @two() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %true = arith.constant true
    %a = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<64x16xbf16, #smem>
    %b = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 8192 : i64} : memref<16x64xbf16, #smem>
    %c = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %b, %c clear %true {async, instr = #tile.instr<wgmma>} : (memref<64x16xbf16, #smem>, memref<16x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    tile.gemm %a, %b, %c {async, instr = #tile.instr<wgmma>} : (memref<64x16xbf16, #smem>, memref<16x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    tile.await pending 1
    tile.await pending 0 for %c : memref<64x64xf32, #tile.fragment>
    gpu.return
  }
}
