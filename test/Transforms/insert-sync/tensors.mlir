// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// A tile is read, another written, the first one read again.
!tensor = memref<64x64xf32>
!tile = !tile.region<64x64xf32>
!fragment = memref<64x64xf32, #tile.fragment>

// Arguments are disjoint when one of them is written.
// CHECK-LABEL: func.func @arguments
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @arguments(%A: !tensor, %B: !tensor) attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : !fragment
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %b = tile.region %B[0, 0] [64, 64] : !tensor
  tile.copy %a to %F : !tile, !fragment
  tile.copy %F to %b : !fragment, !tile
  tile.copy %a to %F : !tile, !fragment
  return
}

// The function opts out.
// CHECK-LABEL: func.func @aliases
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @aliases(%A: !tensor, %B: !tensor) attributes {tile.may_alias, tile.num_threads = 128 : i32} {
  %F = tile.alloc : !fragment
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %b = tile.region %B[0, 0] [64, 64] : !tensor
  tile.copy %a to %F : !tile, !fragment
  tile.copy %F to %b : !fragment, !tile
  tile.copy %a to %F : !tile, !fragment
  return
}

// One argument of three opts out: it may be any of the others, which stay
// disjoint.
// CHECK-LABEL: func.func @one_alias
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
func.func @one_alias(%A: !tensor, %B: !tensor {tile.may_alias}, %C: !tensor) attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : !fragment
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  %b = tile.region %B[0, 0] [64, 64] : !tensor
  %c = tile.region %C[0, 0] [64, 64] : !tensor
  tile.copy %a to %F : !tile, !fragment
  tile.copy %F to %b : !fragment, !tile
  tile.copy %F to %c : !fragment, !tile
  tile.copy %a to %F : !tile, !fragment
  return
}

// Two views of one argument are one tensor.
// CHECK-LABEL: func.func @views
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @views(%A: memref<?x?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %B = memref.cast %A : memref<?x?xf32> to !tensor
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : !fragment
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [64, 64] : !tensor
    tile.copy %a to %F : !tile, !fragment
    tile.copy %F to %b : !fragment, !tile
    gpu.terminator
  }
  return
}

// What is no argument may be any memory.
// CHECK-LABEL: func.func @unknown_origin
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func private @origin() -> !tensor
func.func @unknown_origin(%A: !tensor, %n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %B = func.call @origin() : () -> !tensor
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : !fragment
    %a = tile.region %A[0, 0] [64, 64] : !tensor
    %b = tile.region %B[0, 0] [64, 64] : !tensor
    tile.copy %a to %F : !tile, !fragment
    tile.copy %F to %b : !fragment, !tile
    gpu.terminator
  }
  return
}

// Rounds that are blocks may store to the same rows in any order; those of another loop
// are in order.
// CHECK-LABEL: func.func @persistent
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.persistent
// CHECK: scf.for
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @persistent(%O: memref<?x64xf32>, %I: memref<?xindex>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*2), lane=(d1:1*32), warp=(d1:32*2) -> d0:2, d1:64>">} : memref<2x64xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c1 {
    %r = memref.load %I[%i] : memref<?xindex>
    %o = tile.region %O[%r, 0] [2, 64] : memref<?x64xf32>
    tile.copy %f to %o {instr = #tile.instr<simt>} : memref<2x64xf32, #tile.fragment>, !tile.region<2x64xf32>
  } {tile.persistent}
  scf.for %i = %c0 to %n step %c1 {
    %r = memref.load %I[%i] : memref<?xindex>
    %o = tile.region %O[%r, 0] [2, 64] : memref<?x64xf32>
    tile.copy %f to %o {instr = #tile.instr<simt>} : memref<2x64xf32, #tile.fragment>, !tile.region<2x64xf32>
  }
  return
}

// TMA reads a tensor that threads have written: that fence has to reach the tensor. It
// orders shared memory, too; one of shared memory alone is cheaper, and not enough.
// CHECK-LABEL: func.func @fenced
// CHECK: tile.copy
// CHECK-NEXT: tile.fence_proxy {global}
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.fence_proxy
// CHECK: return
func.func @fenced(%A: !tensor, %F: !fragment, %G: !fragment) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %F to %a : !fragment, !tile
  tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, memref<64x64xf32, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func.func @fenced_by_hand
// CHECK: tile.fence_proxy
// CHECK-NEXT: tile.fence_proxy {global}
// CHECK-NEXT: tile.barrier_sync
// CHECK: return
func.func @fenced_by_hand(%A: !tensor, %F: !fragment) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {offset = 0} : memref<64x64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0, 0] [64, 64] : !tensor
  tile.copy %F to %a : !fragment, !tile
  tile.fence_proxy
  tile.copy %a to %S {instr = #tile.instr<tma>} : !tile, memref<64x64xf32, #gpu.address_space<workgroup>>
  return
}
