// RUN: %tile_opt_passes 'tile-verify-writes' %s -split-input-file -verify-diagnostics

// Tiles that are written under a guard, in loops and by elements, and read whole.

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// Data decide in each round; there may be none for which they are true.
func.func @data(%A: !T, %M: memref<?xi32>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    %m = memref.load %M[%k] : memref<?xi32>
    %p = arith.cmpi ne, %m, %z : i32
    // expected-note @+1 {{written on some paths through this op only}}
    scf.if %p { tile.copy %A to %f : !T, !F }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// A bound that the loop does not have.
func.func @bound(%A: !T, %O: !T, %n: index, %b: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    %p = arith.cmpi slt, %k, %b : index
    // expected-note @+1 {{written on some paths through this op only}}
    scf.if %p { tile.copy %A to %f : !T, !F }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// Two conditions, neither of which asks for the number of a round.
func.func @joined(%A: !T, %O: !T, %n: index, %b: index, %q: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    %in = arith.cmpi slt, %k, %b : index
    %p = arith.andi %in, %q : i1
    // expected-note @+1 {{written on some paths through this op only}}
    scf.if %p { tile.copy %A to %f : !T, !F }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// The read is in the loop: the first round may find nothing.
func.func @inside(%A: !T, %M: memref<?xi32>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  scf.for %k = %c0 to %n step %c1 {
    %m = memref.load %M[%k] : memref<?xi32>
    %p = arith.cmpi ne, %m, %z : i32
    // expected-note @+1 {{written on some paths through this op only}}
    scf.if %p { tile.copy %A to %f : !T, !F }
    // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
    tile.copy %f to %O : !F, !T
  }
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// Two branches that have nothing to do with each other.
func.func @unrelated(%A: !T, %O: !T, %p: i1, %r: i1) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %g = tile.alloc : !F
  // expected-note @+1 {{written on some paths through this op only}}
  scf.if %p { tile.copy %A to %g : !T, !F }
  scf.if %r { tile.copy %A to %g : !T, !F }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
  tile.copy %g to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// A sum of elements of which a guard leaves some out.
func.func @elements(%A: !T, %O: memref<64xf32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  %r = tile.alloc : memref<64xf32, #tile.fragment>
  tile.parallel (%i, %j) in [64, 64] {
    %in = arith.cmpi ult, %j, %n : index
    %x = memref.load %A[%i, %j] : !T
    // expected-note @+1 {{only elements for which this op goes one way are written}}
    scf.if %in { memref.store %x, %f[%i, %j] : !F }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written in some elements: tile.fill it or copy to it first}}
  tile.reduce sum %f to %r dim 1 {clear} : !F, memref<64xf32, #tile.fragment>
  tile.copy %r to %O : memref<64xf32, #tile.fragment>, memref<64xf32>
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// The same of the depth of a product.
func.func @factor(%A: memref<64x64xf16>, %O: !T, %n: index) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %s = tile.alloc : !S
  %t = tile.alloc : !S
  %f = tile.alloc : !F
  %zf = arith.constant 0.0 : f32
  tile.copy %A to %t : memref<64x64xf16>, !S
  tile.fill %f, %zf : !F, f32
  tile.parallel (%i, %j) in [64, 64] {
    %in = arith.cmpi ult, %j, %n : index
    %x = memref.load %A[%i, %j] : memref<64x64xf16>
    // expected-note @+1 {{only elements for which this op goes one way are written}}
    scf.if %in { memref.store %x, %s[%i, %j] : !S }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a shared tile that nothing has written in some elements}}
  tile.gemm %s, %t, %f : (!S, !S, !F)
  tile.copy %f to %O : !F, !T
  return
}

// -----

!F = memref<64x64xf32, #tile.fragment>
!S = memref<64x64xf16, #gpu.address_space<workgroup>>
!T = memref<64x64xf32>

// One guard for all elements.
func.func @uniform(%A: !T, %O: !T, %p: i1) attributes {tile.num_threads = 128 : i32} {
  // expected-note @+1 {{the tile is here}}
  %f = tile.alloc : !F
  tile.parallel (%i, %j) in [64, 64] {
    %x = memref.load %A[%i, %j] : !T
    // expected-note @+1 {{written on some paths through this op only}}
    scf.if %p { memref.store %x, %f[%i, %j] : !F }
  }
  // expected-warning @+1 {{[tile-verify/unwritten] reads a fragment that nothing has written on some path: tile.fill it or copy to it first}}
  tile.copy %f to %O : !F, !T
  return
}
