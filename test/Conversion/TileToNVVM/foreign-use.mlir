// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s -split-input-file -verify-diagnostics | FileCheck %s

// An op of another dialect gets a memref as a value, with indices of 64 bits and
// a number as its space; what is left of it is upstream's.
// CHECK-LABEL: llvm.func @shared
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @tile_smem : !llvm.ptr<3>
// CHECK: llvm.insertvalue %[[BASE]], %{{.*}}[0] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
// CHECK: %[[TILE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<8x8xf32, 3>
// CHECK: memref.subview %[[TILE]]
gpu.module @kernels {
  gpu.func @shared() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<8x8xf32, #gpu.address_space<workgroup>>
    %p = memref.subview %S[0, 0] [4, 8] [1, 1] : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<4x8xf32, strided<[8, 1]>, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Tensors of the default space are generic pointers to them.
// CHECK-LABEL: llvm.func @tensor
// CHECK: %[[P:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr<1> to !llvm.ptr
// CHECK: llvm.insertvalue %[[P]], %{{.*}}[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK: memref.dim %[[A]]
gpu.module @kernels {
  gpu.func @tensor(%A: memref<?xf32>, %d: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %x = memref.dim %A, %d : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @swizzled() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %S = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<8x8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{uses a shared tile whose elements do not lie row by row; give the tile layout = #tile.layout<"linear">}}
    %p = memref.cast %S : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<?x8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A vector that is known to lie in one piece may be loaded, any other not.
gpu.module @kernels {
  gpu.func @swizzled_vectors(%i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c4 = arith.constant 4 : index
    %S = tile.alloc {layout = #tile.layout<"swizzle<32>">, offset = 0 : i64} : memref<8x8xf32, #gpu.address_space<workgroup>>
    %v = vector.load %S[%i, %c4] : memref<8x8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    // expected-error @+1 {{uses a shared tile whose elements do not lie row by row; give the tile layout = #tile.layout<"linear">}}
    %w = vector.load %S[%c4, %i] : memref<8x8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @fragment() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1, d0:16), lane=(d1:2*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:16>">} : memref<32x16xf32, #tile.fragment>
    // expected-error @+1 {{uses a fragment, whose elements are in the registers of different threads; copy it to a shared tile first}}
    %p = memref.cast %F : memref<32x16xf32, #tile.fragment> to memref<?x16xf32, #tile.fragment>
    gpu.return
  }
}

// -----

// What is no memref cannot be given to others.
gpu.module @kernels {
  gpu.func @barrier() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = tile.barrier_alloc {offset = 0 : i64} : !tile.barrier<1>
    // expected-error @+1 {{uses a value of 'tile.barrier_alloc', which has no lowering for it}}
    %p = builtin.unrealized_conversion_cast %b : !tile.barrier<1> to index
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has an attribution without a static shape}}
  gpu.func @attribution() workgroup(%S : memref<?xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
