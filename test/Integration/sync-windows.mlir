// Windows between which no thread waits: double buffers, slots that a loop carries,
// neighbours. What tile-insert-sync leaves out must not be needed, and what it puts
// in must be: sync-mutants.test takes it out again.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=6

#smem = #gpu.address_space<workgroup>
!in = memref<9x16x32xf32>
!row = !tile.region<16x32xf32>
!slot = !tile.region<16x32xf32, #smem>
!out = memref<9x32xf32>
!sums = !tile.region<32xf32>
!column = memref<32xf32, #tile.fragment>

// Two slots in turn: one barrier a round, between the write and the read.
// CASE: turns(A=ints:9x16x32:f32, B=junk:9x32:f32, n=9)
// CASE: turns(A=ints:9x16x32:f32, B=junk:9x32:f32, n=0)
// CASE: turns(A=ints:9x16x32:f32, B=junk:9x32:f32, n=1)
// EXPECT: B[:n] = A[:n].sum(axis=1)
func.func @turns(%A: !in, %B: !out, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : memref<2x16x32xf32, #smem>
    %f = tile.alloc : !column
    scf.for %i = %c0 to %n step %c1 {
      %s = arith.remui %i, %c2 : index
      %a = tile.region %A[%i, 0, 0] [1, 16, 32] drop [0] : !in
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : !out
      %r = tile.region %R[%s, 0, 0] [1, 16, 32] drop [0] : memref<2x16x32xf32, #smem>
      tile.copy %a to %r {instr = #tile.instr<simt>} : !row, !slot
      tile.reduce sum %r to %f dim 0 {clear} : !slot, !column
      tile.copy %f to %b : !column, !sums
    }
    gpu.terminator
  }
  return
}

// A slot that the loop carries and that goes round by a comparison; one that changes
// sides; and a slot that only some rounds move, which needs both barriers.
// CASE: carried(A=ints:9x16x32:f32, B=junk:9x32:f32, n=9, m=4)
// CASE: carried(A=ints:9x16x32:f32, B=junk:9x32:f32, n=2, m=0)
// EXPECT: B[:n] = 3 * A[:n].sum(axis=1)
func.func @carried(%A: !in, %B: !out, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %Q = tile.alloc : memref<3x16x32xf32, #smem>
    %R = tile.alloc : memref<2x16x32xf32, #smem>
    %S = tile.alloc : memref<2x16x32xf32, #smem>
    %x = tile.alloc : !column
    %y = tile.alloc : !column
    %z = tile.alloc : !column
    scf.for %i = %c0 to %n step %c1 iter_args(%q = %c1, %r = %c0, %s = %c0) -> (index, index, index) {
      %a = tile.region %A[%i, 0, 0] [1, 16, 32] drop [0] : !in
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : !out
      %Qs = tile.region %Q[%q, 0, 0] [1, 16, 32] drop [0] : memref<3x16x32xf32, #smem>
      %Rs = tile.region %R[%r, 0, 0] [1, 16, 32] drop [0] : memref<2x16x32xf32, #smem>
      %Ss = tile.region %S[%s, 0, 0] [1, 16, 32] drop [0] : memref<2x16x32xf32, #smem>
      tile.copy %a to %Qs {instr = #tile.instr<simt>} : !row, !slot
      tile.copy %a to %Rs {instr = #tile.instr<simt>} : !row, !slot
      tile.copy %a to %Ss {instr = #tile.instr<simt>} : !row, !slot
      tile.reduce sum %Qs to %x dim 0 {clear} : !slot, !column
      tile.reduce sum %Rs to %y dim 0 {clear} : !slot, !column
      tile.reduce sum %Ss to %z dim 0 {clear} : !slot, !column
      tile.parallel (%j) in [32] {
        %u = memref.load %x[%j] : !column
        %v = memref.load %y[%j] : !column
        %w = memref.load %z[%j] : !column
        %uv = arith.addf %u, %v : f32
        %uvw = arith.addf %uv, %w : f32
        memref.store %uvw, %x[%j] : !column
      }
      tile.copy %x to %b : !column, !sums
      %q1 = arith.addi %q, %c1 : index
      %wraps = arith.cmpi sgt, %q1, %c2 : index
      %q2 = arith.select %wraps, %c0, %q1 : index
      %r1 = arith.subi %c1, %r : index
      %s1 = arith.subi %c1, %s : index
      %moves = arith.cmpi ult, %i, %m : index
      %s2 = arith.select %moves, %s1, %s : index
      scf.yield %q2, %r1, %s2 : index, index, index
    }
    gpu.terminator
  }
  return
}

// TMA brings slots that nobody reads before the loop is over: still no thread may miss
// a phase of the mbarrier.
// CASE: phases(A=ints:9x16x32:f32, B=junk:9x32:f32)
// EXPECT: B = A.sum(axis=1)
func.func @phases(%A: !in, %B: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : memref<9x16x32xf32, #smem>
    %f = tile.alloc : !column
    scf.for %i = %c0 to %c9 step %c1 {
      %a = tile.region %A[%i, 0, 0] [1, 16, 32] drop [0] : !in
      %r = tile.region %R[%i, 0, 0] [1, 16, 32] drop [0] : memref<9x16x32xf32, #smem>
      tile.copy %a to %r : !row, !slot
    }
    scf.for %i = %c0 to %c9 step %c1 {
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : !out
      %r = tile.region %R[%i, 0, 0] [1, 16, 32] drop [0] : memref<9x16x32xf32, #smem>
      tile.reduce sum %r to %f dim 0 {clear} : !slot, !column
      tile.copy %f to %b : !column, !sums
    }
    gpu.terminator
  }
  return
}

// A round reads what the round before has put next to it.
// CASE: neighbours(A=ints:9x16x32:f32, B=junk:9x32:f32, n=8)
// EXPECT: B[0] = 0; B[1:n] = A[:n - 1].sum(axis=1)
func.func @neighbours(%A: !in, %B: !out, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c160 = arith.constant 160 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<160x32xf32, #smem>
    %f = tile.alloc : !column
    tile.fill %S, %zero : memref<160x32xf32, #smem>, f32
    scf.for %i = %c0 to %n step %c1 {
      %x = arith.muli %i, %c16 : index
      %y = arith.addi %x, %c16 : index
      %a = tile.region %A[%i, 0, 0] [1, 16, 32] drop [0] : !in
      %b = tile.region %B[%i, 0] [1, 32] drop [0] : !out
      %s = tile.region %S[%x, 0] [16, 32] : memref<160x32xf32, #smem>
      %t = tile.region %S[%y, 0] [16, 32] : memref<160x32xf32, #smem>
      tile.reduce sum %s to %f dim 0 {clear} : !slot, !column
      tile.copy %f to %b : !column, !sums
      tile.copy %a to %t {instr = #tile.instr<simt>} : !row, !slot
    }
    gpu.terminator
  }
  return
}
