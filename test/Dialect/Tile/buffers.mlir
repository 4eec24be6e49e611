// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Tiles and their windows are printed as they are read, in text, in the
// generic form and in bytecode.

// The memory space of the type says what is allocated.
// CHECK-LABEL: func.func @allocs
func.func @allocs() {
  // CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.alloc {alignment = 1024 : i64, offset = 2048 : i64} : memref<2x64x64xf8E4M3FN, #gpu.address_space<workgroup>>
  %ring = tile.alloc {alignment = 1024, offset = 2048} : memref<2x64x64xf8E4M3FN, #gpu.address_space<workgroup>>
  // CHECK: tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
  %acc = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
  // CHECK: tile.alloc : memref<i32, #gpu.address_space<private>>
  %scalar = tile.alloc : memref<i32, #gpu.address_space<private>>
  // CHECK: tile.alloc : memref<4xi1, #gpu.address_space<private>>
  %flags = tile.alloc : memref<4xi1, #gpu.address_space<private>>
  return
}

// Offsets are numbers or values; dimensions of size 1 may be dropped.
// CHECK-LABEL: func.func @regions
// CHECK-SAME: (%[[A:[a-z0-9]+]]: memref<?x?x?xbf16>, %[[B:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index, %[[PAD:[a-z0-9]+]]: bf16)
func.func @regions(%A: memref<?x?x?xbf16>, %b: index, %m: index, %pad: bf16) {
  %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.region %[[A]][%[[B]], %[[M]], 0] [1, 128, 64] drop [0] : memref<?x?x?xbf16>
  %a = tile.region %A[%b, %m, 0] [1, 128, 64] drop [0] : memref<?x?x?xbf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.region %[[A]][0, %[[M]], -1] [1, 128, 64] drop [0] pad %[[PAD]] : bf16 in : memref<?x?x?xbf16>
  %padded = tile.region %A[0, %m, -1] [1, 128, 64] drop [0] pad %pad : bf16 in : memref<?x?x?xbf16>
  tile.copy %padded to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.region %[[A]][0, 0, 0] [1, 1, 8] {align = 16 : i64} : memref<?x?x?xbf16>
  %kept = tile.region %A[0, 0, 0] [1, 1, 8] {align = 16} : memref<?x?x?xbf16>
  // CHECK: tile.region %{{.*}}[64, %[[M]]] [1, 8] : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %part = tile.region %As[64, %m] [1, 8] : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %row = tile.region %A[0, 0, 0] [1, 1, 8] drop [0] : memref<?x?x?xbf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : !tile.region<1x8xbf16>, !tile.region<1x8xbf16, #gpu.address_space<workgroup>>
  tile.copy %row to %part : !tile.region<1x8xbf16>, !tile.region<1x8xbf16, #gpu.address_space<workgroup>>
  return
}

// The storage of a shared tile is shared memory, that of a fragment the
// registers of one thread: 64 x 128 elements on 128 threads are 64 each.
// CHECK-LABEL: func.func @storages
func.func @storages() -> (bf16, f32) {
  %c0 = arith.constant 0 : index
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
  // CHECK: tile.storage %{{.*}} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %s = tile.storage %As : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %f = tile.storage %acc : memref<64x128xf32, #tile.fragment>
  // CHECK: memref.load %{{.*}} : memref<8192xbf16, #gpu.address_space<workgroup>>
  %x = memref.load %s[%c0] : memref<8192xbf16, #gpu.address_space<workgroup>>
  // CHECK: memref.load %{{.*}} : memref<64xf32, #gpu.address_space<private>>
  %y = memref.load %f[%c0] : memref<64xf32, #gpu.address_space<private>>
  return %x, %y : bf16, f32
}

// Rows that numbers name, of a tensor and of a part of a shared tile.
// CHECK-LABEL: func.func @gathered
func.func @gathered(%A: memref<?x?xbf16>, %ids: memref<?xi32>, %k: index, %m: index, %pad: bf16, %s: memref<64x32xbf16, #gpu.address_space<workgroup>>) {
  // CHECK: %[[A:.*]] = tile.region %{{.*}}[0, %{{.*}}] [64, 32] by %{{.*}}[%{{.*}}] dim 0 : memref<?x?xbf16>, memref<?xi32>
  %a = tile.region %A[0, %k] [64, 32] by %ids[%m] dim 0 : memref<?x?xbf16>, memref<?xi32>
  %i = tile.alloc : memref<2x64xi64, #gpu.address_space<workgroup>>
  %j = tile.region %i[1, 0] [1, 64] drop [0] : memref<2x64xi64, #gpu.address_space<workgroup>>
  // CHECK: tile.region %{{.*}} [64, 32] by %{{.*}}[%{{.*}}] dim 0 pad %{{.*}} : bf16 in : memref<?x?xbf16>, !tile.region<64xi64, #gpu.address_space<workgroup>>
  %b = tile.region %A[0, %k] [64, 32] by %j[%m] dim 0 pad %pad : bf16 in : memref<?x?xbf16>, !tile.region<64xi64, #gpu.address_space<workgroup>>
  // CHECK: tile.region %{{.*}}[%{{.*}}, 0] [64, 32] end [0, 1](%{{.*}}, %{{.*}}) pad %{{.*}} : bf16 in : memref<?x?xbf16>
  %c = tile.region %A[%k, 0] [64, 32] end [0, 1] (%m, %k) pad %pad : bf16 in : memref<?x?xbf16>
  tile.copy %c to %s : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
  tile.copy %a to %s : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
  tile.copy %b to %s : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func.func @addresses
func.func @addresses(%table: memref<?xi64>, %g: index, %m: index, %k: index) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
  %address = memref.load %table[%g] : memref<?xi64>
  // CHECK: %[[AT:.*]] = tile.tensor_at %{{.*}} : memref<f16>
  %at = tile.tensor_at %address : memref<f16>
  // CHECK: memref.reinterpret_cast %[[AT]]
  %A = memref.reinterpret_cast %at to offset: [0], sizes: [%m, %k], strides: [%k, 1] : memref<f16> to memref<?x?xf16, strided<[?, 1]>>
  // CHECK: tile.region %{{.*}}[0, 0] [64, 32] end [0](%{{.*}}) {starts_inside} : memref<?x?xf16, strided<[?, 1]>>
  %a = tile.region %A[0, 0] [64, 32] end [0] (%g) {starts_inside} : memref<?x?xf16, strided<[?, 1]>>
  tile.copy %a to %s : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
  return
}
