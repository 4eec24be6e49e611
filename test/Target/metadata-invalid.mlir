// What a host function may not do, each error at the op that is to blame.
// RUN: rm -rf %t && split-file %s %t
// RUN: rm -f %t.log && for case in %t/*.mlir; do not tile-compile $case --target=sm_90a --emit=json -o - >> %t.log 2>&1 || exit 1; done
// RUN: FileCheck %s < %t.log
// RUN: FileCheck %s --check-prefix=NOTHING < %t.log

// NOTHING-NOT: tile-host-

// CHECK-LABEL: 01-while.mlir:5:10: error: {{'arith.constant' op }}cannot be computed on the host of a launch; docs/Metadata.md lists what can
// CHECK: 01-while.mlir:11:7: {{note: }}needed here
//--- 01-while.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: f80) kernel { gpu.return } }
  func.func @host(%n: index) {
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f80
    scf.while (%i = %n) : (index) -> index {
      %more = arith.cmpf olt, %x, %x : f80
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f80)
      scf.yield %i : index
    }
    return
  }
}

// CHECK-LABEL: 02-load.mlir:6:10: error: {{'memref.load' op }}loads a number of a type that the host of a launch does not have
//--- 02-load.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: f8E4M3FN) kernel { gpu.return } }
  func.func @host(%A: memref<?xf8E4M3FN>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %A[%c0] : memref<?xf8E4M3FN>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f8E4M3FN)
    return
  }
}

// CHECK-LABEL: 03-effect.mlir:6:10: error: {{'memref.atomic_rmw' op }}has effects that the host side of a launch cannot have; docs/Metadata.md lists those that it can
//--- 03-effect.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%A: memref<?xi32>, %x: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %o = memref.atomic_rmw addi %x, %A[%c0] : (i32, memref<?xi32>) -> i32
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 04-result.mlir:7:5: error: {{'func.return' op }}returns a scalar of a type that has no dtype
//--- 04-result.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%x: i32) -> i48 {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    %y = arith.extsi %x : i32 to i48
    return %y : i48
  }
}

// Those of cf become scf before.
// CHECK-LABEL: 05-branches.mlir:3:3: error: {{'func.func' op }}has branches; a host function branches by scf.if, scf.for and scf.while
//--- 05-branches.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%is: i1) {
    %c1 = arith.constant 1 : index
    llvm.cond_br %is, ^launch, ^done
  ^launch:
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    llvm.br ^done
  ^done:
    return
  }
}

// CHECK-LABEL: 06-switch.mlir:6:3: error: {{'gpu.launch_func' op }}is inside 'scf.index_switch'; a host function launches in scf.if, scf.for, scf.while and tile.variants
//--- 06-switch.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%n: index) {
    %c1 = arith.constant 1 : index
    scf.index_switch %n default {
  gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    }
    return
  }
}

// CHECK-LABEL: 07-argument.mlir:3:3: error: {{'func.func' op }}has argument #1 of type vector<4xf32>; a host function takes memrefs in global memory, integers and floats
//--- 07-argument.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%x: i32, %v: vector<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// A view of a view of a tensor in memory that no kernel can be given.
// CHECK-LABEL: 08-view.mlir:7:5: error: {{'gpu.launch_func' op }}passes a kernel operand that is neither a memref in global memory, a tensor map nor a scalar
//--- 08-view.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<16xf32, 3>) kernel { gpu.return } }
  func.func @host(%A: memref<16xf32>) {
    %c1 = arith.constant 1 : index
    %v = memref.cast %A : memref<16xf32> to memref<?xf32>
    %w = memref.memory_space_cast %A : memref<16xf32> to memref<16xf32, 3>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<16xf32, 3>)
    return
  }
}

// CHECK-LABEL: 09-smem.mlir:5:5: error: {{'gpu.launch_func' op }}needs a constant dynamic shared memory size
//--- 09-smem.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%bytes: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %bytes
    return
  }
}

// CHECK-LABEL: 10-rank.mlir:6:5: error: {{'func.call' op }}calls 'print', which has no body; the host side of a launch runs what the file holds
//--- 10-rank.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<?xf32>) kernel { gpu.return } }
  func.func private @print(memref<*xf32>)
  func.func @host(%A: memref<?xf32>) {
    %u = memref.cast %A : memref<?xf32> to memref<*xf32>
    call @print(%u) : (memref<*xf32>) -> ()
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    return
  }
}

// An 8-bit float is no value of the table.
// CHECK-LABEL: 11-type.mlir:5:5: error: {{'gpu.launch_func' op }}takes a value of a type that the host of a launch does not have
//--- 11-type.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: f8E4M3FN) kernel { gpu.return } }
  func.func @host(%f: f8E4M3FN) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f8E4M3FN)
    return
  }
}

// CHECK-LABEL: 12-dtype.mlir:5:5: error: {{'gpu.launch_func' op }}passes a scalar of a type that has no dtype
//--- 12-dtype.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: i48) kernel { gpu.return } }
  func.func @host(%x: i48) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i48)
    return
  }
}

// CHECK-LABEL: 13-nothing.mlir: error: nothing to compile: expects a func.func that launches kernels which store something, or a gpu.module
//--- 13-nothing.mlir
func.func private @host()

// CHECK-LABEL: 13-views.mlir:1:1: error: nothing to compile: no kernel of this function stores something; views of arguments, as reshapes are, need no kernel
//--- 13-views.mlir
func.func @host(%x: memref<4x5xf32>) -> memref<20xf32> {
  %y = memref.collapse_shape %x [[0, 1]] : memref<4x5xf32> into memref<20xf32>
  return %y : memref<20xf32>
}

// A row of the table has at most 1000 ops below it.
// RUN: %python -c "print('module attributes {gpu.container_module} { gpu.module @k { gpu.func @run(%%x: i32) kernel { gpu.return } } func.func @host(%%x0: i32) { %%c1 = arith.constant 1 : index'); [print('%%x' + str(i + 1) + ' = arith.muli %%x' + str(i) + ', %%x0 : i32') for i in range(1200)]; print('gpu.launch_func @k::@run blocks in (%%c1, %%c1, %%c1) threads in (%%c1, %%c1, %%c1) args(%%x1200 : i32) return }}')" > %t.deep.mlir
// RUN: not tile-compile %t.deep.mlir --target=sm_90a --emit=json -o - 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: error: {{'arith.muli' op }}is nested deeper than 1000 ops below a launch
// DEEP-NOT: error

// The table has at most 4096 rows.
// RUN: %python -c "n = 4096; print('module attributes {gpu.container_module} { gpu.module @k { gpu.func @run(' + ', '.join('%%x' + str(i) + ': i32' for i in range(n)) + ') kernel { gpu.return } } func.func @host() { %%c1 = arith.constant 1 : index'); [print('%%x' + str(i) + ' = arith.constant ' + str(i) + ' : i32') for i in range(n)]; print('gpu.launch_func @k::@run blocks in (%%c1, %%c1, %%c1) threads in (%%c1, %%c1, %%c1) args(' + ', '.join('%%x' + str(i) + ': i32' for i in range(n)) + ') return }}')" > %t.many.mlir
// RUN: not tile-compile %t.many.mlir --target=sm_90a --emit=json -o - 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: {{'gpu.launch_func' op }}needs more than 4096 values from the host
// MANY-NOT: error

// CHECK-LABEL: 14-call.mlir:6:5: error: {{'func.call' op }}calls 'other', which has no body; the host side of a launch runs what the file holds
//--- 14-call.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func private @other()
  func.func @host() {
    %c1 = arith.constant 1 : index
    func.call @other() : () -> ()
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 15-map-dtype.mlir:5:10: error: {{'tile.tensor_map' op expects a tensor in global memory.*}}, got memref<64x64xf8E5M2FNUZ>
//--- 15-map-dtype.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: !tile.tensor_map) kernel { gpu.return } }
  func.func @host(%A: memref<64x64xf8E5M2FNUZ>) {
    %c1 = arith.constant 1 : index
    %t = tile.tensor_map %A box [32, 64] swizzle 64 : memref<64x64xf8E5M2FNUZ>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%t : !tile.tensor_map)
    return
  }
}

// CHECK-LABEL: 16-layout.mlir:5:10: error: {{'memref.alloc' op }}is of type memref<4xf32, strided<[1], offset: ?>>; the host of a launch has memrefs in global memory, of ranks from 0 to 8, whose elements have a dtype
//--- 16-layout.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<4xf32, strided<[1], offset: ?>>) kernel { gpu.return } }
  func.func @host(%n: index) {
    %c1 = arith.constant 1 : index
    %W = memref.alloc()[%n] : memref<4xf32, strided<[1], offset: ?>>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%W : memref<4xf32, strided<[1], offset: ?>>)
    return
  }
}

// CHECK-LABEL: 17-shared.mlir:5:10: error: {{'gpu.alloc' op }}is shared with the host; the host side of a launch has memory of the device alone
//--- 17-shared.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<4xf32>) kernel { gpu.return } }
  func.func @host() {
    %c1 = arith.constant 1 : index
    %W = gpu.alloc host_shared () : memref<4xf32>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%W : memref<4xf32>)
    return
  }
}

// CHECK-LABEL: 18-async.mlir:6:10: error: {{'gpu.wait' op }}cannot be computed on the host of a launch; docs/Metadata.md lists what can
//--- 18-async.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.wait async

    %l = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (!gpu.async.token) {
      %v = gpu.launch_func async [%u] @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      scf.yield %v : !gpu.async.token
    }
    return
  }
}

// CHECK-LABEL: 19-reshape.mlir:5:10: error: {{'memref.reshape' op }}cannot be computed on the host of a launch; docs/Metadata.md lists what can
// CHECK: 19-reshape.mlir:6:5: {{note: }}needed here
//--- 19-reshape.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<?xf32>) kernel { gpu.return } }
  func.func @host(%A: memref<2x2xf32>, %shape: memref<1xindex>) {
    %c1 = arith.constant 1 : index
    %v = memref.reshape %A(%shape) : (memref<2x2xf32>, memref<1xindex>) -> memref<?xf32>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<?xf32>)
    return
  }
}

// CHECK-LABEL: 20-carried.mlir:6:10: error: {{'arith.constant' op }}cannot be computed on the host of a launch; docs/Metadata.md lists what can
// CHECK: 20-carried.mlir:7:10: {{note: }}needed here
//--- 20-carried.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: f8E5M2) kernel { gpu.return } }
  func.func @host(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f8E5M2
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %f) -> (f8E5M2) {
      gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f8E5M2)
      %y = arith.addf %x, %x : f8E5M2
      scf.yield %y : f8E5M2
    }
    return
  }
}

// CHECK-LABEL: 21-recursion.mlir:8:5: error: {{'func.call' op }}calls 'even', which calls itself so
// CHECK: 21-recursion.mlir:3:3: {{note: }}this function
//--- 21-recursion.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @even() {
    func.call @odd() : () -> ()
    return
  }
  func.func @odd() {
    func.call @even() : () -> ()
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 22-blocks.mlir:13:5: error: {{'func.call' op }}calls 'jumps', which has branches; a host function branches by scf.if, scf.for and scf.while
//--- 22-blocks.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func private @jumps(%b: i1) {
    llvm.cond_br %b, ^launch, ^done
  ^launch:
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    llvm.br ^done
  ^done:
    return
  }
  func.func @host(%b: i1) {
    func.call @jumps(%b) : (i1) -> ()
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// Copies to memory of a block, from a global that has no dtype, of a global
// that nothing can read.
// CHECK-LABEL: 23-space.mlir:5:5: error: {{'memref.copy' op }}is of type memref<4xf32, 3>; the host of a launch has memrefs in global memory
//--- 23-space.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%A: memref<4xf32>) {
    %B = memref.memory_space_cast %A : memref<4xf32> to memref<4xf32, 3>
    memref.copy %A, %B : memref<4xf32> to memref<4xf32, 3>
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 24-global.mlir:6:10: error: {{'memref.get_global' op }}is of type memref<4xi48>
//--- 24-global.mlir
module attributes {gpu.container_module} {
  memref.global @w : memref<4xi48> = dense<1>
  gpu.module @k { gpu.func @run(%x: memref<4xi48>) kernel { gpu.return } }
  func.func @host(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %w = memref.get_global @w : memref<4xi48>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<4xi48>)
    return
  }
}

// CHECK-LABEL: 25-missing.mlir:2:3: error: {{'memref.global' op }}has values that the host of a launch cannot read: expects dense or dense_resource ones
//--- 25-missing.mlir
module attributes {gpu.container_module} {
  memref.global @w : memref<4xf32> = dense_resource<nowhere>
  gpu.module @k { gpu.func @run(%x: memref<4xf32>) kernel { gpu.return } }
  func.func @host(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %w = memref.get_global @w : memref<4xf32>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<4xf32>)
    return
  }
}

// CHECK-LABEL: 26-map.mlir:5:5: error: {{'gpu.launch_func' op }}needs a tensor map that tile.tensor_map makes
//--- 26-map.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: !tile.tensor_map) kernel { gpu.return } }
  func.func @host(%map: !tile.tensor_map) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%map : !tile.tensor_map)
    return
  }
}

// CHECK-LABEL: 27-unranked.mlir:5:10: error: {{'memref.cast' op }}is of a memref that the host of a launch does not have: one of a rank from 0 to 8
//--- 27-unranked.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<4xf32>) kernel { gpu.return } }
  func.func private @ranked(%u: memref<*xf32>) {
    %c1 = arith.constant 1 : index
    %v = memref.cast %u : memref<*xf32> to memref<4xf32>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<4xf32>)
    return
  }
  func.func @host(%A: memref<?xf32>) {
    %u = memref.cast %A : memref<?xf32> to memref<*xf32>
    func.call @ranked(%u) : (memref<*xf32>) -> ()
    return
  }
}

// A function that uses the device and launches nothing would have no metadata.
// CHECK-LABEL: 28-idle.mlir:10:3: error: {{'func.func' op }}launches no kernel; a host function launches one or more
// CHECK: 28-idle.mlir:11:5: {{note: }}it uses the device here
//--- 28-idle.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: index) kernel { gpu.return } }
  func.func private @helper(%A: memref<4xf32>, %B: memref<4xf32>) {
    memref.copy %A, %B : memref<4xf32> to memref<4xf32>
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%c1 : index)
    return
  }
  func.func @numbers(%n: index) -> index { return %n : index }
  func.func @idle(%A: memref<4xf32>, %B: memref<4xf32>) {
    memref.copy %A, %B : memref<4xf32> to memref<4xf32>
    return
  }
}

// Loops and branches are nested at most 24 deep.
// RUN: %python -c "n = 25; print('module attributes {gpu.container_module} { gpu.module @k { gpu.func @run() kernel { gpu.return } } func.func @host(%%n: index) { %%c1 = arith.constant 1 : index'); [print('scf.for %%i' + str(i) + ' = %%c1 to %%n step %%c1 {') for i in range(n)]; print('gpu.launch_func @k::@run blocks in (%%c1, %%c1, %%c1) threads in (%%c1, %%c1, %%c1)'); print('}' * n + ' return }}')" > %t.nested.mlir
// RUN: not tile-compile %t.nested.mlir --target=sm_90a --emit=json -o - 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: {{'scf.for' op }}is nested deeper than 24 loops and branches of a host function
// NESTED-NOT: error

// Calls of calls make a function of at most 20000 ops.
// RUN: %python -c "n = 16; print('module attributes {gpu.container_module} { gpu.module @k { gpu.func @run() kernel { gpu.return } } func.func private @f0() { %%c1 = arith.constant 1 : index gpu.launch_func @k::@run blocks in (%%c1, %%c1, %%c1) threads in (%%c1, %%c1, %%c1) return }'); [print('func.func private @f' + str(i + 1) + '() { ' + ('func.call @f' + str(i) + '() : () -> () ') * 2 + 'return }') for i in range(n)]; print('func.func @host() { func.call @f' + str(n) + '() : () -> () return }}')" > %t.calls.mlir
// RUN: not tile-compile %t.calls.mlir --target=sm_90a --emit=json -o - 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: error: {{'func.call' op }}makes the host function larger than 20000 ops by the functions that it calls
// CALLS-NOT: error

// RUN: %python -c "n = 70; print('module attributes {gpu.container_module} { gpu.module @k { gpu.func @run() kernel { gpu.return } } func.func private @f0() { %%c1 = arith.constant 1 : index gpu.launch_func @k::@run blocks in (%%c1, %%c1, %%c1) threads in (%%c1, %%c1, %%c1) return }'); [print('func.func private @f' + str(i + 1) + '() { ' + ('func.call @f' + str(i) + '() : () -> () ') + 'return }') for i in range(n)]; print('func.func @host() { func.call @f' + str(n) + '() : () -> () return }}')" > %t.chain.mlir
// RUN: not tile-compile %t.chain.mlir --target=sm_90a --emit=json -o - 2>&1 | FileCheck %s --check-prefix=CHAIN
// CHAIN: error: {{'func.call' op }}is the call of a call, and so on, deeper than 64
// CHAIN-NOT: error
