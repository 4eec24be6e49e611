// The function that a kernel becomes: its attributes, its parameters, its ids.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

// The dynamic shared memory is one external array, aligned for every swizzle: LLVM
// would make a private one of its own size.
// CHECK: llvm.mlir.global external @tile_smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-NOT: llvm.mlir.global
gpu.module @shared {
  // CHECK-LABEL: llvm.func @two_tiles
  // CHECK-DAG: llvm.getelementptr %{{.*}}[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK-DAG: llvm.mlir.addressof @tile_smem : !llvm.ptr<3>
  gpu.func @two_tiles(%v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
    %t = tile.alloc {layout = #tile.layout<"linear">, offset = 64 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
    tile.fill %s, %v : memref<8xf32, #gpu.address_space<workgroup>>, f32
    tile.fill %t, %v : memref<8xf32, #gpu.address_space<workgroup>>, f32
    gpu.return
  }
}

// Without shared memory there is no array.
// CHECK-LABEL: gpu.module @attributes
// CHECK-NOT: tile_smem
gpu.module @attributes {
  // Exact block sizes and one block per multiprocessor, unless it is said
  // otherwise; launch_func asks for gpu.kernel.
  // CHECK: llvm.func @plain() attributes {gpu.kernel, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 32, 4, 2>}
  gpu.func @plain() kernel attributes {known_block_size = array<i32: 32, 4, 2>} {
    gpu.return
  }

  // CHECK: llvm.func @configured() attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = 64 : i32, nvvm.minctasm = 3 : i32, nvvm.reqntid = array<i32: 128, 1, 1>}
  gpu.func @configured() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.kernel_config {min_blocks = 3 : i64, registers = 64 : i64}
    gpu.return
  }
}

gpu.module @parameters {
  // A tensor is its address, the extents that its type leaves open, and the
  // strides that do not follow from them.
  // CHECK-LABEL: llvm.func @tensors(
  // CHECK-SAME: %[[A:arg[0-9]+]]: !llvm.ptr<1>, %[[A0:arg[0-9]+]]: i32, %[[A1:arg[0-9]+]]: i32,
  // CHECK-SAME: %{{arg[0-9]+}}: !llvm.ptr<1>, %{{arg[0-9]+}}: i32, %{{arg[0-9]+}}: i64,
  // CHECK-SAME: %{{arg[0-9]+}}: !llvm.ptr<1>)
  gpu.func @tensors(%A: memref<?x?xf32>, %B: memref<?x64xf32, strided<[?, 1], offset: ?>>, %C: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: arith.extsi %[[A1]] : i32 to i64
    %n = memref.dim %A, %c1 : memref<?x?xf32>
    // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
    // CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %{{.*}} : i64
    // CHECK: llvm.getelementptr %[[A]][%[[AT]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = memref.load %A[%n, %n] : memref<?x?xf32>
    memref.store %v, %C[%c0, %c1] : memref<8x8xf32>
    gpu.return
  }

  // A tensor map is passed by value, stays in the parameter space and is aligned
  // as TMA asks.
  // CHECK-LABEL: llvm.func @map(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.struct<(array<16 x i64>)>, nvvm.grid_constant})
  gpu.func @map(%m: !tile.tensor_map) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }

  // Indices have 32 bits in kernels.
  // CHECK-LABEL: llvm.func @scalars(
  // CHECK-SAME: %{{arg[0-9]+}}: f16, %{{arg[0-9]+}}: i1, %[[N:arg[0-9]+]]: i32, %{{arg[0-9]+}}: i64, %{{arg[0-9]+}}: !llvm.ptr<1>)
  gpu.func @scalars(%h: f16, %p: i1, %n: index, %l: i64, %C: memref<1xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // CHECK: %[[I:.*]] = arith.index_cast %[[N]] : i32 to index
    // CHECK: arith.addi %[[I]], %[[I]] : index
    %c0 = arith.constant 0 : index
    %s = arith.addi %n, %n : index
    %v = arith.index_cast %s : index to i32
    memref.store %v, %C[%c0] : memref<1xi32>
    gpu.return
  }
}

gpu.module @ids {
  // Block sizes are constants, the rest is read.
  // CHECK-LABEL: llvm.func @ids
  // CHECK: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK: nvvm.read.ptx.sreg.ctaid.y : i32
  // CHECK: nvvm.read.ptx.sreg.nctaid.z : i32
  // CHECK: arith.index_cast %[[C4]] : i32 to index
  // CHECK-NOT: gpu.
  gpu.func @ids(%A: memref<1xi32>) kernel attributes {known_block_size = array<i32: 32, 4, 1>} {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id y
    %g = gpu.grid_dim z
    %s = arith.addi %b, %g : index
    %n = gpu.block_dim y
    %t = arith.addi %s, %n : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %A[%c0] : memref<1xi32>
    gpu.return
  }
}
