// Kernels that do not compile as the compiler would like best: what it chose is taken
// back, or planned otherwise (Pipeline/Choices.h), and the results are right.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1 --sms=3
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t 2>&1 | grep -o 'remark: .tile-choice.*' | FileCheck %s
// RUN: tile-compile %s --target=sm_80 --ptxas=off -o %t 2>&1 | grep -o 'remark: .tile-choice.*' | FileCheck %s --check-prefix=SM80
// CHECK: [tile-choice/tiles] has one ring for tiles of several loops, one after the other: otherwise it needs 295056 bytes of shared memory; a block of sm_90a has at most 232448{{$}}
// CHECK-NOT: remark
// SM80: [tile-choice/stages] has fewer stages, at most 0: otherwise it needs 180224 bytes of shared memory; a block of sm_80 has at most 166912{{$}}
// SM80-NOT: remark

// Two warpgroups on 64 rows: each computes parts of the factors of the other, so
// they cannot take turns.
// CASE: few_rows(Q=ints:64x64:f16, K=ints:200x64:f16, O=junk:64x64:f32)
// CASE: few_rows(Q=ints:64x64:f16, K=ints:1x64:f16, O=junk:64x64:f32)
// EXPECT: O = np.concatenate([round_to(Q @ K[j:j+64].T, "f16") for j in range(0, len(K), 64)], 1) @ K
func.func @few_rows(%Q: memref<64x64xf16>, %K: memref<?x64xf16>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %K, %c0 : memref<?x64xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %Ks = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %S = tile.alloc : memref<64x64xf32, #tile.fragment>
    %P = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %q = tile.region %Q[0, 0] [64, 64] : memref<64x64xf16>
    tile.copy %q to %Qs : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
    %z1 = arith.constant 0.0 : f32
    tile.fill %acc, %z1 : memref<64x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %n step %c64 {
      %k = tile.region %K[%i, 0] [64, 64] : memref<?x64xf16>
      tile.copy %k to %Ks : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
      %z2 = arith.constant 0.0 : f32
      tile.fill %S, %z2 : memref<64x64xf32, #tile.fragment>, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.copy %S to %P : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.fragment>
      tile.gemm %P, %Ks, %acc : (memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %o = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %o : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Rings of three loops, one after the other: 288 KiB.
// CASE: three_loops(A=ints:150x136:bf16, B=ints:136x72:bf16, C=junk:150x72:f32)
// CASE: three_loops(A=ints:1x8:bf16, B=ints:8x8:bf16, C=junk:1x8:f32)
// EXPECT: C = 3 * (A @ B)
func.func @three_loops(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
    %As0 = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs0 = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 128] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As0 : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs0 : !tile.region<64x128xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As0, %Bs0, %acc : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %As1 = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs1 = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 128] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As1 : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs1 : !tile.region<64x128xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As1, %Bs1, %acc : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %As2 = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs2 = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 128] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As2 : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs2 : !tile.region<64x128xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As2, %Bs2, %acc : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, %n] [128, 128] {align = 16 : i64} : memref<?x?xf32>
    tile.copy %acc to %c : memref<128x128xf32, #tile.fragment>, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// The store of the sums would take 64 KiB beside 160 KiB of factors, and the exchange
// between warps 16 KiB. On sm_80 there is no room for that but in the tile of K, and
// only while no copy is ahead.
// CASE: wide(Q=ints:70x2x256:f16, K=ints:130x2x256:f16, V=ints:130x2x256:f16, O=junk:70x2x256:f32)
// CASE: wide(Q=ints:1x1x256:f16, K=ints:1x1x256:f16, V=ints:1x1x256:f16, O=junk:1x1x256:f32)
// EXPECT: q, k, v = (x.astype("f") for x in (Q, K, V))
// EXPECT: for h in range(Q.shape[1]):
// EXPECT:   O[:, h] = (q[:, h] @ k[:, h].T) @ v[:, h]
func.func @wide(%Q: memref<?x?x256xf16>, %K: memref<?x?x256xf16>, %V: memref<?x?x256xf16>, %O: memref<?x?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %Sq = memref.dim %Q, %c0 : memref<?x?x256xf16>
  %H = memref.dim %Q, %c1 : memref<?x?x256xf16>
  %Sk = memref.dim %K, %c0 : memref<?x?x256xf16>
  %gx = arith.ceildivui %Sq, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %H, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c64 : index
    %Qs = tile.alloc : memref<64x256xf16, #gpu.address_space<workgroup>>
    %Ks = tile.alloc : memref<128x256xf16, #gpu.address_space<workgroup>>
    %Vs = tile.alloc : memref<128x256xf16, #gpu.address_space<workgroup>>
    %S = tile.alloc : memref<64x128xf32, #tile.fragment>
    %P = tile.alloc : memref<64x128xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x256xf32, #tile.fragment>
    %qr = tile.region %Q[%m, %by, 0] [64, 1, 256] drop [1] {align = 16 : i64} : memref<?x?x256xf16>
    tile.copy %qr to %Qs : !tile.region<64x256xf16>, memref<64x256xf16, #gpu.address_space<workgroup>>
    %z1 = arith.constant 0.0 : f32
    tile.fill %acc, %z1 : memref<64x256xf32, #tile.fragment>, f32
    scf.for %n = %c0 to %Sk step %c128 {
      %kr = tile.region %K[%n, %by, 0] [128, 1, 256] drop [1] {align = 16 : i64} : memref<?x?x256xf16>
      %vr = tile.region %V[%n, %by, 0] [128, 1, 256] drop [1] {align = 16 : i64} : memref<?x?x256xf16>
      tile.copy %kr to %Ks : !tile.region<128x256xf16>, memref<128x256xf16, #gpu.address_space<workgroup>>
      tile.copy %vr to %Vs : !tile.region<128x256xf16>, memref<128x256xf16, #gpu.address_space<workgroup>>
      %z2 = arith.constant 0.0 : f32
      tile.fill %S, %z2 : memref<64x128xf32, #tile.fragment>, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (memref<64x256xf16, #gpu.address_space<workgroup>>, memref<128x256xf16, #gpu.address_space<workgroup>>, memref<64x128xf32, #tile.fragment>)
      tile.copy %S to %P : memref<64x128xf32, #tile.fragment>, memref<64x128xf16, #tile.fragment>
      tile.gemm %P, %Vs, %acc : (memref<64x128xf16, #tile.fragment>, memref<128x256xf16, #gpu.address_space<workgroup>>, memref<64x256xf32, #tile.fragment>)
    } {tile.num_stages = 1 : i32}
    %or = tile.region %O[%m, %by, 0] [64, 1, 256] drop [1] {align = 16 : i64} : memref<?x?x256xf32>
    tile.copy %acc to %or : memref<64x256xf32, #tile.fragment>, !tile.region<64x256xf32>
    gpu.terminator
  }
  return
}
