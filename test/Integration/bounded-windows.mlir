// Windows that end where the kernel says: rows of a group of a packed tensor, as a
// window with an end and as a part of run-time size; loads in pipelines, stores,
// updates and element loops leave what belongs to the next group alone.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#shared = #gpu.address_space<workgroup>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>

// Each group multiplies its rows by a matrix of its own. Blocks beyond a group do
// nothing; the last one of a group stores a part of its rows and columns.
// CASE: grouped(A=ints:100x48:bf16, B=ints:5x48x40:bf16, starts=count:6:i32, step=20, C=zeros:100x40:f32)
// CASE: grouped(A=ints:65x32:bf16, B=ints:1x32x9:bf16, starts=count:2:i32, step=65, C=zeros:65x9:f32)
// EXPECT: C = np.concatenate([A[g * step:g * step + step] @ B[g] for g in range(len(B))])
func.func @grouped(%A: memref<?x?xbf16>, %B: memref<?x?x?xbf16>, %starts: memref<?xi32>, %step: index, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %groups = memref.dim %B, %c0 : memref<?x?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c2 : memref<?x?x?xbf16>
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %gy = arith.ceildivui %M, %c64 : index
  %gx = arith.ceildivui %N, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %groups)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %g1 = arith.addi %bz, %c1 : index
    %s32 = memref.load %starts[%bz] : memref<?xi32>
    %e32 = memref.load %starts[%g1] : memref<?xi32>
    %s = arith.index_cast %s32 : i32 to index
    %e = arith.index_cast %e32 : i32 to index
    %first = arith.muli %s, %step : index
    %end = arith.muli %e, %step : index
    %size = arith.subi %end, %first : index
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c32 : index
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x32xbf16, #shared>
    %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
    %some = arith.cmpi slt, %m, %size : index
    scf.if %some {
      tile.fill %acc, %zero : memref<64x32xf32, #tile.fragment>, f32
      %row = arith.addi %first, %m : index
      scf.for %k = %c0 to %K step %c32 {
        %a = tile.region %A[%row, %k] [64, 32] end [0] (%end) : memref<?x?xbf16>
        %b = tile.region %B[%bz, %k, %n] [1, 32, 32] drop [0] : memref<?x?x?xbf16>
        tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
        tile.copy %b to %Bs : !tile.region<32x32xbf16>, memref<32x32xbf16, #shared>
        tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #shared>, memref<32x32xbf16, #shared>, memref<64x32xf32, #tile.fragment>)
      } {tile.num_stages = 3 : i32}
      %part = memref.subview %C[%first, 0] [%size, %N] [1, 1] : memref<?x?xf32> to !rows
      %c = tile.region %part[%m, %n] [64, 32] : !rows
      tile.copy %acc to %c : memref<64x32xf32, #tile.fragment>, !tile.region<64x32xf32>
    }
    gpu.terminator
  }
  return
}

// The pad begins at the end, also in the last dimension; stores of shared tiles,
// updates, transpositions and reductions know it; an end behind the tensor or below
// 0 is none, or all.
// CASE: ends(X=ints:20x24:f32, m=13, n=17, P=junk:16x32:f32, S=ints:20x24:f32, T=junk:20x24:f32, R=junk:32:f32)
// CASE: ends(X=ints:20x24:f32, m=40, n=-3, P=junk:16x32:f32, S=ints:20x24:f32, T=junk:20x24:f32, R=junk:32:f32)
// CASE: ends(X=ints:20x24:f32, m=17, n=40, P=junk:16x32:f32, S=ints:20x24:f32, T=junk:20x24:f32, R=junk:32:f32)
// EXPECT: rows = min(m, 20); n = min(max(n, 0), 24)
// EXPECT: P = np.full((16, 32), 7.0); k = min(rows - 4, 16); P[:k, :max(n - 1, 0)] = X[4:4 + k, 1:max(n, 1)]
// EXPECT: S = S.copy(); S[4:4 + k, 1:max(n, 1)] += P[:k, :max(n - 1, 0)]
// EXPECT: T = T.copy(); T[4:4 + k, 1:max(n, 1)] = P[:k, :max(n - 1, 0)]
// EXPECT: R = P.sum(axis=0)
func.func @ends(%X: memref<20x24xf32>, %m: index, %n: index, %P: memref<16x32xf32>, %S: memref<20x24xf32>, %T: memref<20x24xf32>, %R: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %seven = arith.constant 7.0 : f32
    %x = tile.region %X[4, 1] [16, 32] end [0, 1] (%m, %n) pad %seven : f32 in : memref<20x24xf32>
    %s = tile.region %S[4, 1] [16, 32] end [0, 1] (%m, %n) : memref<20x24xf32>
    %t = tile.region %T[4, 1] [16, 32] end [0, 1] (%m, %n) : memref<20x24xf32>
    %p = tile.alloc : memref<16x32xf32, #shared>
    tile.copy %x to %p : !tile.region<16x32xf32>, memref<16x32xf32, #shared>
    tile.copy %p to %P : memref<16x32xf32, #shared>, memref<16x32xf32>
    tile.atomic add %p to %s : memref<16x32xf32, #shared>, !tile.region<16x32xf32>
    tile.copy %p to %t : memref<16x32xf32, #shared>, !tile.region<16x32xf32>
    tile.reduce_by %x to %R dim 0 clear {
    ^bb0(%a: f32, %b: f32):
      %v = arith.addf %a, %b : f32
      tile.yield %v : f32
    } : (!tile.region<16x32xf32>) to (memref<32xf32>)
    gpu.terminator
  }
  return
}
