// RUN: %tile_opt_passes 'tile-insert-sync' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-insert-sync' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// As same-threads.mlir: named barriers, reductions, element loops, shared places.

#shared = #gpu.address_space<workgroup>
#linear = #tile.layout<"linear">
#rows = #tile.layout<"bases<reg=(d1:1*4), lane=(d1:4*16, d0:1*2), warp=(d0:2*2) -> d0:4, d1:64>">
#pairs = #tile.layout<"bases<reg=(d1:1*2), lane=(d1:2*32), warp=(d0:1*2) -> d0:2, d1:64>">
!frag = memref<4x64xf32, #tile.fragment>
!sums = memref<4xf32, #shared>
!b1 = !tile.barrier<1>

// All threads meet, or some.
// CHECK-LABEL: func.func @named
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier_sync {id = 3
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync {id = 4
// CHECK-NEXT: tile.barrier_sync
// CHECK-NOT: id
// CHECK: tile.fill
func.func @named(%O: memref<256xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %o = tile.region %O[0] [256] : memref<256xf32>
  %S = tile.alloc {layout = #linear} : memref<256xf32, #shared>
  tile.fill %S, %x : memref<256xf32, #shared>, f32
  tile.barrier_sync {id = 3 : i64, threads = 128 : i64}
  tile.copy %S to %o {instr = #tile.instr<simt>} : memref<256xf32, #shared>, !tile.region<256xf32>
  tile.barrier_sync {id = 4 : i64, threads = 64 : i64}
  tile.fill %S, %x : memref<256xf32, #shared>, f32
  return
}

// The same lanes fold into the same results; a copy is done by others.
// CHECK-LABEL: func.func @reduced
// CHECK: tile.reduce sum
// CHECK-NEXT: tile.reduce max
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @reduced(%O: memref<4xf32>) attributes {tile.num_threads = 64 : i32} {
  %o = tile.region %O[0] [4] : memref<4xf32>
  %f = tile.alloc {layout = #rows} : !frag
  %S = tile.alloc {layout = #linear} : !sums
  tile.reduce sum %f to %S dim 1 {clear} : !frag, !sums
  tile.reduce max %f to %S dim 1 : !frag, !sums
  tile.copy %S to %o {instr = #tile.instr<simt>, tile.chunk = 1 : i64} : !sums, !tile.region<4xf32>
  return
}

// Another layout: other lanes of the same warps.
// CHECK-LABEL: func.func @reduced_otherwise
// CHECK: tile.reduce sum
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.reduce sum
func.func @reduced_otherwise() attributes {tile.num_threads = 64 : i32} {
  %f = tile.alloc {layout = #rows} : !frag
  %g = tile.alloc {layout = #pairs} : memref<2x64xf32, #tile.fragment>
  %S = tile.alloc {layout = #linear} : !sums
  %s = tile.region %S[0] [2] : !sums
  tile.reduce sum %f to %S dim 1 {clear} : !frag, !sums
  tile.reduce sum %g to %s dim 1 {clear} : memref<2x64xf32, #tile.fragment>, !tile.region<2xf32, #shared>
  return
}

// A round fills a slot by the threads that filled it before, and rows of the tensor
// that no other round has. The loop that reads the slots may run them elsewhere.
// CHECK-LABEL: func.func @slots
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.parallel
// CHECK: }
// CHECK: tile.barrier_sync
// CHECK: scf.for
// CHECK-NOT: tile.barrier_sync
// CHECK: return
func.func @slots(%A: memref<?x64xbf16>, %B: memref<?x64xbf16>, %n: index) attributes {tile.num_threads = 96 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %R = tile.alloc {layout = #linear} : memref<3x16x64xbf16, #shared>
  scf.for %k = %c0 to %n step %c1 {
    %s = arith.remui %k, %c3 : index
    %at = arith.muli %k, %c16 : index
    tile.parallel (%i, %j) in [16, 64] {
      %r = arith.addi %at, %i : index
      %x = memref.load %A[%r, %j] : memref<?x64xbf16>
      memref.store %x, %R[%s, %i, %j] : memref<3x16x64xbf16, #shared>
    }
  }
  scf.for %k = %c0 to %n step %c1 {
    %s = arith.remui %k, %c3 : index
    %at = arith.muli %k, %c16 : index
    tile.parallel (%i, %j) in [16, 64] {
      %r = arith.addi %i, %at : index
      %x = memref.load %R[%s, %i, %j] : memref<3x16x64xbf16, #shared>
      memref.store %x, %B[%r, %j] : memref<?x64xbf16>
    }
  }
  return
}

// Rows that overlap those of the round before.
// CHECK-LABEL: func.func @overlapping
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.parallel
func.func @overlapping(%B: memref<80x64xf32>, %x: f32, %n: index) attributes {tile.num_threads = 96 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    tile.parallel (%i, %j) in [16, 64] {
      %r = arith.addi %k, %i : index
      memref.store %x, %B[%r, %j] : memref<80x64xf32>
    }
  }
  return
}

// Without a layout, and no neighbours to put together: element by element.
// CHECK-LABEL: func.func @odd
// CHECK: tile.parallel
// CHECK-NOT: tile.barrier_sync
// CHECK: tile.parallel
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.parallel
func.func @odd(%O: memref<16x3xf32>, %x: f32) attributes {tile.num_threads = 32 : i32} {
  %S = tile.alloc {layout = #linear} : memref<16x3xf32, #shared>
  tile.parallel (%i, %j) in [16, 3] {
    memref.store %x, %S[%i, %j] : memref<16x3xf32, #shared>
  }
  tile.parallel (%i, %j) in [16, 3] {
    %y = memref.load %S[%i, %j] : memref<16x3xf32, #shared>
    memref.store %y, %O[%i, %j] : memref<16x3xf32>
  }
  tile.parallel (%j, %i) in [3, 16] {
    memref.store %x, %S[%i, %j] : memref<16x3xf32, #shared>
  }
  return
}

// Every other row is no window: other threads read.
// CHECK-LABEL: func.func @doubled
// CHECK: tile.parallel
// CHECK: tile.barrier_sync
// CHECK-NEXT: tile.parallel
func.func @doubled(%O: memref<8x3xf32>, %x: f32) attributes {tile.num_threads = 32 : i32} {
  %two = arith.constant 2 : index
  %S = tile.alloc {layout = #linear} : memref<16x3xf32, #shared>
  tile.parallel (%i, %j) in [8, 3] {
    %r = arith.muli %i, %two : index
    memref.store %x, %S[%r, %j] : memref<16x3xf32, #shared>
  }
  tile.parallel (%i, %j) in [8, 3] {
    %y = memref.load %S[%i, %j] : memref<16x3xf32, #shared>
    memref.store %y, %O[%i, %j] : memref<8x3xf32>
  }
  return
}

// What all elements share may be a sum, computed for each of them.
// CHECK-LABEL: func.func @shared_sum
// CHECK-COUNT-2: tile.parallel
// CHECK-NOT: tile.barrier_sync
func.func @shared_sum(%O: memref<8x3xf32>, %x: f32, %n: index, %m: index) attributes {tile.num_threads = 32 : i32} {
  %S = tile.alloc {layout = #linear} : memref<16x3xf32, #shared>
  tile.parallel (%i, %j) in [4, 3] {
    %at = arith.addi %n, %m : index
    %r = arith.addi %at, %i : index
    memref.store %x, %S[%r, %j] : memref<16x3xf32, #shared>
  }
  tile.parallel (%i, %j) in [4, 3] {
    %at = arith.addi %i, %m : index
    %r = arith.addi %n, %at : index
    %y = memref.load %S[%r, %j] : memref<16x3xf32, #shared>
    memref.store %y, %O[%i, %j] : memref<8x3xf32>
  }
  return
}


// One place, the same bytes of each thread; shifted by a chunk they are others'.
// CHECK-LABEL: func.func @places
// CHECK: tile.fill
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.fill
func.func @places(%x: f32, %y: i32) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc {layout = #linear, offset = 0} : memref<256xf32, #shared>
  %T = tile.alloc {layout = #linear, offset = 0} : memref<2x64xi32, #shared>
  %U = tile.alloc {layout = #linear, offset = 16} : memref<64xf32, #shared>
  tile.fill %S, %x : memref<256xf32, #shared>, f32
  tile.fill %T, %y : memref<2x64xi32, #shared>, i32
  tile.fill %U, %x : memref<64xf32, #shared>, f32
  return
}

// A line by a warp, whose first lane has the result: 32 lines are two rounds of 16. Each
// column by its thread: whoever has a result of a fragment has read its lines.
// CHECK-LABEL: func.func @lines
// CHECK: tile.copy
// CHECK-NEXT: tile.reduce sum
// CHECK-NEXT: tile.reduce max
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
// CHECK: tile.copy
// CHECK-NEXT: tile.reduce sum
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.reduce sum
func.func @lines(%A: memref<32x32xf32>, %B: memref<1x512xf32>, %C: memref<3x512xf32>, %O: memref<32xf32>) attributes {tile.num_threads = 512 : i32} {
  %o = tile.region %O[0] [32] : memref<32xf32>
  %c = tile.region %C[0, 0] [3, 512] {align = 16} : memref<3x512xf32>
  %S = tile.alloc {layout = #linear, offset = 0} : memref<32x32xf32, #shared>
  %R = tile.alloc {layout = #linear, offset = 4096} : memref<32xf32, #shared>
  %T = tile.alloc {layout = #linear, offset = 8192} : memref<1x512xf32, #shared>
  %U = tile.alloc {layout = #linear, offset = 16384} : memref<3x512xf32, #shared>
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=(d0:32*16) -> d0:512>">} : memref<512xf32, #tile.fragment>
  tile.copy %A to %S {instr = #tile.instr<simt>, vector_width = 1} : memref<32x32xf32>, memref<32x32xf32, #shared>
  tile.reduce sum %S to %R dim 1 {clear} : memref<32x32xf32, #shared>, memref<32xf32, #shared>
  tile.reduce max %S to %R dim 1 : memref<32x32xf32, #shared>, memref<32xf32, #shared>
  tile.copy %R to %o {instr = #tile.instr<simt>, vector_width = 1} : memref<32xf32, #shared>, !tile.region<32xf32>
  tile.copy %B to %T {instr = #tile.instr<simt>, vector_width = 1} : memref<1x512xf32>, memref<1x512xf32, #shared>
  tile.reduce sum %T to %f dim 0 {clear} : memref<1x512xf32, #shared>, memref<512xf32, #tile.fragment>
  tile.copy %c to %U {instr = #tile.instr<simt>, vector_width = 2} : !tile.region<3x512xf32>, memref<3x512xf32, #shared>
  tile.reduce sum %U to %f dim 0 {clear} : memref<3x512xf32, #shared>, memref<512xf32, #tile.fragment>
  return
}
