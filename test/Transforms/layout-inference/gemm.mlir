// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// Operands take the widest swizzle that TMA and wgmma share; the tensor maps
// follow: A in one box, B in two of 64 columns.
// CHECK-LABEL: func.func @wgmma
// CHECK: %[[MA:.*]] = tile.tensor_map %{{.*}} box [128, 64] swizzle 128
// CHECK: %[[MB:.*]] = tile.tensor_map %{{.*}} box [64, 64] swizzle 128
// CHECK: gpu.launch
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x128xbf16
// CHECK: tile.alloc {layout = #tile.layout<"wgmma<128x128,wg=1x1>">} : memref<128x128xf32
// CHECK: tile.copy %{{.*}} to %{{.*}} map %[[MA]]
// CHECK: tile.copy %{{.*}} to %{{.*}} map %[[MB]]
func.func @wgmma(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    %a = tile.region %A[%c0, %c0] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
    %b = tile.region %B[%c0, %c0] [64, 128] {align = 16 : i64} : memref<?x?xbf16>
    tile.copy %a to %As {instr = #tile.instr<tma>} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %Bs {instr = #tile.instr<tma>} : !tile.region<64x128xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    gpu.terminator
  }
  return
}

// mma.sync: four warps share the tile, 2 x 2.
// CHECK-LABEL: func.func @mma
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<128x32xf16
// CHECK: tile.alloc {layout = #tile.layout<"mma<128x128,warps=2x2>">}
func.func @mma() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<128x32xf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<32x128xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<mma>} : (memref<128x32xf16, #gpu.address_space<workgroup>>, memref<32x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  return
}

// The policy decides the partition; a layout that the user gave is kept.
// CHECK-LABEL: func.func @policy_and_given_layout
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<128x64xbf16
// CHECK: tile.alloc {layout = #tile.layout<"wgmma<128x128,wg=1x2>">}
func.func @policy_and_given_layout() attributes {tile.num_threads = 256 : i32} {
  %As = tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>, policy = #tile.warp_policy<full_col>} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  return
}

// Two warpgroups own 96 columns each. Along contiguous columns a block is whole
// swizzle atoms: 64 columns do not divide 96, 32 do.
// CHECK-LABEL: func.func @blocks_are_whole_atoms
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xf16
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<64x192xf16
func.func @blocks_are_whole_atoms(%B: memref<64x192xf16>) attributes {tile.num_threads = 256 : i32} {
  %As = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<64x192xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x192xf32, #tile.fragment>
  %b = tile.region %B[0, 0] [64, 192] {align = 16 : i64} : memref<64x192xf16>
  tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<64x192xf16>, memref<64x192xf16, #gpu.address_space<workgroup>>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x192xf16, #gpu.address_space<workgroup>>, memref<64x192xf32, #tile.fragment>)
  return
}

// Two warpgroups and scales for rows and columns: 64 rows with all columns read less
// of B again than 128 with half of them, though more scales.
// CHECK-LABEL: func.func @rows_before_columns
// CHECK: tile.alloc {layout = #tile.layout<"wgmma<128x128,wg=2x1>">} : memref<128x128xf32
func.func @rows_before_columns() attributes {tile.num_threads = 256 : i32} {
  %true = arith.constant true
  %As = tile.alloc : memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>
  %rows = tile.alloc : memref<128xf32, #gpu.address_space<workgroup>>
  %columns = tile.alloc : memref<128xf32, #gpu.address_space<workgroup>>
  %part = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %As, %Bs, %part clear %true {transpose_b, instr = #tile.instr<wgmma>} : (memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  tile.parallel (%i, %j) in [128, 128] {
    %x = memref.load %part[%i, %j] : memref<128x128xf32, #tile.fragment>
    %r = memref.load %rows[%i] : memref<128xf32, #gpu.address_space<workgroup>>
    %c = memref.load %columns[%j] : memref<128xf32, #gpu.address_space<workgroup>>
    %y = arith.mulf %x, %r : f32
    %z = arith.mulf %y, %c : f32
    memref.store %z, %part[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  return
}
