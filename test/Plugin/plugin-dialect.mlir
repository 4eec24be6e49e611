// The dialect plugin alone makes mlir-opt read, verify and print tile ops. The
// verifiers are C functions in libtile.so.

// RUN: mlir-opt %s --load-dialect-plugin=%libtile --verify-roundtrip \
// RUN:   --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @region
// CHECK: tile.region %{{.*}}[4, 0] [8, 16] : memref<64x64xf32>
func.func @region(%a: memref<64x64xf32>, %b: memref<8x16xf32, #tile.fragment>) {
  %r = tile.region %a[4, 0] [8, 16] : memref<64x64xf32>
  tile.copy %r to %b : !tile.region<8x16xf32>, memref<8x16xf32, #tile.fragment>
  return
}

// -----

func.func @shapes(%a: memref<8x16xf32>, %b: memref<8x8xf32, #tile.fragment>) {
  // expected-error @+1 {{'tile.copy' op}}
  tile.copy %a to %b : memref<8x16xf32>, memref<8x8xf32, #tile.fragment>
  return
}
