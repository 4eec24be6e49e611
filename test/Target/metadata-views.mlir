// RUN: rm -rf %t && split-file %s %t
// RUN: tile-compile %t/windows.mlir --target=sm_90a --emit=json -o - | FileCheck %s --check-prefix=WINDOWS
// RUN: tile-compile %t/unit.mlir --target=sm_90a --emit=json -o - | FileCheck %s --check-prefix=UNIT
// RUN: tile-compile %t/written.mlir --target=sm_90a --emit=json -o - | FileCheck %s --check-prefix=WRITTEN

// Views become numbers: an address and strides. What cannot be known to fit is a
// requirement; what depends on the arguments alone is looked at before all.
// WINDOWS: "requires": [{"value": {{[0-9]+}}, "text": "offset 0 of memref.subview is not negative", "actual": {{[0-9]+}}, "where": "{{.*}}windows.mlir:7:10"}, {"value": {{[0-9]+}}, "text": "dimension 0 of memref.subview ends within the tensor", "actual": {{[0-9]+}}, "other": {{[0-9]+}}, "where": "{{.*}}windows.mlir:7:10"}, {"value": {{[0-9]+}}, "text": "dimension 1 of memref.subview ends within the tensor", {{.*}},
// WINDOWS: "values": [
// WINDOWS: {"op": "memref.dim", "type": "index", "arg": 0, "dim": 0},
// WINDOWS: "params": [
// WINDOWS-NEXT: {"kind": "pointer", "address": {{[0-9]+}}},
// WINDOWS-NEXT: {"kind": "scalar", "type": "i32", "value": [[ROWS:[0-9]+]]}]}]}]
// WINDOWS-NOT: "body"

// The stride of collapsed dimensions is that of the last one that has more than
// one element.
// UNIT: {"op": "memref.stride", "type": "index", "arg": 0, "dim": 0}
// UNIT-NOT: "dim": 1
// UNIT: "params": [
// UNIT-NEXT: {"kind": "pointer", "address": {{[0-9]+}}},
// UNIT-NEXT: {"kind": "scalar", "type": "i64", "value": 4}

// An argument is written when a loop makes it what a kernel writes.
// WRITTEN: {"name": "A", {{.*}}"mutable": true},
// WRITTEN-NEXT: {"name": "B", {{.*}}"mutable": true},
// WRITTEN-NEXT: {"name": "C", {{.*}}"mutable": false},

//--- windows.mlir
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @run(%a: memref<?x6xf32, strided<[6, 1], offset: ?>>) kernel { gpu.return }
  }
  func.func @host(%A: memref<?x?x4x6xf32>, %i: index) {
    %c1 = arith.constant 1 : index
    %v = memref.subview %A[%i, 0, 0, 0] [1, 5, 4, 6] [1, 1, 1, 1] : memref<?x?x4x6xf32> to memref<5x4x6xf32, strided<[24, 6, 1], offset: ?>>
    %f = memref.collapse_shape %v [[0, 1], [2]] : memref<5x4x6xf32, strided<[24, 6, 1], offset: ?>> into memref<20x6xf32, strided<[6, 1], offset: ?>>
    %d = memref.cast %f : memref<20x6xf32, strided<[6, 1], offset: ?>> to memref<?x6xf32, strided<[6, 1], offset: ?>>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?x6xf32, strided<[6, 1], offset: ?>>)
    return
  }
}
//--- unit.mlir
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @run(%a: memref<4xf32, strided<[?], offset: ?>>) kernel { gpu.return }
  }
  func.func @host(%A: memref<4x1xf32, strided<[?, ?], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %v = memref.collapse_shape %A [[0, 1]] : memref<4x1xf32, strided<[?, ?], offset: ?>> into memref<4xf32, strided<[?], offset: ?>>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<4xf32, strided<[?], offset: ?>>)
    return
  }
}
//--- written.mlir
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @run(%a: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %x = arith.constant 0.0 : f32
      memref.store %x, %a[%c0] : memref<?xf32>
      gpu.return
    }
  }
  func.func @host(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %A) -> (memref<?xf32>) {
      gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<?xf32>)
      scf.yield %B : memref<?xf32>
    }
    return
  }
}
