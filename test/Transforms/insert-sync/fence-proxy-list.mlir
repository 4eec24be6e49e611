// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// The 18 cases of "fence_proxy" of the list of a reference system (§3.1.6), numbered
// (F1) to (F18) in its order. There the fence stands before the access through the
// asynchronous proxy; here writers fence, then threads meet.

#shared = #gpu.address_space<workgroup>
!tile = memref<64x64xbf16, #shared>
!ring = memref<2x64x64xbf16, #shared>
!slot = !tile.region<64x64xbf16, #shared>
!window = !tile.region<64x64xbf16>
!tensor = memref<64x64xbf16>
!fragment = memref<64x64xbf16, #tile.fragment>
!acc = memref<64x64xf32, #tile.fragment>

// (F1) Basic: a tile is written, then wgmma reads it.
// CHECK-LABEL: func.func @basic
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
// CHECK-NOT: tile.fence_proxy
// CHECK: return
func.func @basic(%C: !acc, %v: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.fill %S, %v : !tile, bf16
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F2) The asynchronous access is the earlier one: to meet is enough. The write that
// follows is fenced once, for the next product.
// CHECK-LABEL: func.func @async_then_generic
// CHECK: tile.gemm
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: return
func.func @async_then_generic(%C: !acc, %v: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  tile.fill %S, %v : !tile, bf16
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F3) cp.async writes through the generic proxy: a fence after its wait, and then
// the barrier, which a second run finds there.
// CHECK-LABEL: func.func @cp_async_then_wgmma
// CHECK: tile.cp_async_wait pending 0
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func @cp_async_then_wgmma(%A: !tensor, %C: !acc) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.copy %A to %S {async, instr = #tile.instr<cp_async>} : !tensor, !tile
  tile.cp_async_commit
  tile.cp_async_wait pending 0
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F4) A call of something unknown that is given no memory: neutral.
// CHECK-LABEL: func.func @call_without_memory
// CHECK: call @something()
// CHECK-NEXT: tile.gemm
func.func private @something()
func.func @call_without_memory(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  func.call @something() : () -> ()
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F5) One that may write the tile that it is given.
// CHECK-LABEL: func.func @call_with_a_tile
// CHECK: call @anything
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func private @anything(!tile)
func.func @call_with_a_tile(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  func.call @anything(%S) : (!tile) -> ()
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F6) One that stores an element at an address: of the tile that is read, and of
// another one, which leaves the first alone.
// CHECK-LABEL: func.func @element_store
// CHECK: memref.store
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: memref.store
// CHECK-NEXT: tile.gemm
func.func @element_store(%C: !acc, %v: bf16, %i: index) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 8192} : !tile
  memref.store %v, %S[%i, %i] : !tile
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  memref.store %v, %T[%i, %i] : !tile
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F7) After a TMA store stands nothing but its wait; a second store of the tile needs
// no more.
// CHECK-LABEL: func.func @store
// CHECK: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.tma_wait
// CHECK-NEXT: return
func.func @store(%A: !tensor, %B: !tensor, %v: bf16) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %b = tile.region %B[0, 0] [64, 64] : !tensor
  tile.fill %S, %v : !tile, bf16
  tile.copy %S to %a {async, instr = #tile.instr<tma>} : !tile, !window
  tile.copy %S to %b {async, instr = #tile.instr<tma>} : !tile, !window
  return
}

// (F8) wgmma itself is asynchronous: no fence between two.
// CHECK-LABEL: func.func @two_products
// CHECK: tile.gemm
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: return
func.func @two_products(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F9) Operations on mbarriers are neutral: they ask for no fence and are none.
// CHECK-LABEL: func.func @mbarriers
// CHECK-NOT: tile.fence_proxy
// CHECK: tile.gemm
// CHECK: tile.barrier_arrive
// CHECK-NEXT: tile.barrier_wait
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func @mbarriers(%C: !acc, %v: bf16, %p: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %bar = tile.barrier_alloc : !tile.barrier<1>
  %S = tile.alloc {offset = 1024} : !tile
  %T = tile.alloc {offset = 16384} : !tile
  tile.barrier_arrive %bar[%c0] : !tile.barrier<1>
  tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  tile.fill %T, %v : !tile, bf16
  tile.barrier_arrive %bar[%c0] : !tile.barrier<1>
  tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
  tile.gemm %T, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F10) TMA brings what wgmma reads: none needed.
// CHECK-LABEL: func.func @tma_then_wgmma
// CHECK-NOT: tile.fence_proxy
// CHECK: return
func.func @tma_then_wgmma(%A: !tensor, %C: !acc, %n: index, %p: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bar = tile.barrier_alloc : !tile.barrier<1>
  %S = tile.alloc {offset = 1024} : !tile
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %a to %S signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !window, !tile
    tile.barrier_wait %bar[%c0] parity %p : !tile.barrier<1>
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  }
  return
}

// (F11) ldmatrix, which mma.sync reads with, is neutral.
// CHECK-LABEL: func.func @ldmatrix
// CHECK: tile.gemm
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: return
func.func @ldmatrix(%C: !acc) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.gemm %S, %S, %C {instr = #tile.instr<mma>} : (!tile, !tile, !acc)
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F12) stmatrix, which accumulators are stored with, is generic.
// CHECK-LABEL: func.func @stmatrix
// CHECK: tile.copy
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @stmatrix(%F: !fragment, %A: !tensor) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %F to %S {instr = #tile.instr<simt>} : !fragment, !tile
  tile.copy %S to %a {instr = #tile.instr<tma>} : !tile, !window
  return
}

// (F13) Branches merge: one of them has written.
// CHECK-LABEL: func.func @merge
// CHECK: } else {
// CHECK: {{^ *}}}
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
func.func @merge(%C: !acc, %v: bf16, %go: i1, %F: !fragment) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  scf.if %go {
    tile.fill %S, %v : !tile, bf16
  } else {
    tile.copy %S to %F {instr = #tile.instr<simt>} : !tile, !fragment
  }
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// (F14) A branch that only reads asynchronously: all threads take it, so it fences
// inside, and nobody does who does not take it.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: return
func.func @branch(%C: !acc, %v: bf16, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.fill %S, %v : !tile, bf16
  scf.if %go {
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  }
  return
}

// (F15) A loop that only reads asynchronously, in a loop and under a guard: one fence
// before all of it.
// CHECK-LABEL: func.func @loop
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.fence_proxy
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @loop(%C: !acc, %v: bf16, %go: i1, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {offset = 0} : !tile
  tile.fill %S, %v : !tile, bf16
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      scf.if %go {
        tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
      }
    }
  }
  return
}

// (F16) The same of a while loop.
// CHECK-LABEL: func.func @while
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: scf.while
// CHECK-NOT: tile.fence_proxy
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @while(%C: !acc, %v: bf16, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  tile.fill %S, %v : !tile, bf16
  scf.while : () -> () {
    scf.condition(%go)
  } do {
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
    scf.yield
  }
  return
}

// (F17) Carried by a loop: what a round writes at its end, the next one multiplies. The
// first round alone does not move the fence to the front. With two slots in turn
// there is one fence and one barrier a round.
// CHECK-LABEL: func.func @carried
// CHECK: tile.fill
// CHECK: scf.for
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: {{^ *}}}
func.func @carried(%C: !acc, %v: bf16, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc {offset = 0} : !tile
  %R = tile.alloc {offset = 8192} : !ring
  tile.fill %S, %v : !tile, bf16
  scf.for %i = %c0 to %n step %c1 {
    tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
    tile.fill %S, %v : !tile, bf16
  }
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %r = tile.region %R[%s, 0, 0] [1, 64, 64] drop [0] : !ring
    tile.fill %r, %v : !slot, bf16
    tile.gemm %r, %r, %C {instr = #tile.instr<wgmma>} : (!slot, !slot, !acc)
  }
  return
}

// (F18) Loads are neutral: of the tile, and of an element.
// CHECK-LABEL: func.func @loads
// CHECK: memref.load
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: return
func.func @loads(%C: !acc, %F: !fragment, %i: index) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %x = memref.load %S[%i, %i] : !tile
  tile.copy %S to %F {instr = #tile.instr<simt>} : !tile, !fragment
  tile.gemm %S, %S, %C {instr = #tile.instr<wgmma>} : (!tile, !tile, !acc)
  return
}

// After (F1): what one slot of a ring was given does not fence for the other one, and
// a window that is not read needs none.
// CHECK-LABEL: func.func @slots
// CHECK: tile.fill
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: return
func.func @slots(%C: !acc, %v: bf16) attributes {tile.num_threads = 128 : i32} {
  %R = tile.alloc {offset = 0} : !ring
  %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
  %q = tile.region %R[1, 0, 0] [1, 64, 64] drop [0] : !ring
  tile.fill %r, %v : !slot, bf16
  tile.gemm %q, %q, %C {instr = #tile.instr<wgmma>} : (!slot, !slot, !acc)
  return
}
