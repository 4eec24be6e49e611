// RUN: %tile_opt_passes 'tile-insert-sync' %s | FileCheck %s

!s = memref<16x64xbf16, #gpu.address_space<workgroup>>
!g = !tile.region<16x64xbf16>

// What threads wrote to the tile is fenced and met for before TMA reads it; what
// fills the tile next waits for TMA; who reads the tensor next waits, too.
// CHECK-LABEL: func.func @store
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy {{.*}} map
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK: tile.copy
func.func @store(%C: memref<32x64xbf16>, %x: bf16) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %map = tile.tensor_map %C box [16, 64] swizzle 128 : memref<32x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !s
    %c = tile.region %C[0, 0] [16, 64] {align = 16 : i64} : memref<32x64xbf16>
    tile.fill %S, %x : !s, bf16
    tile.copy %S to %c map %map {instr = #tile.instr<tma>} : !s, !g
    tile.fill %S, %x : !s, bf16
    tile.copy %c to %S {instr = #tile.instr<simt>} : !g, !s
    gpu.terminator
  }
  return
}

// Only the issuer knows when the tensor is written: a plain read of it by others
// comes after a barrier.
// CHECK-LABEL: func.func @read_back
// CHECK: tile.copy {{.*}} map
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @read_back(%C: memref<32x64xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %map = tile.tensor_map %C box [16, 64] swizzle 128 : memref<32x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !s
    %F = tile.alloc {layout = #tile.layout<"mma<16x64,warps=1x4>">} : memref<16x64xbf16, #tile.fragment>
    %c = tile.region %C[0, 0] [16, 64] {align = 16 : i64} : memref<32x64xbf16>
    tile.copy %S to %c map %map {instr = #tile.instr<tma>} : !s, !g
    tile.copy %c to %F {instr = #tile.instr<simt>} : !g, memref<16x64xbf16, #tile.fragment>
    gpu.terminator
  }
  return
}
