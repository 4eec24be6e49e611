// Products whose extents no matrix instruction has, on tiles with pads: in loops
// that have C to themselves and others, with roles and without.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1
// RUN: FileCheck %s --check-prefix=MMA < %t/sm_80/decode.ptx
// RUN: FileCheck %s --check-prefixes=TMA,MMA < %t/sm_90a/decode.ptx
// TMA: cp.async.bulk.tensor
// MMA: mma.sync.aligned.m16n8k16

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Five rows of a step of decoding. Rows of the tensor beyond them are no business
// of the product, nor are those of the result.
// CASE: decode(A=ints:5x200:bf16, B=ints:200x144:bf16, C=ints:5x144:f32)
// EXPECT: C = C + A @ B
func.func @decode(%A: memref<5x200xbf16>, %B: memref<200x144xbf16>, %C: memref<5x144xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c72 = arith.constant 72 : index
  %c128 = arith.constant 128 : index
  %c200 = arith.constant 200 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<5x64xbf16, #shared>
    %Bs = tile.alloc : memref<64x72xbf16, #shared>
    %acc = tile.alloc : memref<5x72xf32, #fragment>
    %n = arith.muli %bx, %c72 : index
    %c = tile.region %C[0, %n] [5, 72] : memref<5x144xf32>
    tile.copy %c to %acc : !tile.region<5x72xf32>, memref<5x72xf32, #fragment>
    scf.for %k = %c0 to %c200 step %c64 {
      %a = tile.region %A[0, %k] [5, 64] : memref<5x200xbf16>
      %b = tile.region %B[%k, %n] [64, 72] : memref<200x144xbf16>
      tile.copy %a to %As : !tile.region<5x64xbf16>, memref<5x64xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<64x72xbf16>, memref<64x72xbf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<5x64xbf16, #shared>, memref<64x72xbf16, #shared>, memref<5x72xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %c : memref<5x72xf32, #fragment>, !tile.region<5x72xf32>
    gpu.terminator
  }
  return
}

// A loop that scales C, and one that does not: two products of different K, one
// of them transposed, both factors too small.
// CASE: scaled(A=ints:3x100:f16, B=ints:100x33:f16, D=ints:33x36:f16, C=junk:3x33:f32)
// EXPECT: C = np.zeros((3, 33))
// EXPECT: for k in range(5): C = C / 2 + A[:, 20*k:20*k+20] @ B[20*k:20*k+20]
// EXPECT: for k in range(2): C = C + A[:, 20:40] @ B[20:40] + A[:, :36] @ D.T
func.func @scaled(%A: memref<3x100xf16>, %B: memref<100x33xf16>, %D: memref<33x36xf16>, %C: memref<3x33xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %c96 = arith.constant 96 : index
  %c100 = arith.constant 100 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %As = tile.alloc : memref<3x20xf16, #shared>
    %Bs = tile.alloc : memref<20x33xf16, #shared>
    %Af = tile.alloc : memref<3x36xf16, #fragment>
    %Ds = tile.alloc : memref<33x36xf16, #shared>
    %acc = tile.alloc : memref<3x33xf32, #fragment>
    tile.fill %acc, %zero : memref<3x33xf32, #fragment>, f32
    scf.for %k = %c0 to %c100 step %c20 {
      %a = tile.region %A[0, %k] [3, 20] : memref<3x100xf16>
      %b = tile.region %B[%k, 0] [20, 33] : memref<100x33xf16>
      tile.copy %a to %As : !tile.region<3x20xf16>, memref<3x20xf16, #shared>
      tile.copy %b to %Bs : !tile.region<20x33xf16>, memref<20x33xf16, #shared>
      tile.parallel (%i, %j) in [3, 33] {
        %v = memref.load %acc[%i, %j] : memref<3x33xf32, #fragment>
        %w = arith.mulf %v, %half : f32
        memref.store %w, %acc[%i, %j] : memref<3x33xf32, #fragment>
      }
      tile.gemm %As, %Bs, %acc : (memref<3x20xf16, #shared>, memref<20x33xf16, #shared>, memref<3x33xf32, #fragment>)
    } {tile.num_stages = 2 : i32}
    %a1 = tile.region %A[0, 20] [3, 20] : memref<3x100xf16>
    %b1 = tile.region %B[20, 0] [20, 33] : memref<100x33xf16>
    %a2 = tile.region %A[0, 0] [3, 36] : memref<3x100xf16>
    tile.copy %a1 to %As : !tile.region<3x20xf16>, memref<3x20xf16, #shared>
    tile.copy %b1 to %Bs : !tile.region<20x33xf16>, memref<20x33xf16, #shared>
    tile.copy %a2 to %Af : !tile.region<3x36xf16>, memref<3x36xf16, #fragment>
    tile.copy %D to %Ds : memref<33x36xf16>, memref<33x36xf16, #shared>
    scf.for %k = %c0 to %c2 step %c1 {
      tile.gemm %As, %Bs, %acc : (memref<3x20xf16, #shared>, memref<20x33xf16, #shared>, memref<3x33xf32, #fragment>)
      tile.gemm %Af, %Ds, %acc {transpose_b} : (memref<3x36xf16, #fragment>, memref<33x36xf16, #shared>, memref<3x33xf32, #fragment>)
    }
    tile.copy %acc to %C : memref<3x33xf32, #fragment>, memref<3x33xf32>
    gpu.terminator
  }
  return
}
