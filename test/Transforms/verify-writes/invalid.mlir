// RUN: %tile_opt_passes 'tile-verify-writes' %s -split-input-file -verify-diagnostics

// Tiles that are read before anything writes them.

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// A sum that is not cleared: the first round adds to nothing.
func.func @forgotten_fill(%A: memref<64x64xf16>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : !S
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    tile.copy %A to %s : memref<64x64xf16>, !S
    // expected-error @+1 {{adds to a fragment that nothing has written: tile.fill it with zeros first, or give `clear`}}
    tile.gemm %s, %s, %f : (!S, !S, !F)
  }
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// `clear` that is false clears nothing.
func.func @cleared_by_nobody(%A: memref<64x64xf16>, %O: !T) attributes {tile.num_threads = 128 : i32} {
  %false = arith.constant false
  %s = tile.alloc : !S
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  tile.copy %A to %s : memref<64x64xf16>, !S
  // expected-error @+1 {{adds to a fragment that nothing has written}}
  tile.gemm %s, %s, %f clear %false : (!S, !S, !F)
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// A reduction without `clear` folds into what is there.
func.func @folded(%A: !T, %O: memref<64xf32>) attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc : !F
  // expected-note @+1 {{the tile is here}}
  %m = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A to %f : !T, !F
  // expected-error @+1 {{folds into a fragment that nothing has written: tile.fill it first, or give `clear`}}
  tile.reduce sum %f to %m dim 1 : !F, memref<64xf32, #tile.fragment>
  tile.copy %m to %O : memref<64xf32, #tile.fragment>, memref<64xf32>
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// An element loop reads before it writes; the tile is reported once.
func.func @element_loop(%O: !T) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %s = tile.alloc : !S
  tile.parallel (%i, %j) in [64, 64] {
    // expected-error @+1 {{reads a shared tile that nothing has written: tile.fill it or copy to it first}}
    %x = memref.load %s[%i, %j] : !S
    %y = memref.load %s[%j, %i] : !S
    %z = arith.addf %x, %y : f16
    memref.store %z, %s[%i, %j] : !S
  }
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// Counts that start anywhere.
func.func @updated(%A: memref<64xi32>, %O: memref<64xi32>) attributes {tile.num_threads = 128 : i32} {
  %one = arith.constant 1 : i32
  // expected-note @+1 {{the tile is here}}
  %h = tile.alloc : memref<64xi32, #gpu.address_space<workgroup>>
  tile.parallel (%i) in [64] {
    %a = memref.load %A[%i] : memref<64xi32>
    %b = arith.index_cast %a : i32 to index
    // expected-error @+1 {{reads a shared tile that nothing has written}}
    %old = memref.atomic_rmw addi %one, %h[%b] : (i32, memref<64xi32, #gpu.address_space<workgroup>>) -> i32
  }
  tile.copy %h to %O : memref<64xi32, #gpu.address_space<workgroup>>, memref<64xi32>
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// A loop that constants keep from running writes nothing.
func.func @loop_without_rounds(%A: !T, %O: !T) attributes {tile.num_threads = 128 : i32} {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  scf.for %k = %c4 to %c4 step %c1 {
    tile.copy %A to %f : !T, !F
  }
  // expected-error @+1 {{reads a fragment that nothing has written}}
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// Private tiles and loops that run.
func.func @private(%O: memref<4xf32>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{the tile is here}}
  %p = tile.alloc : !P
  %zero = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> f32 {
    // expected-error @+1 {{reads a private tile that nothing has written}}
    %x = memref.load %p[%k] : !P
    %t = arith.addf %sum, %x : f32
    memref.store %t, %p[%k] : !P
    scf.yield %t : f32
  }
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// One branch writes.
func.func @one_branch(%A: !T, %O: !T, %p: i1) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  // expected-note @+1 {{written on some paths through this op only}}
  scf.if %p {
    tile.copy %A to %f : !T, !F
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
  tile.copy %f to %O : !F, !T
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!P = memref<4xf32, #gpu.address_space<private>>
!T = memref<64x64xf32>

// Cases of a switch, one of which goes on to a branch that does nothing.
func.func @one_case(%A: !T, %O: !T, %p: i1, %n: index) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  // expected-note @+1 {{written on some paths through this op only}}
  scf.index_switch %n
  case 0 {
    tile.copy %A to %f : !T, !F
    scf.yield
  }
  default {
    scf.if %p {
      tile.copy %A to %f : !T, !F
    }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment}}
  tile.copy %f to %O : !F, !T
  return
}
