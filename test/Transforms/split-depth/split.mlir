// RUN: %tile_opt_passes 'tile-split-depth{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-split-depth{target=sm_90a},tile-split-depth{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-split-depth{target=sm_90a}' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// SAID: [tile-split/depth] clusters of 4 blocks share the depth of the product: 32 blocks of 64 rounds would leave multiprocessors idle; {{[0-9.]+}} times as fast by the model; `split` of tile.kernel_config gives a number
// SAID: [tile-split/asked] clusters of 2 blocks share the depth of the product, as `split` asks
// SAID-NOT: tile-split

// RUN: tile-compile --target=sm_90a %s -o %t --ptxas=off 2>&1 | FileCheck %s --check-prefix=ROLES
// ROLES-NOT: tile-persist/clusters
// ROLES-NOT: tile-ws

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

// 32 blocks on 132 multiprocessors: four share a depth of 4096.
// CHECK-LABEL: func @idle
// CHECK: gpu.launch clusters(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c1{{.*}}, %{{.*}} = %c1{{.*}}, %{{.*}} = %c4{{[^,]*}}) blocks(%{{.*}}) in (%{{.*}} = %c32, %{{.*}} = %c1{{.*}}, %{{.*}} = %c4{{.*}})
// CHECK: %[[Z:.*]] = gpu.block_id z
// CHECK: %[[RANK:.*]] = arith.remui %[[Z]], %c4
// CHECK: %[[BEGIN:.*]] = arith.addi %c0, %{{.*}}
// CHECK: %[[LAST:.*]] = arith.minsi %{{.*}}, %c4096
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[LAST]] step %c64
// CHECK: %[[PART:.*]] = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %[[ACC:.*]] to %[[PART]]
// CHECK-NEXT: tile.cluster_sync
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK: scf.for %[[R:.*]] = %c1{{.*}} to %c4{{.*}} step %c1
// CHECK: tile.remote %[[PART]] at %[[R]]
// CHECK: tile.parallel
// CHECK: tile.copy %[[ACC]] to
func.func @idle(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = arith.muli %bx, %c64 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Asked for, whatever the grid. The stages are those that fit beside the sums.
// CHECK-LABEL: func @asked
// CHECK: gpu.launch clusters
// CHECK: tile.kernel_config {persist = false}
// CHECK: tile.cluster_sync
// CHECK-NOT: tile.cluster_sync
func.func @asked(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %g: index, %K: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %g, %sy = %g, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// `split = 1` keeps what would be split; a grid that fills the chip stays, too.
// CHECK-LABEL: func @kept
// CHECK-NOT: clusters
func.func @kept(%A: memref<64x4096xbf16>, %B: memref<8192x4096xbf16>, %C: memref<64x8192xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 1 : i64}
    %n = arith.muli %bx, %c64 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<8192x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x8192xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c128, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = arith.muli %bx, %c64 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<8192x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x8192xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
