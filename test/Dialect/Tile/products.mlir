// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Products are printed as they are read, in text, in the generic form and in
// bytecode.

// CHECK-LABEL: func.func @gemm
// CHECK-SAME: %[[CLEAR:[a-z0-9]+]]: i1
func.func @gemm(%clear: i1) {
  %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} clear %[[CLEAR]] {instr = #tile.instr<wgmma>, policy = #tile.warp_policy<full_row>, transpose_b} :
  tile.gemm %As, %Bs, %acc clear %clear {transpose_b, policy = #tile.warp_policy<full_row>, instr = #tile.instr<wgmma>} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  return
}

// Every row of the table of element types. A is stored K x M, in registers.
// CHECK-LABEL: func.func @types
func.func @types(%a16: memref<32x64xf16, #tile.fragment>, %b16: memref<32x128xf16, #gpu.address_space<workgroup>>, %c16: memref<64x128xf16, #tile.fragment>,
                 %af: memref<32x64xf32, #tile.fragment>, %bf: memref<32x128xf32, #gpu.address_space<workgroup>>, %cf: memref<64x128xf32, #tile.fragment>,
                 %a8: memref<32x64xf8E4M3FN, #tile.fragment>, %b8: memref<32x128xf8E5M2, #gpu.address_space<workgroup>>,
                 %ai: memref<32x64xi8, #tile.fragment>, %bi: memref<32x128xi8, #gpu.address_space<workgroup>>, %ci: memref<64x128xi32, #tile.fragment>) {
  // CHECK-COUNT-6: tile.gemm
  tile.gemm %a16, %b16, %c16 {transpose_a} : (memref<32x64xf16, #tile.fragment>, memref<32x128xf16, #gpu.address_space<workgroup>>, memref<64x128xf16, #tile.fragment>)
  tile.gemm %a16, %b16, %cf {transpose_a} : (memref<32x64xf16, #tile.fragment>, memref<32x128xf16, #gpu.address_space<workgroup>>, memref<64x128xf32, #tile.fragment>)
  tile.gemm %af, %bf, %cf {transpose_a, precision = "tf32"} : (memref<32x64xf32, #tile.fragment>, memref<32x128xf32, #gpu.address_space<workgroup>>, memref<64x128xf32, #tile.fragment>)
  tile.gemm %a8, %b8, %cf {transpose_a} : (memref<32x64xf8E4M3FN, #tile.fragment>, memref<32x128xf8E5M2, #gpu.address_space<workgroup>>, memref<64x128xf32, #tile.fragment>)
  tile.gemm %a8, %b8, %c16 {transpose_a} : (memref<32x64xf8E4M3FN, #tile.fragment>, memref<32x128xf8E5M2, #gpu.address_space<workgroup>>, memref<64x128xf16, #tile.fragment>)
  tile.gemm %ai, %bi, %ci {transpose_a} : (memref<32x64xi8, #tile.fragment>, memref<32x128xi8, #gpu.address_space<workgroup>>, memref<64x128xi32, #tile.fragment>)
  return
}
