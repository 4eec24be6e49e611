// Bytes that hold two numbers of four bits, read by words: of tensors and of shared
// tiles, by division and by shifts, from any place on; in a product as well.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: tensor(B=wide:64x40:i8, C=junk:64x64:f16, at=8)
// CASE: tensor(B=wide:64x37:i8, C=junk:64x64:f16, at=5)
// EXPECT: P = B[:, at:at + 32].astype(np.uint8); C[:, 0::2] = P & 15; C[:, 1::2] = P >> 4
func.func @tensor(%B: memref<64x?xi8>, %C: memref<64x64xf16>, %at: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %c4 = arith.constant 4 : i32
    %c15 = arith.constant 15 : i32
    %S = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    tile.parallel (%n, %j) in [64, 64] {
      %half = arith.divui %j, %c2 : index
      %odd = arith.remui %j, %c2 : index
      %column = arith.addi %at, %half : index
      %byte = memref.load %B[%n, %column] : memref<64x?xi8>
      %w = arith.extui %byte : i8 to i32
      %o = arith.index_cast %odd : index to i32
      %by4 = arith.muli %o, %c4 : i32
      %v = arith.shrui %w, %by4 : i32
      %q = arith.andi %v, %c15 : i32
      %x = arith.sitofp %q : i32 to f16
      memref.store %x, %S[%n, %j] : memref<64x64xf16, #gpu.address_space<workgroup>>
    }
    tile.copy %S to %C : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16>
    gpu.terminator
  }
  return
}

// Static rows, and four numbers of two bits in a byte.
// CASE: quarters(B=wide:32x32:i8, C=junk:32x128:i32)
// EXPECT: P = B.astype(np.uint8).repeat(4, 1); C[:] = (P >> (2 * (np.arange(128) % 4)).astype(np.uint8)) & 3
func.func @quarters(%B: memref<32x32xi8>, %C: memref<32x128xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %three = arith.constant 3 : i32
    tile.parallel (%n, %j) in [32, 128] {
      %byte_of = arith.shrui %j, %c2 : index
      %low = arith.andi %j, %c3 : index
      %byte = memref.load %B[%n, %byte_of] : memref<32x32xi8>
      %w = arith.extui %byte : i8 to i32
      %l = arith.index_cast %low : index to i32
      %twice = arith.addi %l, %l : i32
      %v = arith.shrui %w, %twice : i32
      %q = arith.andi %v, %three : i32
      memref.store %q, %C[%n, %j] : memref<32x128xi32>
    }
    gpu.terminator
  }
  return
}

// A product with weights of four bits, which a pipeline brings.
// CASE: product(A=ints:64x128:f16, B=wide:64x64:i8, C=junk:64x64:f32)
// EXPECT: P = B.astype(np.uint8); W = np.zeros((64, 128)); W[:, 0::2] = P & 15; W[:, 1::2] = P >> 4; C = A @ W.T
func.func @product(%A: memref<64x128xf16>, %B: memref<64x64xi8>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : i32
    %c15 = arith.constant 15 : i32
    %As = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %Ps = tile.alloc : memref<64x32xi8, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c128 step %c64 {
      %half_k = arith.divui %k, %c2 : index
      %a = tile.region %A[0, %k] [64, 64] : memref<64x128xf16>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
      %p = tile.region %B[0, %half_k] [64, 32] : memref<64x64xi8>
      tile.copy %p to %Ps : !tile.region<64x32xi8>, memref<64x32xi8, #gpu.address_space<workgroup>>
      tile.parallel (%n, %j) in [64, 64] {
        %half = arith.divui %j, %c2 : index
        %odd = arith.remui %j, %c2 : index
        %byte = memref.load %Ps[%n, %half] : memref<64x32xi8, #gpu.address_space<workgroup>>
        %w = arith.extui %byte : i8 to i32
        %o = arith.index_cast %odd : index to i32
        %by4 = arith.muli %o, %c4 : i32
        %v = arith.shrui %w, %by4 : i32
        %q = arith.andi %v, %c15 : i32
        %x = arith.sitofp %q : i32 to f16
        memref.store %x, %Bs[%n, %j] : memref<64x64xf16, #gpu.address_space<workgroup>>
      }
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}
