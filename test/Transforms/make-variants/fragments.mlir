// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s -o %t.once
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// A fragment is copied in vectors without a second form where the host knows
// that no row of the tensor ends inside one: rows and where they begin are
// multiples. An extent that is known is not asked for.
// CHECK-LABEL: func.func @rows
// CHECK: tile.variants {
// CHECK-DAG: tile.require %{{.*}}, "address of argument 0 is a multiple of 16 bytes"
// CHECK-DAG: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK-DAG: tile.require %{{.*}}, "extent 1 of argument 0 is a multiple of 16 bytes"
// CHECK-DAG: tile.require %{{.*}}, "address of argument 1 is a multiple of 16 bytes"
// CHECK-DAG: tile.require %{{.*}}, "extent 0 of argument 1 is a multiple of 16 bytes"
// CHECK-DAG: tile.require %{{.*}}, "address of argument 2 is a multiple of 16 bytes"
// CHECK-NOT: tile.require
// CHECK: tile.region %arg0[%{{.*}}, 0] [1, 256] {align = 16 : i64, tile.row_multiple = 16 : i64}
// CHECK: tile.region %arg1[0] [256] {align = 16 : i64, tile.row_multiple = 16 : i64}
// CHECK: tile.region %arg2[%{{.*}}, 0] [1, 256] {align = 16 : i64} :
// CHECK: }, {
// CHECK-NOT: align
// CHECK: return
func.func @rows(%X: memref<?x?xbf16>, %scale: memref<?xbf16>, %Y: memref<?x256xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<1x256xf32, #tile.fragment>
    %w = tile.alloc : memref<256xf32, #tile.fragment>
    %x = tile.region %X[%bx, 0] [1, 256] : memref<?x?xbf16>
    %s = tile.region %scale[0] [256] : memref<?xbf16>
    %y = tile.region %Y[%bx, 0] [1, 256] : memref<?x256xf32>
    tile.copy %x to %F : !tile.region<1x256xbf16>, memref<1x256xf32, #tile.fragment>
    tile.copy %s to %w : !tile.region<256xbf16>, memref<256xf32, #tile.fragment>
    tile.copy %F to %y : memref<1x256xf32, #tile.fragment>, !tile.region<1x256xf32>
    gpu.terminator
  }
  return
}

// Nothing to ask for: odd rows, a window that begins at any column, one that ends
// by itself, and beside a product, whose accumulators decide about registers.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: tile.variants
// CHECK: return
func.func @alone(%X: memref<?x?xf32>, %odd: memref<8x63xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<1x64xf32, #tile.fragment>
    %a = tile.region %odd[%bx, 0] [1, 64] : memref<8x63xf32>
    %b = tile.region %X[%bx, %i] [1, 64] : memref<?x?xf32>
    %c = tile.region %X[%bx, 0] [1, 64] end [1] (%i) : memref<?x?xf32>
    tile.copy %a to %F : !tile.region<1x64xf32>, memref<1x64xf32, #tile.fragment>
    tile.copy %b to %F : !tile.region<1x64xf32>, memref<1x64xf32, #tile.fragment>
    tile.copy %c to %F : !tile.region<1x64xf32>, memref<1x64xf32, #tile.fragment>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @beside_a_product
// CHECK-NOT: row_multiple
// CHECK: return
func.func @beside_a_product(%bias: memref<?xf32>, %C: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %row = tile.alloc : memref<64xf32, #tile.fragment>
    %none = arith.constant 0.0 : f32
    %b = tile.region %bias[0] [64] : memref<?xf32>
    tile.copy %b to %row : !tile.region<64xf32>, memref<64xf32, #tile.fragment>
    tile.fill %acc, %none : memref<64x64xf32, #tile.fragment>, f32
    tile.fill %As, %zero : memref<64x64xbf16, #gpu.address_space<workgroup>>, bf16
    tile.gemm %As, %As, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
