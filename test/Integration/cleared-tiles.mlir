// Tiles that are cleared before what is there is copied to them: rows that an index
// names, whole tiles under a guard, elements within bounds. The fill becomes the other
// path of the copy, so the producer does both, and cp.async is under way all the same.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=SAID --allow-empty
// SAID-NOT: {{tile-ws/consumer-write|tile-ws/nothing-left|tile-verify}}

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Rows of a gather; those that the tensor does not have are zeros.
// CASE: rows(X=ints:40x64:bf16, ids=count:32:i32, B=ints:64x64:bf16, C=junk:32x64:f32)
// CASE: rows(X=ints:10x64:bf16, ids=count:32:i32, B=ints:64x64:bf16, C=junk:32x64:f32)
// EXPECT: i = ids.astype(int) * 2; G = np.where((i < len(X))[:, None], X[np.minimum(i, len(X) - 1)], 0); C[:] = G @ B
func.func @rows(%X: memref<?x?xbf16>, %ids: memref<?xi32>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %T = memref.dim %X, %c0 : memref<?x?xbf16>
  %K = memref.dim %X, %c1 : memref<?x?xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %zb = arith.constant 0.0 : bf16
    %As = tile.alloc : memref<32x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x64xbf16, #shared>
    %acc = tile.alloc : memref<32x64xf32, #fragment>
    tile.fill %acc, %z : memref<32x64xf32, #fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      tile.fill %As, %zb : memref<32x32xbf16, #shared>, bf16
      scf.for %r = %c0 to %c32 step %c1 {
        %id = memref.load %ids[%r] : memref<?xi32>
        %i0 = arith.index_cast %id : i32 to index
        %i = arith.muli %i0, %c2 : index
        %p = arith.cmpi slt, %i, %T : index
        scf.if %p {
          %s = tile.region %X[%i, %k] [1, 32] : memref<?x?xbf16>
          %d = tile.region %As[%r, 0] [1, 32] : memref<32x32xbf16, #shared>
          tile.copy %s to %d : !tile.region<1x32xbf16>, !tile.region<1x32xbf16, #shared>
        }
      }
      %b = tile.region %B[%k, 0] [32, 64] : memref<?x?xbf16>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<32x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<32x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [32, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<32x64xf32, #fragment>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// Two tiles whose rows one condition leaves out, and a factor that a mask leaves out as a whole.
// CASE: both(X=ints:40x64:bf16, Y=ints:40x64:bf16, ids=count:32:i32, B=ints:64x64:bf16, m=ints:2:i32, C=junk:32x64:f32)
// CASE: both(X=ints:7x64:bf16, Y=ints:7x64:bf16, ids=count:32:i32, B=ints:64x67:bf16, m=zeros:2:i32, C=junk:32x67:f32)
// EXPECT: i = ids.astype(int) * 2; ok = (i < len(X))[:, None]; j = np.minimum(i, len(X) - 1); G = np.where(ok, X[j], 0) + np.where(ok, Y[j], 1)
// EXPECT: C[:] = sum(G[:, 32*k:32*k+32] @ (B[32*k:32*k+32] if m[k] > 0 else np.full((32, C.shape[1]), 2)) for k in range(2))
func.func @both(%X: memref<?x?xbf16>, %Y: memref<?x?xbf16>, %ids: memref<?xi32>, %B: memref<?x?xbf16>, %m: memref<?xi32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %T = memref.dim %X, %c0 : memref<?x?xbf16>
  %K = memref.dim %X, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %N, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %zb = arith.constant 0.0 : bf16
    %ob = arith.constant 1.0 : bf16
    %tb = arith.constant 2.0 : bf16
    %i0_ = arith.constant 0 : i32
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<32x32xbf16, #shared>
    %Ys = tile.alloc : memref<32x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x64xbf16, #shared>
    %acc = tile.alloc : memref<32x64xf32, #fragment>
    tile.fill %acc, %z : memref<32x64xf32, #fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      tile.fill %As, %zb : memref<32x32xbf16, #shared>, bf16
      tile.fill %Ys, %ob : memref<32x32xbf16, #shared>, bf16
      tile.fill %Bs, %tb : memref<32x64xbf16, #shared>, bf16
      scf.for %r = %c0 to %c32 step %c1 {
        %id = memref.load %ids[%r] : memref<?xi32>
        %i0 = arith.index_cast %id : i32 to index
        %i = arith.muli %i0, %c2 : index
        %p = arith.cmpi slt, %i, %T : index
        scf.if %p {
          %s = tile.region %X[%i, %k] [1, 32] : memref<?x?xbf16>
          %d = tile.region %As[%r, 0] [1, 32] : memref<32x32xbf16, #shared>
          tile.copy %s to %d : !tile.region<1x32xbf16>, !tile.region<1x32xbf16, #shared>
          %s2 = tile.region %Y[%i, %k] [1, 32] : memref<?x?xbf16>
          %d2 = tile.region %Ys[%r, 0] [1, 32] : memref<32x32xbf16, #shared>
          tile.copy %s2 to %d2 : !tile.region<1x32xbf16>, !tile.region<1x32xbf16, #shared>
        }
      }
      %kb = arith.divui %k, %c32 : index
      %mv = memref.load %m[%kb] : memref<?xi32>
      %q = arith.cmpi sgt, %mv, %i0_ : i32
      scf.if %q {
        %b = tile.region %B[%k, %n] [32, 64] : memref<?x?xbf16>
        tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
      }
      tile.gemm %As, %Bs, %acc : (memref<32x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<32x64xf32, #fragment>)
      tile.gemm %Ys, %Bs, %acc : (memref<32x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<32x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, %n] [32, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<32x64xf32, #fragment>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

// What lies outside of the tensor is 3.
// CASE: elements(X=ints:50x40:f16, B=ints:64x64:f16, C=junk:64x64:f32)
// CASE: elements(X=ints:64x64:f16, B=ints:64x64:f16, C=junk:64x64:f32)
// EXPECT: P = np.full((64, 64), 3); P[:X.shape[0], :X.shape[1]] = X; C[:] = P @ B
func.func @elements(%X: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %X, %c0 : memref<?x?xf16>
  %K = memref.dim %X, %c1 : memref<?x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %three = arith.constant 3.0 : f16
    %As = tile.alloc : memref<64x32xf16, #shared>
    %Bs = tile.alloc : memref<32x64xf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    tile.fill %acc, %z : memref<64x64xf32, #fragment>, f32
    scf.for %k = %c0 to %c64 step %c32 {
      tile.fill %As, %three : memref<64x32xf16, #shared>, f16
      tile.parallel (%i, %j) in [64, 32] {
        %c = arith.addi %k, %j : index
        %p0 = arith.cmpi slt, %i, %M : index
        scf.if %p0 {
          %p1 = arith.cmpi slt, %c, %K : index
          scf.if %p1 {
            %x = memref.load %X[%i, %c] : memref<?x?xf16>
            memref.store %x, %As[%i, %j] : memref<64x32xf16, #shared>
          }
        }
      }
      %b = tile.region %B[%k, 0] [32, 64] : memref<?x?xf16>
      tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
