// RUN: %tile_opt_passes 'tile-order-blocks{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-order-blocks{target=sm_90a},tile-order-blocks{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-order-blocks{target=sm_90a}' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// SAID: [tile-persist/longest-first] its blocks run in another order: loops are shorter from block to block in x, so the first go first
// SAID: [tile-persist/longest-first] its blocks run in another order: loops are longer from block to block in x, so the last go first

#smem = #gpu.address_space<workgroup>
!tensor = memref<4096x4096xbf16>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>

// Loops become shorter from x to x: blocks of all rows of a panel come in that order.
// 132 multiprocessors have 396 blocks at three each, rows have 16: 16 of them.
// CHECK-LABEL: func @shorter
// CHECK: %[[X:.*]] = gpu.block_id x
// CHECK: %[[Y:.*]] = gpu.block_id y
// CHECK: %[[I:.*]], %[[J:.*]] = tile.block_swizzle %[[X]], %[[Y]] of %{{.*}}, %{{.*}} {panel = 16 : i64}
// CHECK-NOT: tile.block_swizzle
// CHECK: arith.subi %{{.*}}, %[[I]]
// CHECK: arith.muli %[[J]]
func.func @shorter(%A: !tensor, %C: memref<32x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c16, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %block = arith.subi %c15, %bx : index
    %m = arith.muli %block, %c64 : index
    %head = arith.muli %by, %c64 : index
    %end = arith.addi %m, %c64 : index
    %As = tile.alloc : !A
    %acc = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %a = tile.region %A[%head, %n] [64, 64] : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.gemm %As, %As, %acc : (!A, !A, !acc)
    }
    gpu.terminator
  }
  return
}

// Longer ones: the last block of a row goes first. The host knows the grid.
// CHECK-LABEL: func @longer
// CHECK-SAME: %{{.*}}, %[[GX:.*]]: index, %[[GY:.*]]: index
// CHECK: %[[SMS:.*]] = tile.num_sms
// CHECK: %[[ROOM:.*]] = arith.muli %[[SMS]]
// CHECK: arith.cmpi ule, %{{.*}}, %[[ROOM]]
// CHECK: %[[PANEL:[0-9]+]] = arith.select %{{.*}}, %c32
// CHECK: gpu.launch
// CHECK: %[[X:.*]] = gpu.block_id x
// CHECK: %[[Y:.*]] = gpu.block_id y
// CHECK: %[[ROW:.*]] = arith.muli %[[Y]], %[[W:.*]] :
// CHECK: %[[NUMBER:.*]] = arith.addi %[[ROW]], %[[X]]
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[W]], %[[PANEL]]
// CHECK: %[[IN:.*]] = arith.remui %[[NUMBER]], %[[BLOCKS]]
// CHECK: arith.minui %{{.*}}, %[[PANEL]]
// CHECK: %[[I:.*]] = arith.divui %[[IN]]
// CHECK: %[[LAST:.*]] = arith.subi %[[W]]
// CHECK: %[[BX:.*]] = arith.subi %[[LAST]], %[[I]]
// CHECK: arith.muli %[[BX]]
func.func @longer(%A: !tensor, %gx: index, %gy: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %keys = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c64 : index
    %head = arith.muli %by, %c64 : index
    %reach = arith.addi %m, %c64 : index
    %end = arith.minsi %reach, %keys : index
    %As = tile.alloc : !A
    %acc = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %a = tile.region %A[%head, %n] [64, 64] : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.gemm %As, %As, %acc : (!A, !A, !acc)
    }
    gpu.terminator
  }
  return
}

// A window that moves is as long in each block; what the kernel orders itself stays,
// and so do loops that rows make longer.
// CHECK-LABEL: func @window
// CHECK-NOT: gpu.block_id
// CHECK-LABEL: func @ordered
// CHECK-NOT: gpu.block_id
// CHECK-LABEL: func @rows
// CHECK-NOT: gpu.block_id
func.func @window(%A: !tensor, %gx: index, %gy: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c64 : index
    %end = arith.addi %m, %c128 : index
    %As = tile.alloc : !A
    %acc = tile.alloc : !acc
    scf.for %n = %m to %end step %c64 {
      %a = tile.region %A[%by, %n] [64, 64] : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.gemm %As, %As, %acc : (!A, !A, !acc)
    }
    gpu.terminator
  }
  return
}

func.func @ordered(%A: !tensor, %gx: index, %gy: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %ux, %uy = tile.block_swizzle %bx, %by of %sx, %sy {panel = 4 : i64}
    %end = arith.muli %ux, %c64 : index
    %As = tile.alloc : !A
    %acc = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %a = tile.region %A[%uy, %n] [64, 64] : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.gemm %As, %As, %acc : (!A, !A, !acc)
    }
    gpu.terminator
  }
  return
}

func.func @rows(%A: !tensor, %gx: index, %gy: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %place = arith.addi %bx, %by : index
    %end = arith.muli %place, %c64 : index
    %As = tile.alloc : !A
    %acc = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %a = tile.region %A[%by, %n] [64, 64] : !tensor
      tile.copy %a to %As : !tile.region<64x64xbf16>, !A
      tile.gemm %As, %As, %acc : (!A, !A, !acc)
    }
    gpu.terminator
  }
  return
}
