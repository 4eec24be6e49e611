// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: %tile_opt_passes 'tile-insert-sync{target=sm_80}' %s | FileCheck %s --check-prefix=AMPERE

// Accesses whose elements are the same threads' need no barrier.

#shared = #gpu.address_space<workgroup>
#linear = #tile.layout<"linear">
#rows = #tile.layout<"bases<reg=(d1:1*4), lane=(d1:4*16, d0:1*2), warp=(d0:2*2) -> d0:4, d1:64>">
#columns = #tile.layout<"bases<reg=(d1:1*4), lane=(d0:1*4, d1:4*8), warp=(d1:32*2) -> d0:4, d1:64>">
#copies = #tile.layout<"bases<reg=(d1:1*4), lane=(d1:4*16, d0:1*2), warp=(0*2) -> d0:2, d1:64>">
!tile = memref<16x64xf32, #shared>
!tensor = memref<16x64xf32>
!window = !tile.region<16x64xf32>
!quarter = memref<4x64xf32, #shared>
!frag = memref<4x64xf32, #tile.fragment>

// Both deal chunks of four elements; that they do is written down.
// CHECK-LABEL: func.func @chunks
// CHECK: tile.fill {{.*}} {tile.chunk = 4 : i64}
// CHECK-NEXT: tile.copy {{.*}} {instr = #tile.instr<simt>, tile.chunk = 4 : i64}
func.func @chunks(%A: !tensor, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %a = tile.region %A[0, 0] [16, 64] {align = 16} : !tensor
  %S = tile.alloc {layout = #linear} : !tile
  tile.fill %S, %x : !tile, f32
  tile.copy %S to %a {instr = #tile.instr<simt>} : !tile, !window
  return
}

// A copy of narrower chunks; one that looks at run time how wide they may be; one of
// unaligned elements.
// CHECK-LABEL: func.func @other_chunks
// CHECK: tile.fill
// CHECK-NOT: tile.chunk
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @other_chunks(%A: !tensor, %D: memref<?x?xf32>, %O: memref<16x66xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %a = tile.region %A[0, 0] [16, 64] {align = 16} : !tensor
  %d = tile.region %D[0, 0] [16, 64] : memref<?x?xf32>
  %o = tile.region %O[0, 1] [16, 64] {align = 16} : memref<16x66xf32>
  %S = tile.alloc {layout = #linear, offset = 0} : !tile
  %T = tile.alloc {layout = #linear, offset = 4096} : !tile
  %U = tile.alloc {layout = #linear, offset = 8192} : !tile
  tile.fill %S, %x : !tile, f32
  tile.copy %S to %a {instr = #tile.instr<simt>, vector_width = 2} : !tile, !window
  tile.fill %T, %x : !tile, f32
  tile.copy %T to %d {instr = #tile.instr<simt>} : !tile, !window
  tile.fill %U, %x : !tile, f32
  tile.copy %U to %o {instr = #tile.instr<simt>} : !tile, !window
  return
}

// Eight rows are 128 chunks: the second half begins with the first thread again. Four
// rows are not.
// CHECK-LABEL: func.func @shifted
// CHECK: tile.fill
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @shifted(%A: !tensor, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %a = tile.region %A[0, 0] [8, 64] {align = 16} : !tensor
  %b = tile.region %A[8, 0] [8, 64] {align = 16} : !tensor
  %S = tile.alloc {layout = #linear} : !tile
  %s = tile.region %S[8, 0] [8, 64] : !tile
  %t = tile.region %S[4, 0] [8, 64] : !tile
  tile.fill %S, %x : !tile, f32
  tile.copy %s to %a {instr = #tile.instr<simt>} : !tile.region<8x64xf32, #shared>, !tile.region<8x64xf32>
  tile.copy %t to %b {instr = #tile.instr<simt>} : !tile.region<8x64xf32, #shared>, !tile.region<8x64xf32>
  return
}

// Tiles without a layout are still to get one.
// CHECK-LABEL: func.func @no_layout
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @no_layout(%A: !tensor, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %a = tile.region %A[0, 0] [16, 64] {align = 16} : !tensor
  %S = tile.alloc : !tile
  tile.fill %S, %x : !tile, f32
  tile.copy %S to %a {instr = #tile.instr<simt>} : !tile, !window
  return
}

// Two fragments of one layout; one of another.
// CHECK-LABEL: func.func @fragments
// CHECK: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @fragments() attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc {layout = #linear} : !quarter
  %f = tile.alloc {layout = #rows} : !frag
  %g = tile.alloc {layout = #rows} : !frag
  %h = tile.alloc {layout = #columns} : !frag
  tile.copy %f to %S {instr = #tile.instr<simt>} : !frag, !quarter
  tile.copy %S to %g {instr = #tile.instr<simt>} : !quarter, !frag
  tile.copy %S to %h {instr = #tile.instr<simt>} : !quarter, !frag
  return
}

// Chunks that lie as the registers do.
// CHECK-LABEL: func.func @chunks_and_fragment
// CHECK: tile.fill {{.*}} {tile.chunk = 4 : i64}
// CHECK-NEXT: tile.copy
func.func @chunks_and_fragment(%x: f32) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc {layout = #linear} : !quarter
  %f = tile.alloc {layout = #rows} : !frag
  tile.fill %S, %x : !quarter, f32
  tile.copy %S to %f {instr = #tile.instr<simt>} : !quarter, !frag
  return
}

// Both warps hold the elements: the first one stores, and both load.
// CHECK-LABEL: func.func @several_holders
// CHECK: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @several_holders() attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc {layout = #linear} : memref<2x64xf32, #shared>
  %f = tile.alloc {layout = #copies} : memref<2x64xf32, #tile.fragment>
  tile.copy %f to %S {instr = #tile.instr<simt>} : memref<2x64xf32, #tile.fragment>, memref<2x64xf32, #shared>
  tile.copy %f to %S {instr = #tile.instr<simt>} : memref<2x64xf32, #tile.fragment>, memref<2x64xf32, #shared>
  tile.copy %S to %f {instr = #tile.instr<simt>} : memref<2x64xf32, #shared>, memref<2x64xf32, #tile.fragment>
  return
}

// stmatrix writes what other lanes hold; sm_80 has none.
// CHECK-LABEL: func.func @matrices
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// AMPERE-LABEL: func.func @matrices
// AMPERE: tile.copy
// AMPERE-NEXT: tile.copy
func.func @matrices() attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #linear} : memref<64x64xf16, #shared>
  %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf16, #tile.fragment>
  tile.copy %f to %S {instr = #tile.instr<simt>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>
  tile.copy %S to %f {instr = #tile.instr<simt>} : memref<64x64xf16, #shared>, memref<64x64xf16, #tile.fragment>
  return
}

// Windows of a fragment hold what the fragment does; one at an unknown place may hold
// anything.
// CHECK-LABEL: func.func @windows_of_fragments
// CHECK: tile.copy
// CHECK-NEXT: tile.copy
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @windows_of_fragments(%i: index) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc {layout = #linear} : !quarter
  %f = tile.alloc {layout = #rows} : !frag
  %s = tile.region %S[0, 32] [4, 32] : !quarter
  %g = tile.region %f[0, 32] [4, 32] : !frag
  tile.copy %f to %S {instr = #tile.instr<simt>} : !frag, !quarter
  tile.copy %s to %g {instr = #tile.instr<simt>} : !tile.region<4x32xf32, #shared>, !tile.region<4x32xf32, #tile.fragment>
  %h = tile.region %f[0, %i] [4, 32] : !frag
  tile.copy %s to %h {instr = #tile.instr<simt>} : !tile.region<4x32xf32, #shared>, !tile.region<4x32xf32, #tile.fragment>
  return
}

// An element loop reads its own elements; its neighbours; with the indices exchanged.
// CHECK-LABEL: func.func @loops
// CHECK: tile.copy
// CHECK-NEXT: tile.parallel
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.parallel
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.parallel
func.func @loops() attributes {tile.num_threads = 64 : i32} {
  %c1 = arith.constant 1 : index
  %S = tile.alloc {layout = #linear, offset = 0} : !quarter
  %T = tile.alloc {layout = #linear, offset = 1024} : !quarter
  %f = tile.alloc {layout = #rows} : !frag
  tile.copy %f to %S {instr = #tile.instr<simt>} : !frag, !quarter
  tile.parallel (%i, %j) in [4, 64] {
    %v = memref.load %S[%i, %j] : !quarter
    memref.store %v, %f[%i, %j] : !frag
  } {layout = #rows}
  tile.parallel (%i, %j) in [4, 64] {
    %k = arith.xori %j, %c1 : index
    %v = memref.load %S[%i, %k] : !quarter
    memref.store %v, %f[%i, %j] : !frag
  } {layout = #rows}
  tile.copy %f to %T {instr = #tile.instr<simt>} : !frag, !quarter
  tile.parallel (%j, %i) in [64, 4] {
    %v = memref.load %T[%i, %j] : !quarter
    %w = arith.addf %v, %v : f32
  } {layout = #tile.layout<"bases<reg=(d1:1*4), lane=(d0:1*32), warp=(d0:32*2) -> d0:64, d1:4>">}
  return
}

// A slot that nothing is known of is the one of before, or another one.
// CHECK-LABEL: func.func @slots
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @slots(%n: index, %next: memref<?xi32>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %R = tile.alloc {layout = #linear} : memref<3x4x64xf32, #shared>
  %f = tile.alloc {layout = #rows} : !frag
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %next[%i] : memref<?xi32>
    %s = arith.index_cast %x : i32 to index
    %r = tile.region %R[%s, 0, 0] [1, 4, 64] drop [0] : memref<3x4x64xf32, #shared>
    tile.copy %f to %r {instr = #tile.instr<simt>} : !frag, !tile.region<4x64xf32, #shared>
    tile.copy %r to %f {instr = #tile.instr<simt>} : !tile.region<4x64xf32, #shared>, !frag
  }
  return
}

// Rows from an unknown one on may be half of those of before.
// CHECK-LABEL: func.func @unknown_rows
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @unknown_rows(%n: index, %next: memref<?xi32>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {layout = #linear} : !tile
  %f = tile.alloc {layout = #rows} : !frag
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %next[%i] : memref<?xi32>
    %s = arith.index_cast %x : i32 to index
    %r = tile.region %S[%s, 0] [4, 64] : !tile
    tile.copy %f to %r {instr = #tile.instr<simt>} : !frag, !tile.region<4x64xf32, #shared>
  }
  return
}

// Threads of a role are those of the block with other numbers: the first role's are
// the same, the second one's are not.
// CHECK-LABEL: func.func @roles
// CHECK: tile.specialize
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @roles(%A: !tensor, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %a = tile.region %A[0, 0] [4, 64] {align = 16} : !tensor
  %b = tile.region %A[4, 0] [4, 64] {align = 16} : !tensor
  %S = tile.alloc {layout = #linear, offset = 0} : !quarter
  %T = tile.alloc {layout = #linear, offset = 1024} : !quarter
  tile.specialize {
    tile.role "low" warps 2 {
      tile.fill %S, %x : !quarter, f32
    }
    tile.role "high" warps 2 {
      tile.fill %T, %x : !quarter, f32
    }
  }
  tile.copy %S to %a {instr = #tile.instr<simt>} : !quarter, !tile.region<4x64xf32>
  tile.copy %T to %b {instr = #tile.instr<simt>} : !quarter, !tile.region<4x64xf32>
  return
}

// One thread stores both; all of them load.
// CHECK-LABEL: func.func @leader
// CHECK: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.load
func.func @leader(%A: memref<4xf32>, %x: f32, %i: index) -> f32 attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  memref.store %x, %A[%c0] : memref<4xf32>
  memref.store %x, %A[%i] : memref<4xf32>
  %y = memref.load %A[%c0] : memref<4xf32>
  return %y : f32
}

// cp.async of chunks that the same thread stores: neither after its wait nor before
// the next copy do threads meet.
// CHECK-LABEL: func.func @groups
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @groups(%A: memref<64x64xf32>, %B: memref<64x64xf32>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %R = tile.alloc {layout = #linear} : memref<2x4x64xf32, #shared>
  scf.for %i = %c0 to %c64 step %c4 iter_args(%s = %c0) -> (index) {
    %a = tile.region %A[%i, 0] [4, 64] {align = 16} : memref<64x64xf32>
    %b = tile.region %B[%i, 0] [4, 64] {align = 16} : memref<64x64xf32>
    %r = tile.region %R[%s, 0, 0] [1, 4, 64] drop [0] : memref<2x4x64xf32, #shared>
    tile.copy %a to %r {async, instr = #tile.instr<cp_async>} : !tile.region<4x64xf32>, !tile.region<4x64xf32, #shared>
    tile.cp_async_commit
    tile.cp_async_wait pending 0
    tile.copy %r to %b {instr = #tile.instr<simt>} : !tile.region<4x64xf32, #shared>, !tile.region<4x64xf32>
    %next = arith.subi %c1, %s : index
    scf.yield %next : index
  }
  return
}

// A loop with a round is not passed by: what it has ordered is ordered after it.
// CHECK-LABEL: func.func @one_round
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: }
// CHECK-NEXT: tile.copy
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @one_round(%x: f32, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %S = tile.alloc {layout = #linear, offset = 0} : !quarter
  %T = tile.alloc {layout = #linear, offset = 1024} : !quarter
  %h = tile.alloc {layout = #columns} : !frag
  tile.fill %S, %x : !quarter, f32
  tile.fill %T, %x : !quarter, f32
  scf.for %i = %c0 to %c3 step %c1 {
    tile.barrier_sync
  }
  tile.copy %S to %h {instr = #tile.instr<simt>} : !quarter, !frag
  tile.fill %S, %x : !quarter, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.barrier_sync
  }
  tile.copy %S to %h {instr = #tile.instr<simt>} : !quarter, !frag
  return
}

// What is found out at run time, how wide the chunks of a tensor are, is the same in
// every round, but not of another copy, or from another column on.
// CHECK-LABEL: func.func @rounds
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.fill {{.*}}
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @rounds(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %x: f32, %n: index, %next: memref<?xi32>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = memref.load %next[%i] : memref<?xi32>
    %s = arith.index_cast %r : i32 to index
    %t = arith.muli %s, %c4 : index
    %a = tile.region %A[%t, 0] [4, 64] : memref<?x?xf32>
    tile.fill %a, %x : !tile.region<4x64xf32>, f32
  }
  scf.for %i = %c0 to %n step %c1 {
    %r = memref.load %next[%i] : memref<?xi32>
    %s = arith.index_cast %r : i32 to index
    %t = arith.muli %s, %c64 : index
    %a = tile.region %A[0, %t] [4, 64] : memref<?x?xf32>
    tile.fill %a, %x : !tile.region<4x64xf32>, f32
    %b = tile.region %B[0, 0] [4, 64] : memref<?x?xf32>
    tile.fill %b, %x : !tile.region<4x64xf32>, f32
    tile.fill %b, %x : !tile.region<4x64xf32>, f32
  }
  return
}

// A register and the last bit of the lane move the same digit of the element, which
// changes nothing for who holds it: %f and %g have the same two elements in a thread.
// CHECK-LABEL: func.func @toggled_registers
// CHECK: tile.copy
// CHECK-NEXT: tile.copy
func.func @toggled_registers(%x: f32) attributes {tile.num_threads = 32 : i32} {
  %S = tile.alloc {layout = #linear} : memref<64xf32, #shared>
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d0:32), lane=(d0:1*16, d0:16^d0:32), warp=() -> d0:64>">} : memref<64xf32, #tile.fragment>
  %g = tile.alloc {layout = #tile.layout<"bases<reg=(d0:32), lane=(d0:1*32), warp=() -> d0:64>">} : memref<64xf32, #tile.fragment>
  tile.fill %f, %x : memref<64xf32, #tile.fragment>, f32
  tile.copy %f to %S {instr = #tile.instr<simt>} : memref<64xf32, #tile.fragment>, memref<64xf32, #shared>
  tile.copy %S to %g {instr = #tile.instr<simt>} : memref<64xf32, #shared>, memref<64xf32, #tile.fragment>
  return
}
