// Tensor maps that a kernel makes: of one block, and of a template of the host.

// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @made
// CHECK: %[[MAP:.*]], %[[CHANGES:.*]] = tile.map_place %{{.*}}[%{{.*}}] of %{{.*}} : memref<?x16xi64>, memref<?x64xbf16, strided<[?, 1]>>
// CHECK: tile.map_make %[[MAP]] from %{{.*}} by %{{.*}} : memref<16xi64, #gpu.address_space<workgroup>>
func.func @made(%maps: memref<?x16xi64>, %like: !tile.tensor_map, %address: i64, %rows: index) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %first = tile.tensor_at %address : memref<bf16>
  %A = memref.reinterpret_cast %first to offset: [0], sizes: [%rows, 64], strides: [%rows, 1] : memref<bf16> to memref<?x64xbf16, strided<[?, 1]>>
  %stage = tile.alloc : memref<16xi64, #gpu.address_space<workgroup>>
  %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16, strided<[?, 1]>>
  scf.if %changes {
    tile.map_make %map from %like by %stage : memref<16xi64, #gpu.address_space<workgroup>>
  }
  return
}
