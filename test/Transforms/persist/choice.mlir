// Which launches become persistent without being asked, and in which order they
// take their tiles.

// RUN: %tile_opt_passes 'tile-persist{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-persist{target=sm_80}' %s | FileCheck %s --check-prefix=SM80
// SM80-NOT: tile.num_sms

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!tile = memref<128x64xbf16, #smem>
!wide = memref<256x64xbf16, #smem>
!win = !tile.region<128x64xbf16>
!winw = !tile.region<256x64xbf16>
!acc = memref<128x256xf32, #tile.fragment>

// A product: rows of A by y, of B by x. Panels make blocks that run at once
// share both. 16 rows of 128 are as many as 8 columns of 256.
// CHECK-LABEL: func.func @product
// CHECK: tile.num_sms
// CHECK: scf.for %[[T:.*]] = %
// CHECK: %[[X:.*]], %[[Y:.*]] = tile.block_swizzle %[[T]], %{{.*}} of %{{.*}}, %{{.*}} {panel = 16 : i64}
// CHECK: arith.muli %[[Y]], %c128
// CHECK: arith.muli %[[X]], %c256
// CHECK: tile.num_stages
func.func @product(%A: !A, %B: !A, %C: memref<4096x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c16, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c256 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !wide
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !winw, !wide
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !wide, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 256] : memref<4096x4096xf32>
    tile.copy %acc to %c : !acc, !tile.region<128x256xf32>
    gpu.terminator
  }
  return
}

// The kernel has an order of its own: tiles keep their numbers.
// CHECK-LABEL: func.func @own_order
// CHECK: scf.for %[[T:.*]] = %
// CHECK-NOT: panel = 16
// CHECK: tile.block_swizzle {{.*}} {panel = 4 : i64}
// CHECK-NOT: block_swizzle
// CHECK: return
func.func @own_order(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c16, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %x, %y = tile.block_swizzle %bx, %by of %sx, %sy {panel = 4 : i64}
    %m = arith.muli %y, %c128 : index
    %n = arith.muli %x, %c256 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !wide
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : !A
      %b = tile.region %B[%n, %k] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %As : !win, !tile
      tile.copy %b to %Bs : !winw, !wide
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !wide, !acc)
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// Attention: what the loop reads depends on the head alone, so neighbours share
// it in the order of their numbers.
// CHECK-LABEL: func.func @one_id
// CHECK: scf.for %{{.*}} = %
// CHECK-NOT: block_swizzle
// CHECK: return
func.func @one_id(%A: !A, %n: index, %heads: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %heads, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %h = arith.muli %by, %c64 : index
    %S = tile.alloc : !tile
    %F = tile.alloc : memref<128x256xf32, #tile.fragment>
    %V = tile.alloc : !wide
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, %h] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %V : !winw, !wide
      tile.gemm %S, %V, %F {transpose_b} : (!tile, !wide, !acc)
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// Without roles nothing runs ahead: such launches are not looked at.
// CHECK-LABEL: func.func @no_roles
// CHECK-NOT: tile.num_sms
// CHECK: return
func.func @no_roles(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %V = tile.alloc : !wide
    %F = tile.alloc : memref<256x64xbf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, %bx] [256, 64] : !A
      tile.copy %a to %V : !winw, !wide
      tile.copy %V to %F : !wide, memref<256x64xbf16, #tile.fragment>
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %V = tile.alloc : !wide
    %F = tile.alloc : memref<256x64xbf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %V : !winw, !wide
      tile.copy %V to %F : !wide, memref<256x64xbf16, #tile.fragment>
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}
