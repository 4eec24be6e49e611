// What stays as it is, and why: one remark per copy, one per loop that nothing is
// left of. Other tiles are taken all the same.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics -o /dev/null

#smem = #gpu.address_space<workgroup>
#tma = #tile.instr<tma>
#cp_async = #tile.instr<cp_async>
#simt = #tile.instr<simt>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The tile T is taken, S stays.
func.func @consumer_write(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/consumer-write] the computing warps keep this copy: an op other than a copy from global memory writes the tile too; write another tile}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    // expected-note @+1 {{it is written here}}
    tile.copy %F to %S : !frag, !tile
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// What the kernel writes cannot be read ahead.
func.func @source_written(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %O[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/source-written] the computing warps keep this copy: the kernel may write what is copied; write another tensor; arguments marked tile.may_alias count as one}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %e = tile.region %O[0, %k] [64, 64] : !tensor
    // expected-note @+1 {{it is written here}}
    tile.copy %F to %e : !frag, !win
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Printing takes a tile, no window.
func.func @unsupported_use(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/unsupported-use] the computing warps keep this copy: the tile is used in a way that has no form on a slot of a ring}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
    // expected-note @+1 {{it is used here}}
    tile.print "tile"(%S : !tile)
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @foreign_control(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    // expected-remark @+2 {{[tile-ws/foreign-control] the computing warps keep this copy: the tile is filled inside control flow other than scf.for, scf.if and scf.while; use one of these}}
    // expected-note @+1 {{it is filled in this op}}
    scf.execute_region {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      scf.yield
    }
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @address_consumer_data(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %P = tile.alloc : memref<64xi32, #smem>
  %seven = arith.constant 7 : i32
  // expected-note @+1 {{it depends on this}}
  %old = memref.atomic_rmw addi %seven, %P[%c0] : (i32, memref<64xi32, #smem>) -> i32
  scf.for %k = %c0 to %n step %c1 {
    %h0 = memref.load %P[%c0] : memref<64xi32, #smem>
    %f0 = arith.index_cast %h0 : i32 to index
    %w1 = tile.region %A[0, %f0] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/address-consumer-data] the computing warps keep this copy: the address of the copy depends on what the computing warps make; read it from global memory that the kernel does not write}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @address_written_global(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  memref.store %n, %I[%c0] : memref<?xindex>
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it is read here}}
    %f0 = memref.load %I[%c0] : memref<?xindex>
    %w1 = tile.region %A[0, %f0] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/address-written-global] the computing warps keep this copy: the address of the copy depends on a tensor that the kernel may write}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @address_side_effect(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %seven = arith.constant 7 : i32
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it depends on this}}
    %h0 = memref.atomic_rmw addi %seven, %J[%c0] : (i32, memref<?xi32>) -> i32
    %f0 = arith.index_cast %h0 : i32 to index
    %w1 = tile.region %A[0, %f0] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/address-side-effect] the computing warps keep this copy: the address of the copy depends on an op that cannot be executed twice; do it before the launch}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @guard_consumer_data(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %P = tile.alloc : memref<64xi32, #smem>
  %seven = arith.constant 7 : i32
  // expected-note @+1 {{it depends on this}}
  %old = memref.atomic_rmw addi %seven, %P[%c0] : (i32, memref<64xi32, #smem>) -> i32
  scf.for %k = %c0 to %n step %c1 {
    %h0 = memref.load %P[%c0] : memref<64xi32, #smem>
    %f0 = arith.index_cast %h0 : i32 to index
    %g = arith.cmpi ult, %f0, %n : index
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/guard-consumer-data] the computing warps keep this copy: a condition around the copy depends on what the computing warps make; read it from global memory that the kernel does not write}}
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @guard_written_global(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  memref.store %n, %I[%c0] : memref<?xindex>
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it is read here}}
    %f0 = memref.load %I[%c0] : memref<?xindex>
    %g = arith.cmpi ult, %f0, %n : index
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/guard-written-global] the computing warps keep this copy: a condition around the copy depends on a tensor that the kernel may write}}
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @guard_side_effect(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %seven = arith.constant 7 : i32
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it depends on this}}
    %h0 = memref.atomic_rmw addi %seven, %J[%c0] : (i32, memref<?xi32>) -> i32
    %f0 = arith.index_cast %h0 : i32 to index
    %g = arith.cmpi ult, %f0, %n : index
    scf.if %g {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/guard-side-effect] the computing warps keep this copy: a condition around the copy depends on an op that cannot be executed twice; do it before the launch}}
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @bound_consumer_data(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %P = tile.alloc : memref<64xi32, #smem>
  %seven = arith.constant 7 : i32
  // expected-note @+1 {{it depends on this}}
  %old = memref.atomic_rmw addi %seven, %P[%c0] : (i32, memref<64xi32, #smem>) -> i32
  scf.for %k = %c0 to %n step %c1 {
    %h0 = memref.load %P[%c0] : memref<64xi32, #smem>
    %f0 = arith.index_cast %h0 : i32 to index
    scf.for %j = %c0 to %f0 step %c1 {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/bound-consumer-data] the computing warps keep this copy: a bound of a loop around the copy depends on what the computing warps make; read it from global memory that the kernel does not write}}
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @bound_written_global(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  memref.store %n, %I[%c0] : memref<?xindex>
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it is read here}}
    %f0 = memref.load %I[%c0] : memref<?xindex>
    scf.for %j = %c0 to %f0 step %c1 {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/bound-written-global] the computing warps keep this copy: a bound of a loop around the copy depends on a tensor that the kernel may write}}
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @bound_side_effect(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %seven = arith.constant 7 : i32
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it depends on this}}
    %h0 = memref.atomic_rmw addi %seven, %J[%c0] : (i32, memref<?xi32>) -> i32
    %f0 = arith.index_cast %h0 : i32 to index
    scf.for %j = %c0 to %f0 step %c1 {
      %w1 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/bound-side-effect] the computing warps keep this copy: a bound of a loop around the copy depends on an op that cannot be executed twice; do it before the launch}}
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    }
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @while_consumer_data(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %P = tile.alloc : memref<64xi32, #smem>
  %seven = arith.constant 7 : i32
  // expected-note @+1 {{it depends on this}}
  %old = memref.atomic_rmw addi %seven, %P[%c0] : (i32, memref<64xi32, #smem>) -> i32
  // expected-remark @+1 {{[tile-ws/nothing-left] this loop runs without roles: none of its copies can move to a producer; see the remarks on the copies}}
  %r = scf.while (%q = %c0) : (index) -> index {
    %h0 = memref.load %P[%c0] : memref<64xi32, #smem>
    %f0 = arith.index_cast %h0 : i32 to index
    %go = arith.cmpi ult, %q, %f0 : index
    scf.condition(%go) %q : index
  } do {
    ^bb0(%k: index):
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/while-consumer-data] the computing warps keep this copy: the condition of a while around the copy depends on what the computing warps make; read it from global memory that the kernel does not write}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %kn = arith.addi %k, %c1 : index
    scf.yield %kn : index
  } attributes {tile.num_stages = 2 : i32}
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @while_written_global(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  memref.store %n, %I[%c0] : memref<?xindex>
  // expected-remark @+1 {{[tile-ws/nothing-left] this loop runs without roles: none of its copies can move to a producer; see the remarks on the copies}}
  %r = scf.while (%q = %c0) : (index) -> index {
    // expected-note @+1 {{it is read here}}
    %f0 = memref.load %I[%c0] : memref<?xindex>
    %go = arith.cmpi ult, %q, %f0 : index
    scf.condition(%go) %q : index
  } do {
    ^bb0(%k: index):
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/while-written-global] the computing warps keep this copy: the condition of a while around the copy depends on a tensor that the kernel may write}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %kn = arith.addi %k, %c1 : index
    scf.yield %kn : index
  } attributes {tile.num_stages = 2 : i32}
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @while_side_effect(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %seven = arith.constant 7 : i32
  // expected-remark @+1 {{[tile-ws/nothing-left] this loop runs without roles: none of its copies can move to a producer; see the remarks on the copies}}
  %r = scf.while (%q = %c0) : (index) -> index {
    // expected-note @+1 {{it depends on this}}
    %h0 = memref.atomic_rmw addi %seven, %J[%c0] : (i32, memref<?xi32>) -> i32
    %f0 = arith.index_cast %h0 : i32 to index
    %go = arith.cmpi ult, %q, %f0 : index
    scf.condition(%go) %q : index
  } do {
    ^bb0(%k: index):
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/while-side-effect] the computing warps keep this copy: the condition of a while around the copy depends on an op that cannot be executed twice; do it before the launch}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %kn = arith.addi %k, %c1 : index
    scf.yield %kn : index
  } attributes {tile.num_stages = 2 : i32}
  scf.for %k = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Where the guard is false S keeps what an earlier iteration copied.
func.func @partial_by_branch(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %T {instr = #tma} : !win, !tile
    %g = memref.load %M[%k] : memref<?xi1>
    scf.if %g {
      %w2 = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/partial-fill] the computing warps keep this copy: a part of what is read is not filled by the same run of copies; copy the whole tile at once, or use two tiles}}
      tile.copy %w2 to %S {instr = #tma} : !win, !tile
    }
    // expected-note @+1 {{it is read here}}
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The second copy may not happen.
func.func @stale_read(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/stale-read] the computing warps keep this copy: what is read after the branch may be older than the copy in it; copy in both branches, or read under the same condition}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %g = memref.load %M[%k] : memref<?xi1>
    // expected-note @+1 {{on one path through this op the tile keeps what it held}}
    scf.if %g {
      %w2 = tile.region %A[0, %c0] [64, 64] : !tensor
      tile.copy %w2 to %S {instr = #tma} : !win, !tile
    }
    tile.copy %S to %F : !tile, !frag
    %w3 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w3 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The other half is from before the loop.
func.func @half_refilled(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  %w1 = tile.region %A[0, %c0] [64, 64] : !tensor
  tile.copy %w1 to %S {instr = #tma} : !win, !tile
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [32, 64] : !tensor
    %lo = tile.region %S[0, 0] [32, 64] : !tile
    // expected-remark @+1 {{[tile-ws/partial-fill] the computing warps keep this copy: a part of what is read is not filled by the same run of copies}}
    tile.copy %a to %lo {instr = #tma} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #smem>
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    // expected-note @+1 {{it is read here}}
    tile.copy %S to %F : !tile, !frag
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// The first iteration reads what nobody copied.
func.func @no_fill_on_path(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it is read here}}
    tile.copy %S to %F : !tile, !frag
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/no-fill-on-path] the computing warps keep this copy: the tile is read on a path that does not fill it; copy before every read}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    %w2 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @too_many_stages(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/nothing-left] this loop runs without roles: none of its copies can move to a producer; see the remarks on the copies}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-remark @+2 {{[tile-ws/too-many-stages] the computing warps keep this copy: the ring would be too long: 65 slots, at most 64; ask for fewer stages}}
    // expected-note @+1 {{it is filled here}}
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 65 : i32}
  scf.for %j = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %j] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// cp.async keeps the multistage form.
func.func @no_candidate(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/no-candidate] this loop runs without roles: it holds no copy that TMA can do; tile-instruction-annotation says why; tile.specialize = "required" takes cp.async as well}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #cp_async} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// Threads load and store this one themselves.
func.func @no_async(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/no-async] this loop runs without roles: it holds no copy that TMA or cp.async can do; tile-instruction-annotation says why}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #simt} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// There is nothing that a producer could do.
func.func @no_tile(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/no-tile] this loop runs without roles: it fills no shared tile from a tensor; what it copies to a shared tile a producer can copy ahead}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %F {instr = #simt} : !win, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// A loop around one that has roles fills nothing itself: no remark.
func.func @nest(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %g = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %w1 = tile.region %A[%g, %k] [64, 64] : !tensor
      tile.copy %w1 to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
  } {tile.num_stages = 2 : i32}
  return
}

// Another loop is no matter.
func.func @no_candidate_beside(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/no-candidate] this loop runs without roles: it holds no copy that TMA can do}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #cp_async} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  scf.for %j = %c0 to %n step %c1 {
    %w2 = tile.region %A[0, %j] [64, 64] : !tensor
    tile.copy %w2 to %T {instr = #tma} : !win, !tile
    tile.copy %T to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @user_sync(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/user-sync] this loop runs without roles: the kernel synchronises its threads itself, or asks for them; leave both to the compiler, or write tile.specialize yourself}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    // expected-note @+1 {{this op does}}
    gpu.barrier
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @too_many_threads(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 1024 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/too-many-threads] this loop runs without roles: the block would have more threads than the chip allows with a producer: 1056 threads, at most 1024; use fewer computing threads}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

func.func @kernel_results(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) -> index attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-remark @+1 {{[tile-ws/kernel-results] this loop runs without roles: the kernel returns values; write them to memory}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  // expected-note @+1 {{they are returned here}}
  return %n : index
}

// 384 threads have 168 registers, 416 have 128, as 512 do; 256 columns of f32 take 154.
func.func @too_few_registers(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 384 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %B = tile.alloc : memref<64x256xbf16, #smem>
  %acc = tile.alloc : memref<64x256xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-ws/too-few-registers] this loop runs without roles: with a producer the launch would give its threads fewer registers than one product takes: 154 registers per thread, at most 128; use fewer computing threads, or a tile of fewer columns}}
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.gemm %S, %B, %acc {instr = #tile.instr<wgmma>} : (!tile, memref<64x256xbf16, #smem>, memref<64x256xf32, #tile.fragment>)
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}

// 256 KiB outside the loop.
func.func @shared_memory(%A: !tensor, %O: !tensor, %M: memref<?xi1>, %I: memref<?xindex>, %J: memref<?xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  %B = tile.alloc : memref<512x256xbf16, #smem>
  %b = tile.region %A[0, 0] [512, 256] : !tensor
  // expected-remark @+1 {{[tile-ws/shared-memory] the computing warps keep this copy: the rings of all tiles do not fit: 280576 bytes, at most 232448; ask for fewer stages; what the computing warps keep may share bytes with tiles that live at other times}}
  tile.copy %b to %B {instr = #tma} : !tile.region<512x256xbf16>, memref<512x256xbf16, #smem>
  %p = tile.region %B[0, 0] [64, 64] : memref<512x256xbf16, #smem>
  tile.copy %p to %F : !tile.region<64x64xbf16, #smem>, !frag
  scf.for %k = %c0 to %n step %c1 {
    %w1 = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w1 to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %o = tile.region %O[0, 0] [64, 64] : !tensor
  tile.copy %F to %o : !frag, !win
  return
}
