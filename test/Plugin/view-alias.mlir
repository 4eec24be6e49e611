// A region is a view of its buffer, and upstream's alias analysis knows.

// RUN: mlir-opt %s --load-dialect-plugin=%libtile \
// RUN:   --pass-pipeline='builtin.module(func.func(test-alias-analysis))' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s

// CHECK-DAG: a#0 <-> b#0: NoAlias
// CHECK-DAG: a#0 <-> window#0: MustAlias
// CHECK-DAG: b#0 <-> window#0: NoAlias
func.func @window(%i: index) {
  %a = tile.alloc {test.ptr = "a"} : memref<64x64xf32, #gpu.address_space<workgroup>>
  %b = tile.alloc {test.ptr = "b"} : memref<64x64xf32, #gpu.address_space<workgroup>>
  %r = tile.region %a[0, 0] [8, 8] {test.ptr = "window"}
      : memref<64x64xf32, #gpu.address_space<workgroup>>
  return
}
