// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-threads)' %s | FileCheck %s

// How vectors of other dialects are aligned: as an element, or as what is said
// and computed lets know.

gpu.module @m {
  // Nothing is known of the address.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK: vector.load {{.*}} {alignment = 4 : i64}
  // CHECK: vector.store {{.*}} {alignment = 4 : i64}
  gpu.func @unknown(%A: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %k = arith.muli %t, %c4 : index
    %v = vector.load %A[%k] : memref<64xf32>, vector<4xf32>
    vector.store %v, %A[%k] : memref<64xf32>, vector<4xf32>
    gpu.return
  }

  // The tensor says it; the indices of a loop and the stride of the rows do.
  // CHECK-LABEL: gpu.func @assumed
  // CHECK: vector.load {{.*}} {alignment = 16 : i64}
  // CHECK: vector.load {{.*}} {alignment = 8 : i64}
  // CHECK: vector.load {{.*}} {alignment = 4 : i64}
  // CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<64x6xf32>
  gpu.func @assumed(%A: memref<64x64xf32>, %B: memref<64x6xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %a = memref.assume_alignment %A, 32 : memref<64x64xf32>
    %b = memref.assume_alignment %B, 16 : memref<64x6xf32>
    scf.for %i = %c0 to %c64 step %c8 {
      %i2 = arith.addi %i, %c2 : index
      %i1 = arith.addi %i, %c1 : index
      %v = vector.load %a[%t, %i] : memref<64x64xf32>, vector<4xf32>
      %w = vector.load %a[%t, %i2] : memref<64x64xf32>, vector<4xf32>
      %x = vector.load %a[%t, %i1] : memref<64x64xf32>, vector<4xf32>
      %y = vector.load %b[%t, %c0] : memref<64x6xf32>, vector<4xf32>
      %s = arith.addf %v, %w : vector<4xf32>
      %r = arith.addf %s, %x : vector<4xf32>
      %q = arith.addf %r, %y : vector<4xf32>
      vector.store %q, %a[%t, %i] : memref<64x64xf32>, vector<4xf32>
    }
    gpu.return
  }

  // What the op says holds; more than 16 bytes are no news.
  // CHECK-LABEL: gpu.func @stated
  // CHECK: vector.load {{.*}} {alignment = 16 : i64}
  // CHECK: vector.store {{.*}} {alignment = 8 : i64}
  gpu.func @stated(%A: memref<?xf32>, %k: index) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %v = vector.load %A[%k] {alignment = 64} : memref<?xf32>, vector<4xf32>
    vector.store %v, %A[%k] {alignment = 8} : memref<?xf32>, vector<4xf32>
    gpu.return
  }

  // Parts begin where their offsets say; a stride that is open may be any.
  // CHECK-LABEL: gpu.func @parts
  // CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<16xf32
  // CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<16xf32
  // CHECK: vector.load {{.*}} {alignment = 4 : i64} : memref<?x?xf32
  gpu.func @parts(%A: memref<64xf32>, %B: memref<?x?xf32>, %t: index) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.assume_alignment %A, 16 : memref<64xf32>
    %b = memref.assume_alignment %B, 16 : memref<?x?xf32>
    %a4 = memref.subview %a[4] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 4>>
    %a6 = memref.subview %a[6] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 6>>
    %v = vector.load %a4[%c0] : memref<16xf32, strided<[1], offset: 4>>, vector<4xf32>
    %w = vector.load %a6[%c0] : memref<16xf32, strided<[1], offset: 6>>, vector<4xf32>
    %x = vector.load %b[%t, %c0] : memref<?x?xf32>, vector<4xf32>
    %s = arith.addf %v, %w : vector<4xf32>
    %r = arith.addf %s, %x : vector<4xf32>
    vector.store %r, %a[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }

  // Memory of blocks and threads begins at a multiple of the widest access.
  // CHECK-LABEL: gpu.func @own
  // CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<64xf16, #gpu.address_space<workgroup>>
  // CHECK: vector.load {{.*}} {alignment = 2 : i64} : memref<64xf16, #gpu.address_space<workgroup>>
  // CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<16xf16, #gpu.address_space<private>>
  gpu.func @own(%A: memref<64xf16>, %j: index) workgroup(%s : memref<64xf16, #gpu.address_space<workgroup>>) private(%p : memref<16xf16, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v = vector.load %s[%c8] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %w = vector.load %s[%j] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %x = vector.load %p[%c8] : memref<16xf16, #gpu.address_space<private>>, vector<8xf16>
    %y = arith.addf %v, %w : vector<8xf16>
    %z = arith.addf %y, %x : vector<8xf16>
    vector.store %z, %A[%c0] : memref<64xf16>, vector<8xf16>
    gpu.return
  }
}
