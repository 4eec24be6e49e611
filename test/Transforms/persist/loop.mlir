// The grid becomes that of the device, and the body a loop over tiles.

// RUN: %tile_opt_passes 'tile-persist{target=sm_80}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-persist{target=sm_80}' %s -o %t.once
// RUN: %tile_opt_passes 'tile-persist{target=sm_80}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

// Sizes that only the host knows reach the kernel as values. Allocations and
// the options of the kernel stay before the loop.
// CHECK-LABEL: func.func @three_dimensions
// CHECK-SAME: %[[X:[a-z0-9]+]]: index, %[[Y:[a-z0-9]+]]: index, %[[Z:[a-z0-9]+]]: index
// CHECK: %[[XY:.*]] = arith.muli %[[X]], %[[Y]] : index
// CHECK: %[[TILES:.*]] = arith.muli %[[XY]], %[[Z]] : index
// CHECK: tile.require %{{.*}}, "a persistent launch has at most 2^30 tiles"
// CHECK: %[[SMS:.*]] = tile.num_sms
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: %[[MOST:.*]] = arith.muli %[[SMS]], %[[THREE]] : index
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[BLOCKS:.*]] = arith.minui %[[MOST]], %[[TILES]] : index
// CHECK: gpu.launch blocks(%[[FIRST:[a-z0-9_]+]], %{{.*}}, %{{.*}}) in (%[[STEP:[a-z0-9_]+]] = %[[BLOCKS]], %{{.*}} = %[[ONE]], %{{.*}} = %[[ONE]])
// CHECK-DAG: tile.kernel_config {min_blocks = 3 : i64, persist = true}
// CHECK-DAG: tile.alloc
// CHECK: scf.for %[[T:.*]] = %[[FIRST]] to %[[TILES]] step %[[STEP]] {
// CHECK: %[[AREA:.*]] = arith.muli %[[X]], %[[Y]] : index
// CHECK: %[[BZ:.*]] = arith.divui %[[T]], %[[AREA]] : index
// CHECK: %[[PLANE:.*]] = arith.remui %[[T]], %[[AREA]] : index
// CHECK: %[[BX:.*]] = arith.remui %[[PLANE]], %[[X]] : index
// CHECK: %[[BY:.*]] = arith.divui %[[PLANE]], %[[X]] : index
// CHECK: arith.addi %[[BX]], %[[BY]] : index
// CHECK: arith.addi %{{.*}}, %[[BZ]] : index
// The size of the grid that the kernel sees is that of the launch as it was.
// CHECK: arith.muli %{{.*}}, %[[X]] : index
// CHECK: tile.copy
func.func @three_dimensions(%A: !tensor, %gx: index, %gy: index, %gz: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %gz)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = arith.addi %bx, %by : index
    %u = arith.addi %s, %bz : index
    %v = arith.muli %u, %sx : index
    tile.kernel_config {min_blocks = 3 : i64, persist = true}
    %S = tile.alloc : !tile
    %a = tile.region %A[%v] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// Constants are multiplied by the compiler, and dimensions of one block ask
// for no arithmetic.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: tile.require
// CHECK: %[[TILES:.*]] = arith.constant 1000 : index
// CHECK: arith.minui %{{.*}}, %[[TILES]] : index
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[TILES]] step
// CHECK-NOT: arith.{{div|rem}}ui
// CHECK: tile.region %{{.*}}[%[[T]]]
func.func @constants(%A: !tensor) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c1000 = arith.constant 1000 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1000, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    %a = tile.region %A[%by] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// Ops that ask for the block are answered like the arguments of the body.
// CHECK-LABEL: func.func @queries
// CHECK: scf.for %[[T:.*]] =
// CHECK: %[[BY:.*]] = arith.divui %[[T]], %[[X:.*]] : index
// CHECK: arith.addi %[[BY]], %[[X]] : index
func.func @queries(%A: !tensor, %gx: index, %gy: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    %y = gpu.block_id y
    %x = gpu.grid_dim x
    %o = arith.addi %y, %x : index
    %a = tile.region %A[%o] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// Whoever sizes the grid by the device has a loop already; others refuse one,
// and the pass asks nothing of kernels without pipelined loops.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: arith.minui
// CHECK-NOT: scf.for
// CHECK: return
func.func @left_alone(%A: !tensor, %gx: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %sms = tile.num_sms
  %twice = arith.addi %sms, %sms : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %twice, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = false}
    %S = tile.alloc : !tile
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}
