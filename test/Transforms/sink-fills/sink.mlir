// RUN: %tile_opt_passes 'tile-sink-fills' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-sink-fills,tile-sink-fills' %s | FileCheck %s

#shared = #gpu.address_space<workgroup>
!X = memref<?x32xbf16>
!tile = memref<64x32xbf16, #shared>
!row = !tile.region<1x32xbf16, #shared>
!x = !tile.region<1x32xbf16>
!all = !tile.region<64x32xbf16>

// Rows that a condition leaves out, of two tiles: each gets its own value.
// CHECK-LABEL: func @rows
// CHECK: %[[S:.*]] = tile.alloc
// CHECK: %[[T:.*]] = tile.alloc
// CHECK-NOT: tile.fill
// CHECK: scf.for %[[R:.*]] =
// CHECK: scf.if
// CHECK: } else {
// CHECK-DAG: %[[S_ROW:.*]] = tile.region %[[S]][%[[R]], 0] [1, 32]
// CHECK-DAG: tile.fill %[[S_ROW]], %{{.*}} : !tile.region<1x32xbf16
// CHECK-DAG: %[[T_ROW:.*]] = tile.region %[[T]][%[[R]], 0] [1, 32]
// CHECK-DAG: tile.fill %[[T_ROW]], %{{.*}} : !tile.region<1x32xbf16
// CHECK: }
func.func @rows(%X: !X, %ids: memref<64xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %one = arith.constant 1.0 : bf16
    %S = tile.alloc : !tile
    %T = tile.alloc : !tile
    tile.fill %S, %zero : !tile, bf16
    tile.fill %T, %one : !tile, bf16
    scf.for %r = %c0 to %c64 step %c1 {
      %id = memref.load %ids[%r] : memref<64xindex>
      %is_there = arith.cmpi slt, %id, %n : index
      scf.if %is_there {
        %x = tile.region %X[%id, 0] [1, 32] : !X
        %s = tile.region %S[%r, 0] [1, 32] : !tile
        %t = tile.region %T[%r, 0] [1, 32] : !tile
        tile.copy %x to %s : !x, !row
        tile.copy %x to %t : !x, !row
      }
    }
    gpu.terminator
  }
  return
}

// Past loads, conditions and a loop that fills another tile; into branches of
// branches. Where every path writes all of it, nothing is left.
// CHECK-LABEL: func @branches
// CHECK: %[[S:.*]] = tile.alloc
// CHECK-NOT: tile.fill %[[S]]
// CHECK: tile.parallel
// CHECK: scf.if
// CHECK: scf.if
// CHECK: tile.copy %{{.*}} to %[[S]]
// CHECK: } else {
// CHECK-NEXT: tile.fill %[[S]]
// CHECK: } else {
// CHECK-NEXT: tile.fill %[[S]]
// CHECK: scf.if
// CHECK-NEXT: tile.copy %{{.*}} to %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.copy %{{.*}} to %[[S]]
func.func @branches(%X: !X, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %S = tile.alloc : !tile
    %T = tile.alloc : !tile
    %x = tile.region %X[0, 0] [64, 32] : !X
    tile.fill %S, %zero : !tile, bf16
    tile.parallel (%i, %j) in [64, 32] {
      memref.store %zero, %T[%i, %j] : !tile
    }
    scf.if %p {
      scf.if %q {
        tile.copy %x to %S : !all, !tile
      }
    }
    tile.fill %S, %zero : !tile, bf16
    scf.if %p {
      tile.copy %x to %S : !all, !tile
    } else {
      tile.copy %T to %S : !tile, !tile
    }
    gpu.terminator
  }
  return
}

// Elements that a guard leaves out.
// CHECK-LABEL: func @elements
// CHECK: %[[S:.*]] = tile.alloc
// CHECK-NOT: tile.fill
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK: memref.store %{{.*}}, %[[S]][%[[I]], %[[J]]]
// CHECK: } else {
// CHECK-NEXT: memref.store %{{.*}}, %[[S]][%[[I]], %[[J]]]
func.func @elements(%X: !X, %n: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %S = tile.alloc : !tile
    tile.fill %S, %zero : !tile, bf16
    tile.parallel (%i, %j) in [64, 32] {
      %is_there = arith.cmpi slt, %i, %n : index
      scf.if %is_there {
        %x = memref.load %X[%i, %j] : !X
        memref.store %x, %S[%i, %j] : !tile
      }
    }
    gpu.terminator
  }
  return
}

// Half of the rows; a row twice; elements that read their neighbours; a copy under
// way; no path that does without; what others may wait for.
// CHECK-LABEL: func @kept
// CHECK-COUNT-6: tile.fill %{{.*}} : memref<64x32xbf16
func.func @kept(%X: !X, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %S = tile.alloc : !tile
    %T = tile.alloc : !tile
    %x = tile.region %X[0, 0] [64, 32] : !X
    tile.fill %S, %zero : !tile, bf16
    scf.for %r = %c0 to %c32 step %c1 {
      scf.if %p {
        %y = tile.region %X[%r, 0] [1, 32] : !X
        %s = tile.region %S[%r, 0] [1, 32] : !tile
        tile.copy %y to %s : !x, !row
      }
    }
    tile.fill %S, %zero : !tile, bf16
    scf.for %r = %c0 to %c64 step %c1 {
      scf.if %p {
        %y = tile.region %X[%r, 0] [1, 32] : !X
        %at = arith.minui %r, %c31 : index
        %s = tile.region %S[%at, 0] [1, 32] : !tile
        tile.copy %y to %s : !x, !row
      }
    }
    tile.fill %S, %zero : !tile, bf16
    tile.parallel (%i, %j) in [64, 32] {
      %other = arith.subi %c31, %j : index
      %y = memref.load %S[%i, %other] : !tile
      scf.if %p {
        memref.store %y, %S[%i, %j] : !tile
      }
    }
    tile.fill %S, %zero : !tile, bf16
    scf.if %p {
      tile.copy %x to %S {async, instr = #tile.instr<cp_async>} : !all, !tile
    }
    tile.cp_async_commit
    tile.cp_async_wait pending 0
    tile.fill %S, %zero : !tile, bf16
    scf.if %p {
      tile.copy %S to %T : !tile, !tile
    }
    tile.fill %S, %zero : !tile, bf16
    scf.if %p {
      tile.barrier_sync
      scf.if %p {
        tile.copy %x to %S : !all, !tile
      }
    }
    gpu.terminator
  }
  return
}

// A copy under way may still write when the fill would come: it stays before.
// CHECK-LABEL: func @under_way
// CHECK: tile.fill
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.copy {{.*}} {async
// CHECK-NOT: else
// CHECK: return
func.func @under_way(%X: !X, %p: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %S = tile.alloc : !tile
  %x = tile.region %X[0, 0] [64, 32] : !X
  tile.fill %S, %zero : !tile, bf16
  scf.if %p {
    tile.copy %x to %S {async, instr = #tile.instr<cp_async>} : !all, !tile
  }
  tile.cp_async_commit
  tile.cp_async_wait pending 0
  return
}
