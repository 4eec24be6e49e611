// TMA takes tensors that the kernel makes, where each stays what it is while copies of it
// are under way.

// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
!rows = memref<?x64xbf16, strided<[64, 1]>>
!tile = memref<32x64xbf16, #smem>

// CHECK-LABEL: func.func @made
func.func @made(%table: memref<?xi64>, %A: memref<512x64xbf16>, %m: index, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : !tile
    %address = memref.load %table[%c0] : memref<?xi64>
    %at = tile.tensor_at %address : memref<bf16>
    %X = memref.reinterpret_cast %at to offset: [0], sizes: [%m, 64], strides: [64, 1] : memref<bf16> to !rows
    scf.for %i = %c0 to %m step %c32 {
      // CHECK: tile.copy {{.*}}instr = #tile.instr<tma>
      %x = tile.region %X[%i, 0] [32, 64] {align = 16 : i64} : !rows
      tile.copy %x to %t : !tile.region<32x64xbf16>, !tile
    } {tile.num_stages = 2 : i32}
    // A window with an end, of such a tensor.
    // CHECK: tile.copy {{.*}}instr = #tile.instr<cp_async>
    %ended = tile.region %X[0, 0] [32, 64] end [0] (%m) {align = 16 : i64} : !rows
    // expected-remark @+1 {{[tile-instr/end] uses cp_async; not tma: the window ends where the kernel says, in a tensor that it makes: the tensor can end there}}
    tile.copy %ended to %t : !tile.region<32x64xbf16>, !tile
    // Each round has another tensor.
    scf.for %g = %c0 to %m step %c1 {
      %other = memref.load %table[%g] : memref<?xi64>
      %there = tile.tensor_at %other : memref<bf16>
      %Y = memref.reinterpret_cast %there to offset: [0], sizes: [%m, 64], strides: [64, 1] : memref<bf16> to !rows
      // CHECK: tile.copy {{.*}}instr = #tile.instr<cp_async>
      %y = tile.region %Y[0, 0] [32, 64] {align = 16 : i64} : !rows
      // expected-remark @+1 {{[tile-instr/base] uses cp_async; not tma: each round of the pipelined loop has another tensor, and one tensor map in use cannot be replaced}}
      tile.copy %y to %t : !tile.region<32x64xbf16>, !tile
    } {tile.num_stages = 2 : i32}
    // What is assumed of a part says nothing of the memory that it is cut of.
    %cut = memref.subview %A[%first, 8] [32, 8] [1, 1] : memref<512x64xbf16> to memref<32x8xbf16, strided<[64, 1], offset: ?>>
    %known = memref.assume_alignment %cut, 16 : memref<32x8xbf16, strided<[64, 1], offset: ?>>
    %again = memref.reinterpret_cast %known to offset: [0], sizes: [%m, 64], strides: [64, 1] : memref<32x8xbf16, strided<[64, 1], offset: ?>> to !rows
    %z = tile.region %again[0, 0] [32, 64] : !rows
    // CHECK: tile.copy {{.*}}instr = #tile.instr<simt>
    // expected-remark @+1 {{[tile-instr/alignment] uses simt; not tma: rows are known to be aligned to 2 bytes; TMA needs 16; not cp_async: rows are known to be aligned to 2 bytes; cp.async needs 4}}
    tile.copy %z to %t : !tile.region<32x64xbf16>, !tile
    gpu.terminator
  }
  return
}
