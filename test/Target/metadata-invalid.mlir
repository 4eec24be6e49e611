// What a host function may not do, each error at the op that is to blame.
// RUN: rm -rf %t && split-file %s %t
// RUN: rm -f %t.log && for case in %t/*.mlir; do not tile-compile $case --target=sm_90a --emit=json -o - >> %t.log 2>&1 || exit 1; done
// RUN: FileCheck %s < %t.log
// RUN: FileCheck %s --check-prefix=NOTHING < %t.log

// NOTHING-NOT: tile-host-1

// CHECK-LABEL: 01-loop.mlir:7:7: error: {{'gpu.launch_func' op }}is inside 'scf.for'; a host function launches unconditionally, or in tile.variants
//--- 01-loop.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: index) kernel { gpu.return } }
  func.func @host(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%i : index)
    }
    return
  }
}

// CHECK-LABEL: 02-load.mlir:6:10: error: {{'memref.load' op }}cannot be computed on the host of a launch
// CHECK: 02-load.mlir:7:5: {{note: }}needed here
//--- 02-load.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: i32) kernel { gpu.return } }
  func.func @host(%A: memref<?xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %A[%c0] : memref<?xi32>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i32)
    return
  }
}

// CHECK-LABEL: 03-effect.mlir:6:5: error: {{'memref.store' op }}has effects that the host side of a launch cannot have
//--- 03-effect.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%A: memref<?xi32>, %x: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    memref.store %x, %A[%c0] : memref<?xi32>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 04-result.mlir:6:5: error: {{'func.return' op }}returns values; a host function returns none
//--- 04-result.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%x: i32) -> i32 {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %x : i32
  }
}

// CHECK-LABEL: 05-branches.mlir:3:3: error: {{'func.func' op }}has branches; a host function is straight-line
//--- 05-branches.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%is: i1) {
    %c1 = arith.constant 1 : index
    cf.cond_br %is, ^launch, ^done
  ^launch:
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    cf.br ^done
  ^done:
    return
  }
}

// CHECK-LABEL: 06-async.mlir:5:10: error: {{'gpu.launch_func' op }}is asynchronous; launches of a host function run in order
//--- 06-async.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host() {
    %c1 = arith.constant 1 : index
    %t = gpu.launch_func async @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 07-argument.mlir:3:3: error: {{'func.func' op }}has argument #1 of type vector<4xf32>; a host function takes memrefs in global memory and scalars
//--- 07-argument.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run() kernel { gpu.return } }
  func.func @host(%x: i32, %v: vector<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// CHECK-LABEL: 08-view.mlir:6:5: error: {{'gpu.launch_func' op }}passes a kernel operand that is neither an argument of the host function, a tensor map nor a scalar
//--- 08-view.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: memref<4xf32, strided<[1], offset: 4>>) kernel { gpu.return } }
  func.func @host(%A: memref<16xf32>) {
    %c1 = arith.constant 1 : index
    %v = memref.subview %A[4] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: 4>>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<4xf32, strided<[1], offset: 4>>)
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

// CHECK-LABEL: 10-map.mlir:6:10: error: {{'tile.tensor_map' op }}needs a tensor map of an argument of the host function
//--- 10-map.mlir
module attributes {gpu.container_module} {
  gpu.module @k { gpu.func @run(%x: !tile.tensor_map) kernel { gpu.return } }
  func.func @host(%A: memref<64x64xbf16>) {
    %c1 = arith.constant 1 : index
    %v = memref.subview %A[0, 0] [32, 64] [1, 1] : memref<64x64xbf16> to memref<32x64xbf16, strided<[64, 1]>>
    %t = tile.tensor_map %v box [32, 64] swizzle 128 : memref<32x64xbf16, strided<[64, 1]>>
    gpu.launch_func @k::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%t : !tile.tensor_map)
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
func.func @host() {
  return
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

// CHECK-LABEL: 14-call.mlir:6:5: error: {{'func.call' op }}has effects that the host side of a launch cannot have
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
