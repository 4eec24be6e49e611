// Tensors that begin and end where the kernel says: parts with dynamic offsets,
// sizes and strides, and memory at addresses that a table holds, in pipelines with
// and without roles, as results, in element loops; views of one tensor may overlap.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#shared = #gpu.address_space<workgroup>
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>>
!rows16 = memref<?x?xbf16, strided<[?, 1], offset: ?>>

// Groups whose three matrices have extents of their own, packed one after the other:
// group g is m[g] x n[g] x k[g]. Row blocks beyond a group do nothing.
// CASE: packed(A=ints:3000:bf16, B=ints:3000:bf16, sizes=count:0x3:i32, places=count:0x3:i32, limit=40, C=zeros:3000:f32)
// CASE: packed(A=ints:3000:bf16, B=ints:3000:bf16, sizes=ones:1x3:i32, places=count:1x3:i32, limit=40, C=zeros:3000:f32)
// CASE: packed(A=ints:3000:bf16, B=ints:3000:bf16, sizes=count:6x3:i32, places=count:6x3:i32, limit=40, C=zeros:3000:f32)
// EXPECT: C = C.copy()
// EXPECT: for (m, n, k), (a, b, c) in zip(sizes, places * 90): C[c:c + m * n] = (A[a:a + m * k].reshape(m, k) @ B[b:b + k * n].reshape(k, n)).ravel()
func.func @packed(%A: memref<?xbf16>, %B: memref<?xbf16>, %sizes: memref<?x3xi32>, %places: memref<?x3xi32>, %limit: index, %C: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c90 = arith.constant 90 : index
  %c128 = arith.constant 128 : index
  %groups = memref.dim %sizes, %c0 : memref<?x3xi32>
  %blocks = arith.ceildivui %limit, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %blocks, %sy = %blocks, %sz = %groups)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %m32 = memref.load %sizes[%bz, %c0] : memref<?x3xi32>
    %n32 = memref.load %sizes[%bz, %c1] : memref<?x3xi32>
    %k32 = memref.load %sizes[%bz, %c2] : memref<?x3xi32>
    %a32 = memref.load %places[%bz, %c0] : memref<?x3xi32>
    %b32 = memref.load %places[%bz, %c1] : memref<?x3xi32>
    %cc32 = memref.load %places[%bz, %c2] : memref<?x3xi32>
    %m = arith.index_cast %m32 : i32 to index
    %n = arith.index_cast %n32 : i32 to index
    %k = arith.index_cast %k32 : i32 to index
    %a0 = arith.index_cast %a32 : i32 to index
    %b0 = arith.index_cast %b32 : i32 to index
    %cc0 = arith.index_cast %cc32 : i32 to index
    %a1 = arith.muli %a0, %c90 : index
    %b1 = arith.muli %b0, %c90 : index
    %cc1 = arith.muli %cc0, %c90 : index
    %Ag = memref.reinterpret_cast %A to offset: [%a1], sizes: [%m, %k], strides: [%k, 1] : memref<?xbf16> to !rows16
    %Bg = memref.reinterpret_cast %B to offset: [%b1], sizes: [%k, %n], strides: [%n, 1] : memref<?xbf16> to !rows16
    %Cg = memref.reinterpret_cast %C to offset: [%cc1], sizes: [%m, %n], strides: [%n, 1] : memref<?xf32> to !rows
    %row = arith.muli %by, %c32 : index
    %column = arith.muli %bx, %c32 : index
    %As = tile.alloc : memref<32x16xbf16, #shared>
    %Bs = tile.alloc : memref<16x32xbf16, #shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>, f32
    scf.for %kk = %c0 to %k step %c16 {
      %a = tile.region %Ag[%row, %kk] [32, 16] : !rows16
      %b = tile.region %Bg[%kk, %column] [16, 32] : !rows16
      tile.copy %a to %As : !tile.region<32x16xbf16>, memref<32x16xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<16x32xbf16>, memref<16x32xbf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<32x16xbf16, #shared>, memref<16x32xbf16, #shared>, memref<32x32xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %Cg[%row, %column] [32, 32] : !rows
    tile.copy %acc to %c : memref<32x32xf32, #tile.fragment>, !tile.region<32x32xf32>
    gpu.terminator
  }
  return
}

// Every `step`-th row from `first` on, and every second column of the result. The
// last window leaves both.
// CASE: strided(X=ints:40x24:f32, first=3, step=2, count=17, Y=junk:20x50:f32)
// CASE: strided(X=ints:40x24:f32, first=0, step=1, count=1, Y=junk:20x50:f32)
// CASE: strided(X=ints:40x24:f32, first=39, step=1, count=0, Y=junk:20x50:f32)
// EXPECT: Y = Y.copy(); Y[:count, 1:49:2] = X[first:first + count * step:step]
func.func @strided(%X: memref<?x24xf32>, %first: index, %step: index, %count: index, %Y: memref<20x50xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %tile = tile.alloc : memref<32x32xf32, #shared>
    %from = memref.subview %X[%first, 0] [%count, 24] [%step, 1] : memref<?x24xf32> to memref<?x24xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %Y[0, 1] [%count, 24] [1, 2] : memref<20x50xf32> to memref<?x24xf32, strided<[50, 2], offset: 1>>
    %x = tile.region %from[0, 0] [32, 32] : memref<?x24xf32, strided<[?, 1], offset: ?>>
    %y = tile.region %to[0, 0] [32, 32] : memref<?x24xf32, strided<[50, 2], offset: 1>>
    tile.copy %x to %tile : !tile.region<32x32xf32>, memref<32x32xf32, #shared>
    tile.copy %tile to %y : memref<32x32xf32, #shared>, !tile.region<32x32xf32>
    gpu.terminator
  }
  return
}

// Two views of one tensor: what a round stores, later ones load.
// CASE: overlapping(X=ints:48x16:f32, gap=8, rounds=5)
// CASE: overlapping(X=ints:48x16:f32, gap=3, rounds=9)
// EXPECT: X = X.copy()
// EXPECT: for i in range(rounds): t = X[i * gap:i * gap + 8] + 1; X[i * gap + gap:i * gap + gap + 8] = t
func.func @overlapping(%X: memref<48x16xf32>, %gap: index, %rounds: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c48 = arith.constant 48 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1.0 : f32
    %tile = tile.alloc : memref<8x16xf32, #shared>
    %left = arith.subi %c48, %gap : index
    %from = memref.subview %X[0, 0] [%c48, 16] [1, 1] : memref<48x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %to = memref.reinterpret_cast %X to offset: [0], sizes: [48, 16], strides: [16, 1] : memref<48x16xf32> to memref<48x16xf32, strided<[16, 1]>>
    %later = memref.subview %to[%gap, 0] [%left, 16] [1, 1] : memref<48x16xf32, strided<[16, 1]>> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    scf.for %i = %c0 to %rounds step %c1 {
      %row = arith.muli %i, %gap : index
      %x = tile.region %from[%row, 0] [8, 16] : memref<?x16xf32, strided<[16, 1]>>
      tile.copy %x to %tile : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
      tile.parallel (%r, %c) in [8, 16] {
        %v = memref.load %tile[%r, %c] : memref<8x16xf32, #shared>
        %w = arith.addf %v, %one : f32
        %at = arith.addi %row, %r : index
        memref.store %w, %later[%at, %c] : memref<?x16xf32, strided<[16, 1], offset: ?>>
      }
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Element loops and scalar code on parts, one of which has a dimension less.
// CASE: elements(X=ints:7x30:f32, row=4, column=5, count=13, Y=zeros:64:f32, last=junk:1:f32)
// CASE: elements(X=ints:7x30:f32, row=6, column=0, count=30, Y=zeros:64:f32, last=junk:1:f32)
// EXPECT: Y = Y.copy(); Y[:count] = 2 * X[row, column:column + count]; last = X[row, column + count - 1:column + count]
func.func @elements(%X: memref<?x?xf32>, %row: index, %column: index, %count: index, %Y: memref<64xf32>, %last: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %part = memref.subview %X[%row, %column] [1, %count] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    tile.parallel (%i) in [64] {
      %n = memref.dim %part, %c0 : memref<?xf32, strided<[1], offset: ?>>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %v = memref.load %part[%i] : memref<?xf32, strided<[1], offset: ?>>
        %w = arith.addf %v, %v : f32
        memref.store %w, %Y[%i] : memref<64xf32>
      }
    }
    %end = arith.subi %count, %c1 : index
    %v = memref.load %part[%end] : memref<?xf32, strided<[1], offset: ?>>
    memref.store %v, %last[%c0] : memref<1xf32>
    gpu.terminator
  }
  return
}

// A table of addresses, which a kernel before the product writes: group g has the
// rows from starts[g] to starts[g + 1] of A and C, and a matrix of its own. Groups of
// no row and of one; none at all.
// CASE: pointers(A=ints:100x48:bf16, B=ints:5x48x40:bf16, starts=count:6:i32, step=17, C=zeros:100x40:f32)
// CASE: pointers(A=ints:100x40:bf16, B=ints:3x40x9:bf16, starts=count:4:i32, step=1, C=zeros:100x9:f32)
// CASE: pointers(A=ints:9x24:bf16, B=ints:2x24x40:bf16, starts=zeros:3:i32, step=1, C=zeros:9x40:f32)
// CASE: pointers(A=ints:9x24:bf16, B=ints:0x24x40:bf16, starts=zeros:1:i32, step=1, C=zeros:9x40:f32)
// EXPECT: C = C.copy(); s = starts * step
// EXPECT: for g in range(len(B)): C[s[g]:s[g + 1]] = A[s[g]:s[g + 1]] @ B[g]
func.func @pointers(%A: memref<?x?xbf16>, %B: memref<?x?x?xbf16>, %starts: memref<?xi32>, %step: index, %C: memref<?x?xf32>) {
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
  %table = memref.alloc(%groups) : memref<?x3xi64>
  %a_index = tile.address %A : memref<?x?xbf16>
  %b_index = tile.address %B : memref<?x?x?xbf16>
  %c_index = tile.address %C : memref<?x?xf32>
  %a_address = arith.index_cast %a_index : index to i64
  %b_address = arith.index_cast %b_index : index to i64
  %c_address = arith.index_cast %c_index : index to i64
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %groups, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2 : i64
    %four = arith.constant 4 : i64
    %s32 = memref.load %starts[%bx] : memref<?xi32>
    %s = arith.index_cast %s32 : i32 to index
    %row = arith.muli %s, %step : index
    %a_elems = arith.muli %row, %K : index
    %c_elems = arith.muli %row, %N : index
    %size = arith.muli %K, %N : index
    %b_elems = arith.muli %size, %bx : index
    %a_wide = arith.index_cast %a_elems : index to i64
    %b_wide = arith.index_cast %b_elems : index to i64
    %c_wide = arith.index_cast %c_elems : index to i64
    %a_bytes = arith.muli %a_wide, %two : i64
    %b_bytes = arith.muli %b_wide, %two : i64
    %c_bytes = arith.muli %c_wide, %four : i64
    %a = arith.addi %a_address, %a_bytes : i64
    %b = arith.addi %b_address, %b_bytes : i64
    %c = arith.addi %c_address, %c_bytes : i64
    tile.parallel (%i) in [1] {
      memref.store %a, %table[%bx, %c0] : memref<?x3xi64>
      memref.store %b, %table[%bx, %c1] : memref<?x3xi64>
      memref.store %c, %table[%bx, %c2] : memref<?x3xi64>
    }
    gpu.terminator
  }
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
    %groups_rows = arith.subi %e, %s : index
    %rows = arith.muli %groups_rows, %step : index
    %a_at = memref.load %table[%bz, %c0] : memref<?x3xi64>
    %b_at = memref.load %table[%bz, %c1] : memref<?x3xi64>
    %c_at = memref.load %table[%bz, %c2] : memref<?x3xi64>
    %a_first = tile.tensor_at %a_at : memref<bf16>
    %b_first = tile.tensor_at %b_at : memref<bf16>
    %c_first = tile.tensor_at %c_at : memref<f32>
    %Ag = memref.reinterpret_cast %a_first to offset: [0], sizes: [%rows, %K], strides: [%K, 1] : memref<bf16> to memref<?x?xbf16, strided<[?, 1]>>
    %Bg = memref.reinterpret_cast %b_first to offset: [0], sizes: [%K, %N], strides: [%N, 1] : memref<bf16> to memref<?x?xbf16, strided<[?, 1]>>
    %Cg = memref.reinterpret_cast %c_first to offset: [0], sizes: [%rows, %N], strides: [%N, 1] : memref<f32> to memref<?x?xf32, strided<[?, 1]>>
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c32 : index
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x32xbf16, #shared>
    %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
    %some = arith.cmpi slt, %m, %rows : index
    scf.if %some {
      tile.fill %acc, %zero : memref<64x32xf32, #tile.fragment>, f32
      scf.for %k = %c0 to %K step %c32 {
        %a = tile.region %Ag[%m, %k] [64, 32] : memref<?x?xbf16, strided<[?, 1]>>
        %b = tile.region %Bg[%k, %n] [32, 32] : memref<?x?xbf16, strided<[?, 1]>>
        tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
        tile.copy %b to %Bs : !tile.region<32x32xbf16>, memref<32x32xbf16, #shared>
        tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #shared>, memref<32x32xbf16, #shared>, memref<64x32xf32, #tile.fragment>)
      } {tile.num_stages = 3 : i32}
      %c = tile.region %Cg[%m, %n] [64, 32] : memref<?x?xf32, strided<[?, 1]>>
      tile.copy %acc to %c : memref<64x32xf32, #tile.fragment>, !tile.region<64x32xf32>
    }
    gpu.terminator
  }
  return
}

// Offsets count from where the memory begins, not from where a part of it does.
// CASE: again(A=ints:16x64:f32, B=junk:4x8:f32)
// EXPECT: B = A.reshape(-1)[8:8+32].reshape(4, 8)
func.func @again(%A: memref<16x64xf32>, %B: memref<4x8xf32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %X = memref.subview %A[3, 2] [4, 8] [1, 1] : memref<16x64xf32> to memref<4x8xf32, strided<[64, 1], offset: 194>>
    %Y = memref.reinterpret_cast %X to offset: [8], sizes: [4, 8], strides: [8, 1] : memref<4x8xf32, strided<[64, 1], offset: 194>> to memref<4x8xf32, strided<[8, 1], offset: 8>>
    %s = tile.alloc : memref<4x8xf32, #shared>
    %a = tile.region %Y[0, 0] [4, 8] : memref<4x8xf32, strided<[8, 1], offset: 8>>
    tile.copy %a to %s : !tile.region<4x8xf32>, memref<4x8xf32, #shared>
    %b = tile.region %B[0, 0] [4, 8] : memref<4x8xf32>
    tile.copy %s to %b : memref<4x8xf32, #shared>, !tile.region<4x8xf32>
    gpu.terminator
  }
  return
}
