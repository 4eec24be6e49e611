// RUN: %tile_opt --verify-roundtrip %s | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

#smem = #gpu.address_space<workgroup>

// CHECK-LABEL: func @products
// CHECK: tile.gemm {{.*}} {async, instr = #tile.instr<wgmma>}
// CHECK: tile.await pending 1
// CHECK: tile.await pending 0 for %{{.*}} : memref<64x64xf32, #tile.fragment>
// CHECK: tile.await pending 0 for %{{.*}} : memref<64x64xf32, #tile.fragment> after %{{.*}} : memref<64xf32, #tile.fragment>
func.func @products(%A: memref<64x64xf16, #smem>, %B: memref<64x64xf16, #smem>) {
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %A, %B, %acc {async, instr = #tile.instr<wgmma>} : (memref<64x64xf16, #smem>, memref<64x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
  tile.await pending 1
  tile.await pending 0 for %acc : memref<64x64xf32, #tile.fragment>
  %row = tile.alloc : memref<64xf32, #tile.fragment>
  tile.await pending 0 for %acc : memref<64x64xf32, #tile.fragment> after %row : memref<64xf32, #tile.fragment>
  return
}
