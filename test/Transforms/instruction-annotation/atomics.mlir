// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_80}' %s | FileCheck %s --check-prefix=SM80

!tile = memref<32x64xf32, #gpu.address_space<workgroup>>

// Updates from shared memory use TMA where the tensor map and the box allow it;
// all others are plain. sm_80 has no TMA.
// CHECK-LABEL: func.func @updates
// SM80-LABEL: func.func @updates
// SM80-NOT: tma
func.func @updates(%A: memref<?x?xf32>, %I: memref<?x?xi32>, %D: memref<?x?xf64>, %W: memref<32x64xf32>, %T: memref<?x?xf32, strided<[?, 2]>>, %v: f32) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c32 = arith.constant 32 : index
  %own = memref.alloc(%c32, %c32) : memref<?x?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %O = tile.alloc : !tile
    %K = tile.alloc : memref<32x64xi32, #gpu.address_space<workgroup>>
    %E = tile.alloc : memref<32x64xf64, #gpu.address_space<workgroup>>
    %N = tile.alloc : memref<32x3xf32, #gpu.address_space<workgroup>>
    %P = tile.alloc {layout = #tile.layout<"bases<d0=(o:1*32), d1=(o:32*64) -> o:2048>">} : !tile
    %F = tile.alloc : memref<32x64xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [32, 64] {align = 16} : memref<?x?xf32>
    %b = tile.region %A[0, 0] [32, 64] : memref<?x?xf32>
    %n = tile.region %A[0, 0] [32, 3] {align = 16} : memref<?x?xf32>
    %i = tile.region %I[0, 0] [32, 64] {align = 16} : memref<?x?xi32>
    %d = tile.region %D[0, 0] [32, 64] {align = 16} : memref<?x?xf64>
    %t = tile.region %T[0, 0] [32, 64] {align = 16} : memref<?x?xf32, strided<[?, 2]>>
    %o = tile.region %own[0, 0] [32, 64] {align = 16} : memref<?x?xf32>
    // CHECK: tile.atomic add {{.*}} {instr = #tile.instr<tma>}
    tile.atomic add %S to %a : !tile, !tile.region<32x64xf32>
    // CHECK: tile.atomic min {{.*}} {instr = #tile.instr<tma>}
    tile.atomic min %K to %i : memref<32x64xi32, #gpu.address_space<workgroup>>, !tile.region<32x64xi32>
    // CHECK: tile.atomic add {{.*}} {instr = #tile.instr<simt>}
    tile.atomic add %F to %a : memref<32x64xf32, #tile.fragment>, !tile.region<32x64xf32>
    // CHECK: tile.atomic add {{.*}} {instr = #tile.instr<simt>}
    tile.atomic add %v to %a : f32, !tile.region<32x64xf32>
    // CHECK: tile.atomic add {{.*}} {instr = #tile.instr<simt>}
    // expected-remark @+1 {{[tile-instr/alignment] uses simt; not tma: rows are known to be aligned to 4 bytes; TMA needs 16}}
    tile.atomic add %S to %b : !tile, !tile.region<32x64xf32>
    // expected-remark @+1 {{[tile-instr/types] uses simt; not tma: TMA has no such update of elements of this type}}
    tile.atomic max %S to %a : !tile, !tile.region<32x64xf32>
    // expected-remark @+1 {{[tile-instr/types] uses simt; not tma: TMA has no such update of elements of this type}}
    tile.atomic add %E to %d : memref<32x64xf64, #gpu.address_space<workgroup>>, !tile.region<32x64xf64>
    // CHECK: tile.atomic add {{.*}} old {{.*}} {instr = #tile.instr<simt>}
    // expected-remark @+1 {{[tile-instr/old] uses simt; not tma: TMA gives no values back}}
    tile.atomic add %S to %a old %O : !tile, !tile.region<32x64xf32>, !tile
    // expected-remark @+1 {{[tile-instr/order] uses simt; not tma: TMA orders nothing}}
    tile.atomic add %S to %a {order = #tile.order<release>} : !tile, !tile.region<32x64xf32>
    // expected-remark @+1 {{[tile-instr/convert] uses simt; not tma: TMA does not convert elements}}
    tile.atomic add %S to %d : !tile, !tile.region<32x64xf64>
    // expected-remark @+1 {{[tile-instr/window] uses simt; not tma: TMA takes whole tiles to windows of tensors}}
    tile.atomic add %S to %W : !tile, memref<32x64xf32>
    // expected-remark @+1 {{[tile-instr/stride] uses simt; not tma: rows of the window are not known to be contiguous}}
    tile.atomic add %S to %t : !tile, !tile.region<32x64xf32>
    // A workspace of the host has a map as arguments have.
    tile.atomic add %S to %o : !tile, !tile.region<32x64xf32>
    // expected-remark @+1 {{[tile-instr/row] uses simt; not tma: rows of the tile have 12 bytes, no multiple of 16}}
    tile.atomic add %N to %n : memref<32x3xf32, #gpu.address_space<workgroup>>, !tile.region<32x3xf32>
    // expected-remark @+1 {{[tile-instr/layout] uses simt; not tma: the layout of the tile does not suit TMA: }}
    tile.atomic add %P to %a : !tile, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}
