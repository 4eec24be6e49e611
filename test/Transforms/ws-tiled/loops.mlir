// Loops of any bounds: a position is carried, never computed from the induction
// variable.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once -o %t.twice && diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// Acquire, copies, commit; wait, uses, release. Both start at slot 0 and parity 0
// and move on at the end of the round.
// CHECK-LABEL: func.func @plain
// CHECK: %[[RING:.*]] = tile.alloc : memref<3x64x64xbf16
// CHECK: %[[CH:.*]] = tile.channel(%[[RING]]) depth 3 {consumer_warps = 4 : i64, tma}
// CHECK: tile.role "consumer" warps 4 {
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %[[Z]], %[[P:.*]] = %[[Z]]) -> (i32, i32)
// CHECK-NEXT: tile.wait %[[CH]][%[[S]], %[[P]]]
// CHECK: %[[I:.*]] = arith.index_cast %[[S]]
// CHECK: %[[SLOT:.*]] = tile.region %[[RING]][%[[I]], 0, 0] [1, 64, 64] drop [0]
// CHECK-NEXT: tile.copy %[[SLOT]] to
// CHECK-NEXT: tile.release %[[CH]][%[[S]], %[[P]]]
// CHECK-NEXT: %[[S1:.*]], %[[P1:.*]] = tile.advance %[[S]], %[[P]] depth 3
// CHECK-NEXT: scf.yield %[[S1]], %[[P1]]
// CHECK: tile.role "producer" warps 1 {
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = {{.*}}, %[[P:.*]] = {{.*}}) -> (i32, i32)
// CHECK: tile.acquire %[[CH]][%[[S]], %[[P]]]
// CHECK: %[[I:.*]] = arith.index_cast %[[S]]
// CHECK: %[[SLOT:.*]] = tile.region %[[RING]][%[[I]], 0, 0]
// CHECK-NEXT: tile.copy %{{.*}} to %[[SLOT]] signal %[[CH]][%[[I]]] of !tile.channel {instr = #tile.instr<tma>}
// CHECK-NEXT: tile.commit %[[CH]][%[[S]], %[[P]]]
// CHECK-NEXT: tile.advance %[[S]], %[[P]] depth 3
func.func @plain(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Start 3, step 2: nothing special (reference-system.md, 3.1.3: the reference
// needs k minus the start in its parity).
// CHECK-LABEL: func.func @start_and_step
// CHECK: tile.role "consumer"
// CHECK: scf.for %{{.*}} = %c3 to %{{.*}} step %c2 iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK: tile.wait %{{.*}}[%[[S]], %[[P]]]
// CHECK: tile.role "producer"
// CHECK: scf.for %{{.*}} = %c3 to %{{.*}} step %c2
// CHECK-NOT: arith.remui
// CHECK-NOT: arith.subi
func.func @start_and_step(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c2 = arith.constant 2 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %c3 = arith.constant 3 : index
  scf.for %k = %c3 to %n step %c2 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// One slot: the same code, no special case of the wrap (2.3.13).
// CHECK-LABEL: func.func @one_stage
// CHECK: tile.alloc : memref<1x64x64xbf16
// CHECK: tile.channel(%{{.*}}) depth 1
// CHECK: tile.wait
// CHECK: tile.advance {{.*}} depth 1
// CHECK: tile.acquire
// CHECK: tile.advance {{.*}} depth 1
func.func @one_stage(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 1 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// No stages, no pipeline, no roles (3.1.5, lines 25 and 115: num_stages 0).
// CHECK-LABEL: func.func @no_pipeline
// CHECK-NOT: tile.specialize
// CHECK: scf.for
// CHECK: tile.copy
// CHECK: tile.copy
// CHECK-NOT: tile.specialize
// CHECK: return
func.func @no_pipeline(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 0 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Any integer may count.
// CHECK-LABEL: func.func @i64
// CHECK: tile.role "consumer"
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args({{.*}}) -> (i32, i32) : i64
// CHECK: tile.role "producer"
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args({{.*}}) -> (i32, i32) : i64
// CHECK: arith.index_cast %{{.*}} : i64 to index
func.func @i64(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %e = arith.index_cast %n : index to i64
  scf.for %q = %z to %e step %one : i64 {
    %k = arith.index_cast %q : i64 to index
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// State of the consumers stays with them; what an address is made of is carried by
// both.
// CHECK-LABEL: func.func @carried
// CHECK: tile.role "consumer"
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %c0, %{{.*}} = %c1, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (index, index, i32, i32)
// CHECK: tile.role "producer"
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0, %[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (index, i32, i32)
// CHECK: tile.region %{{.*}}[0, %[[O]]]
// CHECK: tile.commit
// CHECK: %[[S1:.*]], %[[P1:.*]] = tile.advance
// CHECK: memref.load
// CHECK: %[[ON:.*]] = arith.addi %[[O]]
// CHECK: scf.yield %[[ON]], %[[S1]], %[[P1]]
func.func @carried(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%q = %c0, %count = %c1) -> (index, index) {
    %w1 = tile.region %A[0, %q] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %d = memref.load %I[%k] : memref<?xindex>
    %qn = arith.addi %q, %d : index
    %cn = arith.muli %count, %c2 : index
    scf.yield %qn, %cn : index, index
  } {tile.num_stages = 2 : i32}
  %last = tile.region %O[0, %r#1] [64, 64] : !tensor
  tile.copy %F to %last : !frag, !win
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// One producer serves both loops, in their order.
// CHECK-LABEL: func.func @two_loops
// CHECK: %[[C0:.*]] = tile.channel({{.*}}) depth 2
// CHECK: %[[C1:.*]] = tile.channel({{.*}}) depth 3
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: tile.wait %[[C0]]
// CHECK: scf.for
// CHECK: tile.wait %[[C1]]
// CHECK: tile.role "producer"
// CHECK: scf.for
// CHECK: tile.acquire %[[C0]]
// CHECK: scf.for
// CHECK: tile.acquire %[[C1]]
func.func @two_loops(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  scf.for %j = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %j] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 3 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The second loop goes on where the first one ended.
// CHECK-LABEL: func.func @two_loops_one_tile
// CHECK: %[[C:.*]] = tile.channel
// CHECK-NOT: tile.channel
// CHECK: tile.role "consumer"
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1)
// CHECK: tile.role "producer"
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1)
func.func @two_loops_one_tile(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  scf.for %j = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %j] [64, 64] : !tensor
    tile.copy %w2 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A tile of the inner loop, and one of the outer loop read in the inner one: it is
// awaited before the inner loop, also when that has no iteration, and released
// after it.
// CHECK-LABEL: func.func @nested
// CHECK: %[[T:.*]] = tile.channel({{.*}}) depth 2
// CHECK: %[[S:.*]] = tile.channel({{.*}}) depth 2
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: tile.wait %[[T]]
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK: tile.wait %[[S]]
// CHECK: tile.release %[[S]]
// CHECK: }
// CHECK: tile.release %[[T]]
// CHECK: tile.role "producer"
// CHECK: scf.for
// CHECK: tile.acquire %[[T]]
// CHECK: tile.commit %[[T]]
// CHECK: scf.for
// CHECK: tile.acquire %[[S]]
// CHECK: tile.commit %[[S]]
func.func @nested(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    scf.for %j = %c0 to %c2 step %c1 {
      %w2 = tile.region %A[0, %j] [64, 64] : !tensor
      tile.copy %w2 to %T {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
      tile.copy %T to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The producer has no epilogue: it runs ahead into the next tile. Tiles of the
// outer loop have two slots.
// CHECK-LABEL: func.func @persistent
// CHECK: %[[Q:.*]] = tile.channel({{.*}}) depth 2
// CHECK: %[[S:.*]] = tile.channel({{.*}}) depth 3
// CHECK: tile.role "consumer"
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i32)
// CHECK: tile.wait %[[Q]]
// CHECK: scf.for
// CHECK: tile.wait %[[S]]
// CHECK: tile.release %[[S]]
// CHECK: tile.release %[[Q]]
// CHECK: tile.copy %{{.*}} to %{{.*}} : memref<64x64xbf16, #tile.fragment>, !tile.region<64x64xbf16>
// CHECK: tile.role "producer"
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i32)
// CHECK: tile.commit %[[Q]]
// CHECK: scf.for
// CHECK: tile.commit %[[S]]
// CHECK-NOT: #tile.fragment
// CHECK: return
func.func @persistent(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Q = tile.alloc : !tile
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %t = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %t] [64, 64] : !tensor
    tile.copy %w1 to %Q {instr = #tma} : !win, !tile
    scf.for %k = %c0 to %n step %c1 {
      %w2 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w2 to %S {instr = #tma} : !win, !tile
      tile.copy %Q to %F : !tile, !frag
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 3 : i32}
    %e = tile.region %O[0, %t] [64, 64] : !tensor
    tile.copy %F to %e : !frag, !win
  }
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// A while whose condition both roles can compute.
// CHECK-LABEL: func.func @while_pure
// CHECK: tile.role "consumer"
// CHECK: scf.while (%{{.*}} = %c0, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (index, i32, i32) -> (index, i32, i32)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %[[S:.*]], %[[P:.*]] : index, i32, i32
// CHECK: ^bb0(%{{.*}}: index, %[[S:.*]]: i32, %[[P:.*]]: i32)
// CHECK: tile.wait %{{.*}}[%[[S]], %[[P]]]
// CHECK: tile.role "producer"
// CHECK: scf.while
// CHECK: memref.load
// CHECK: scf.condition
// CHECK: tile.acquire
func.func @while_pure(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %r = scf.while (%q = %c0) : (index) -> index {
    %lt = arith.cmpi ult, %q, %n : index
    %h = memref.load %M[%q] : memref<?xi1>
    %go = arith.andi %lt, %h : i1
    scf.condition(%go) %q : index
  } do {
    ^bb0(%k: index):
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %kn = arith.addi %k, %c1 : index
    scf.yield %kn : index
  } attributes {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
