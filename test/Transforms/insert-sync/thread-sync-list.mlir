// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// The 20 cases of "thread_sync" of the list of a reference system (§3.1.6), numbered
// (T1) to (T20) in its order. There a program says what each thread does. Here a tile
// op is the work of all threads, and no guard beside tile ops names a thread: each
// comment says which situation takes the place of the case.

#shared = #gpu.address_space<workgroup>
!tile = memref<64x64xbf16, #shared>
!ring = memref<2x64x64xbf16, #shared>
!slot = !tile.region<64x64xbf16, #shared>
!half = !tile.region<32x64xbf16, #shared>
!private = memref<64x64xbf16, #gpu.address_space<private>>
!own_half = memref<32x64xbf16, #gpu.address_space<private>>
!counts = memref<64xi32, #shared>
!flags = memref<8xi1, #shared>

// (T1) No barrier between atomic additions, of one loop or of two.
// CHECK-LABEL: func.func @atomic_additions
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @atomic_additions(%n: index, %one: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {offset = 0} : !counts
  scf.for %i = %c0 to %n step %c1 {
    tile.atomic add %one to %S : i32, !counts
  }
  tile.atomic add %one to %S : i32, !counts
  return
}

// (T2) An offset of 64 bits: the window is found through the conversion. Halves that
// begin at 32 * k and 32 * k + 32 have nothing in common.
// CHECK-LABEL: func.func @offset_of_64_bits
// CHECK: tile.fill
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @offset_of_64_bits(%k: i64, %v: bf16, %P: !own_half) attributes {tile.num_threads = 128 : i32} {
  %c32 = arith.constant 32 : i64
  %S = tile.alloc {offset = 0} : memref<96x64xbf16, #shared>
  %x = arith.muli %k, %c32 : i64
  %y = arith.addi %x, %c32 : i64
  %i = arith.index_cast %x : i64 to index
  %j = arith.index_cast %y : i64 to index
  %s = tile.region %S[%i, 0] [32, 64] : memref<96x64xbf16, #shared>
  %t = tile.region %S[%j, 0] [32, 64] : memref<96x64xbf16, #shared>
  tile.fill %s, %v : !half, bf16
  tile.copy %t to %P {instr = #tile.instr<simt>} : !half, !own_half
  return
}

// (T3) Guards around accesses of the same index by the same thread: what each thread
// has for itself is a fragment or a private tile.
// CHECK-LABEL: func.func @own_elements_under_guards
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @own_elements_under_guards(%go: i1, %v: bf16, %P: !private) attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : memref<64x64xbf16, #tile.fragment>
  scf.if %go {
    tile.fill %F, %v : memref<64x64xbf16, #tile.fragment>, bf16
  }
  tile.copy %F to %P {instr = #tile.instr<simt>} : memref<64x64xbf16, #tile.fragment>, !private
  return
}

// (T4) The same with a guard by a remainder, here of the block: slot k mod 2 is filled
// under the guard, and the other one is read.
// CHECK-LABEL: func.func @modulo_guard
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @modulo_guard(%k: index, %v: bf16, %P: !private) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %R = tile.alloc {offset = 0} : !ring
  %k1 = arith.addi %k, %c1 : index
  %i = arith.remui %k, %c2 : index
  %j = arith.remui %k1, %c2 : index
  %even = arith.cmpi eq, %i, %c0 : index
  %r = tile.region %R[%i, 0, 0] [1, 64, 64] drop [0] : !ring
  %q = tile.region %R[%j, 0, 0] [1, 64, 64] drop [0] : !ring
  scf.if %even {
    tile.fill %r, %v : !slot, bf16
  }
  tile.copy %q to %P {instr = #tile.instr<simt>} : !slot, !private
  return
}

// (T5) An element that one thread writes and all read, twice: between write and read,
// and between that read and the next write.
// CHECK-LABEL: func.func @one_element
// CHECK: memref.store
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.store
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.load
func.func @one_element(%a: i32, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %S = tile.alloc {offset = 0} : !counts
  memref.store %a, %S[%c0] : !counts
  %x = memref.load %S[%c0] : !counts
  memref.store %x, %S[%c0] : !counts
  %y = memref.load %S[%c0] : !counts
  return
}

// (T6) Basic: two tiles, each written and then read by threads that may be others.
// CHECK-LABEL: func.func @write_then_read
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @write_then_read(%A: memref<64x64xbf16>, %P: !private) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %T = tile.alloc {offset = 8192} : !tile
  tile.copy %A to %S {instr = #tile.instr<simt>} : memref<64x64xbf16>, !tile
  tile.copy %S to %P {instr = #tile.instr<simt>} : !tile, !private
  tile.copy %P to %T {instr = #tile.instr<simt>} : !private, !tile
  tile.copy %T to %P {instr = #tile.instr<simt>} : !tile, !private
  return
}

// (T7) Names bound to what is loaded: one barrier before the first of them.
// CHECK-LABEL: func.func @bound_names
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.load
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @bound_names(%i: index, %j: index, %v: i32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !counts
  tile.fill %S, %v : !counts, i32
  %x = memref.load %S[%i] : !counts
  %y = memref.load %S[%j] : !counts
  %z = arith.addi %x, %y : i32
  return
}

// (T8) Parts of a tile come from registers in a loop, by stmatrix where it suits; then
// TMA takes the tile. Nobody meets in the loop.
// CHECK-LABEL: func.func @store_in_parts
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK-NOT: tile.fence_proxy
// CHECK: tile.copy
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @store_in_parts(%C: memref<64x64xbf16>, %F: memref<16x64xbf16, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %S = tile.alloc {offset = 0} : !tile
  %c = tile.region %C[0, 0] [64, 64] : memref<64x64xbf16>
  scf.for %i = %c0 to %c64 step %c16 {
    %s = tile.region %S[%i, 0] [16, 64] : !tile
    tile.copy %F to %s {instr = #tile.instr<simt>} : memref<16x64xbf16, #tile.fragment>, !tile.region<16x64xbf16, #shared>
  }
  tile.copy %S to %c {instr = #tile.instr<tma>} : !tile, !tile.region<64x64xbf16>
  return
}

// (T9) Carried by a loop, same index: a round reads what it has read before, and fills
// a part of its own.
// CHECK-LABEL: func.func @own_part_of_each_round
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @own_part_of_each_round(%v: bf16, %P: !own_half, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %S = tile.alloc {offset = 0} : memref<256x64xbf16, #shared>
  %r = tile.region %S[0, 0] [32, 64] : memref<256x64xbf16, #shared>
  scf.for %i = %c1 to %c2 step %c1 {
    %x = arith.muli %i, %c32 : index
    %s = tile.region %S[%x, 0] [32, 64] : memref<256x64xbf16, #shared>
    tile.copy %r to %P {instr = #tile.instr<simt>} : !half, !own_half
    tile.fill %s, %v : !half, bf16
  }
  return
}

// (T10) Carried by a loop, across threads: a round reads what the round before wrote.
// The window is the next one each time, so nobody waits for the readers.
// CHECK-LABEL: func.func @next_round_reads
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.fill
// CHECK-NEXT: {{^ *}}}
func.func @next_round_reads(%v: bf16, %P: !own_half, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %S = tile.alloc {offset = 0} : memref<256x64xbf16, #shared>
  scf.for %i = %c0 to %n step %c32 {
    %j = arith.addi %i, %c32 : index
    %s = tile.region %S[%i, 0] [32, 64] : memref<256x64xbf16, #shared>
    %t = tile.region %S[%j, 0] [32, 64] : memref<256x64xbf16, #shared>
    tile.copy %s to %P {instr = #tile.instr<simt>} : !half, !own_half
    tile.fill %t, %v : !half, bf16
  }
  return
}

// (T11) Double buffering by a remainder: the fill does not wait for the readers of the
// other slot; those of two rounds ago have met since.
// CHECK-LABEL: func.func @double_buffer
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: {{^ *}}}
func.func @double_buffer(%v: bf16, %P: !private, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %R = tile.alloc {offset = 0} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %r = tile.region %R[%s, 0, 0] [1, 64, 64] drop [0] : !ring
    tile.fill %r, %v : !slot, bf16
    tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
  }
  return
}

// (T11) The same with a slot that the loop carries: 1 - s, s xor 1, a slot that
// returns to 0, and tile.advance.
// CHECK-LABEL: func.func @carried_slots
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.fill
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier_sync
// CHECK: scf.yield
func.func @carried_slots(%v: bf16, %P: !private, %n: index, %first: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %Q = tile.alloc {offset = 0} : !ring
  %R = tile.alloc {offset = 16384} : !ring
  %S = tile.alloc {offset = 32768} : memref<3x64x64xbf16, #shared>
  %T = tile.alloc {offset = 57344} : memref<3x64x64xbf16, #shared>
  %end:5 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %first, %r = %first, %s = %c0, %t = %z, %p = %z) -> (index, index, index, i32, i32) {
    %ti = arith.index_cast %t : i32 to index
    %Qs = tile.region %Q[%q, 0, 0] [1, 64, 64] drop [0] : !ring
    %Rs = tile.region %R[%r, 0, 0] [1, 64, 64] drop [0] : !ring
    %Ss = tile.region %S[%s, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #shared>
    %Ts = tile.region %T[%ti, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #shared>
    tile.fill %Qs, %v : !slot, bf16
    tile.fill %Rs, %v : !slot, bf16
    tile.fill %Ss, %v : !slot, bf16
    tile.fill %Ts, %v : !slot, bf16
    tile.copy %Qs to %P {instr = #tile.instr<simt>} : !slot, !private
    tile.copy %Rs to %P {instr = #tile.instr<simt>} : !slot, !private
    tile.copy %Ss to %P {instr = #tile.instr<simt>} : !slot, !private
    tile.copy %Ts to %P {instr = #tile.instr<simt>} : !slot, !private
    %q1 = arith.subi %c1, %q : index
    %r1 = arith.xori %r, %c1 : index
    %s1 = arith.addi %s, %c1 : index
    %wraps = arith.cmpi eq, %s1, %c3 : index
    %s2 = arith.select %wraps, %c0, %s1 : index
    %t1, %p1 = tile.advance %t, %p depth 3
    scf.yield %q1, %r1, %s2, %t1, %p1 : index, index, index, i32, i32
  }
  return
}

// (T11) A slot that returns by a comparison that is no equality: it is in range because
// it starts there. One that starts elsewhere may stay where it is.
// CHECK-LABEL: func.func @slots_in_range
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @slots_in_range(%v: bf16, %P: !private, %n: index, %first: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %R = tile.alloc {offset = 0} : memref<3x64x64xbf16, #shared>
  %Q = tile.alloc {offset = 24576} : memref<3x64x64xbf16, #shared>
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c1) -> (index) {
    %r = tile.region %R[%s, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #shared>
    tile.fill %r, %v : !slot, bf16
    tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
    %s1 = arith.addi %s, %c1 : index
    %wraps = arith.cmpi sgt, %s1, %c2 : index
    %s2 = arith.select %wraps, %c0, %s1 : index
    scf.yield %s2 : index
  }
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> (index) {
    %r = tile.region %Q[%s, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #shared>
    tile.fill %r, %v : !slot, bf16
    tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
    %s1 = arith.addi %s, %c1 : index
    %stays = arith.cmpi slt, %s1, %c2 : index
    %s2 = arith.select %stays, %s1, %c0 : index
    scf.yield %s2 : index
  }
  return
}

// (T12) Windows of a tensor in turn are written without meeting; where strides may
// bring them together, not.
// CHECK-LABEL: func.func @windows_of_tensors
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @windows_of_tensors(%A: memref<?x64xbf16>, %B: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %P: memref<32x64xbf16, #tile.fragment>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %n step %c32 {
    %a = tile.region %A[%i, 0] [32, 64] : memref<?x64xbf16>
    tile.copy %P to %a {instr = #tile.instr<simt>} : memref<32x64xbf16, #tile.fragment>, !tile.region<32x64xbf16>
  }
  scf.for %i = %c0 to %n step %c32 {
    %b = tile.region %B[%i, 0] [32, 64] : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    tile.copy %P to %b {instr = #tile.instr<simt>} : memref<32x64xbf16, #tile.fragment>, !tile.region<32x64xbf16>
  }
  return
}

// (T11) A slot that nothing is known of may be the one that others read: the round
// meets twice. So does a ring of one slot, and a slot that moves in some rounds only.
// CHECK-LABEL: func.func @unknown_slots
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK: tile.fill
// CHECK: tile.barrier_sync
// CHECK: tile.copy
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK: tile.fill
// CHECK: tile.barrier_sync
// CHECK: tile.copy
func.func @unknown_slots(%v: bf16, %P: !private, %n: index, %N: memref<?xi32>, %go: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %R = tile.alloc {offset = 0} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.load %N[%i] : memref<?xi32>
    %s = arith.index_cast %w : i32 to index
    %r = tile.region %R[%s, 0, 0] [1, 64, 64] drop [0] : !ring
    tile.fill %r, %v : !slot, bf16
    tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
  }
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %r = tile.region %R[%s, 0, 0] [1, 64, 64] drop [0] : !ring
    tile.fill %r, %v : !slot, bf16
    tile.copy %r to %P {instr = #tile.instr<simt>} : !slot, !private
    %s1 = arith.subi %c1, %s : index
    %s2 = arith.select %go, %s1, %s : index
    scf.yield %s2 : index
  }
  return
}

// (T12) Different indices: even and odd windows never meet; a window and the one that
// the next round writes do.
// CHECK-LABEL: func.func @different_indices
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.copy
func.func @different_indices(%v: bf16, %P: !own_half, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %S = tile.alloc {offset = 0} : memref<256x64xbf16, #shared>
  %T = tile.alloc {offset = 32768} : memref<256x64xbf16, #shared>
  scf.for %i = %c0 to %n step %c64 {
    %j = arith.addi %i, %c32 : index
    %s = tile.region %S[%i, 0] [32, 64] : memref<256x64xbf16, #shared>
    %t = tile.region %S[%j, 0] [32, 64] : memref<256x64xbf16, #shared>
    tile.fill %s, %v : !half, bf16
    tile.copy %t to %P {instr = #tile.instr<simt>} : !half, !own_half
  }
  scf.for %i = %c0 to %n step %c32 {
    %j = arith.addi %i, %c32 : index
    %s = tile.region %T[%i, 0] [32, 64] : memref<256x64xbf16, #shared>
    %t = tile.region %T[%j, 0] [32, 64] : memref<256x64xbf16, #shared>
    tile.fill %s, %v : !half, bf16
    tile.copy %t to %P {instr = #tile.instr<simt>} : !half, !own_half
  }
  return
}

// (T13) A guard that names threads: the kernel is theirs, and no barrier comes into it.
// CHECK-LABEL: func.func @guard_of_a_thread
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @guard_of_a_thread(%A: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %is_first = arith.cmpi ult, %tx, %c1 : index
    scf.if %is_first {
      %x = memref.load %A[%tx] : memref<?xf32>
      memref.store %x, %A[%bx] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

// (T14) A guard by a shared value: all threads have loaded it before one of them takes
// the branch that overwrites it. The value is the same for all: they meet inside.
// CHECK-LABEL: func.func @guard_from_shared
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @guard_from_shared(%yes: i1, %i: index) attributes {tile.num_threads = 128 : i32} {
  %M = tile.alloc {offset = 0} : !flags
  tile.fill %M, %yes : !flags, i1
  %go = memref.load %M[%i] : !flags
  scf.if %go {
    tile.fill %M, %yes : !flags, i1
  }
  return
}

// (T15) A guard by the block, (T16) and one by a value of the launch: inside.
// CHECK-LABEL: func.func @uniform_guards
// CHECK: tile.fill
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: tile.fill
// CHECK: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @uniform_guards(%v: bf16, %P: memref<64x64xbf16>, %n: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {offset = 0} : !tile
    %T = tile.alloc {offset = 8192} : !tile
    %by_block = arith.cmpi eq, %bx, %c1 : index
    %by_value = arith.cmpi ult, %n, %c8 : index
    tile.fill %S, %v : !tile, bf16
    scf.if %by_block {
      tile.copy %S to %P {instr = #tile.instr<simt>} : !tile, memref<64x64xbf16>
    }
    tile.fill %T, %v : !tile, bf16
    scf.if %by_value {
      tile.copy %T to %P {instr = #tile.instr<simt>} : !tile, memref<64x64xbf16>
    }
    gpu.terminator
  }
  return
}

// (T17) Nested guards, of a mask and of an element of it: each is read after what
// wrote it, and the branch may meet.
// CHECK-LABEL: func.func @nested_guards
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.any_of
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @nested_guards(%yes: i1, %i: index) attributes {tile.num_threads = 128 : i32} {
  %M = tile.alloc {offset = 0} : !flags
  tile.fill %M, %yes : !flags, i1
  %any = tile.any_of %M : !flags
  scf.if %any {
    %go = memref.load %M[%i] : !flags
    scf.if %go {
      tile.fill %M, %yes : !flags, i1
    }
  }
  return
}

// (T18) In a loop, by a shared value that the loop changes: a round loads it after
// the write of the round before.
// CHECK-LABEL: func.func @shared_guard_in_a_loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @shared_guard_in_a_loop(%yes: i1, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = tile.alloc {offset = 0} : !flags
  scf.for %i = %c0 to %n step %c1 {
    %go = memref.load %M[%c0] : !flags
    scf.if %go {
      tile.fill %M, %yes : !flags, i1
    }
  }
  return
}

// (T19) In a loop, by the counter: what stands before the loop is waited for once,
// before it.
// CHECK-LABEL: func.func @counter_guard_in_a_loop
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @counter_guard_in_a_loop(%v: bf16, %P: !private, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %S = tile.alloc {offset = 0} : !tile
  tile.fill %S, %v : !tile, bf16
  scf.for %i = %c0 to %n step %c1 {
    %go = arith.cmpi ult, %i, %c3 : index
    scf.if %go {
      tile.copy %S to %P {instr = #tile.instr<simt>} : !tile, !private
    }
  }
  return
}

// (T20) Reads of all threads need nothing.
// CHECK-LABEL: func.func @uniform_reads
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @uniform_reads(%i: index, %P: !private) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : !tile
  %x = memref.load %S[%i, %i] : !tile
  %y = memref.load %S[%i, %i] : !tile
  tile.copy %S to %P {instr = #tile.instr<simt>} : !tile, !private
  return
}

// Added there later: two types in the same bytes conflict by bytes.
// CHECK-LABEL: func.func @types_in_the_same_bytes
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @types_in_the_same_bytes(%P: memref<512xf32, #gpu.address_space<private>>, %v: f8E4M3FN) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : memref<512xf32, #shared>
  %T = tile.alloc {offset = 0} : memref<512xf8E4M3FN, #shared>
  tile.copy %S to %P {instr = #tile.instr<simt>} : memref<512xf32, #shared>, memref<512xf32, #gpu.address_space<private>>
  tile.fill %T, %v : memref<512xf8E4M3FN, #shared>, f8E4M3FN
  return
}
