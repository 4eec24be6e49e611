// Kernels from which mutants.test removes one synchronisation at a time.

// Two warpgroups: what one writes the other reads.
func.func @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm = arith.constant 128 : index
  %cn = arith.constant 64 : index
  %ck = arith.constant 64 : index
  %ct = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %N, %cn : index
  %gy = arith.ceildivui %M, %cm : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %ct, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %cm : index
    %n = arith.muli %bx, %cn : index
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %ck {
      %a = tile.region %A[%m, %k] [128, 64] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc  : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xf32, #tile.fragment>)
    }
    %c = tile.region %C[%m, %n] [128, 64] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %acc to %c : memref<128x64xf32, #tile.fragment>, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// A tile comes by TMA where it can, and goes out by other threads than came for it.
func.func @once(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
    %w = tile.region %S[1, 0] [63, 64] : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %b = tile.region %B[1, 0] [63, 64] : memref<?x?xbf16>
    tile.copy %a to %S : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %w to %b : !tile.region<63x64xbf16, #gpu.address_space<workgroup>>, !tile.region<63x64xbf16>
    gpu.terminator
  }
  return
}

// Scalars that one thread stores and all load, in shared and in global memory; two
// tiles in the same bytes.
func.func @scalars(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %nine = arith.constant 9.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    tile.fill %S, %nine : memref<64x64xf32, #gpu.address_space<workgroup>>, f32
    %v = memref.load %S[%i, %i] : memref<64x64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %A[%c0, %i] : memref<64x64xf32>
    %w = memref.load %A[%c0, %i] : memref<64x64xf32>
    memref.store %w, %B[%c0, %c0] : memref<64x64xf32>
    %T = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    tile.fill %T, %w : memref<64x64xf32, #gpu.address_space<workgroup>>, f32
    %x = memref.load %T[%i, %c0] : memref<64x64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %B[%c1, %c1] : memref<64x64xf32>
    gpu.terminator
  }
  return
}

// Sums of columns pass between warps in every step; a mask decides after a scan
// whether a part of it is overwritten.
func.func @reductions(%A: memref<192x48xf32>, %B: memref<48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %yes = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<64x48xf32, #tile.fragment>
    %R = tile.alloc : memref<48xf32, #tile.fragment>
    %S = tile.alloc : memref<48xf32, #gpu.address_space<workgroup>>
    %M = tile.alloc : memref<8xi1, #gpu.address_space<workgroup>>
    tile.fill %R, %zero : memref<48xf32, #tile.fragment>, f32
    scf.for %m = %c0 to %c192 step %c64 {
      %a = tile.region %A[%m, 0] [64, 48] : memref<192x48xf32>
      tile.copy %a to %F : !tile.region<64x48xf32>, memref<64x48xf32, #tile.fragment>
      tile.reduce sum %F to %R dim 0 : memref<64x48xf32, #tile.fragment>, memref<48xf32, #tile.fragment>
    }
    tile.copy %R to %S : memref<48xf32, #tile.fragment>, memref<48xf32, #gpu.address_space<workgroup>>
    tile.fill %M, %yes : memref<8xi1, #gpu.address_space<workgroup>>, i1
    tile.scan sum %S to %S dim 0 : memref<48xf32, #gpu.address_space<workgroup>>, memref<48xf32, #gpu.address_space<workgroup>>
    %w = tile.region %S[4] [40] : memref<48xf32, #gpu.address_space<workgroup>>
    %p = tile.any_of %M : memref<8xi1, #gpu.address_space<workgroup>>
    scf.if %p {
      tile.fill %w, %one : !tile.region<40xf32, #gpu.address_space<workgroup>>, f32
    }
    tile.copy %S to %B : memref<48xf32, #gpu.address_space<workgroup>>, memref<48xf32>
    gpu.terminator
  }
  return
}
