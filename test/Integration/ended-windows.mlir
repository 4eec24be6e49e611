// Windows that end where the kernel says keep TMA: a tensor map has the dimension
// twice, and what is behind the end is read as zero and not written. Groups of odd
// numbers of rows, of one, of none; no group at all.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1
// RUN: tile-compile %s --target=sm_90a --emit=ptx -o %t --no-remarks --variants=1
// RUN: FileCheck %s --input-file=%t/grouped.ptx
// RUN: FileCheck %s --input-file=%t/large.ptx --check-prefix=LARGE

#shared = #gpu.address_space<workgroup>
!in = memref<?x?xbf16>
!out = memref<?x?xf32>
!in_rows = memref<?x?xbf16, strided<[?, 1], offset: ?>>
!out_rows = memref<?x?xf32, strided<[?, 1], offset: ?>>

// The product of each group is that of its rows with a matrix of its own. Loads are
// by TMA.
// CHECK: cp.async.bulk.tensor.3d.shared::cluster.global
// CASE: grouped(A=ints:150x72:bf16, B=ints:4x72x40:bf16, starts=count:5:i32, step=37, C=zeros:150x40:f32)
// CASE: grouped(A=ints:90x64:bf16, B=ints:5x64x64:bf16, starts=count:6:i32, step=1, C=zeros:90x64:f32)
// CASE: grouped(A=ints:130x64:bf16, B=ints:1x64x128:bf16, starts=count:2:i32, step=129, C=zeros:130x128:f32)
// CASE: grouped(A=ints:64x8:bf16, B=ints:2x8x8:bf16, starts=zeros:3:i32, step=5, C=zeros:64x8:f32)
// CASE: grouped(A=ints:64x8:bf16, B=ints:0x8x8:bf16, starts=zeros:1:i32, step=5, C=zeros:64x8:f32)
// CASE: grouped(A=ints:50x9:bf16, B=ints:3x9x7:bf16, starts=count:4:i32, step=13, C=zeros:50x7:f32)
// EXPECT: C = C.copy(); s = starts * step
// EXPECT: for g in range(len(B)): C[s[g]:s[g + 1]] = A[s[g]:s[g + 1]] @ B[g]
func.func @grouped(%A: !in, %B: memref<?x?x?xbf16>, %starts: memref<?xi32>, %step: index, %C: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %groups = memref.dim %B, %c0 : memref<?x?x?xbf16>
  %K = memref.dim %A, %c1 : !in
  %N = memref.dim %C, %c1 : !out
  %M = memref.dim %A, %c0 : !in
  %gy = arith.ceildivui %M, %c64 : index
  %gx = arith.ceildivui %N, %c64 : index
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
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<64x64xbf16, #shared>
    %Bs = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %Ag = memref.subview %A[%first, 0] [%size, %K] [1, 1] : !in to !in_rows
    %Cg = memref.subview %C[%first, 0] [%size, %N] [1, 1] : !out to !out_rows
    %some = arith.cmpi slt, %m, %size : index
    scf.if %some {
      tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
      scf.for %k = %c0 to %K step %c64 {
        %a = tile.region %Ag[%m, %k] [64, 64] : !in_rows
        %b = tile.region %B[%bz, %k, %n] [1, 64, 64] drop [0] : memref<?x?x?xbf16>
        tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
        tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
        tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
      } {tile.num_stages = 3 : i32}
      %c = tile.region %Cg[%m, %n] [64, 64] : !out_rows
      tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}

// The same in large tiles that are stored in parts.
// LARGE-DAG: cp.async.bulk.tensor.3d.shared::cluster.global
// LARGE-DAG: cp.async.bulk.tensor.3d.global.shared::cta
// CASE: large(A=ints:400x72:bf16, B=ints:3x72x200:bf16, starts=count:4:i32, step=133, C=zeros:400x200:f32)
// CASE: large(A=ints:130x64:bf16, B=ints:2x64x128:bf16, starts=count:3:i32, step=1, C=zeros:130x128:f32)
// EXPECT: C = C.copy(); s = starts * step
// EXPECT: for g in range(len(B)): C[s[g]:s[g + 1]] = A[s[g]:s[g + 1]] @ B[g]
func.func @large(%A: !in, %B: memref<?x?x?xbf16>, %starts: memref<?xi32>, %step: index, %C: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %groups = memref.dim %B, %c0 : memref<?x?x?xbf16>
  %K = memref.dim %A, %c1 : !in
  %N = memref.dim %C, %c1 : !out
  %M = memref.dim %A, %c0 : !in
  %gy = arith.ceildivui %M, %c128 : index
  %gx = arith.ceildivui %N, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %groups)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %g1 = arith.addi %bz, %c1 : index
    %s32 = memref.load %starts[%bz] : memref<?xi32>
    %e32 = memref.load %starts[%g1] : memref<?xi32>
    %s = arith.index_cast %s32 : i32 to index
    %e = arith.index_cast %e32 : i32 to index
    %first = arith.muli %s, %step : index
    %end = arith.muli %e, %step : index
    %size = arith.subi %end, %first : index
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %As = tile.alloc : memref<128x64xbf16, #shared>
    %Bs = tile.alloc : memref<64x128xbf16, #shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    %Ag = memref.subview %A[%first, 0] [%size, %K] [1, 1] : !in to !in_rows
    %Cg = memref.subview %C[%first, 0] [%size, %N] [1, 1] : !out to !out_rows
    %some = arith.cmpi slt, %m, %size : index
    scf.if %some {
      tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
      scf.for %k = %c0 to %K step %c64 {
        %a = tile.region %Ag[%m, %k] [128, 64] : !in_rows
        %b = tile.region %B[%bz, %k, %n] [1, 64, 128] drop [0] : memref<?x?x?xbf16>
        tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #shared>
        tile.copy %b to %Bs : !tile.region<64x128xbf16>, memref<64x128xbf16, #shared>
        tile.gemm %As, %Bs, %acc : (memref<128x64xbf16, #shared>, memref<64x128xbf16, #shared>, memref<128x128xf32, #tile.fragment>)
      } {tile.num_stages = 3 : i32}
      %c = tile.region %Cg[%m, %n] [128, 128] : !out_rows
      tile.copy %acc to %c : memref<128x128xf32, #tile.fragment>, !tile.region<128x128xf32>
    }
    gpu.terminator
  }
  return
}

// Two dimensions end, beside a batch that is dropped; the window is larger than a
// box, and begins and ends anywhere.
// CASE: boxes(X=ints:3x400x48:bf16, first=5, end=290, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// CASE: boxes(X=ints:3x400x48:bf16, first=0, end=1, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// CASE: boxes(X=ints:3x400x48:bf16, first=399, end=1000, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// CASE: boxes(X=ints:3x400x48:bf16, first=0, end=399, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// CASE: boxes(X=ints:3x400x48:bf16, first=20, end=11, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// CASE: boxes(X=ints:3x400x48:bf16, first=900, end=950, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// CASE: boxes(X=ints:3x400x48:bf16, first=3, end=-4, Y=junk:300x64:bf16, Z=junk:3x400x48:bf16)
// EXPECT: n = max(min(first + 300, end, 400) - first, 0)
// EXPECT: Y = np.zeros((300, 64)); Y[:n, :48] = X[1, first:first + n]
// EXPECT: Z = Z.copy(); Z[2, first:first + n] = X[1, first:first + n]
func.func @boxes(%X: memref<3x400x48xbf16>, %first: index, %end: index, %Y: memref<300x64xbf16>, %Z: memref<3x400x48xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %c2 = arith.constant 2 : index
    %tile = tile.alloc : memref<300x64xbf16, #shared>
    %x = tile.region %X[1, %first, 0] [1, 300, 64] drop [0] end [0, 1] (%c2, %end) {starts_inside} : memref<3x400x48xbf16>
    %y = tile.region %Y[0, 0] [300, 64] : memref<300x64xbf16>
    %z = tile.region %Z[2, %first, 0] [1, 300, 64] drop [0] end [1] (%end) {starts_inside} : memref<3x400x48xbf16>
    tile.copy %x to %tile : !tile.region<300x64xbf16>, memref<300x64xbf16, #shared>
    tile.copy %tile to %y : memref<300x64xbf16, #shared>, !tile.region<300x64xbf16>
    tile.copy %tile to %z : memref<300x64xbf16, #shared>, !tile.region<300x64xbf16>
    gpu.terminator
  }
  return
}

// A pad that is not zero begins at the end, too.
// CASE: padded(X=ints:100x64:f32, first=10, end=40, Y=junk:64x64:f32)
// CASE: padded(X=ints:100x64:f32, first=10, end=74, Y=junk:64x64:f32)
// CASE: padded(X=ints:100x64:f32, first=36, end=200, Y=junk:64x64:f32)
// CASE: padded(X=ints:100x64:f32, first=37, end=200, Y=junk:64x64:f32)
// EXPECT: n = max(min(first + 64, end, 100) - first, 0); Y = np.full((64, 64), 7.0); Y[:n] = X[first:first + n]
func.func @padded(%X: memref<100x64xf32>, %first: index, %end: index, %Y: memref<64x64xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %seven = arith.constant 7.0 : f32
    %tile = tile.alloc : memref<64x64xf32, #shared>
    %x = tile.region %X[%first, 0] [64, 64] end [0] (%end) pad %seven : f32 in {starts_inside} : memref<100x64xf32>
    %y = tile.region %Y[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %x to %tile : !tile.region<64x64xf32>, memref<64x64xf32, #shared>
    tile.copy %tile to %y : memref<64x64xf32, #shared>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
