// Barriers that the program writes itself: a pipeline of TMA copies in two slots.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// Two slots are filled ahead; each wait has the parity of its round, and a slot
// is filled again when the copy out of it has been done by all threads.
// CASE: pipeline(A=ints:80x64:bf16, B=junk:80x64:bf16)
// CASE: pipeline(A=ints:48x64:bf16, B=junk:48x64:bf16)
// CASE: pipeline(A=ints:1x64:bf16, B=junk:1x64:bf16)
// EXPECT: B = A
func.func @pipeline(%A: memref<?x64xbf16>, %B: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %i1 = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : memref<?x64xbf16>
  %rounds = arith.ceildivui %m, %c16 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %full = tile.barrier_alloc : !tile.barrier<2>
    tile.barrier_init %full arrivals 1 : !tile.barrier<2>
    tile.barrier_sync
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %T = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %a0 = tile.region %A[0, 0] [16, 64] {align = 16 : i64} : memref<?x64xbf16>
    %a1 = tile.region %A[16, 0] [16, 64] {align = 16 : i64} : memref<?x64xbf16>
    tile.barrier_expect %full[%c0] bytes 2048 : !tile.barrier<2>
    tile.copy %a0 to %S map %map signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
    tile.barrier_expect %full[%c1] bytes 2048 : !tile.barrier<2>
    tile.copy %a1 to %T map %map signal %full[%c1] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %rounds step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %r = arith.index_cast %round : index to i32
      %parity = arith.andi %r, %i1 : i32
      tile.barrier_wait %full[%slot] parity %parity : !tile.barrier<2>
      %row = arith.muli %k, %c16 : index
      %b = tile.region %B[%row, 0] [16, 64] : memref<?x64xbf16>
      %k2 = arith.addi %k, %c2 : index
      %next = arith.muli %k2, %c16 : index
      %a = tile.region %A[%next, 0] [16, 64] {align = 16 : i64} : memref<?x64xbf16>
      %is_first = arith.cmpi eq, %slot, %c0 : index
      scf.if %is_first {
        tile.copy %S to %b : memref<16x64xbf16, #gpu.address_space<workgroup>>, !tile.region<16x64xbf16>
        tile.barrier_sync
        tile.barrier_expect %full[%c0] bytes 2048 : !tile.barrier<2>
        tile.copy %a to %S map %map signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
      } else {
        tile.copy %T to %b : memref<16x64xbf16, #gpu.address_space<workgroup>>, !tile.region<16x64xbf16>
        tile.barrier_sync
        tile.barrier_expect %full[%c1] bytes 2048 : !tile.barrier<2>
        tile.copy %a to %T map %map signal %full[%c1] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
      }
    }
    // The copies that nobody reads complete before the block ends.
    %r0 = arith.addi %rounds, %c1 : index
    %n0 = arith.divui %r0, %c2 : index
    %n1 = arith.divui %rounds, %c2 : index
    %m0 = arith.index_cast %n0 : index to i32
    %m1 = arith.index_cast %n1 : index to i32
    %p0 = arith.andi %m0, %i1 : i32
    %p1 = arith.andi %m1, %i1 : i32
    tile.barrier_wait %full[%c0] parity %p0 : !tile.barrier<2>
    tile.barrier_wait %full[%c1] parity %p1 : !tile.barrier<2>
    gpu.terminator
  }
  return
}
