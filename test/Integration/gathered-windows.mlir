// Windows whose rows are named by numbers: gathered, scattered and added to, by
// cp.async where rows allow it, in pipelines with roles and without; numbers of 32
// and 64 bits, in tensors and in shared tiles, -1 and too large ones, ragged ends.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2
// RUN: FileCheck %s --check-prefix=ASYNC < %t/sm_80/experts.ptx
// RUN: FileCheck %s --check-prefix=ASYNC < %t/sm_90a/experts.ptx
// RUN: FileCheck %s --check-prefix=ROLES < %t/sm_90a/experts.ptx
// ASYNC-LABEL: .entry experts_kernel(
// ASYNC: cp.async.cg.shared.global {{.*}}, 16,
// ASYNC-LABEL: .entry experts_kernel_
// ROLES: .reqntid 256
// RUN: FileCheck %s --check-prefix=SCATTER < %t/sm_90a/scatter.ptx
// SCATTER-LABEL: .entry scatter_kernel
// SCATTER: st.global.v4

#shared = #gpu.address_space<workgroup>

// Rows of tokens by expert, -1 where a block has fewer: out = A[ids] @ B, in place
// of the tokens.
// CASE: experts(A=ints:40x96:bf16@96, B=ints:96x64:bf16@64, ids=wide:70:i32, C=junk:70x64:f32)
// CASE: experts(A=ints:40x96:bf16@97+1, B=ints:96x64:bf16@64, ids=count:70:i32, C=junk:70x64:f32)
// EXPECT: i = ids.astype(int); ok = ((i >= 0) & (i < 40))[:, None]
// EXPECT: C = np.where(ok, A[np.clip(i, 0, 39)], 0) @ B
func.func @experts(%A: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %B: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %ids: memref<?xi32>, %C: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %M = memref.dim %ids, %c0 : memref<?xi32>
  %gx = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    %m = arith.muli %bx, %c64 : index
    scf.for %k = %c0 to %K step %c32 {
      %a = tile.region %A[0, %k] [64, 32] by %ids[%m] dim 0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<?xi32>
      %b = tile.region %B[%k, 0] [32, 64] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Pages of keys, named by a table of 64-bit numbers in shared memory, with a pad and
// a conversion; along the middle dimension; along the last one, of single elements.
// CASE: pages(P=ints:9x3x20:f16, table=wide:2x5:i64, X=junk:5x3x20:f32, Y=junk:9x5x20:f16, Z=junk:9x3x5:f32)
// CASE: pages(P=ints:9x3x20:f16, table=ints:2x5:i64, X=junk:5x3x20:f32, Y=junk:9x5x20:f16, Z=junk:9x3x5:f32)
// EXPECT: i = table[1].astype(int)
// EXPECT: pick = lambda d: np.where(((i >= 0) & (i < P.shape[d])).reshape([5 if e == d else 1 for e in range(3)]), np.take(P, np.clip(i, 0, P.shape[d] - 1), axis=d), 7)
// EXPECT: X = pick(0); Y = pick(1); Z = pick(2)
func.func @pages(%P: memref<?x3x20xf16>, %table: memref<2x5xi64>, %X: memref<5x3x20xf32>, %Y: memref<9x5x20xf16>, %Z: memref<9x3x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %seven = arith.constant 7.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %i = tile.alloc : memref<5xi64, #shared>
    %t = tile.region %table[1, 0] [1, 5] drop [0] : memref<2x5xi64>
    tile.copy %t to %i : !tile.region<5xi64>, memref<5xi64, #shared>
    %x = tile.alloc : memref<5x3x20xf32, #shared>
    %y = tile.alloc : memref<9x5x20xf16, #tile.fragment>
    %z = tile.alloc : memref<9x3x5xf32, #tile.fragment>
    %p = tile.region %P[0, 0, 0] [5, 3, 20] by %i[%c0] dim 0 pad %seven : f16 in : memref<?x3x20xf16>, memref<5xi64, #shared>
    %q = tile.region %P[0, 0, 0] [9, 5, 20] by %i[%c0] dim 1 pad %seven : f16 in : memref<?x3x20xf16>, memref<5xi64, #shared>
    %r = tile.region %P[0, 0, 0] [9, 3, 5] by %i[%c0] dim 2 pad %seven : f16 in : memref<?x3x20xf16>, memref<5xi64, #shared>
    tile.copy %p to %x : !tile.region<5x3x20xf16>, memref<5x3x20xf32, #shared>
    tile.copy %q to %y : !tile.region<9x5x20xf16>, memref<9x5x20xf16, #tile.fragment>
    tile.copy %r to %z : !tile.region<9x3x5xf16>, memref<9x3x5xf32, #tile.fragment>
    tile.copy %x to %X : memref<5x3x20xf32, #shared>, memref<5x3x20xf32>
    tile.copy %y to %Y : memref<9x5x20xf16, #tile.fragment>, memref<9x5x20xf16>
    tile.copy %z to %Z : memref<9x3x5xf32, #tile.fragment>, memref<9x3x5xf32>
    gpu.terminator
  }
  return
}

// Rows of a fragment to places of a tensor, each at most once; added to places that
// repeat, of a fragment, a shared tile and a scalar; the table that says where is
// longer than the window or shorter.
// CASE: scatter(X=ints:50x32:f32, ids=count:40:i32, C=junk:64x48:f32, S=ints:7x32:f32, H=zeros:7x32:f16, N=zeros:7x1:i32)
// EXPECT: i = ids.astype(int); C = C.copy(); C[63 - i, :32] = X[:40]
// EXPECT: S = S.copy(); H = np.zeros((7, 32)); N = np.zeros((7, 1))
// EXPECT: for r in range(40): S[i[r] % 7] += X[r]; H[i[r] % 7] += X[r]; N[i[r] % 7] += 1
func.func @scatter(%X: memref<50x32xf32>, %ids: memref<?xi32>, %C: memref<64x48xf32>, %S: memref<7x32xf32>, %H: memref<7x32xf16>, %N: memref<7x1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %c63 = arith.constant 63 : i32
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    %least = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %x = tile.alloc : memref<50x32xf32, #tile.fragment>
    %xs = tile.alloc : memref<50x32xf32, #shared>
    %i = tile.alloc : memref<50xi32, #shared>
    %to = tile.alloc : memref<50xi32, #shared>
    %at = tile.alloc : memref<50xi32, #shared>
    %n = tile.region %ids[0] [50] pad %least : i32 in : memref<?xi32>
    tile.copy %n to %i : !tile.region<50xi32>, memref<50xi32, #shared>
    tile.parallel (%r) in [50] {
      %v = memref.load %i[%r] : memref<50xi32, #shared>
      %is_there = arith.cmpi sge, %v, %zero : i32
      %back = arith.subi %c63, %v : i32
      %rest = arith.remsi %v, %c7 : i32
      %t = arith.select %is_there, %back, %least : i32
      %a = arith.select %is_there, %rest, %least : i32
      memref.store %t, %to[%r] : memref<50xi32, #shared>
      memref.store %a, %at[%r] : memref<50xi32, #shared>
    }
    tile.copy %X to %x : memref<50x32xf32>, memref<50x32xf32, #tile.fragment>
    tile.copy %X to %xs : memref<50x32xf32>, memref<50x32xf32, #shared>
    %c = tile.region %C[0, 0] [50, 32] by %to[%c0] dim 0 : memref<64x48xf32>, memref<50xi32, #shared>
    %s = tile.region %S[0, 0] [50, 32] by %at[%c0] dim 0 : memref<7x32xf32>, memref<50xi32, #shared>
    %h = tile.region %H[0, 0] [50, 32] by %at[%c0] dim 0 : memref<7x32xf16>, memref<50xi32, #shared>
    %m = tile.region %N[0, 0] [50, 1] by %at[%c0] dim 0 : memref<7x1xi32>, memref<50xi32, #shared>
    tile.copy %x to %c : memref<50x32xf32, #tile.fragment>, !tile.region<50x32xf32>
    tile.atomic add %xs to %s : memref<50x32xf32, #shared>, !tile.region<50x32xf32>
    tile.atomic add %x to %h : memref<50x32xf32, #tile.fragment>, !tile.region<50x32xf16>
    tile.atomic add %one to %m : i32, !tile.region<50x1xi32>
    gpu.terminator
  }
  return
}

// Embeddings: each row of numbers is read in the round before it is needed, ids of
// a tile that the loop fills; the rows turned over, and summed up by a body.
// CASE: embed(E=ints:30x24:f32, ids=wide:4x16:i32, T=junk:4x24x16:f32, G=junk:4x16x24:f32, R=junk:4x24:f32)
// EXPECT: i = ids.astype(int); ok = ((i >= 0) & (i < 30))[:, :, None]
// EXPECT: e = np.where(ok, E[np.clip(i, 0, 29)], 0); T = e.transpose(0, 2, 1); G = e; R = e.sum(axis=1)
func.func @embed(%E: memref<30x24xf32>, %ids: memref<4x16xi32>, %T: memref<4x24x16xf32>, %G: memref<4x16x24xf32>, %R: memref<4x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %i = tile.alloc : memref<16xi32, #shared>
    %t = tile.alloc : memref<24x16xf32, #shared>
    %e = tile.alloc : memref<16x24xf32, #shared>
    scf.for %k = %c0 to %c4 step %c1 {
      %n = tile.region %ids[%k, 0] [1, 16] drop [0] : memref<4x16xi32>
      %w = tile.region %E[0, 0] [16, 24] by %i[%c0] dim 0 : memref<30x24xf32>, memref<16xi32, #shared>
      %d = tile.region %T[%k, 0, 0] [1, 24, 16] drop [0] : memref<4x24x16xf32>
      %g = tile.region %G[%k, 0, 0] [1, 16, 24] drop [0] : memref<4x16x24xf32>
      %r = tile.region %R[%k, 0] [1, 24] drop [0] : memref<4x24xf32>
      tile.copy %n to %i : !tile.region<16xi32>, memref<16xi32, #shared>
      tile.transpose %w to %t : !tile.region<16x24xf32>, memref<24x16xf32, #shared>
      tile.copy %w to %e : !tile.region<16x24xf32>, memref<16x24xf32, #shared>
      tile.copy %t to %d : memref<24x16xf32, #shared>, !tile.region<24x16xf32>
      tile.reduce_by %w to %r dim 0 clear {
      ^bb0(%x: f32, %y: f32):
        %z = arith.addf %x, %y : f32
        tile.yield %z : f32
      } : (!tile.region<16x24xf32>) to (!tile.region<24xf32>)
      tile.copy %e to %g : memref<16x24xf32, #shared>, !tile.region<16x24xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
