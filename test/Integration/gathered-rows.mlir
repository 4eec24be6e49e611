// Rows that are gathered or scattered by an index read from a tensor: the elements of
// a row move together, as wide as the rows are aligned.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --seeds=1 --out=%t
// RUN: FileCheck %s --check-prefix=FULL < %t/sm_80/gather.ptx
// RUN: FileCheck %s --check-prefix=FULL < %t/sm_90a/gather.ptx
// FULL-LABEL: .entry gather_kernel(
// FULL-NOT: ld.global.b16
// FULL: ld.global.v4.b32
// FULL-NOT: ld.global.b16
// FULL-LABEL: .entry gather_kernel_
// RUN: FileCheck %s --check-prefix=HALF < %t/sm_90a/gather_if.ptx
// HALF-LABEL: .entry gather_if_kernel
// HALF: ld.global.v2.b32
// HALF-LABEL: .entry gather_if_kernel
// RUN: FileCheck %s --check-prefix=SCATTER < %t/sm_90a/scatter.ptx
// SCATTER-LABEL: .entry scatter_kernel
// SCATTER: st.global.v4.b32
// SCATTER-LABEL: .entry scatter_kernel

#shared = #gpu.address_space<workgroup>
#rows = strided<[?, 1]>

// CASE: gather(A=ints:40x96:bf16@96, ids=count:64:i32, C=junk:64x128:bf16)
// CASE: gather(A=ints:40x96:bf16@98, ids=wide:64:i32, C=junk:64x128:bf16)
// CASE: gather(A=ints:40x96:bf16@97+1, ids=count:64:i32, C=junk:64x128:bf16)
// EXPECT: C = np.zeros((64, 128))
// EXPECT: C[:, :96] = A[np.clip(ids.astype(int), 0, 39)]
func.func @gather(%A: memref<?x?xbf16, #rows>, %ids: memref<64xi32>, %C: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %N = memref.dim %A, %c0 : memref<?x?xbf16, #rows>
  %last = arith.subi %N, %c1 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16, #rows>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Zs = tile.alloc : memref<64x32xbf16, #shared>
    tile.fill %Zs, %zero : memref<64x32xbf16, #shared>, bf16
    scf.for %k = %c0 to %c128 step %c32 {
      %is_inside = arith.cmpi slt, %k, %K : index
      %c = tile.region %C[0, %k] [64, 32] : memref<64x128xbf16>
      scf.if %is_inside {
        tile.parallel (%r, %j) in [64, 32] {
          %id = memref.load %ids[%r] : memref<64xi32>
          %i = arith.index_cast %id : i32 to index
          %above = arith.maxsi %i, %c0 : index
          %row = arith.minsi %above, %last : index
          %column = arith.addi %k, %j : index
          %x = memref.load %A[%row, %column] : memref<?x?xbf16, #rows>
          memref.store %x, %As[%r, %j] : memref<64x32xbf16, #shared>
        }
        tile.copy %As to %c : memref<64x32xbf16, #shared>, !tile.region<64x32xbf16>
      } else {
        tile.copy %Zs to %c : memref<64x32xbf16, #shared>, !tile.region<64x32xbf16>
      }
    }
    gpu.terminator
  }
  return
}

// Rows that are not there are zeros: the guard is the same along a row. Static rows
// of 8 bytes.
// CASE: gather_if(A=ints:40x36:f16, ids=count:64:i32, C=junk:64x32:f32)
// CASE: gather_if(A=ints:40x36:f16@+2, ids=wide:64:i32, C=junk:64x32:f32)
// EXPECT: i = ids.astype(int)
// EXPECT: ok = ((i >= 0) & (i < 40))[:, None]
// EXPECT: C = np.where(ok, A[np.clip(i, 0, 39), :32], 0)
func.func @gather_if(%A: memref<40x36xf16>, %ids: memref<64xi32>, %C: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f16
    %Is = tile.alloc : memref<64xi32, #shared>
    %As = tile.alloc : memref<64x32xf16, #shared>
    %f = tile.alloc : memref<64x32xf32, #tile.fragment>
    %i = tile.region %ids[0] [64] : memref<64xi32>
    tile.copy %i to %Is : !tile.region<64xi32>, memref<64xi32, #shared>
    tile.parallel (%r, %j) in [64, 32] {
      %id = memref.load %Is[%r] : memref<64xi32, #shared>
      %row = arith.index_cast %id : i32 to index
      %is_there = arith.cmpi ult, %row, %c40 : index
      %x = scf.if %is_there -> f16 {
        %y = memref.load %A[%row, %j] : memref<40x36xf16>
        scf.yield %y : f16
      } else {
        scf.yield %zero : f16
      }
      memref.store %x, %As[%r, %j] : memref<64x32xf16, #shared>
    }
    tile.copy %As to %f : memref<64x32xf16, #shared>, memref<64x32xf32, #tile.fragment>
    tile.copy %f to %C : memref<64x32xf32, #tile.fragment>, memref<64x32xf32>
    gpu.terminator
  }
  return
}

// Into rows that an index names, from a fragment.
// CASE: scatter(X=ints:64x32:f32, ids=count:64:i32, C=junk:64x40:f32)
// CASE: scatter(X=ints:64x32:f32, ids=count:64:i32, C=junk:64x40:f32@+1)
// EXPECT: C = C.copy()
// EXPECT: C[63 - ids.astype(int), :32] = X
func.func @scatter(%X: memref<64x32xf32>, %ids: memref<64xi32>, %C: memref<64x40xf32>) {
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x32xf32, #shared>
    %x = tile.region %X[0, 0] [64, 32] : memref<64x32xf32>
    tile.copy %x to %S : !tile.region<64x32xf32>, memref<64x32xf32, #shared>
    tile.parallel (%r, %j) in [64, 32] {
      %id = memref.load %ids[%r] : memref<64xi32>
      %i = arith.index_cast %id : i32 to index
      %row = arith.subi %c63, %i : index
      %y = memref.load %S[%r, %j] : memref<64x32xf32, #shared>
      memref.store %y, %C[%row, %j] : memref<64x40xf32>
    }
    gpu.terminator
  }
  return
}
