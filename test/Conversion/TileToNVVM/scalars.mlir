// Scalar loads and stores.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

gpu.module @m {
  // Code of a block: what it stores for all to see, one thread stores.
  // CHECK-LABEL: llvm.func @block_code
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
  // CHECK: %[[ELECTED:.*]] = arith.cmpi eq, %[[TID]], %{{.*}} : i32
  // CHECK: cf.cond_br %[[ELECTED]], ^[[ONE:bb[0-9]+]], ^[[ALL:bb[0-9]+]]
  // CHECK: ^[[ONE]]:
  // CHECK: llvm.store %[[V]], %{{.*}} : f32, !llvm.ptr<1>
  // CHECK: cf.br ^[[ALL]]
  gpu.func @block_code(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %A[%c0] : memref<8xf32>
    memref.store %v, %A[%c1] : memref<8xf32>
    gpu.return
  }

  // Code of a thread: each stores its own.
  // CHECK-LABEL: llvm.func @thread_code
  // CHECK: llvm.store
  // CHECK-NOT: cf.cond_br
  // CHECK: llvm.return
  gpu.func @thread_code(%A: memref<32xf32>, %v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %v, %A[%t] : memref<32xf32>
    gpu.return
  }

  // Outlining asks for ids that nobody uses: still code of a block.
  // CHECK-LABEL: llvm.func @unused_ids
  // CHECK: cf.cond_br
  gpu.func @unused_ids(%A: memref<32xf32>, %v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    memref.store %v, %A[%c0] : memref<32xf32>
    gpu.return
  }

  // Private memory is the thread's own, also in code of a block.
  // CHECK-LABEL: llvm.func @private
  // CHECK-NOT: cf.cond_br
  // CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr
  gpu.func @private(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %p = tile.alloc : memref<i32, #gpu.address_space<private>>
    memref.store %v, %p[] : memref<i32, #gpu.address_space<private>>
    gpu.return
  }

  // An i1 is a byte, an 8-bit float its bits.
  // CHECK-LABEL: llvm.func @bytes
  // CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i8
  // CHECK: %[[BIT:.*]] = arith.trunci %[[BYTE]] : i8 to i1
  // CHECK: arith.extui %[[BIT]] : i1 to i8
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> i8
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  gpu.func @bytes(%P: memref<2xi1>, %F: memref<2xf8E5M2>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = memref.load %P[%c0] : memref<2xi1>
    memref.store %p, %P[%c1] : memref<2xi1>
    %f = memref.load %F[%c0] : memref<2xf8E5M2>
    memref.store %f, %F[%c1] : memref<2xf8E5M2>
    gpu.return
  }

  // The layout of a shared tile places single elements too: here by an XOR.
  // CHECK-LABEL: llvm.func @swizzled
  // CHECK: arith.xori
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> bf16
  gpu.func @swizzled(%A: memref<1xbf16>, %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %v = memref.load %s[%i, %j] : memref<64x64xbf16, #gpu.address_space<workgroup>>
    memref.store %v, %A[%c0] : memref<1xbf16>
    gpu.return
  }

  // Ten bits are the low ones of 1024 in f16; more, and those of a sign, are not.
  // CHECK-LABEL: llvm.func @few_bits
  // CHECK: %[[X:.*]] = arith.andi
  // CHECK: %[[LOW:.*]] = arith.trunci %[[X]] : i32 to i16
  // CHECK: %[[BITS:.*]] = arith.ori %[[LOW]], %{{.*}} : i16
  // CHECK: %[[F:.*]] = arith.bitcast %[[BITS]] : i16 to f16
  // CHECK: arith.subf %[[F]], %{{.*}} : f16
  // CHECK-COUNT-3: arith.sitofp
  gpu.func @few_bits(%A: memref<8xf16>, %v: i32, %b: i8) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %ten = arith.constant 1023 : i32
    %eleven = arith.constant 1024 : i32
    %eight = arith.constant -1 : i8
    %x = arith.andi %v, %ten : i32
    %y = arith.andi %v, %eleven : i32
    %z = arith.andi %b, %eight : i8
    %f = arith.sitofp %x : i32 to f16
    %g = arith.sitofp %y : i32 to f16
    %h = arith.sitofp %z : i8 to f16
    %i = arith.sitofp %v : i32 to f16
    memref.store %f, %A[%c0] : memref<8xf16>
    memref.store %g, %A[%c1] : memref<8xf16>
    memref.store %h, %A[%c2] : memref<8xf16>
    memref.store %i, %A[%c3] : memref<8xf16>
    gpu.return
  }
}
