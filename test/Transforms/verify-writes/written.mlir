// RUN: %tile_opt_passes 'tile-verify-writes' %s -verify-diagnostics

// Kernels of which nothing is said.

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// What a loop writes is written after it.
func.func @loop_may_not_run(%A: !T, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    tile.copy %A to %f : !T, !F
  }
  tile.copy %f to %O : !F, !T
  return
}

// The first round, or what it computes, clears.
func.func @first_round(%A: memref<64x64xf16>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : !S
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  %h = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    %is_first = arith.cmpi eq, %k, %c0 : index
    tile.copy %A to %s : memref<64x64xf16>, !S
    tile.gemm %s, %s, %f clear %is_first : (!S, !S, !F)
    scf.if %is_first {
      tile.fill %g, %zero : !F, f32
    }
    tile.gemm %s, %s, %g : (!S, !S, !F)
    scf.if %is_first {
    } else {
      tile.copy %h to %O : !F, !T
    }
    tile.copy %g to %h : !F, !F
  }
  return
}

// Reads under conditions of their own, or after several branches.
func.func @same_condition(%A: !T, %O: !T, %p: i1) attributes {tile.num_threads = 128 : i32} {
  %true = arith.constant true
  %q = arith.xori %p, %true : i1
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  scf.if %p {
    tile.copy %A to %f : !T, !F
    tile.copy %A to %g : !T, !F
  }
  scf.if %p {
    tile.copy %f to %O : !F, !T
  }
  scf.if %q {
    tile.copy %A to %g : !T, !F
  }
  tile.copy %g to %O : !F, !T
  return
}

// A first copy before a loop, under the condition that the loop runs.
func.func @prologue(%A: !T, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %runs = arith.cmpi ult, %c0, %n : index
  %f = tile.alloc : !F
  scf.if %runs {
    tile.copy %A to %f : !T, !F
  }
  scf.for %k = %c0 to %n step %c1 {
    tile.copy %f to %O : !F, !T
    tile.copy %A to %f : !T, !F
  }
  return
}

// Parts of tiles, elements under a mask, both branches, and a loop with `while`.
func.func @parts(%A: !T, %O: !T, %n: index, %p: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc : !F
  %g = tile.alloc : !F
  %h = tile.alloc : !F
  %s = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
  %half = tile.region %s[0, 0] [32, 64] : memref<64x64xf32, #gpu.address_space<workgroup>>
  tile.fill %half, %zero : !tile.region<32x64xf32, #gpu.address_space<workgroup>>, f32
  tile.copy %s to %O : memref<64x64xf32, #gpu.address_space<workgroup>>, !T
  tile.parallel (%i, %j) in [64, 64] {
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %x = memref.load %A[%i, %j] : !T
      memref.store %x, %f[%i, %j] : !F
    }
  }
  tile.copy %f to %O : !F, !T
  scf.if %p {
    tile.copy %A to %g : !T, !F
  } else {
    tile.fill %g, %zero : !F, f32
  }
  tile.copy %g to %O : !F, !T
  %k = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    tile.copy %A to %h : !T, !F
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  tile.copy %h to %O : !F, !T
  return
}

// Roles run at once.
func.func @roles(%A: memref<64x64xf16>, %O: memref<64x64xf16>) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %s = tile.alloc : !S
  %b = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %b arrivals 128 : !tile.barrier<1>
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      tile.barrier_wait %b[%c0] parity %z : !tile.barrier<1>
      tile.copy %s to %O : !S, memref<64x64xf16>
    }
    tile.role "producer" warps 4 {
      tile.copy %A to %s : memref<64x64xf16>, !S
      tile.barrier_arrive %b[%c0] : !tile.barrier<1>
    }
  }
  return
}

// A round that its number chooses, one that is better than those before, and a
// fill before the loop.
func.func @last(%A: !T, %O: !T, %n: index, %b: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = arith.subi %n, %c1 : index
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    %p = arith.cmpi eq, %k, %l : index
    scf.if %p { tile.copy %A to %f : !T, !F }
  }
  tile.copy %f to %O : !F, !T
  return
}

func.func @state(%A: !T, %M: memref<?xf32>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant 0xFF800000 : f32
  %f = tile.alloc : !F
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%best = %inf) -> f32 {
    %m = memref.load %M[%k] : memref<?xf32>
    %p = arith.cmpf ogt, %m, %best : f32
    scf.if %p { tile.copy %A to %f : !T, !F }
    %x = arith.maximumf %m, %best : f32
    scf.yield %x : f32
  }
  tile.copy %f to %O : !F, !T
  return
}

func.func @filled(%A: !T, %M: memref<?xi32>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %zf = arith.constant 0.0 : f32
  %f = tile.alloc : !F
  tile.fill %f, %zf : !F, f32
  scf.for %k = %c0 to %n step %c1 {
    %m = memref.load %M[%k] : memref<?xi32>
    %p = arith.cmpi ne, %m, %z : i32
    scf.if %p { tile.copy %A to %f : !T, !F }
  }
  tile.copy %f to %O : !F, !T
  return
}

// One branch writes where the other does not.
func.func @complements(%A: !T, %O: !T, %a: index, %b: index, %n: index) attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc : !F
  %p = arith.cmpi slt, %a, %n : index
  %q = arith.cmpi sge, %a, %n : index
  scf.if %p { tile.copy %A to %f : !T, !F }
  scf.if %q { tile.copy %A to %f : !T, !F }
  tile.copy %f to %O : !F, !T
  return
}

// Rows that are left out stay apart in sums of each, and two guards write all.
func.func @rows_and_both(%A: !T, %O: memref<64xf32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %g = tile.alloc : !F
  %h = tile.alloc : !F
  %r = tile.alloc : memref<64xf32, #tile.fragment>
  %zf = arith.constant 0.0 : f32
  tile.parallel (%i, %j) in [64, 64] {
    %in = arith.cmpi ult, %j, %n : index
    %row = arith.cmpi ult, %i, %n : index
    %out = arith.cmpi uge, %j, %n : index
    %x = memref.load %A[%i, %j] : !T
    scf.if %row { memref.store %x, %g[%i, %j] : !F }
    scf.if %in { memref.store %x, %h[%i, %j] : !F }
    scf.if %out { memref.store %zf, %h[%i, %j] : !F }
  }
  tile.reduce sum %g to %r dim 1 {clear} : !F, memref<64xf32, #tile.fragment>
  tile.copy %r to %O : memref<64xf32, #tile.fragment>, memref<64xf32>
  tile.reduce sum %h to %r dim 1 {clear} : !F, memref<64xf32, #tile.fragment>
  tile.copy %r to %O : memref<64xf32, #tile.fragment>, memref<64xf32>
  return
}

// Threads write elements for each other.
func.func @threads(%A: memref<64xf32>, %O: memref<64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c64 = arith.constant 64 : index
  %tx = gpu.thread_id x
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %in = arith.cmpi ult, %tx, %c64 : index
  scf.if %in {
    %x = memref.load %A[%tx] : memref<64xf32>
    memref.store %x, %s[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
  }
  gpu.barrier
  tile.copy %s to %O : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>
  return
}
