// A ticket, what an atomic update of a counter found, decides about copies: the producer
// takes it into a tile of its own, and a ring hands it on. Loads of the consumers wait
// for a slot; those of the producer read its own tile.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s | FileCheck %s

#tma = #tile.instr<tma>
!ticket = memref<1xi32, #gpu.address_space<workgroup>>
!tile = memref<64x64xbf16, #gpu.address_space<workgroup>>
!frag = memref<64x64xbf16, #tile.fragment>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>

// CHECK-LABEL: func.func @taken
// CHECK: %[[RING:.*]] = tile.alloc : memref<2x1xi32, {{.*}}>
// CHECK: %[[T:.*]] = tile.channel(%[[RING]]) depth 2 {consumer_warps = 4 : i64, simt_threads = 32 : i64}
// CHECK: %[[OWN:.*]] = tile.alloc : memref<1xi32, {{.*}}>
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.atomic
// CHECK: tile.wait %[[T]]
// CHECK: memref.load %[[RING]]
// CHECK: scf.condition
// CHECK: memref.load %[[RING]]
// CHECK: tile.release %[[T]]
// CHECK: tile.role "producer" warps 1
// CHECK: tile.acquire %[[T]]
// CHECK: tile.atomic add %{{.*}} to %{{.*}} old %[[OWN]]
// CHECK: %[[SLOT:.*]] = tile.region %[[RING]]
// CHECK: tile.copy %[[OWN]] to %[[SLOT]] {instr = #tile.instr<simt>}
// CHECK: tile.commit %[[T]]
// CHECK: memref.load %[[OWN]]
// CHECK: scf.condition
// CHECK: memref.load %[[OWN]]
func.func @taken(%A: !tensor, %O: !tensor, %next: memref<1xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %T = tile.alloc : !ticket
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.while : () -> () {
    tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
    %t = memref.load %T[%c0] : !ticket
    %i = arith.index_cast %t : i32 to index
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more)
  } do {
    %t = memref.load %T[%c0] : !ticket
    %i = arith.index_cast %t : i32 to index
    scf.for %k = %c0 to %n step %c1 {
      %w = tile.region %A[%i, %k] [64, 64] : !tensor
      tile.copy %w to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
    %o = tile.region %O[%i, 0] [64, 64] : !tensor
    tile.copy %F to %o {instr = #tile.instr<simt>} : !frag, !win
    scf.yield
  }
  return
}

// An update that orders what blocks do is for all warps, so it stays with those that
// compute, and so does what depends on it; a counter that somebody reads as well.
// CHECK-LABEL: func.func @orders
// CHECK-NOT: tile.specialize
// CHECK-LABEL: func.func @is_read
// CHECK-NOT: tile.specialize
func.func @orders(%A: !tensor, %next: memref<1xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %T = tile.alloc : !ticket
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  tile.atomic add %one to %next old %T {order = #tile.order<acq_rel>} : i32, memref<1xi32>, !ticket
  %t = memref.load %T[%c0] : !ticket
  %i = arith.index_cast %t : i32 to index
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[%i, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

func.func @is_read(%A: !tensor, %next: memref<1xi32>, %out: memref<1xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %T = tile.alloc : !ticket
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
  %t = memref.load %T[%c0] : !ticket
  %i = arith.index_cast %t : i32 to index
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[%i, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  %last = memref.load %next[%c0] : memref<1xi32>
  memref.store %last, %out[%c0] : memref<1xi32>
  return
}

// A ticket that decides about no copy stays where it is.
// CHECK-LABEL: func.func @not_asked
// CHECK: tile.role "consumer"
// CHECK: tile.atomic
// CHECK: tile.role "producer"
// CHECK-NOT: tile.atomic
func.func @not_asked(%A: !tensor, %next: memref<1xi32>, %out: memref<1xi32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %T = tile.alloc : !ticket
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[%c0, %k] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
  %t = memref.load %T[%c0] : !ticket
  memref.store %t, %out[%c0] : memref<1xi32>
  return
}

// What copies fill in the condition of a while is waited for there, and given back in
// the body, or after the loop.
// CHECK-LABEL: func.func @in_condition
// CHECK: tile.role "consumer"
// CHECK: scf.while
// CHECK: tile.wait %[[C:[0-9]+]]
// CHECK: scf.condition
// CHECK: tile.copy
// CHECK: tile.release %[[C]]
// CHECK: scf.yield
// CHECK: tile.release %[[C]]
// CHECK: tile.role "producer"
// CHECK: scf.while
// CHECK: tile.acquire
// CHECK: tile.commit
// CHECK: scf.condition
func.func @in_condition(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %P = tile.alloc : !tile
  %F = tile.alloc : !frag
  %r = scf.while (%q = %c0) : (index) -> index {
    %w = tile.region %A[0, %q] [64, 64] : !tensor
    tile.copy %w to %S {instr = #tma} : !win, !tile
    tile.copy %S to %F : !tile, !frag
    %go = arith.cmpi ult, %q, %n : index
    scf.condition(%go) %q : index
  } do {
  ^bb0(%j: index):
    tile.copy %S to %F : !tile, !frag
    %jn = arith.addi %j, %c1 : index
    scf.yield %jn : index
  }
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %w to %P {instr = #tma} : !win, !tile
    tile.copy %P to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}
