// Products that no matrix instruction takes: f64, few rows or columns, K that is no
// multiple of the instruction's; batches in one block, by matrix instructions and
// without; in pipelines with roles and without.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1
// RUN: FileCheck %s --check-prefix=BATCH < %t/sm_80/batch.ptx
// BATCH: mma.sync

#shared = #gpu.address_space<workgroup>

// CASE: doubles(A=ints:33x40:f64, B=ints:19x40:f64, C=ints:33x19:f64)
// EXPECT: C = C + A @ B.T
func.func @doubles(%A: memref<33x40xf64>, %B: memref<19x40xf64>, %C: memref<33x19xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<33x8xf64, #shared>
    %Bs = tile.alloc : memref<19x8xf64, #shared>
    %acc = tile.alloc : memref<33x19xf64, #tile.fragment>
    tile.copy %C to %acc : memref<33x19xf64>, memref<33x19xf64, #tile.fragment>
    scf.for %k = %c0 to %c40 step %c8 {
      %a = tile.region %A[0, %k] [33, 8] : memref<33x40xf64>
      %b = tile.region %B[0, %k] [19, 8] : memref<19x40xf64>
      tile.copy %a to %As : !tile.region<33x8xf64>, memref<33x8xf64, #shared>
      tile.copy %b to %Bs : !tile.region<19x8xf64>, memref<19x8xf64, #shared>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<33x8xf64, #shared>, memref<19x8xf64, #shared>, memref<33x19xf64, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %C : memref<33x19xf64, #tile.fragment>, memref<33x19xf64>
    gpu.terminator
  }
  return
}

// One row, as decoding has it; a factor in registers; the sum in f16; clear.
// CASE: rows(Q=ints:1x70:bf16, K=ints:70x48:bf16, S=junk:1x48:f32, W=ints:48x5:f16, O=junk:3x5:f16)
// EXPECT: S = Q @ K; O = np.tile(np.minimum(S, 8) @ W, (3, 1))
func.func @rows(%Q: memref<1x70xbf16>, %K: memref<70x48xbf16>, %S: memref<1x48xf32>, %W: memref<48x5xf16>, %O: memref<3x5xf16>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %yes = arith.constant true
  %eight = arith.constant 8.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f16
    %q = tile.alloc : memref<1x70xbf16, #tile.fragment>
    %k = tile.alloc : memref<70x48xbf16, #shared>
    %s = tile.alloc : memref<1x48xf32, #tile.fragment>
    %p = tile.alloc : memref<3x48xf16, #tile.fragment>
    %w = tile.alloc : memref<48x5xf16, #shared>
    %o = tile.alloc : memref<3x5xf16, #tile.fragment>
    tile.copy %Q to %q : memref<1x70xbf16>, memref<1x70xbf16, #tile.fragment>
    tile.copy %K to %k : memref<70x48xbf16>, memref<70x48xbf16, #shared>
    tile.copy %W to %w : memref<48x5xf16>, memref<48x5xf16, #shared>
    %none = arith.constant 7.0 : f32
    tile.fill %s, %none : memref<1x48xf32, #tile.fragment>, f32
    tile.gemm %q, %k, %s clear %yes : (memref<1x70xbf16, #tile.fragment>, memref<70x48xbf16, #shared>, memref<1x48xf32, #tile.fragment>)
    tile.copy %s to %S : memref<1x48xf32, #tile.fragment>, memref<1x48xf32>
    %t = tile.alloc : memref<1x48xf32, #shared>
    tile.copy %s to %t : memref<1x48xf32, #tile.fragment>, memref<1x48xf32, #shared>
    %c0 = arith.constant 0 : index
    tile.parallel (%i, %j) in [3, 48] {
      %v = memref.load %t[%c0, %j] : memref<1x48xf32, #shared>
      %m = arith.minimumf %v, %eight : f32
      %h = arith.truncf %m : f32 to f16
      memref.store %h, %p[%i, %j] : memref<3x48xf16, #tile.fragment>
    }
    tile.fill %o, %zero : memref<3x5xf16, #tile.fragment>, f16
    tile.gemm %p, %w, %o : (memref<3x48xf16, #tile.fragment>, memref<48x5xf16, #shared>, memref<3x5xf16, #tile.fragment>)
    tile.copy %o to %O : memref<3x5xf16, #tile.fragment>, memref<3x5xf16>
    gpu.terminator
  }
  return
}

// K of 20 in steps, integers and 8-bit floats.
// CASE: short(A=ints:32x20:i8, B=ints:20x24:i8, C=junk:32x24:i32, D=ints:32x20:f8E4M3FN, E=ints:20x24:f8E5M2, F=junk:32x24:f32)
// EXPECT: C = A @ B; F = D @ E
func.func @short(%A: memref<32x20xi8>, %B: memref<20x24xi8>, %C: memref<32x24xi32>, %D: memref<32x20xf8E4M3FN>, %E: memref<20x24xf8E5M2>, %F: memref<32x24xf32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0 : i32
  %none = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %a = tile.alloc : memref<32x20xi8, #shared>
    %b = tile.alloc : memref<20x24xi8, #shared>
    %c = tile.alloc : memref<32x24xi32, #tile.fragment>
    %d = tile.alloc : memref<32x20xf8E4M3FN, #shared>
    %e = tile.alloc : memref<20x24xf8E5M2, #shared>
    %f = tile.alloc : memref<32x24xf32, #tile.fragment>
    tile.copy %A to %a : memref<32x20xi8>, memref<32x20xi8, #shared>
    tile.copy %B to %b : memref<20x24xi8>, memref<20x24xi8, #shared>
    tile.copy %D to %d : memref<32x20xf8E4M3FN>, memref<32x20xf8E4M3FN, #shared>
    tile.copy %E to %e : memref<20x24xf8E5M2>, memref<20x24xf8E5M2, #shared>
    tile.fill %c, %zero : memref<32x24xi32, #tile.fragment>, i32
    tile.fill %f, %none : memref<32x24xf32, #tile.fragment>, f32
    tile.gemm %a, %b, %c : (memref<32x20xi8, #shared>, memref<20x24xi8, #shared>, memref<32x24xi32, #tile.fragment>)
    tile.gemm %d, %e, %f : (memref<32x20xf8E4M3FN, #shared>, memref<20x24xf8E5M2, #shared>, memref<32x24xf32, #tile.fragment>)
    tile.copy %c to %C : memref<32x24xi32, #tile.fragment>, memref<32x24xi32>
    tile.copy %f to %F : memref<32x24xf32, #tile.fragment>, memref<32x24xf32>
    gpu.terminator
  }
  return
}

// Three products of one block by matrix instructions, and three of odd extents.
// CASE: batch(A=ints:3x32x96:bf16, B=ints:3x96x64:bf16, C=junk:3x32x64:f32, D=junk:3x5x7:f32, G=junk:2x32x64:f32)
// EXPECT: C = A @ B; D = A[:, :5, :32] @ B[:, :32, :7]; G = (A[:, :, :32] @ B[:, :32])[1:]
func.func @batch(%A: memref<3x32x96xbf16>, %B: memref<3x96x64xbf16>, %C: memref<3x32x64xf32>, %D: memref<3x5x7xf32>, %G: memref<2x32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<3x32x32xbf16, #shared>
    %Bs = tile.alloc : memref<3x32x64xbf16, #shared>
    %acc = tile.alloc : memref<3x32x64xf32, #tile.fragment>
    %few = tile.alloc : memref<3x5x7xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<3x32x64xf32, #tile.fragment>, f32
    tile.fill %few, %zero : memref<3x5x7xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c96 step %c32 {
      %a = tile.region %A[0, 0, %k] [3, 32, 32] : memref<3x32x96xbf16>
      %b = tile.region %B[0, %k, 0] [3, 32, 64] : memref<3x96x64xbf16>
      tile.copy %a to %As : !tile.region<3x32x32xbf16>, memref<3x32x32xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<3x32x64xbf16>, memref<3x32x64xbf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<3x32x32xbf16, #shared>, memref<3x32x64xbf16, #shared>, memref<3x32x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    tile.copy %acc to %C : memref<3x32x64xf32, #tile.fragment>, memref<3x32x64xf32>
    %x = tile.region %As[0, 0, 0] [3, 5, 32] : memref<3x32x32xbf16, #shared>
    %y = tile.region %Bs[0, 0, 0] [3, 32, 7] : memref<3x32x64xbf16, #shared>
    %a0 = tile.region %A[0, 0, 0] [3, 32, 32] : memref<3x32x96xbf16>
    %b0 = tile.region %B[0, 0, 0] [3, 32, 64] : memref<3x96x64xbf16>
    tile.copy %a0 to %As : !tile.region<3x32x32xbf16>, memref<3x32x32xbf16, #shared>
    tile.copy %b0 to %Bs : !tile.region<3x32x64xbf16>, memref<3x32x64xbf16, #shared>
    tile.gemm %x, %y, %few : (!tile.region<3x5x32xbf16, #shared>, !tile.region<3x32x7xbf16, #shared>, memref<3x5x7xf32, #tile.fragment>)
    %two = tile.alloc : memref<2x32x64xf32, #tile.fragment>
    tile.fill %two, %zero : memref<2x32x64xf32, #tile.fragment>, f32
    %u = tile.region %As[1, 0, 0] [2, 32, 32] : memref<3x32x32xbf16, #shared>
    %v = tile.region %Bs[1, 0, 0] [2, 32, 64] : memref<3x32x64xbf16, #shared>
    tile.gemm %u, %v, %two : (!tile.region<2x32x32xbf16, #shared>, !tile.region<2x32x64xbf16, #shared>, memref<2x32x64xf32, #tile.fragment>)
    tile.copy %two to %G : memref<2x32x64xf32, #tile.fragment>, memref<2x32x64xf32>
    tile.copy %few to %D : memref<3x5x7xf32, #tile.fragment>, memref<3x5x7xf32>
    gpu.terminator
  }
  return
}
