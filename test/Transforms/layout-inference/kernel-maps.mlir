// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a},tile-layout-inference{target=sm_90a}' %s 2>/dev/null | FileCheck %s

// Maps of tensors that each round of a loop finds elsewhere. The producer acquires the slots
// of the ring before the map changes; the consumer has no slot to wait
// for. Workspaces and what the maps are like are the host's.

#smem = #gpu.address_space<workgroup>
!rows = memref<?x64xbf16, strided<[64, 1]>>
!tile = memref<64x64xbf16, #smem>

// CHECK-LABEL: func.func @groups
// CHECK-DAG: memref.alloc() {alignment = 128 : i64} : memref<1x64xbf16>
// CHECK-DAG: memref.alloc(%{{.*}}) {alignment = 128 : i64} : memref<?x16xi64>
// CHECK: gpu.launch
// CHECK: tile.role "consumer"
// CHECK: %[[OUT:.*]], %[[NEW:.*]] = tile.map_place
// CHECK-NEXT: scf.if %[[NEW]] {
// CHECK-NEXT: tile.map_make %[[OUT]] from
// CHECK: tile.copy {{.*}} map %[[OUT]]
// CHECK: tile.role "producer"
// CHECK: %[[MAP:.*]], %[[CHANGES:.*]] = tile.map_place
// CHECK-NEXT: scf.if %[[CHANGES]] {
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.advance
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.map_make %[[MAP]] from
// CHECK: tile.copy {{.*}} map %[[MAP]]
func.func @groups(%from: memref<?xi64>, %to: memref<?xi64>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %from, %c0 : memref<?xi64>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %x = tile.alloc : !tile
    %y = tile.alloc : !tile
    scf.for %g = %c0 to %n step %c1 {
      %a = memref.load %from[%g] : memref<?xi64>
      %b = memref.load %to[%g] : memref<?xi64>
      %a0 = tile.tensor_at %a : memref<bf16>
      %b0 = tile.tensor_at %b : memref<bf16>
      %X = memref.reinterpret_cast %a0 to offset: [0], sizes: [%m, 64], strides: [64, 1] : memref<bf16> to !rows
      %Y = memref.reinterpret_cast %b0 to offset: [0], sizes: [%m, 64], strides: [64, 1] : memref<bf16> to !rows
      scf.for %i = %c0 to %m step %c64 {
        %xw = tile.region %X[%i, 0] [64, 64] {align = 16 : i64} : !rows
        %yw = tile.region %Y[%i, 0] [64, 64] {align = 16 : i64} : !rows
        tile.copy %xw to %x : !tile.region<64x64xbf16>, !tile
        tile.parallel (%r, %c) in [64, 64] {
          %v = memref.load %x[%r, %c] : !tile
          %w = arith.addf %v, %v : bf16
          memref.store %w, %y[%r, %c] : !tile
        }
        tile.copy %y to %yw : !tile, !tile.region<64x64xbf16>
      } {tile.num_stages = 2 : i32}
    }
    gpu.terminator
  }
  return
}
