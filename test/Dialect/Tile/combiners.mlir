// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Reductions and scans by a body are printed as they are read.

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: func.func @bodies
func.func @bodies(%A: memref<8x16xbf16>, %S: memref<16xf32>) {
  %m = tile.alloc : memref<8xf32, #tile.fragment>
  %at = tile.alloc : memref<8x1xi32, #shared>
  %s = tile.alloc : memref<8x16xf32, #shared>
  // CHECK: tile.reduce_by %{{.*}} to %{{.*}}, %{{.*}} dim 1 position clear {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
  // CHECK: } : (memref<8x16xbf16>) to (memref<8xf32, #tile.fragment>, memref<8x1xi32, #gpu.address_space<workgroup>>)
  tile.reduce_by %A to %m, %at dim 1 position clear {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %v = arith.addf %a, %b : f32
    %k = arith.maxsi %i, %j : i32
    tile.yield %v, %k : f32, i32
  } : (memref<8x16xbf16>) to (memref<8xf32, #tile.fragment>, memref<8x1xi32, #shared>)
  // CHECK: tile.reduce_by %{{.*}} to %{{.*}} dim 0 {
  tile.reduce_by %A to %S dim 0 {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    tile.yield %v : f32
  } : (memref<8x16xbf16>) to (memref<16xf32>)
  // CHECK: tile.scan_by %{{.*}} to %{{.*}} dim 1 reverse {
  tile.scan_by %A to %s dim 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    tile.yield %v : f32
  } : (memref<8x16xbf16>) to (memref<8x16xf32, #shared>)
  // CHECK: tile.reduce_all absmax %{{.*}} : memref<8x16xf32, #gpu.address_space<workgroup>> -> f32
  %r = tile.reduce_all absmax %s : memref<8x16xf32, #shared> -> f32
  return
}
