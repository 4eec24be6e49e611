// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Prints, asserts and clocks are printed as they are read.

// CHECK-LABEL: func.func @messages
func.func @messages(%k: index, %v: f16, %ok: i1) {
  %f = tile.alloc : memref<64x128xbf16, #tile.fragment>
  // CHECK: tile.print "hello"
  tile.print "hello"
  // CHECK: tile.print "at"(%{{.*}}, %{{.*}} : index, f16)
  tile.print "at"(%k, %v : index, f16)
  // CHECK: tile.print "f"(%{{.*}} : memref<64x128xbf16, #tile.fragment>)
  tile.print "f"(%f : memref<64x128xbf16, #tile.fragment>)
  // CHECK: tile.assert %{{.*}}, "in range"
  tile.assert %ok, "in range"
  // CHECK: tile.print "t"(%{{.*}} : index) {every_thread, source_line}
  tile.print "t"(%k : index) {every_thread, source_line}
  // CHECK: tile.assert %{{.*}}, "in range" {one_thread}
  tile.assert %ok, "in range" {one_thread}
  // CHECK: tile.clock cycles
  %c = tile.clock cycles
  // CHECK: tile.clock nanoseconds
  %n = tile.clock nanoseconds
  return
}
