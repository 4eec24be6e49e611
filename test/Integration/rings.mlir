// Rings: tiles with a stage dimension, whose slots are filled, multiplied and
// copied one at a time. All slots have one layout.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#smem = #gpu.address_space<workgroup>

// The first slot is 1, so that none is where the ring begins by chance.
// CASE: ring(A=ints:200x300:bf16, B=ints:300x136:bf16, C=junk:200x136:f32)
// CASE: ring(A=ints:77x65:bf16, B=ints:65x51:bf16, C=junk:77x51:f32)
// CASE: ring(A=ints:128x0:bf16, B=ints:0x128:bf16, C=junk:128x128:f32)
// CASE: ring(A=ints:72x304:bf16, B=ints:304x136:bf16, C=junk:72x136:f32)
// EXPECT: C = A @ B
func.func @ring(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %N, %c128 : index
  %gy = arith.ceildivui %M, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : memref<3x128x64xbf16, #smem>
    %Bs = tile.alloc : memref<3x64x128xbf16, #smem>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
      %last = scf.for %k = %c0 to %K step %c64 iter_args(%slot = %c1) -> index {
      %a = tile.region %A[%m, %k] [128, 64] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 128] : memref<?x?xbf16>
      %as = tile.region %As[%slot, 0, 0] [1, 128, 64] drop [0] : memref<3x128x64xbf16, #smem>
      %bs = tile.region %Bs[%slot, 0, 0] [1, 64, 128] drop [0] : memref<3x64x128xbf16, #smem>
      tile.copy %a to %as : !tile.region<128x64xbf16>, !tile.region<128x64xbf16, #smem>
      tile.copy %b to %bs : !tile.region<64x128xbf16>, !tile.region<64x128xbf16, #smem>
      tile.gemm %as, %bs, %acc : (!tile.region<128x64xbf16, #smem>, !tile.region<64x128xbf16, #smem>, memref<128x128xf32, #tile.fragment>)
      %n1 = arith.addi %slot, %c1 : index
      %wrap = arith.cmpi sgt, %n1, %c2 : index
      %next = arith.select %wrap, %c0, %n1 : index
      scf.yield %next : index
    }
    %c = tile.region %C[%m, %n] [128, 128] : memref<?x?xf32>
    tile.copy %acc to %c : memref<128x128xf32, #tile.fragment>, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// In a pipelined loop a slot of the ring has versions, too: two stage dimensions.
// CASE: ring_in_pipeline(A=ints:200x300:bf16, B=ints:300x136:bf16, C=junk:200x136:f32)
// CASE: ring_in_pipeline(A=ints:72x304:bf16, B=ints:304x136:bf16, C=junk:72x136:f32)
// EXPECT: C = A @ B
func.func @ring_in_pipeline(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<3x64x32xbf16, #smem>
    %Bs = tile.alloc : memref<3x32x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
      %last = scf.for %k = %c0 to %K step %c32 iter_args(%slot = %c1) -> index {
      %a = tile.region %A[%m, %k] [64, 32] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [32, 64] : memref<?x?xbf16>
      %as = tile.region %As[%slot, 0, 0] [1, 64, 32] drop [0] : memref<3x64x32xbf16, #smem>
      %bs = tile.region %Bs[%slot, 0, 0] [1, 32, 64] drop [0] : memref<3x32x64xbf16, #smem>
      tile.copy %a to %as : !tile.region<64x32xbf16>, !tile.region<64x32xbf16, #smem>
      tile.copy %b to %bs : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #smem>
      tile.gemm %as, %bs, %acc : (!tile.region<64x32xbf16, #smem>, !tile.region<32x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
      %n1 = arith.addi %slot, %c1 : index
      %wrap = arith.cmpi sgt, %n1, %c2 : index
      %next = arith.select %wrap, %c0, %n1 : index
      scf.yield %next : index
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Both factors with K contiguous, 8 warps, one slot only; 32-bit elements.
// CASE: tf32(A=ints:130x100:f32, B=ints:72x100:f32, C=junk:130x72:f32)
// EXPECT: C = A @ B.T
func.func @tf32(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %c128 = arith.constant 128 : index
    %m = arith.muli %bx, %c128 : index
    %As = tile.alloc : memref<1x128x32xf32, #smem>
    %Bs = tile.alloc : memref<1x128x32xf32, #smem>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %a = tile.region %A[%m, %k] [128, 32] : memref<?x?xf32>
      %b = tile.region %B[0, %k] [128, 32] : memref<?x?xf32>
      %as = tile.region %As[0, 0, 0] [1, 128, 32] drop [0] : memref<1x128x32xf32, #smem>
      %bs = tile.region %Bs[0, 0, 0] [1, 128, 32] drop [0] : memref<1x128x32xf32, #smem>
      tile.copy %a to %as : !tile.region<128x32xf32>, !tile.region<128x32xf32, #smem>
      tile.copy %b to %bs : !tile.region<128x32xf32>, !tile.region<128x32xf32, #smem>
      tile.gemm %as, %bs, %acc {transpose_b, precision = "tf32"} : (!tile.region<128x32xf32, #smem>, !tile.region<128x32xf32, #smem>, memref<128x128xf32, #tile.fragment>)
    }
    %c = tile.region %C[%m, 0] [128, 128] : memref<?x?xf32>
    tile.copy %acc to %c : memref<128x128xf32, #tile.fragment>, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// Slots of 480 bytes, filled before any is read: by the widest instruction that
// the tensor allows, read through registers and stored from other slots.
// CASE: slots(A=ints:4x5x24:f32, B=junk:4x5x24:f32)
// CASE: slots(A=ints:4x5x23:f32, B=junk:4x5x24:f32)
// CASE: slots(A=ints:4x4x20:f32, B=junk:4x3x21:f32)
// EXPECT: B = np.pad(A[::-1, :5, :24], ((0, 0), (0, 5 - min(5, A.shape[1])), (0, 24 - min(24, A.shape[2]))))[:, :B.shape[1], :B.shape[2]]
func.func @slots(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x5x24xf32, #smem>
    %T = tile.alloc : memref<4x5x24xf32, #smem>
    %f = tile.alloc : memref<5x24xf32, #tile.fragment>
    scf.for %i = %c0 to %c4 step %c1 {
      %a = tile.region %A[%i, 0, 0] [1, 5, 24] drop [0] : memref<?x?x?xf32>
      %s = tile.region %S[%i, 0, 0] [1, 5, 24] drop [0] : memref<4x5x24xf32, #smem>
      tile.copy %a to %s : !tile.region<5x24xf32>, !tile.region<5x24xf32, #smem>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %j = arith.subi %c3, %i : index
      %s = tile.region %S[%j, 0, 0] [1, 5, 24] drop [0] : memref<4x5x24xf32, #smem>
      %t = tile.region %T[%i, 0, 0] [1, 5, 24] drop [0] : memref<4x5x24xf32, #smem>
      tile.copy %s to %f : !tile.region<5x24xf32, #smem>, memref<5x24xf32, #tile.fragment>
      tile.copy %f to %t : memref<5x24xf32, #tile.fragment>, !tile.region<5x24xf32, #smem>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %t = tile.region %T[%i, 0, 0] [1, 5, 24] drop [0] : memref<4x5x24xf32, #smem>
      %b = tile.region %B[%i, 0, 0] [1, 5, 24] drop [0] : memref<?x?x?xf32>
      tile.copy %t to %b : !tile.region<5x24xf32, #smem>, !tile.region<5x24xf32>
    }
    gpu.terminator
  }
  return
}
