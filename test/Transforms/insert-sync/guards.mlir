// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// What a condition says of other branches, of loops and of their rounds (S11).

#shared = #gpu.address_space<workgroup>
!tile = memref<4x64xf32, #shared>
!frag = memref<4x64xf32, #tile.fragment>

// The branch is taken in every round but the last: its barrier orders what was read
// before it before the next round writes.
// CHECK-LABEL: func.func @next_round
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK: }
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @next_round(%f: !frag, %x: f32, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 1024} : !tile
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %S, %x : !tile, f32
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
    tile.copy %T to %f {instr = #tile.instr<simt>} : !tile, !frag
    %left = arith.subi %n, %i : index
    %more = arith.cmpi ugt, %left, %c1 : index
    scf.if %more {
      tile.fill %T, %x : !tile, f32
    }
  }
  return
}

// A branch that needs two rounds to come is taken in the rounds before, but not in the
// last one but one: there the next round needs its own barrier.
// CHECK-LABEL: func.func @two_rounds
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK: scf.if
func.func @two_rounds(%f: !frag, %x: f32, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc {offset = 0} : !tile
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %S, %x : !tile, f32
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
    %left = arith.subi %n, %i : index
    %more = arith.cmpi ugt, %left, %c2 : index
    scf.if %more {
      tile.barrier_sync
    }
  }
  return
}

// Under the same condition it was taken in the round before. A value that is no limit
// of the loop says nothing.
// CHECK-LABEL: func.func @earlier_rounds
// CHECK: scf.if
// CHECK-NEXT: tile.fill
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier_sync
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @earlier_rounds(%f: !frag, %x: f32, %n: index, %m: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 1024} : !tile
  scf.for %i = %c0 to %n step %c1 {
    %left = arith.subi %n, %i : index
    %more = arith.cmpi ugt, %left, %c2 : index
    scf.if %more {
      tile.fill %S, %x : !tile, f32
    }
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
    scf.if %more {
      tile.barrier_sync
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %left = arith.subi %m, %i : index
    %more = arith.cmpi ugt, %left, %c2 : index
    scf.if %more {
      tile.fill %T, %x : !tile, f32
    }
    tile.copy %T to %f {instr = #tile.instr<simt>} : !tile, !frag
    scf.if %more {
      tile.barrier_sync
    }
  }
  return
}

// The second branch is taken only where the first one met, the third one also where it
// did not.
// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.copy {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @branches(%f: !frag, %x: f32, %a: i1, %b: i1) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc : !tile
  %both = arith.andi %a, %b : i1
  tile.fill %S, %x : !tile, f32
  scf.if %a {
    tile.barrier_sync
  }
  scf.if %both {
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  }
  scf.if %b {
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  }
  return
}

// A loop has a round where the branch was taken; another one may have some where it
// was not.
// CHECK-LABEL: func.func @loops
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.copy {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.copy
func.func @loops(%f: !frag, %x: f32, %n: index, %m: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  tile.fill %S, %x : !tile, f32
  %any = arith.cmpi slt, %c0, %n : index
  scf.if %any {
    tile.barrier_sync
  }
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  }
  scf.for %i = %c0 to %m step %c1 {
    tile.copy %S to %f {instr = #tile.instr<simt>} : !tile, !frag
  }
  return
}
