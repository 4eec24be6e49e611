// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s

// How the operands of a launch become parameters; variants and their
// requirements; clusters; what may be written.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fast(%map: !tile.tensor_map, %a: memref<?x?xbf16>, %b: memref<?x8x?xf32, strided<[?, ?, 1], offset: ?>>, %c: memref<4xi8>) kernel {
      %c0 = arith.constant 0 : index
      %x = memref.load %a[%c0, %c0] : memref<?x?xbf16>
      %y = memref.load %c[%c0] : memref<4xi8>
      %part = memref.subview %b[0, 0, 0] [1, 8, 4] [1, 1, 1] : memref<?x8x?xf32, strided<[?, ?, 1], offset: ?>> to memref<1x8x4xf32, strided<[?, ?, 1], offset: ?>>
      %f = arith.extf %x : bf16 to f32
      memref.store %f, %part[%c0, %c0, %c0] : memref<1x8x4xf32, strided<[?, ?, 1], offset: ?>>
      gpu.return
    }
    gpu.func @slow(%c: memref<4xi8>) kernel {
      gpu.return
    }
  }

  // Only %B is written, through a view. %A and %B have open strides, but %A has
  // no stated layout: its kernel takes it as contiguous, so the launcher must.
  // CHECK: {"name": "A", {{.*}}"shape": [-1, -1], "strides": [-1, 1], "offset": 0, "mutable": false},
  // CHECK-NEXT: {"name": "B", {{.*}}"shape": [-1, 8, -1], "strides": [-1, -1, 1], "offset": -1, "mutable": true},
  // CHECK-NEXT: {"name": "C", {{.*}}"dtype": "i8", "shape": [4], "strides": [1], "offset": 0, "mutable": false}],
  // CHECK-NEXT: "may_alias": true,
  // CHECK-NEXT: "requires": [{"value": 2, "text": "a \"whole\" thing"}, {"value": 16, "text": "A is contiguous"}],
  func.func @host(%A: memref<?x?xbf16>, %B: memref<?x8x?xf32, strided<[?, ?, 1], offset: ?>>, %C: memref<4xi8>) attributes {tile.may_alias} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %smem = arith.constant 65536 : i32
    %rows = memref.dim %A, %c0 : memref<?x?xbf16>
    %whole = arith.cmpi uge, %rows, %c1 : index
    tile.require %whole, "a \"whole\" thing"
    %rest = arith.remui %rows, %c128 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %map = tile.tensor_map %A box [128, 64] swizzle 128 : memref<?x?xbf16>
    tile.variants {
      gpu.launch_func @kernels::@fast clusters in (%c2, %c1, %c1) blocks in (%rows, %c1, %c1) threads in (%c128, %c1, %c1)
        dynamic_shared_memory_size %smem args(%map : !tile.tensor_map, %A : memref<?x?xbf16>, %B : memref<?x8x?xf32, strided<[?, ?, 1], offset: ?>>, %C : memref<4xi8>)
      tile.require %even, "rows of A come in 128"
    }, {
      gpu.launch_func @kernels::@slow blocks in (%rows, %c1, %c1) threads in (%c128, %c1, %c1) args(%C : memref<4xi8>)
    }
    return
  }
}

// CHECK: "values": [
// CHECK-NEXT: {"op": "memref.dim", "type": "index", "arg": 0, "dim": 0},
// CHECK-NEXT: {"op": "constant", "type": "index", "value": 1},
// Rows 8 and 9 are the columns and the pitch of A. The pitch in bytes is for
// the tensor map; A is contiguous when the pitch is columns times 1.
// CHECK: {"op": "memref.dim", "type": "index", "arg": 0, "dim": 1},
// CHECK-NEXT: {"op": "memref.stride", "type": "index", "arg": 0, "dim": 0},
// CHECK-NEXT: {"op": "arith.muli", "type": "index", "operands": [9, 7]},
// CHECK: {"op": "arith.muli", "type": "index", "operands": [8, 1]},
// CHECK-NEXT: {"op": "arith.cmpi", "type": "i1", "predicate": "eq", "operands": [9, 15]}],
// CHECK: "launches": [
// CHECK-NEXT: {"variants": [{
// CHECK-NEXT: "kernel": "fast",
// CHECK-NEXT: "requires": [{"value": {{[0-9]+}}, "text": "rows of A come in 128"}],
// CHECK-NEXT: "grid": [0, {{[0-9]+}}, {{[0-9]+}}], "block": [{{.*}}], "cluster": [2, 1, 1],
// CHECK-NEXT: "dynamic_smem_bytes": 65536,
// CHECK-NEXT: "params": [
// Contiguous dimension first; the last one is the rows.
// CHECK-NEXT: {"kind": "tensor_map", "arg": 0, "dtype": "bf16", "dims": [8, 0], "strides_bytes": [10], "box": [64, 128], "elem_strides": [1, 1], "swizzle_bytes": 128, "oob": "zero"},
// CHECK-NEXT: {"kind": "pointer", "arg": 0},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 0},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 8},
// A strided memref: pointer, open extents, open strides.
// CHECK-NEXT: {"kind": "pointer", "arg": 1},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": {{[0-9]+}}},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": {{[0-9]+}}},
// CHECK-NEXT: {"kind": "scalar", "type": "i64", "value": {{[0-9]+}}},
// CHECK-NEXT: {"kind": "scalar", "type": "i64", "value": {{[0-9]+}}},
// A static one: the pointer.
// CHECK-NEXT: {"kind": "pointer", "arg": 2}]}, {
// CHECK-NEXT: "kernel": "slow",
// CHECK-NEXT: "requires": [],
