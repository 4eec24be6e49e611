// Transpositions between all memories, ragged tensors and conversions included;
// columns of fragments.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2

// CASE: shared(A=ints:48x40:f16, B=junk:40x48:f32)
// CASE: shared(A=ints:45x33:f16@33+1, B=junk:33x45:f32)
// EXPECT: B = A.T
func.func @shared(%A: memref<?x?xf16, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<40x48xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [48, 40] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    %b = tile.region %B[0, 0] [40, 48] : memref<?x?xf32>
    tile.transpose %a to %s : !tile.region<48x40xf16>, memref<40x48xf16, #gpu.address_space<workgroup>>
    tile.copy %s to %b : memref<40x48xf16, #gpu.address_space<workgroup>>, !tile.region<40x48xf32>
    gpu.terminator
  }
  return
}

// Through fragments, both ways, and in batches of rank 3.
// CASE: fragments(A=ints:3x32x16:i32, B=junk:3x16x32:i32, C=junk:3x32x16:i64)
// EXPECT: B = A.transpose(0, 2, 1); C = A
func.func @fragments(%A: memref<3x32x16xi32>, %B: memref<3x16x32xi32>, %C: memref<3x32x16xi64>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<3x16x32xi32, #tile.fragment>
    %g = tile.alloc : memref<3x32x16xi64, #tile.fragment>
    %b = tile.region %B[0, 0, 0] [3, 16, 32] : memref<3x16x32xi32>
    %c = tile.region %C[0, 0, 0] [3, 32, 16] : memref<3x32x16xi64>
    tile.transpose %A to %f : memref<3x32x16xi32>, memref<3x16x32xi32, #tile.fragment>
    tile.copy %f to %b : memref<3x16x32xi32, #tile.fragment>, !tile.region<3x16x32xi32>
    tile.transpose %f to %g : memref<3x16x32xi32, #tile.fragment>, memref<3x32x16xi64, #tile.fragment>
    tile.copy %g to %c : memref<3x32x16xi64, #tile.fragment>, !tile.region<3x32x16xi64>
    gpu.terminator
  }
  return
}

// From a fragment to a tensor and from shared memory to shared memory; the pad
// of a window.
// CASE: pads(A=ints:10x12:f32, B=junk:32x16:f32, C=junk:16x30:bf16)
// EXPECT: t = np.full((16, 32), 7.0); t[:10, :12] = A; B = t.T; C = t[:, :30]
func.func @pads(%A: memref<?x?xf32>, %B: memref<32x16xf32>, %C: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %seven = arith.constant 7.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32x16xf32, #gpu.address_space<workgroup>>
    %t = tile.alloc : memref<16x32xf32, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<32x16xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [16, 32] pad %seven : f32 in : memref<?x?xf32>
    %b = tile.region %B[0, 0] [32, 16] : memref<32x16xf32>
    %c = tile.region %C[0, 0] [16, 32] : memref<?x?xbf16>
    tile.transpose %a to %s : !tile.region<16x32xf32>, memref<32x16xf32, #gpu.address_space<workgroup>>
    tile.transpose %s to %t : memref<32x16xf32, #gpu.address_space<workgroup>>, memref<16x32xf32, #gpu.address_space<workgroup>>
    tile.transpose %t to %f : memref<16x32xf32, #gpu.address_space<workgroup>>, memref<32x16xf32, #tile.fragment>
    tile.copy %f to %b : memref<32x16xf32, #tile.fragment>, !tile.region<32x16xf32>
    tile.transpose %f to %c : memref<32x16xf32, #tile.fragment>, !tile.region<16x32xbf16>
    gpu.terminator
  }
  return
}

// CASE: columns(A=ints:64x8:f32, B=ints:64:f32)
// EXPECT: B = A[:, 3] * 2 + B; A[:, 5] = A[:, 3]
func.func @columns(%A: memref<64x8xf32>, %B: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<64x8xf32, #tile.fragment>
    %g = tile.alloc : memref<64x8xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 8] : memref<64x8xf32>
    tile.copy %a to %f : !tile.region<64x8xf32>, memref<64x8xf32, #tile.fragment>
    tile.copy %a to %g : !tile.region<64x8xf32>, memref<64x8xf32, #tile.fragment>
    tile.parallel (%i) in [64] {
      %x = memref.load %f[%i, %c3] : memref<64x8xf32, #tile.fragment>
      %b = memref.load %B[%i] : memref<64xf32>
      %y = math.fma %x, %two, %b : f32
      memref.store %y, %B[%i] : memref<64xf32>
      memref.store %x, %g[%i, %c5] : memref<64x8xf32, #tile.fragment>
    }
    tile.copy %g to %a : memref<64x8xf32, #tile.fragment>, !tile.region<64x8xf32>
    gpu.terminator
  }
  return
}
