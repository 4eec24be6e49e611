// Guards: where paths meet, all of them have the slot or none has.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#simt = #tile.instr<simt>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// A skipped iteration is no round: the position is a result of the branch.
// CHECK-LABEL: func.func @guard
// CHECK: tile.role "consumer"
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = {{.*}}, %[[P:.*]] = {{.*}})
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (i32, i32)
// CHECK: tile.wait %{{.*}}[%[[S]], %[[P]]]
// CHECK: tile.release
// CHECK: %[[S1:.*]], %[[P1:.*]] = tile.advance
// CHECK: scf.yield %[[S1]], %[[P1]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[S]], %[[P]]
// CHECK: scf.yield %[[R]]#0, %[[R]]#1
// CHECK: tile.role "producer"
// CHECK: memref.load
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: tile.acquire
// CHECK: tile.commit
func.func @guard(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// What the guard holds is computed by whom it concerns.
// CHECK-LABEL: func.func @definitions_inside
// CHECK: tile.role "producer"
// CHECK: scf.if
// CHECK: memref.load %{{.*}} : memref<?xindex>
// CHECK: tile.acquire
func.func @definitions_inside(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %q = memref.load %I[%k] : memref<?xindex>
      %w1 = tile.region %A[0, %q] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Two tiles, two channels, each in one branch.
// CHECK-LABEL: func.func @both_branches
// CHECK: %[[A:.*]] = tile.channel
// CHECK: %[[B:.*]] = tile.channel
// CHECK: scf.if %{{.*}} -> (i32, i32, i32, i32)
// CHECK: tile.wait %[[A]]
// CHECK: } else {
// CHECK: tile.wait %[[B]]
// CHECK: tile.role "producer"
// CHECK: scf.if %{{.*}} -> (i32, i32, i32, i32)
// CHECK: tile.acquire %[[A]]
// CHECK: } else {
// CHECK: tile.acquire %[[B]]
func.func @both_branches(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } else {
      %w2 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w2 to %T {instr = #tma} : !win, !tile
      tile.copy %T to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Both branches fill the tile that is read after them: one round around both.
// CHECK-LABEL: func.func @one_tile_in_both
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tile.wait
// CHECK: tile.release
// CHECK: tile.role "producer"
// CHECK: tile.acquire
// CHECK: scf.if
// CHECK: tile.copy
// CHECK: } else {
// CHECK: tile.copy
// CHECK: }
// CHECK: tile.commit
func.func @one_tile_in_both(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
    } else {
      %w2 = tile.region %A[0, %c0] [64, 64] : !tensor
      tile.copy %w2 to %S {instr = #tma} : !win, !tile
    }
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The same with different instructions: the round has the agents of both, whatever
// branch was taken.
// CHECK-LABEL: func.func @two_instructions
// CHECK: tile.channel({{.*}}) depth 2 {consumer_warps = 4 : i64, simt_threads = 128 : i64, tma}
// CHECK: tile.role "producer" warps 4
// CHECK: tile.acquire
// CHECK: scf.if
// CHECK: instr = #tile.instr<tma>
// CHECK: } else {
// CHECK: instr = #tile.instr<simt>
// CHECK: tile.commit
func.func @two_instructions(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
    } else {
      %w2 = tile.region %A[0, %c0] [64, 64] : !tensor
      tile.copy %w2 to %S {instr = #simt} : !win, !tile
    }
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The branch that does not read the tile drains it.
// CHECK-LABEL: func.func @used_in_one
// CHECK: tile.role "consumer"
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: tile.wait
// CHECK: tile.copy
// CHECK: tile.release
// CHECK: } else {
// CHECK-NEXT: tile.wait
// CHECK-NEXT: tile.release
// CHECK-NEXT: tile.advance
// CHECK: tile.role "producer"
// CHECK-NOT: scf.if
// CHECK: return
func.func @used_in_one(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A guard that only the consumers know is no matter to the producer.
// CHECK-LABEL: func.func @used_under_private_guard
// CHECK: tile.role "consumer"
// CHECK: tile.any_of
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: tile.wait
// CHECK: tile.release
// CHECK: } else {
// CHECK: tile.wait
// CHECK: tile.release
// CHECK: tile.role "producer"
// CHECK-NOT: tile.any_of
// CHECK: return
func.func @used_under_private_guard(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %flags = tile.alloc : memref<64xi1, #tile.fragment>
  %true = arith.constant true
  tile.fill %flags, %true : memref<64xi1, #tile.fragment>, i1
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %g = tile.any_of %flags : memref<64xi1, #tile.fragment>
    scf.if %g {
      tile.copy %S to %F : !tile, !frag
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Guards in guards.
// CHECK-LABEL: func.func @nested_guards
// CHECK: tile.role "consumer"
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: tile.wait
// CHECK: tile.release
// CHECK: } else {
// CHECK: scf.yield
// CHECK: } else {
// CHECK: scf.yield
// CHECK: tile.role "producer"
// CHECK: scf.if
// CHECK: scf.if
// CHECK: tile.acquire
// CHECK: tile.commit
func.func @nested_guards(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %h = memref.load %M[%c0] : memref<?xi1>
      scf.if %h {
        %w1 = tile.region %A[0, %k] [64, 64] : !tensor
        tile.copy %w1 to %S {instr = #tma} : !win, !tile
        tile.copy %S to %F : !tile, !frag
      }
    }
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
