// Loops that copy a tile part by part run ahead as one copy, in one group.

// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline,canonicalize' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#cp = #tile.instr<cp_async>
#simt = #tile.instr<simt>
!S = memref<8x64xf32, #smem>
!R = !tile.region<1x64xf32>
!RS = !tile.region<1x64xf32, #smem>

// Two halves cover the tile. One group for each step, one wait.
// CHECK-LABEL: func.func @halves
// CHECK: tile.alloc : memref<2x8x64xf32, #gpu
// CHECK: scf.for
// CHECK: tile.cp_async_wait pending 0
// CHECK: scf.for
// CHECK: tile.copy {{.*}} {async, instr = #tile.instr<cp_async>} : !tile.region<1x64xf32>, !tile.region<1x64xf32, #gpu
// CHECK: scf.for
// CHECK: tile.copy {{.*}} {async, instr = #tile.instr<cp_async>} : !tile.region<1x64xf32>, !tile.region<1x64xf32, #gpu
// CHECK: tile.cp_async_commit
// CHECK-NOT: tile.cp_async
// CHECK: return
func.func @halves(%A: memref<64x64xf32>, %O: memref<8x64xf32>, %I: memref<8xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : !S
    scf.for %i = %c0 to %n step %c1 {
      scf.for %r = %c0 to %c4 step %c1 {
        %row = memref.load %I[%r] : memref<8xindex>
        %a = tile.region %A[%row, 0] [1, 64] : memref<64x64xf32>
        %to = tile.region %s[%r, 0] [1, 64] : !S
        tile.copy %a to %to {instr = #cp} : !R, !RS
      }
      scf.for %r = %c0 to %c4 step %c1 {
        %at = arith.addi %r, %c4 : index
        %row = memref.load %I[%at] : memref<8xindex>
        %a = tile.region %A[%row, 0] [1, 64] : memref<64x64xf32>
        %to = tile.region %s[%at, 0] [1, 64] : !S
        tile.copy %a to %to {instr = #cp} : !R, !RS
      }
      tile.copy %s to %O {instr = #simt} : !S, memref<8x64xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// A row is left out, so what was there before is read: the copies stay, and wait
// once after their loop.
// CHECK-LABEL: func.func @short
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: tile.copy {{.*}} {async
// CHECK: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK-NOT: tile.cp_async
// CHECK: return
func.func @short(%A: memref<64x64xf32>, %O: memref<8x64xf32>, %I: memref<8xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : !S
    scf.for %i = %c0 to %n step %c1 {
      // expected-remark @+1 {{[tile-pipeline/stale-read]}}
      scf.for %r = %c0 to %c7 step %c1 {
        %row = memref.load %I[%r] : memref<8xindex>
        %a = tile.region %A[%row, 0] [1, 64] : memref<64x64xf32>
        %to = tile.region %s[%r, 0] [1, 64] : !S
        tile.copy %a to %to {instr = #cp} : !R, !RS
      }
      // expected-note @+1 {{that op is here}}
      tile.copy %s to %O {instr = #simt} : !S, memref<8x64xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// What the loop has copied it reads: each copy waits for itself.
// CHECK-LABEL: func.func @reads
// CHECK-NOT: {async
// CHECK: return
func.func @reads(%A: memref<64x64xf32>, %O: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : !S
    scf.for %r = %c0 to %c8 step %c1 {
      %v = memref.load %s[%c0, %c0] : !S
      %w = arith.fptoui %v : f32 to i32
      %row = arith.index_cast %w : i32 to index
      %a = tile.region %A[%row, 0] [1, 64] : memref<64x64xf32>
      %to = tile.region %s[%r, 0] [1, 64] : !S
      tile.copy %a to %to {instr = #tile.instr<cp_async>} : !R, !RS
    }
    tile.copy %s to %O {instr = #simt} : !S, memref<8x64xf32>
    gpu.terminator
  }
  return
}

// Parts that cp.async cannot copy.
func.func @plain(%A: memref<64x64xf32>, %O: memref<8x64xf32>, %I: memref<8xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : !S
    scf.for %i = %c0 to %n step %c1 {
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered, for each part anew: cp.async cannot do its copies; an element loop over the tile loads all parts at once}}
      scf.for %r = %c0 to %c8 step %c1 {
        %row = memref.load %I[%r] : memref<8xindex>
        %a = tile.region %A[%row, 0] [1, 64] : memref<64x64xf32>
        %to = tile.region %s[%r, 0] [1, 64] : !S
        tile.copy %a to %to {instr = #simt} : !R, !RS
      }
      tile.copy %s to %O {instr = #simt} : !S, memref<8x64xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Copies that are under way together land in any order: where one iteration writes
// what another has written, each copy waits for itself.
// CHECK-LABEL: func.func @overwrites
// CHECK-NOT: {async
// CHECK: return
func.func @overwrites(%A: memref<64x64xf32>, %O: memref<8x64xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : !S
    scf.for %r = %c0 to %n step %c1 {
      %a = tile.region %A[%r, 0] [1, 64] : memref<64x64xf32>
      %to = tile.region %s[3, 0] [1, 64] : !S
      tile.copy %a to %to {instr = #cp} : !R, !RS
    }
    scf.for %r = %c0 to %n step %c1 {
      %a = tile.region %A[%r, 0] [2, 64] : memref<64x64xf32>
      %to = tile.region %s[%r, 0] [2, 64] : !S
      tile.copy %a to %to {instr = #cp} : !tile.region<2x64xf32>, !tile.region<2x64xf32, #smem>
    }
    scf.for %r = %c0 to %n step %m {
      %a = tile.region %A[%r, 0] [1, 64] : memref<64x64xf32>
      %to = tile.region %s[%r, 0] [1, 64] : !S
      tile.copy %a to %to {instr = #cp} : !R, !RS
    }
    scf.for %r = %c0 to %n step %c1 {
      %a = tile.region %A[%r, 0] [1, 64] : memref<64x64xf32>
      %b = tile.region %A[8, 0] [1, 64] : memref<64x64xf32>
      %to = tile.region %s[%r, 0] [1, 64] : !S
      tile.copy %a to %to {instr = #cp} : !R, !RS
      tile.copy %b to %to {instr = #cp} : !R, !RS
    }
    tile.copy %s to %O {instr = #simt} : !S, memref<8x64xf32>
    gpu.terminator
  }
  return
}

// However many iterations there are, each has a place of its own.
// CHECK-LABEL: func.func @apart
// CHECK: tile.copy {{.*}} {async
// CHECK: tile.cp_async_commit
// CHECK-NEXT: tile.cp_async_wait pending 0
// CHECK: return
func.func @apart(%A: memref<64x64xf32>, %O: memref<8x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : !S
    scf.for %r = %c0 to %n step %c2 {
      %a = tile.region %A[%r, 0] [1, 64] : memref<64x64xf32>
      %to = tile.region %s[%r, 0] [1, 64] : !S
      tile.copy %a to %to {instr = #cp} : !R, !RS
    }
    tile.copy %s to %O {instr = #simt} : !S, memref<8x64xf32>
    gpu.terminator
  }
  return
}
