// Pipelines of cp.async that the program writes itself: it closes groups and counts
// those that may be under way; the compiler adds the barriers between threads.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_80 --target=sm_90a --out=%t

!A = memref<?x64xbf16>
!ring = memref<3x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
!tile = !tile.region<64x64xbf16>

// Three slots, two tiles ahead. A group is closed in every round, empty or not, so
// that one count holds in all of them, the last ones included.
// CASE: multistage(A=ints:64x64:bf16, B=junk:64x64:bf16)
// CASE: multistage(A=ints:128x64:bf16, B=junk:128x64:bf16)
// CASE: multistage(A=ints:448x64:bf16, B=junk:448x64:bf16)
// CASE: multistage(A=ints:416x64:bf16, B=junk:416x64:bf16)
// EXPECT: B = A
func.func @multistage(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    scf.for %i = %c0 to %c2 step %c1 {
      %row = arith.muli %i, %c64 : index
      %a = tile.region %A[%row, 0] [64, 64] {align = 16 : i64} : !A
      %r = tile.region %R[%i, 0, 0] [1, 64, 64] drop [0] : !ring
      tile.copy %a to %r {async, instr = #tile.instr<cp_async>} : !tile, !slot
      tile.cp_async_commit
    }
    scf.for %i = %c0 to %n step %c1 {
      tile.cp_async_wait pending 1
      %i2 = arith.addi %i, %c2 : index
      %row2 = arith.muli %i2, %c64 : index
      %into = arith.remui %i2, %c3 : index
      %a = tile.region %A[%row2, 0] [64, 64] {align = 16 : i64} : !A
      %r2 = tile.region %R[%into, 0, 0] [1, 64, 64] drop [0] : !ring
      %more = arith.cmpi ult, %i2, %n : index
      scf.if %more {
        tile.copy %a to %r2 {async, instr = #tile.instr<cp_async>} : !tile, !slot
      }
      tile.cp_async_commit
      %from = arith.remui %i, %c3 : index
      %row = arith.muli %i, %c64 : index
      %r = tile.region %R[%from, 0, 0] [1, 64, 64] drop [0] : !ring
      %b = tile.region %B[%row, 0] [64, 64] : !A
      tile.copy %r to %b : !slot, !tile
    }
    tile.cp_async_wait pending 0
    gpu.terminator
  }
  return
}

// The same in a role, whose threads share the copies; the other role does nothing.
// CASE: in_role(A=ints:64x64:bf16, B=junk:64x64:bf16)
// EXPECT: B = A
func.func @in_role(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c160 = arith.constant 160 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.specialize {
      tile.role "idle" warps 2 {
      }
      tile.role "copies" warps 3 {
        %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : !A
        %b = tile.region %B[0, 0] [64, 64] : !A
        tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile, memref<64x64xbf16, #gpu.address_space<workgroup>>
        tile.cp_async_commit
        tile.cp_async_wait pending 0
        tile.copy %S to %b : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile
      }
    }
    gpu.terminator
  }
  return
}
