// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Copies in another order are printed as they are read.

// CHECK-LABEL: func.func @orders
func.func @orders(%row: memref<64xf32>, %list: memref<8192xbf16>) {
  %f = tile.alloc : memref<128x64xf32, #tile.fragment>
  %s = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.arrange %{{.*}} to %{{.*}} broadcast [0] : memref<64xf32>, memref<128x64xf32, #tile.fragment>
  tile.arrange %row to %f broadcast [0] : memref<64xf32>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.arrange %{{.*}} to %{{.*}} broadcast [0] reverse [1] : memref<64xf32>
  tile.arrange %row to %f broadcast [0] reverse [1] : memref<64xf32>, memref<128x64xf32, #tile.fragment>
  // CHECK: tile.arrange %{{.*}} to %{{.*}} reverse [0, 1] : memref<128x64xf32, #tile.fragment>
  tile.arrange %f to %s reverse [0, 1] : memref<128x64xf32, #tile.fragment>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.arrange %{{.*}} to %{{.*}} reshape : memref<8192xbf16>
  tile.arrange %list to %s reshape : memref<8192xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.arrange %{{.*}} to %{{.*}} : memref<128x64xbf16
  tile.arrange %s to %f : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xf32, #tile.fragment>
  return
}
