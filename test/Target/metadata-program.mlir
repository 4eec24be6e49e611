// RUN: tile-compile %s --target=sm_90a --emit=json -o - > %t.text && FileCheck %s < %t.text
// RUN: tile-compile %s --target=sm_90a --emit=json -o - | diff - %t.text

// What a host function does beside launches is a program: ops in order, whose
// numbers are rows of the table. Views are no ops, only numbers.

// CHECK: "format": "tile-host-2",
// CHECK: "args": [
// CHECK-NEXT: {"name": "A", {{.*}}"mutable": false},
// CHECK: "values": [
// CHECK-NEXT: {"op": "constant", "type": "index", "value": 1},
// CHECK-NEXT: {"op": "constant", "type": "index", "value": 0},
// CHECK-NEXT: {"op": "argument", "type": "index", "arg": 1},
// The workspace: its address is a variable.
// CHECK-NEXT: {"op": "variable", "type": "index"},
// CHECK-NEXT: {"op": "memref.global", "type": "index", "global": 0},
// CHECK-NEXT: {"op": "constant", "type": "index", "value": 4},
// The loop: its bound, what its memref is at first, its number and its memref.
// CHECK-NEXT: {"op": "argument", "type": "index", "arg": 2},
// CHECK-NEXT: {"op": "memref.pointer", "type": "index", "arg": 0},
// CHECK-NEXT: {"op": "memref.dim", "type": "index", "arg": 0, "dim": 0},
// CHECK-NEXT: {"op": "variable", "type": "index"},
// CHECK-NEXT: {"op": "variable", "type": "index"},
// CHECK-NEXT: {"op": "variable", "type": "index"},

// CHECK: "launches": [
// CHECK: "params": [
// CHECK-NEXT: {"kind": "pointer", "address": 10},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 11},
// CHECK-NEXT: {"kind": "pointer", "address": 3},
// CHECK-NEXT: {"kind": "scalar", "type": "i32", "value": 2}
// CHECK: "globals": [
// CHECK-NEXT: {"name": "weights", "dtype": "f32", "shape": [4], "data": "AACAPw=="}],
// CHECK-NEXT: "body": [
// CHECK-NEXT: {"op": "alloc", "where": "{{.*}}metadata-program.mlir:[[#@LINE+18]]:8", "alloc": 0, "address": 3, "dtype": "f32", "shape": [2], "strides": [0], "offset": 1, "align_bytes": 64, "returned": true},
// CHECK-NEXT: {"op": "for", "where": "{{.*}}metadata-program.mlir:[[#@LINE+20]]:8", "lower": 1, "upper": 6, "step": 0, "initial": [7, 8], "index": 9, "carried": [10, 11], "body": [
// CHECK-NEXT:   {"op": "launch", "where": "{{.*}}", "launch": 0}], "next": [3, 2]},
// CHECK-NEXT: {"op": "if", "where": "{{.*}}", "condition": 13, "then": [
// CHECK-NEXT:   {"op": "alloc", "where": "{{.*}}", "alloc": 1, "address": 14, "dtype": "f32", "shape": [2], "strides": [0], "offset": 1, "returned": true},
// CHECK-NEXT:   {"op": "require", "where": "{{.*}}", "value": 15, "text": "extent 0 of both sides is the same", "actual": 11, "other": 2},
// CHECK-NEXT:   {"op": "copy", "where": "{{.*}}", "dtype": "f32", "shape": [2], "from": {"address": 10, "strides": [0]}, "to": {"address": 14, "strides": [0]}}], "then_values": [14, 2], "else": [], "else_values": [10, 11], "results": [16, 17]},
// CHECK-NEXT: {"op": "fill", "where": "{{.*}}", "value": 18, "dtype": "f32", "shape": [5], "to": {"address": 4, "strides": [0]}}],
// CHECK-NEXT: "results": [
// CHECK-NEXT: {"kind": "memref", "dtype": "f32", "address": 16, "shape": [17], "strides": [0]},
// CHECK-NEXT: {"kind": "scalar", "dtype": "f32", "value": 19}]

memref.global "private" @weights : memref<4xf32> = dense<1.0>

func.func @host(%A: memref<?xf32>, %n: index, %rounds: index, %flag: i1, %x: f32) -> (memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %W = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  %weights = memref.get_global @weights : memref<4xf32>
  // The workspace becomes the next input.
  %r = scf.for %i = %c0 to %rounds step %c1 iter_args(%p = %A) -> (memref<?xf32>) {
    gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
      %a = memref.load %p[%bx] : memref<?xf32>
      memref.store %a, %W[%bx] : memref<?xf32>
      gpu.terminator
    }
    scf.yield %W : memref<?xf32>
  }
  // What is returned may be either.
  %s = scf.if %flag -> (memref<?xf32>) {
    %N = memref.alloc(%n) : memref<?xf32>
    memref.copy %r, %N : memref<?xf32> to memref<?xf32>
    scf.yield %N : memref<?xf32>
  } else {
    scf.yield %r : memref<?xf32>
  }
  gpu.memset %weights, %x : memref<4xf32>, f32
  %e = math.exp %x : f32
  return %s, %e : memref<?xf32>, f32
}
