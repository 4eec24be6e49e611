// RUN: %tile_opt_passes 'tile-sink-loads' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-sink-loads,tile-sink-loads' %s 2>/dev/null | FileCheck %s

#fragment = #tile.fragment
#shared = #gpu.address_space<workgroup>
!X = memref<?x64xf32>
!V = memref<64xf32>
!tile = memref<4x64xf32, #fragment>
!rows = memref<4xf32, #fragment>
!columns = memref<64xf32, #fragment>

// Each goes to its own first use, in the order in which they stood. One that is used
// by the reduction stays.
// CHECK-LABEL: func @moved
// CHECK: tile.copy %{{.*}} to %[[F:.*]] :
// CHECK-NEXT: tile.reduce sum %[[F]]
// CHECK-NEXT: tile.copy %[[A:.*]] to %[[W:.*]] :
// CHECK-NEXT: tile.copy %{{.*}} to %[[B:.*]] :
// CHECK-NEXT: tile.parallel
// CHECK: memref.load %[[W]]
func.func @moved(%X: !X, %scale: !V, %shift: !V, %n: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : !tile
    %w = tile.alloc : !columns
    %b = tile.alloc : !columns
    %sum = tile.alloc : !rows
    %x = tile.region %X[%bx, 0] [4, 64] : !X
    %s = tile.region %scale[0] [64] : !V
    %t = tile.region %shift[0] [64] : !V
    tile.copy %x to %F : !tile.region<4x64xf32>, !tile
    // expected-remark @+1 {{[tile-sink/late] is loaded where it is used, after the reductions before}}
    tile.copy %s to %w : !tile.region<64xf32>, !columns
    // expected-remark @+1 {{[tile-sink/late]}}
    tile.copy %t to %b : !tile.region<64xf32>, !columns
    tile.reduce sum %F to %sum dim 1 {clear} : !tile, !rows
    tile.parallel (%i, %j) in [4, 64] {
      %v = memref.load %F[%i, %j] : !tile
      %g = memref.load %w[%j] : !columns
      %h = memref.load %b[%j] : !columns
      %y = math.fma %v, %g, %h : f32
      memref.store %y, %F[%i, %j] : !tile
    }
    tile.copy %F to %x : !tile, !tile.region<4x64xf32>
    gpu.terminator
  }
  return
}

// A given instruction, no reduction on the way, a fragment that was used before.
// CHECK-LABEL: func @stays
// CHECK: tile.fill
// CHECK-NEXT: tile.copy %{{.*}} to %[[GIVEN:.*]] {instr
// CHECK-NEXT: tile.copy %{{.*}} to %[[USED:.*]] : !tile.region
// CHECK-NEXT: tile.reduce
// CHECK-NEXT: tile.copy %{{.*}} to %[[NEAR:.*]] : !tile.region
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.parallel
func.func @stays(%X: !X, %scale: !V, %n: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %F = tile.alloc : !tile
    %G = tile.alloc : !tile
    %given = tile.alloc : !columns
    %used = tile.alloc : !columns
    %near = tile.alloc : !columns
    %sum = tile.alloc : !rows
    %x = tile.region %X[%bx, 0] [4, 64] : !X
    %s = tile.region %scale[0] [64] : !V
    tile.copy %x to %F : !tile.region<4x64xf32>, !tile
    tile.fill %used, %zero : !columns, f32
    tile.copy %s to %given {instr = #tile.instr<simt>} : !tile.region<64xf32>, !columns
    tile.copy %s to %used : !tile.region<64xf32>, !columns
    tile.reduce sum %F to %sum dim 1 {clear} : !tile, !rows
    tile.copy %s to %near : !tile.region<64xf32>, !columns
    tile.fill %G, %zero : !tile, f32
    tile.parallel (%i, %j) in [4, 64] {
      %g = memref.load %given[%j] : !columns
      %h = memref.load %used[%j] : !columns
      %k = memref.load %near[%j] : !columns
      %y = math.fma %k, %g, %h : f32
      memref.store %y, %G[%i, %j] : !tile
    }
    tile.copy %G to %x : !tile, !tile.region<4x64xf32>
    gpu.terminator
  }
  return
}

// On the way something writes to a tensor, which may be the one that is read; an
// update does; a loop hides how long the load takes; nobody uses the fragment.
// CHECK-LABEL: func @in_the_way
// CHECK: tile.copy %[[S:.*]] to %{{.*}} : !tile.region<64xf32>
// CHECK: tile.reduce
// CHECK: tile.copy %{{.*}} to %[[X:.*]] : memref<4x64xf32, #tile.fragment>, !tile.region
// CHECK: tile.copy %[[S]] to %{{.*}} : !tile.region<64xf32>
// CHECK: tile.reduce
// CHECK: tile.atomic
// CHECK: tile.copy %[[S]] to %{{.*}} : !tile.region<64xf32>
// CHECK: scf.for
// CHECK: tile.copy %[[S]] to %{{.*}} : !tile.region<64xf32>
// CHECK-NEXT: tile.reduce
func.func @in_the_way(%X: !X, %scale: !V, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : !tile
    %a = tile.alloc : !columns
    %b = tile.alloc : !columns
    %c = tile.alloc : !columns
    %d = tile.alloc : !columns
    %sum = tile.alloc : !rows
    %x = tile.region %X[%bx, 0] [4, 64] : !X
    %s = tile.region %scale[0] [64] : !V
    tile.copy %x to %F : !tile.region<4x64xf32>, !tile
    tile.copy %s to %a : !tile.region<64xf32>, !columns
    tile.reduce sum %F to %sum dim 1 {clear} : !tile, !rows
    tile.copy %F to %x : !tile, !tile.region<4x64xf32>
    tile.copy %a to %b : !columns, !columns
    tile.copy %s to %b : !tile.region<64xf32>, !columns
    tile.reduce sum %F to %sum dim 1 {clear} : !tile, !rows
    tile.atomic add %F to %x : !tile, !tile.region<4x64xf32>
    tile.copy %b to %s : !columns, !tile.region<64xf32>
    tile.copy %s to %c : !tile.region<64xf32>, !columns
    scf.for %k = %c0 to %n step %c1 {
      tile.reduce sum %F to %sum dim 1 {clear} : !tile, !rows
    }
    tile.copy %c to %s : !columns, !tile.region<64xf32>
    tile.copy %s to %d : !tile.region<64xf32>, !columns
    tile.reduce sum %F to %sum dim 1 {clear} : !tile, !rows
    gpu.terminator
  }
  return
}
