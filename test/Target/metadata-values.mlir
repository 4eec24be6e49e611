// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s
// RUN: tile-compile %s --target=sm_90a --emit=json -o - > %t.first
// RUN: tile-compile %s --target=sm_90a --emit=json -o - | diff - %t.first

// Everything that the host computes for its launches is a row of the table; a
// value that is needed twice is one row. The text is the same every time.
// CHECK: "function": "host"
// CHECK-NEXT: "target": "sm_90a"
// CHECK-NEXT: "ptx": "host.ptx"

// Names of arguments are those of the source.
// CHECK: {"name": "A", "kind": "memref", "dtype": "bf16", "shape": [-1, 64], "strides": [-1, 1], "offset": -1, "mutable": {{true|false}}},
// CHECK-NEXT: {"name": "steps", "kind": "scalar", "dtype": "i32"},
// CHECK-NEXT: {"name": "count", "kind": "scalar", "dtype": "index"}],
// CHECK: "values": [

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @run(%a: index, %b: i32, %c: f32, %d: i1, %e: index, %f: i64) kernel {
      gpu.return
    }
  }
  func.func @host(%A: memref<?x64xbf16, strided<[?, 1], offset: ?>>, %steps: i32, %count: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    // CHECK-NEXT: {"op": "memref.dim", "type": "index", "arg": 0, "dim": 0},
    // CHECK-NEXT: {"op": "constant", "type": "index", "value": 16},
    // CHECK-NEXT: {"op": "arith.ceildivui", "type": "index", "operands": [0, 1]},
    %rows = memref.dim %A, %c0 : memref<?x64xbf16, strided<[?, 1], offset: ?>>
    %gx = arith.ceildivui %rows, %c16 : index
    // A static extent is a constant.
    // CHECK-NEXT: {"op": "constant", "type": "index", "value": 64},
    %gy = memref.dim %A, %c1 : memref<?x64xbf16, strided<[?, 1], offset: ?>>
    // CHECK-NEXT: {"op": "tile.num_sms", "type": "index"},
    // CHECK-NEXT: {"op": "argument", "type": "index", "arg": 2},
    // CHECK-NEXT: {"op": "arith.minsi", "type": "index", "operands": [4, 5]},
    %sms = tile.num_sms
    %gz = arith.minsi %sms, %count : index
    // CHECK-NEXT: {"op": "memref.stride", "type": "index", "arg": 0, "dim": 0},
    // CHECK-NEXT: {"op": "memref.pointer", "type": "index", "arg": 0},
    // CHECK-NEXT: {"op": "arith.addi", "type": "index", "operands": [7, 8]},
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A
      : memref<?x64xbf16, strided<[?, 1], offset: ?>> -> memref<bf16>, index, index, index, index, index
    %address = memref.extract_aligned_pointer_as_index %A : memref<?x64xbf16, strided<[?, 1], offset: ?>> -> index
    // The launcher hands over the first element, so an open offset is 0.
    %first = arith.addi %strides#0, %address : index
    // CHECK-NEXT: {"op": "constant", "type": "index", "value": 0},
    // CHECK-NEXT: {"op": "arith.addi", "type": "index", "operands": [9, 10]},
    %a = arith.addi %first, %offset : index
    // CHECK-NEXT: {"op": "argument", "type": "i32", "arg": 1},
    // CHECK-NEXT: {"op": "constant", "type": "f32", "value": 0.5},
    // CHECK-NEXT: {"op": "constant", "type": "i32", "value": -3},
    // CHECK-NEXT: {"op": "arith.cmpi", "type": "i1", "predicate": "ult", "operands": [12, 14]},
    %half = arith.constant 0.5 : f32
    %minus = arith.constant -3 : i32
    %less = arith.cmpi ult, %steps, %minus : i32
    // affine.apply is written out; mod is never negative.
    // CHECK-NEXT: {"op": "arith.remsi", "type": "index", "operands": [5, 3]},
    // CHECK-NEXT: {"op": "arith.cmpi", "type": "i1", "predicate": "slt", "operands": [16, 10]},
    // CHECK-NEXT: {"op": "arith.addi", "type": "index", "operands": [16, 3]},
    // CHECK-NEXT: {"op": "arith.select", "type": "index", "operands": [17, 18, 16]},
    %e = affine.apply affine_map<(d0) -> (d0 mod 64)>(%count)
    // CHECK-NEXT: {"op": "arith.extsi", "type": "i64", "operands": [12]}],
    %f = arith.extsi %steps : i32 to i64
    gpu.launch_func @kernels::@run blocks in (%gx, %gy, %gz) threads in (%c16, %c16, %c16)
      args(%a : index, %steps : i32, %half : f32, %less : i1, %e : index, %f : i64)
    return
  }
}

// CHECK: "kernel": "run",
// CHECK-NEXT: "requires": [],
// CHECK-NEXT: "grid": [2, 3, 6], "block": [1, 1, 1], "cluster": [1, 1, 1],
// CHECK-NEXT: "dynamic_smem_bytes": 0,
// CHECK-NEXT: "params": [
// An index is an i32 in the kernel.
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 11},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 12},
// CHECK-NEXT: {"kind": "scalar", "type": "f32", "value": 13},
// CHECK-NEXT: {"kind": "scalar", "type": "i1", "value": 15},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 19},
// CHECK-NEXT: {"kind": "scalar", "type": "i64", "value": 20}]}]}],
