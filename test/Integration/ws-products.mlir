// Products with a producer of their own: TMA ahead of wgmma, across guards,
// windows and tiles of a persistent loop.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: FileCheck %s --check-prefix=PTX < %t/sm_90a/gemm.ptx

#smem = #gpu.address_space<workgroup>
!A = memref<128x64xbf16, #smem>
!B = memref<64x128xbf16, #smem>
!C = memref<128x128xf32, #tile.fragment>

// Two warpgroups compute, a warp copies: 288 threads.
// PTX: .reqntid 288
// PTX-DAG: cp.async.bulk.tensor
// PTX-DAG: wgmma.mma_async
// CASE: gemm(A=ints:200x300:bf16, B=ints:300x136:bf16, C=junk:200x136:f32)
// CASE: gemm(A=ints:77x65:bf16, B=ints:65x51:bf16, C=junk:77x51:f32)
// CASE: gemm(A=ints:128x0:bf16, B=ints:0x128:bf16, C=junk:128x128:f32)
// CASE: gemm(A=ints:136x304:bf16, B=ints:304x136:bf16, C=junk:136x136:f32)
// EXPECT: C = A @ B
func.func @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %N, %c128 : index
  %gy = arith.ceildivui %M, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 128] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<64x128xbf16>, !B
      tile.gemm %As, %Bs, %acc : (!A, !B, !C)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 128] : memref<?x?xf32>
    tile.copy %acc to %c : !C, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// A window that starts anywhere, one stage (reference-system.md, 3.1.3,
// stage1_dynamic_loop_start, 119): blocks bx - 1, bx and bx + 1 of K.
// CASE: windowed(A=ints:64x200:bf16, B=ints:200x256:bf16, C=junk:64x256:f32)
// EXPECT: C[:] = 0
// EXPECT: for x in range(4):
// EXPECT:   for k in range(max(0, x - 1), min(4, x + 2)):
// EXPECT:     C[:, 64*x:64*x+64] += A[:, 64*k:64*k+64] @ B[64*k:64*k+64, 64*x:64*x+64]
func.func @windowed(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %N, %c64 : index
  %kb = arith.ceildivui %K, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = arith.muli %bx, %c64 : index
    %before = arith.subi %bx, %c1 : index
    %first = arith.maxsi %before, %c0 : index
    %after = arith.addi %bx, %c2 : index
    %last = arith.minsi %after, %kb : index
    %As = tile.alloc : memref<64x64xbf16, #smem>
    %Bs = tile.alloc : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %i = %first to %last step %c1 {
      %k = arith.muli %i, %c64 : index
      %a = tile.region %A[0, %k] [64, 64] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 1 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Few blocks walk over all tiles: positions go on from tile to tile. One block
// of B is skipped where a mask says so; the accumulator starts anew.
// CASE: persistent(A=ints:200x136:bf16, B=ints:136x136:bf16, K=ints:4:i32, C=junk:200x136:f32)
// CASE: persistent(A=ints:200x65:bf16, B=ints:65x131:bf16, K=ones:4:i32, C=junk:200x131:f32)
// CASE: persistent(A=ints:200x65:bf16, B=ints:65x131:bf16, K=zeros:4:i32, C=junk:200x131:f32)
// EXPECT: C[:] = 0
// EXPECT: for k in range(-(-A.shape[1] // 64)):
// EXPECT:   if K[k] != 0: C += A[:, 64*k:64*k+64] @ B[64*k:64*k+64]
func.func @persistent(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %K: memref<4xi32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %dm = memref.dim %C, %c0 : memref<?x?xf32>
  %dn = memref.dim %C, %c1 : memref<?x?xf32>
  %dk = memref.dim %A, %c1 : memref<?x?xbf16>
  %tm = arith.ceildivui %dm, %c64 : index
  %tn = arith.ceildivui %dn, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c3, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #smem>
    %Bs = tile.alloc : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %out = tile.alloc : memref<64x64xf32, #smem>
    scf.for %t = %bx to %tiles step %sx {
      %ty0 = arith.divui %t, %tn : index
      %tx0 = arith.remui %t, %tn : index
      %m = arith.muli %ty0, %c64 : index
      %n = arith.muli %tx0, %c64 : index
      tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
      scf.for %k = %c0 to %dk step %c64 {
        %kb = arith.divui %k, %c64 : index
        %v = memref.load %K[%kb] : memref<4xi32>
        %p = arith.cmpi ne, %v, %i0 : i32
        scf.if %p {
          %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xbf16>
          %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xbf16>
          tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
          tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
          tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
        }
      } {tile.num_stages = 3 : i32}
      tile.copy %acc to %out : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #smem>
      %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
      tile.copy %out to %c : memref<64x64xf32, #smem>, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}

// A product ahead of the loop and one in it share their accumulator
// (reference-system.md, section 7, 2547 and 2685); K and V are copied ahead.
// CASE: ahead(Q=ints:256x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, C=junk:64x64:f32)
// EXPECT: C = Q[:64] @ V
// EXPECT: for i in range(4): C += Q[64*i:64*i+64] @ K
func.func @ahead(%Q: memref<256x64xbf16>, %K: memref<64x64xbf16>, %V: memref<64x64xbf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Ks = tile.alloc : memref<64x64xbf16, #smem>
    %Vs = tile.alloc : memref<64x64xbf16, #smem>
    %Qs = tile.alloc : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %k = tile.region %K[0, 0] [64, 64] : memref<64x64xbf16>
    %v = tile.region %V[0, 0] [64, 64] : memref<64x64xbf16>
    %q0 = tile.region %Q[0, 0] [64, 64] : memref<256x64xbf16>
    tile.copy %k to %Ks : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
    tile.copy %v to %Vs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
    tile.copy %q0 to %Qs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %Qs, %Vs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    scf.for %i = %c0 to %c256 step %c64 {
      %q = tile.region %Q[%i, 0] [64, 64] : memref<256x64xbf16>
      tile.copy %q to %Qs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.gemm %Qs, %Ks, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
