// RUN: %tile_opt_passes tile-insert-sync %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes tile-insert-sync %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>

// Updates of the same memory need no barrier between them; the fill before and
// the read after them do.
// CHECK-LABEL: func.func @updates
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.atomic add
// CHECK-NEXT: tile.atomic max
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.atomic add
func.func @updates(%A: memref<64xi32>, %one: i32, %f: memref<64xi32, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<64xi32, #shared>
  tile.fill %S, %one : memref<64xi32, #shared>, i32
  tile.atomic add %one to %S : i32, memref<64xi32, #shared>
  tile.atomic max %f to %S : memref<64xi32, #tile.fragment>, memref<64xi32, #shared>
  tile.copy %S to %A {instr = #tile.instr<simt>} : memref<64xi32, #shared>, memref<64xi32>
  tile.atomic add %one to %S : i32, memref<64xi32, #shared>
  return
}

// In a loop too: only the read at its end waits.
// CHECK-LABEL: func.func @loop
// CHECK: tile.barrier_sync
// CHECK: scf.for
// CHECK-NEXT: tile.atomic add
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @loop(%A: memref<64xi32>, %one: i32, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<64xi32, #shared>
  tile.fill %S, %one : memref<64xi32, #shared>, i32
  tile.barrier_sync
  scf.for %i = %c0 to %n step %c1 {
    tile.atomic add %one to %S : i32, memref<64xi32, #shared>
  }
  tile.copy %S to %A {instr = #tile.instr<simt>} : memref<64xi32, #shared>, memref<64xi32>
  return
}

// Partial results of a reduction, and a mask that a predicate reads, are
// ordinary writes and reads of shared memory.
// CHECK-LABEL: func.func @reductions
// CHECK: tile.reduce {{.*}}partial
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.reduce
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.any_of
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @reductions(%f: memref<64x8xf32, #tile.fragment>, %r: memref<8xf32, #tile.fragment>, %yes: i1) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<4x8xf32, #shared>
  %M = tile.alloc {layout = #tile.layout<"linear">, offset = 128} : memref<8xi1, #shared>
  tile.reduce sum %f to %S dim 0 {clear, partial} : memref<64x8xf32, #tile.fragment>, memref<4x8xf32, #shared>
  tile.reduce sum %S to %r dim 0 {clear} : memref<4x8xf32, #shared>, memref<8xf32, #tile.fragment>
  tile.fill %M, %yes : memref<8xi1, #shared>, i1
  %p = tile.any_of %M : memref<8xi1, #shared>
  scf.if %p {
    tile.fill %M, %yes : memref<8xi1, #shared>, i1
  }
  return
}

// An update by TMA reads the tile through the asynchronous proxy: the writers
// fence, and what overwrites the tile meets the thread that waited.
// CHECK-LABEL: func.func @tma
// CHECK: tile.fill
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.atomic add
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @tma(%A: memref<?x?xf32>, %map: !tile.tensor_map, %v: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8x32xf32, #shared>
  %a = tile.region %A[0, 0] [8, 32] : memref<?x?xf32>
  tile.fill %S, %v : memref<8x32xf32, #shared>, f32
  tile.atomic add %S to %a map %map {instr = #tile.instr<tma>} : memref<8x32xf32, #shared>, !tile.region<8x32xf32>
  tile.fill %S, %v : memref<8x32xf32, #shared>, f32
  return
}

// What threads have updated is fenced as what they have written.
// CHECK-LABEL: func.func @updated_before_tma
// CHECK: tile.atomic add
// CHECK-NEXT: tile.fence_proxy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @updated_before_tma(%A: memref<?x?xf32>, %map: !tile.tensor_map, %v: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<8x32xf32, #shared>
  %a = tile.region %A[0, 0] [8, 32] : memref<?x?xf32>
  tile.atomic add %v to %S : f32, memref<8x32xf32, #shared>
  tile.copy %S to %a map %map {instr = #tile.instr<tma>} : memref<8x32xf32, #shared>, !tile.region<8x32xf32>
  return
}

// Updates of elements meet neither each other nor those of a tile; the first
// write and the last read do.
// CHECK-LABEL: func.func @elements
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.parallel
// CHECK: memref.atomic_rmw
// CHECK-NEXT: }
// CHECK-NEXT: tile.parallel
// CHECK: memref.atomic_rmw
// CHECK-NEXT: }
// CHECK-NEXT: tile.atomic add
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @elements(%A: memref<64xi32>, %at: index, %v: i32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<64xi32, #shared>
  %a = tile.region %A[0] [64] : memref<64xi32>
  tile.fill %S, %v : memref<64xi32, #shared>, i32
  tile.parallel (%i) in [1000] {
    memref.atomic_rmw addi %v, %S[%at] : (i32, memref<64xi32, #shared>) -> i32
  }
  tile.parallel (%i) in [64] {
    memref.atomic_rmw maxs %v, %S[%i] : (i32, memref<64xi32, #shared>) -> i32
  }
  tile.atomic add %v to %S : i32, memref<64xi32, #shared>
  tile.copy %S to %a : memref<64xi32, #shared>, !tile.region<64xi32>
  return
}
