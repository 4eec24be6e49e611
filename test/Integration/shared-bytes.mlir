// Tiles that nobody reads lend their bytes to tiles that somebody does: what is
// under way to the one must land before something else gets to the other.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// A tile that is read, after one of its bytes that is not.
// CASE: dead_then_live(A=ints:8x32:i32, B=ints:8x32:i32, O=junk:8x32:i32)
// CASE: dead_then_live(A=ints:8x32:i32@32x1+1, B=ints:8x32:i32@32x1+2, O=junk:8x32:i32@32x1+1)
// EXPECT: O = B
func.func @dead_then_live(%A: memref<8x32xi32>, %B: memref<8x32xi32>, %O: memref<8x32xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %a = tile.region %A[0, 0] [8, 32] : memref<8x32xi32>
    %b = tile.region %B[0, 0] [8, 32] : memref<8x32xi32>
    %o = tile.region %O[0, 0] [8, 32] : memref<8x32xi32>
    %S0 = tile.alloc : memref<8x32xi32, #gpu.address_space<workgroup>>
    %S1 = tile.alloc : memref<8x32xi32, #gpu.address_space<workgroup>>
    tile.copy %a to %S0 : !tile.region<8x32xi32>, memref<8x32xi32, #gpu.address_space<workgroup>>
    tile.copy %b to %S1 : !tile.region<8x32xi32>, memref<8x32xi32, #gpu.address_space<workgroup>>
    tile.copy %S1 to %o : memref<8x32xi32, #gpu.address_space<workgroup>>, !tile.region<8x32xi32>
    gpu.terminator
  }
  return
}

// Two dead ones, of other shapes and types, each as large as the two that are
// read; rows of 60, 44 and 36 bytes, which TMA cannot move.
// CASE: dead_of_other_shape(A=ints:14x15:f32, B=ints:30x22:f16, C=ints:9x9:i32, O=junk:30x22:f16, P=junk:9x9:i32)
// EXPECT: h, w = min(B.shape[0], 32), min(B.shape[1], 32); O[:32, :32] = B[:32, :32]; P[:8, :16] = C[:8, :16]
func.func @dead_of_other_shape(%A: memref<14x15xf32>, %B: memref<30x22xf16>, %C: memref<9x9xi32>, %O: memref<30x22xf16>, %P: memref<9x9xi32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %a = tile.region %A[0, 0] [16, 64] : memref<14x15xf32>
    %b = tile.region %B[0, 0] [32, 32] : memref<30x22xf16>
    %c = tile.region %C[0, 0] [8, 16] : memref<9x9xi32>
    %o = tile.region %O[0, 0] [32, 32] : memref<30x22xf16>
    %p = tile.region %P[0, 0] [8, 16] : memref<9x9xi32>
    %S0 = tile.alloc : memref<16x64xf32, #gpu.address_space<workgroup>>
    %S1 = tile.alloc : memref<32x32xf16, #gpu.address_space<workgroup>>
    %S2 = tile.alloc : memref<16x64xf32, #gpu.address_space<workgroup>>
    %S3 = tile.alloc : memref<8x16xi32, #gpu.address_space<workgroup>>
    tile.copy %a to %S0 : !tile.region<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
    tile.copy %b to %S1 : !tile.region<32x32xf16>, memref<32x32xf16, #gpu.address_space<workgroup>>
    tile.copy %a to %S2 : !tile.region<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
    tile.copy %c to %S3 : !tile.region<8x16xi32>, memref<8x16xi32, #gpu.address_space<workgroup>>
    tile.copy %S1 to %o : memref<32x32xf16, #gpu.address_space<workgroup>>, !tile.region<32x32xf16>
    tile.copy %S3 to %p : memref<8x16xi32, #gpu.address_space<workgroup>>, !tile.region<8x16xi32>
    gpu.terminator
  }
  return
}

// Factors of a product after a dead tile.
// CASE: dead_before_gemm(A=ints:64x256:f16, B=ints:256x64:f16, C=junk:64x64:f32)
// EXPECT: C = A[:, 32:64] @ B[32:64]
func.func @dead_before_gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %k = arith.constant 32 : index
  %z = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    %D = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %d = tile.region %A[0, 0] [64, 32] : memref<?x?xf16>
    tile.copy %d to %D : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, %k] [64, 32] : memref<?x?xf16>
    %b = tile.region %B[%k, 0] [32, 64] : memref<?x?xf16>
    tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
    tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #gpu.address_space<workgroup>>
    tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A pipelined loop that fills a tile that nobody reads, between one that is dead
// and one that is read: what the loop has under way ends with it.
// CASE: dead_in_pipeline(A=ints:32x300:f32, B=ints:32x300:f32, O=junk:32x32:f32, k=300)
// CASE: dead_in_pipeline(A=ints:32x300:f32, B=ints:32x300:f32, O=junk:32x32:f32, k=32)
// CASE: dead_in_pipeline(A=ints:32x300:f32, B=ints:32x300:f32, O=junk:32x32:f32, k=0)
// EXPECT: s = np.zeros((32, 320)); s[:, :k] = A[:, :k]; O = s.reshape(32, 10, 32).sum(1) + B[:, 64:96]
func.func @dead_in_pipeline(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %O: memref<32x32xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %D = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %S = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %E = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %sum, %z : memref<32x32xf32, #tile.fragment>, f32
    %d = tile.region %B[0, 0] [32, 32] : memref<?x?xf32>
    tile.copy %d to %D : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %k step %c32 {
      %a = tile.region %A[0, %i] [32, 32] : memref<?x?xf32>
      %b = tile.region %B[0, %i] [32, 32] : memref<?x?xf32>
      tile.copy %b to %E : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
      tile.copy %a to %S : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [32, 32] {
        %v = memref.load %S[%x, %y] : memref<32x32xf32, #gpu.address_space<workgroup>>
        %w = memref.load %sum[%x, %y] : memref<32x32xf32, #tile.fragment>
        %u = arith.addf %v, %w : f32
        memref.store %u, %sum[%x, %y] : memref<32x32xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %f = tile.region %B[0, %c64] [32, 32] : memref<?x?xf32>
    tile.copy %f to %F : !tile.region<32x32xf32>, memref<32x32xf32, #gpu.address_space<workgroup>>
    tile.parallel (%x, %y) in [32, 32] {
      %v = memref.load %F[%x, %y] : memref<32x32xf32, #gpu.address_space<workgroup>>
      %w = memref.load %sum[%x, %y] : memref<32x32xf32, #tile.fragment>
      %u = arith.addf %v, %w : f32
      memref.store %u, %O[%x, %y] : memref<32x32xf32>
    }
    gpu.terminator
  }
  return
}
