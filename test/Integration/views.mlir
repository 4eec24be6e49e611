// Views: one storage with several shapes and element types, in shared memory, in
// registers and in private arrays; written through one name, read through another.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Rows become longer rows, on the way in and on the way out.
// CASE: reshape(A=normal:64x32:f32, B=junk:16x128:f32)
// CASE: reshape(A=normal:61x30:f32, B=junk:15x127:f32)
// CASE: reshape(A=normal:64x32:f32@37x1+3, B=junk:16x128:f32@131x1+1)
// EXPECT: S = np.zeros((64, 32)); S[:A.shape[0], :A.shape[1]] = A
// EXPECT: B = S.reshape(16, 128)[:B.shape[0], :B.shape[1]]
func.func @reshape(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x32xf32, #gpu.address_space<workgroup>>
    %V = tile.view %S : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<16x128xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    %b = tile.region %B[0, 0] [16, 128] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %a to %S : !tile.region<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>
    tile.copy %V to %b : memref<16x128xf32, #gpu.address_space<workgroup>>, !tile.region<16x128xf32>
    gpu.terminator
  }
  return
}

// Words are cut in halves, halves are put together to bytes' multiples.
// CASE: cast(A=wide:32x24:i32, B=junk:32x48:i16, C=junk:16x192:i8)
// CASE: cast(A=wide:29x23:i32, B=junk:31x47:i16, C=junk:13x189:i8)
// EXPECT: S = np.zeros((32, 24), np.int32); S[:A.shape[0], :A.shape[1]] = A
// EXPECT: B = S.view(np.int16)[:B.shape[0], :B.shape[1]]
// EXPECT: C = S.view(np.int8).reshape(16, 192)[:C.shape[0], :C.shape[1]]
func.func @cast(%A: memref<?x?xi32>, %B: memref<?x?xi16>, %C: memref<?x?xi8>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x24xi32, #gpu.address_space<workgroup>>
    %H = tile.view %S : memref<32x24xi32, #gpu.address_space<workgroup>> to memref<32x48xi16, #gpu.address_space<workgroup>>
    %Q = tile.view %H : memref<32x48xi16, #gpu.address_space<workgroup>> to memref<16x192xi8, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 24] : memref<?x?xi32>
    %b = tile.region %B[0, 0] [32, 48] : memref<?x?xi16>
    %c = tile.region %C[0, 0] [16, 192] : memref<?x?xi8>
    tile.copy %a to %S : !tile.region<32x24xi32>, memref<32x24xi32, #gpu.address_space<workgroup>>
    tile.copy %H to %b : memref<32x48xi16, #gpu.address_space<workgroup>>, !tile.region<32x48xi16>
    tile.copy %Q to %c : memref<16x192xi8, #gpu.address_space<workgroup>>, !tile.region<16x192xi8>
    gpu.terminator
  }
  return
}

// Bytes that come in one after another are read as wider elements.
// CASE: gather(A=wide:8x64:i8, B=junk:8x16:i32)
// CASE: gather(A=wide:7x61:i8, B=junk:8x15:i32)
// EXPECT: S = np.zeros((8, 64), np.int8); S[:A.shape[0], :A.shape[1]] = A
// EXPECT: B = S.view(np.int32)[:, :B.shape[1]]
func.func @gather(%A: memref<?x?xi8>, %B: memref<?x?xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<8x64xi8, #gpu.address_space<workgroup>>
    %W = tile.view %S : memref<8x64xi8, #gpu.address_space<workgroup>> to memref<8x16xi32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [8, 64] : memref<?x?xi8>
    %b = tile.region %B[0, 0] [8, 16] : memref<?x?xi32>
    tile.copy %a to %S : !tile.region<8x64xi8>, memref<8x64xi8, #gpu.address_space<workgroup>>
    tile.copy %W to %b : memref<8x16xi32, #gpu.address_space<workgroup>>, !tile.region<8x16xi32>
    gpu.terminator
  }
  return
}

// Heads of a batch are rows of one product: its factor and its result are tiles of
// rank 3, seen as matrices.
// CASE: heads(A=ints:4x16x64:bf16, B=ints:64x48:bf16, C=junk:4x16x48:f32)
// CASE: heads(A=ints:3x15x61:bf16, B=ints:61x45:bf16, C=junk:4x13x47:f32)
// EXPECT: S = np.zeros((4, 16, 64)); S[:A.shape[0], :A.shape[1], :A.shape[2]] = A
// EXPECT: T = np.zeros((64, 48)); T[:B.shape[0], :B.shape[1]] = B
// EXPECT: C = (S.reshape(64, 64) @ T).reshape(4, 16, 48)[:, :C.shape[1], :C.shape[2]]
func.func @heads(%A: memref<?x?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x16x64xbf16, #gpu.address_space<workgroup>>
    %M = tile.view %S : memref<4x16x64xbf16, #gpu.address_space<workgroup>> to memref<64x64xbf16, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<64x48xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x48xf32, #tile.fragment>
    %out = tile.view %acc : memref<64x48xf32, #tile.fragment> to memref<4x16x48xf32, #tile.fragment>
    %a = tile.region %A[0, 0, 0] [4, 16, 64] : memref<?x?x?xbf16>
    %b = tile.region %B[0, 0] [64, 48] : memref<?x?xbf16>
    %c = tile.region %C[0, 0, 0] [4, 16, 48] : memref<?x?x?xf32>
    tile.copy %a to %S : !tile.region<4x16x64xbf16>, memref<4x16x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %T : !tile.region<64x48xbf16>, memref<64x48xbf16, #gpu.address_space<workgroup>>
    tile.fill %out, %zero : memref<4x16x48xf32, #tile.fragment>, f32
    tile.gemm %M, %T, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x48xbf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
    tile.copy %out to %c : memref<4x16x48xf32, #tile.fragment>, !tile.region<4x16x48xf32>
    gpu.terminator
  }
  return
}

// Bits of a fragment, as integers.
// CASE: bits(A=normal:32x32:f32, B=junk:8x128:i32)
// CASE: bits(A=normal:31x29:f32, B=junk:7x127:i32)
// EXPECT: S = np.zeros((32, 32), np.float32); S[:A.shape[0], :A.shape[1]] = A
// EXPECT: B = S.view(np.int32).reshape(8, 128)[:B.shape[0], :B.shape[1]]
func.func @bits(%A: memref<?x?xf32>, %B: memref<?x?xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<32x32xf32, #tile.fragment>
    %V = tile.view %F : memref<32x32xf32, #tile.fragment> to memref<8x128xi32, #tile.fragment>
    %a = tile.region %A[0, 0] [32, 32] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [8, 128] : memref<?x?xi32>
    tile.copy %a to %F : !tile.region<32x32xf32>, memref<32x32xf32, #tile.fragment>
    tile.copy %V to %b : memref<8x128xi32, #tile.fragment>, !tile.region<8x128xi32>
    gpu.terminator
  }
  return
}

// A private array, and windows of views.
// CASE: private(A=wide:4x4:i32, B=junk:4x8:i16, C=junk:2x3:i16)
// EXPECT: B = A.view(np.int16); C = B.reshape(8, 4)[3:5, 1:4]
func.func @private(%A: memref<4x4xi32>, %B: memref<4x8xi16>, %C: memref<2x3xi16>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %P = tile.alloc : memref<4x4xi32, #gpu.address_space<private>>
    %V = tile.view %P : memref<4x4xi32, #gpu.address_space<private>> to memref<4x8xi16, #gpu.address_space<private>>
    %W = tile.view %P : memref<4x4xi32, #gpu.address_space<private>> to memref<8x4xi16, #gpu.address_space<private>>
    %w = tile.region %W[%c3, 1] [2, 3] : memref<8x4xi16, #gpu.address_space<private>>
    tile.copy %A to %P : memref<4x4xi32>, memref<4x4xi32, #gpu.address_space<private>>
    tile.copy %V to %B : memref<4x8xi16, #gpu.address_space<private>>, memref<4x8xi16>
    tile.copy %w to %C : !tile.region<2x3xi16, #gpu.address_space<private>>, memref<2x3xi16>
    gpu.terminator
  }
  return
}

// Slots of a ring through a view that keeps the stage dimension.
// CASE: ring(A=normal:128x32:f32, B=junk:64x64:f32)
// CASE: ring(A=normal:125x31:f32, B=junk:64x63:f32)
// EXPECT: S = np.zeros((128, 32)); S[:A.shape[0], :A.shape[1]] = A
// EXPECT: B = S.reshape(64, 64)[:, :B.shape[1]]
func.func @ring(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : memref<2x64x32xf32, #gpu.address_space<workgroup>>
    %V = tile.view %R : memref<2x64x32xf32, #gpu.address_space<workgroup>> to memref<2x32x64xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %c2 step %c1 {
      %m = arith.muli %i, %c64 : index
      %n = arith.muli %i, %c32 : index
      %r = tile.region %R[%i, 0, 0] [1, 64, 32] drop [0] : memref<2x64x32xf32, #gpu.address_space<workgroup>>
      %v = tile.region %V[%i, 0, 0] [1, 32, 64] drop [0] : memref<2x32x64xf32, #gpu.address_space<workgroup>>
      %a = tile.region %A[%m, 0] [64, 32] : memref<?x?xf32>
      %b = tile.region %B[%n, 0] [32, 64] : memref<?x?xf32>
      tile.copy %a to %r : !tile.region<64x32xf32>, !tile.region<64x32xf32, #gpu.address_space<workgroup>>
      tile.copy %v to %b : !tile.region<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
    }
    gpu.terminator
  }
  return
}

// Fragments of odd extents: dimensions that a view keeps, or joins, overhang under it.
// CASE: odd(A=normal:101x67:f32, B=junk:101x67:i32, C=normal:101x68:f32, D=junk:404x17:f32)
// CASE: odd(A=normal:99x65:f32, B=junk:101x66:i32, C=normal:97x68:f32, D=junk:403x16:f32)
// EXPECT: S = np.zeros((101, 67), np.float32); S[:A.shape[0], :A.shape[1]] = A
// EXPECT: B = S.view(np.int32)[:B.shape[0], :B.shape[1]]
// EXPECT: T = np.zeros((101, 68), np.float32); T[:C.shape[0]] = C
// EXPECT: D = T.reshape(404, 17)[:D.shape[0], :D.shape[1]]
func.func @odd(%A: memref<?x?xf32>, %B: memref<?x?xi32>, %C: memref<?x?xf32>, %D: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<101x67xf32, #tile.fragment>
    %V = tile.view %F : memref<101x67xf32, #tile.fragment> to memref<101x67xi32, #tile.fragment>
    %G = tile.alloc : memref<101x68xf32, #tile.fragment>
    %W = tile.view %G : memref<101x68xf32, #tile.fragment> to memref<404x17xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [101, 67] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [101, 67] : memref<?x?xi32>
    %c = tile.region %C[0, 0] [101, 68] : memref<?x?xf32>
    %d = tile.region %D[0, 0] [404, 17] : memref<?x?xf32>
    tile.copy %a to %F : !tile.region<101x67xf32>, memref<101x67xf32, #tile.fragment>
    tile.copy %V to %b : memref<101x67xi32, #tile.fragment>, !tile.region<101x67xi32>
    tile.copy %c to %G : !tile.region<101x68xf32>, memref<101x68xf32, #tile.fragment>
    tile.copy %W to %d : memref<404x17xf32, #tile.fragment>, !tile.region<404x17xf32>
    gpu.terminator
  }
  return
}

// Element loops index a view as it is: 40 rows of 24, and halves of words.
// CASE: loops(A=wide:24x40:i32, B=junk:40x24:i32, C=junk:24x80:i16)
// EXPECT: B = A.reshape(40, 24) * 3; C = (A.view(np.int16) * 5).astype(np.int16)
func.func @loops(%A: memref<24x40xi32>, %B: memref<40x24xi32>, %C: memref<24x80xi16>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %five = arith.constant 5 : i16
    %S = tile.alloc : memref<24x40xi32, #gpu.address_space<workgroup>>
    %V = tile.view %S : memref<24x40xi32, #gpu.address_space<workgroup>> to memref<40x24xi32, #gpu.address_space<workgroup>>
    %H = tile.view %S : memref<24x40xi32, #gpu.address_space<workgroup>> to memref<24x80xi16, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<24x40xi32, #tile.fragment>
    %G = tile.view %F : memref<24x40xi32, #tile.fragment> to memref<40x24xi32, #tile.fragment>
    tile.copy %A to %S : memref<24x40xi32>, memref<24x40xi32, #gpu.address_space<workgroup>>
    tile.copy %A to %F : memref<24x40xi32>, memref<24x40xi32, #tile.fragment>
    tile.parallel (%i, %j) in [40, 24] {
      %x = memref.load %V[%i, %j] : memref<40x24xi32, #gpu.address_space<workgroup>>
      %y = memref.load %G[%i, %j] : memref<40x24xi32, #tile.fragment>
      %w = arith.addi %x, %y : i32
      %z = arith.addi %w, %x : i32
      memref.store %z, %B[%i, %j] : memref<40x24xi32>
    }
    tile.parallel (%i, %j) in [24, 80] {
      %x = memref.load %H[%i, %j] : memref<24x80xi16, #gpu.address_space<workgroup>>
      %z = arith.muli %x, %five : i16
      memref.store %z, %C[%i, %j] : memref<24x80xi16>
    }
    gpu.terminator
  }
  return
}
