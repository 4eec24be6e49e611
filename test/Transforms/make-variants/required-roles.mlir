// A loop that must have roles needs a copy that a producer can make: what that needs
// is required of every call, and no variant does without.

// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_80}' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!tile = memref<64x64xbf16, #smem>
!win = !tile.region<64x64xbf16>
!frag = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @by_the_kernel
// CHECK-NOT: tile.variants
// CHECK: tile.require %{{.*}}, "address of argument 0 is a multiple of 16 bytes"
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: gpu.launch
// CHECK: tile.region {{.*}}{align = 16 : i64}
// CHECK: return
func.func @by_the_kernel(%A: memref<?x?xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// One of two loops asks: the other one has variants.
// CHECK-LABEL: func.func @by_a_loop
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: tile.variants {
// CHECK: tile.require %{{.*}}, "stride 0 of argument 1 is a multiple of 16 bytes"
// CHECK: }, {
// CHECK: tile.require %{{.*}}, "stride 0 of argument 1 is a multiple of 4 bytes"
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK: gpu.launch
// CHECK: tile.region %{{.*}} [64, 64] {align = 16 : i64}
// CHECK: tile.region %{{.*}} [64, 64] : memref
// CHECK: return
func.func @by_a_loop(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32, tile.specialize = "required"}
    scf.for %k = %c0 to %n step %c64 {
      %b = tile.region %B[0, %k] [64, 64] : memref<?x?xbf16>
      tile.copy %b to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// The copy of B is one for a producer whatever A is: the last variant needs nothing.
// CHECK-LABEL: func.func @has_another
// CHECK-NOT: tile.require
// CHECK: tile.variants {
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: }, {
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 4 bytes"
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK: return
func.func @has_another(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %S = tile.alloc : !tile
    %T = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<?x?xbf16>
      %b = tile.region %B[0, %k] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %S : !win, !tile
      tile.copy %b to %T : !win, !tile
      tile.copy %S to %F : !tile, !frag
      tile.copy %T to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
