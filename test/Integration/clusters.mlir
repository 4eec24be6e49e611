// Shared tiles of other blocks of a cluster, and where its blocks meet.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// Each block writes its tile into the next block of its cluster: from a
// fragment, from a shared tile, from a tensor, with conversions, and windows.
// CASE: rotate(A=ints:4x37x24:f32, B=junk:4x37x24:f32, C=junk:4x37x24:bf16)
// EXPECT: B = np.roll(A, 1, axis=0) + np.concatenate([np.zeros((4, 5, 24)), np.roll(A, 1, axis=0)[:, 5:]], axis=1)
// EXPECT: C = np.roll(A, 2, axis=0)
func.func @rotate(%A: memref<4x37x24xf32>, %B: memref<4x37x24xf32>, %C: memref<4x37x24xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 64 : index
  %c3 = arith.constant 3 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c4, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %rank = gpu.cluster_block_id x
    %n = arith.addi %rank, %c1 : index
    %next = arith.andi %n, %c3 : index
    %n2 = arith.addi %rank, %c2 : index
    %over = arith.andi %n2, %c3 : index
    %z = arith.constant 0.0 : f32
    %f = tile.alloc : memref<37x24xf32, #tile.fragment>
    %s = tile.alloc : memref<37x24xf32, #gpu.address_space<workgroup>>
    %t = tile.alloc : memref<37x24xf32, #gpu.address_space<workgroup>>
    %u = tile.alloc : memref<37x24xf32, #gpu.address_space<workgroup>>
    %h = tile.alloc : memref<37x24xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%rank, 0, 0] [1, 37, 24] drop [0] : memref<4x37x24xf32>
    tile.copy %a to %f : !tile.region<37x24xf32>, memref<37x24xf32, #tile.fragment>
    tile.copy %a to %s : !tile.region<37x24xf32>, memref<37x24xf32, #gpu.address_space<workgroup>>
    %rt = tile.remote %t at %next : memref<37x24xf32, #gpu.address_space<workgroup>>
    tile.copy %f to %rt : memref<37x24xf32, #tile.fragment>, memref<37x24xf32, #tile.cluster>
    %ru = tile.remote %u at %next : memref<37x24xf32, #gpu.address_space<workgroup>>
    %up = tile.region %ru[0, 0] [5, 24] : memref<37x24xf32, #tile.cluster>
    tile.fill %up, %z : !tile.region<5x24xf32, #tile.cluster>, f32
    %low = tile.region %s[5, 0] [32, 24] : memref<37x24xf32, #gpu.address_space<workgroup>>
    %dn = tile.region %ru[5, 0] [32, 24] : memref<37x24xf32, #tile.cluster>
    tile.copy %low to %dn : !tile.region<32x24xf32, #gpu.address_space<workgroup>>, !tile.region<32x24xf32, #tile.cluster>
    %rh = tile.remote %h at %over : memref<37x24xbf16, #gpu.address_space<workgroup>>
    tile.copy %a to %rh : !tile.region<37x24xf32>, memref<37x24xbf16, #tile.cluster>
    tile.cluster_sync
    tile.parallel (%i, %j) in [37, 24] {
      %x = memref.load %t[%i, %j] : memref<37x24xf32, #gpu.address_space<workgroup>>
      %y = memref.load %u[%i, %j] : memref<37x24xf32, #gpu.address_space<workgroup>>
      %v = arith.addf %x, %y : f32
      memref.store %v, %B[%rank, %i, %j] : memref<4x37x24xf32>
    }
    %c = tile.region %C[%rank, 0, 0] [1, 37, 24] drop [0] : memref<4x37x24xbf16>
    tile.copy %h to %c : memref<37x24xbf16, #gpu.address_space<workgroup>>, !tile.region<37x24xbf16>
    gpu.terminator
  }
  return
}

// Ranks of a cluster of two dimensions; a tensor straight from a tile of
// another block, and single elements of it.
// CASE: ranks(A=ints:4x6x33:f16, B=junk:4x6x33:f16, C=junk:4x6:f32)
// EXPECT: y, x = np.indices((4, 6)); o = A[y ^ 1, x ^ 1]
// EXPECT: B = o
// EXPECT: C = o.astype(np.float32).sum(axis=2) + o[:, :, 7]
func.func @ranks(%A: memref<4x6x33xf16>, %B: memref<4x6x33xf16>, %C: memref<4x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c2, %hy = %c2, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %c6, %gy = %c4, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %x = gpu.cluster_block_id x
    %y = gpu.cluster_block_id y
    %nx2 = gpu.cluster_dim_blocks x
    %row = arith.muli %y, %nx2 : index
    %rank = arith.addi %row, %x : index
    %other = arith.subi %c3, %rank : index
    %s = tile.alloc : memref<33xf16, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<1x33xf16, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    %a = tile.region %A[%by, %bx, 0] [1, 1, 33] drop [0, 1] : memref<4x6x33xf16>
    tile.copy %a to %s : !tile.region<33xf16>, memref<33xf16, #gpu.address_space<workgroup>>
    tile.cluster_sync
    %v = tile.view %s : memref<33xf16, #gpu.address_space<workgroup>> to memref<1x33xf16, #gpu.address_space<workgroup>>
    %r = tile.remote %v at %other : memref<1x33xf16, #gpu.address_space<workgroup>>
    %b = tile.region %B[%by, %bx, 0] [1, 1, 33] drop [0] : memref<4x6x33xf16>
    tile.copy %r to %b : memref<1x33xf16, #tile.cluster>, !tile.region<1x33xf16>
    tile.copy %r to %f : memref<1x33xf16, #tile.cluster>, memref<1x33xf16, #tile.fragment>
    tile.reduce sum %f to %sum dim 1 {clear} : memref<1x33xf16, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.parallel (%i) in [1] {
      %e = memref.load %r[%i, %c7] : memref<1x33xf16, #tile.cluster>
      %w = arith.extf %e : f16 to f32
      %t = memref.load %sum[%i] : memref<1xf32, #tile.fragment>
      %u = arith.addf %w, %t : f32
      memref.store %u, %C[%by, %bx] : memref<4x6xf32>
    }
    gpu.terminator
  }
  return
}

// All blocks of a cluster update tiles of the first one: by words, by halves, by
// a swap, element by element, and asking what was there.
// CASE: update(A=ints:8x45:f32, I=count:8x45:i32, S=junk:2x45:f32, M=junk:2x45:f32, H=junk:2x16:i32, T=junk:8:i32)
// EXPECT: S = A.reshape(2, 4, 45).sum(axis=1)
// EXPECT: M = np.maximum(A.reshape(2, 4, 45).max(axis=1), 0)
// EXPECT: H = np.stack([np.bincount(I[4 * k:4 * k + 4].ravel() & 15, minlength=16) for k in range(2)])
// EXPECT: T = np.array([6, 6, 6, 6, 6, 6, 6, 6])
func.func @update(%A: memref<8x45xf32>, %I: memref<8x45xi32>, %S: memref<2x45xf32>, %M: memref<2x45xf32>, %H: memref<2x16xi32>, %T: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 96 : index
  %c8 = arith.constant 8 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c4, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %rank = gpu.cluster_block_id x
    %z = arith.constant 0.0 : f32
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i15 = arith.constant 15 : i32
    %sum = tile.alloc : memref<45xf32, #gpu.address_space<workgroup>>
    %most = tile.alloc : memref<45xf16, #gpu.address_space<workgroup>>
    %hist = tile.alloc : memref<16xi32, #gpu.address_space<workgroup>>
    %ticket = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
    %tickets = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
    %all = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
    %mine = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<45xf32, #tile.fragment>
    %h = tile.alloc : memref<45xf16, #tile.fragment>
    %zh = arith.constant 0.0 : f16
    tile.fill %sum, %z : memref<45xf32, #gpu.address_space<workgroup>>, f32
    tile.fill %most, %zh : memref<45xf16, #gpu.address_space<workgroup>>, f16
    tile.fill %hist, %i0 : memref<16xi32, #gpu.address_space<workgroup>>, i32
    tile.fill %ticket, %i0 : memref<1xi32, #gpu.address_space<workgroup>>, i32
    tile.fill %all, %i0 : memref<1xi32, #gpu.address_space<workgroup>>, i32
    tile.cluster_sync
    %a = tile.region %A[%bx, 0] [1, 45] drop [0] : memref<8x45xf32>
    tile.copy %a to %f : !tile.region<45xf32>, memref<45xf32, #tile.fragment>
    tile.copy %f to %h : memref<45xf32, #tile.fragment>, memref<45xf16, #tile.fragment>
    %rs = tile.remote %sum at %c0 : memref<45xf32, #gpu.address_space<workgroup>>
    tile.atomic add %f to %rs : memref<45xf32, #tile.fragment>, memref<45xf32, #tile.cluster>
    %rm = tile.remote %most at %c0 : memref<45xf16, #gpu.address_space<workgroup>>
    tile.atomic max %h to %rm : memref<45xf16, #tile.fragment>, memref<45xf16, #tile.cluster>
    %rh = tile.remote %hist at %c0 : memref<16xi32, #gpu.address_space<workgroup>>
    tile.parallel (%i) in [45] {
      %n = memref.load %I[%bx, %i] : memref<8x45xi32>
      %low = arith.andi %n, %i15 : i32
      %at = arith.index_cast %low : i32 to index
      %old = memref.atomic_rmw addi %i1, %rh[%at] : (i32, memref<16xi32, #tile.cluster>) -> i32
    }
    %rt = tile.remote %ticket at %c0 : memref<1xi32, #gpu.address_space<workgroup>>
    tile.atomic add %i1 to %rt old %mine : i32, memref<1xi32, #tile.cluster>, memref<1xi32, #gpu.address_space<workgroup>>
    scf.for %r = %c0 to %c4 step %c1 {
      %ra = tile.remote %all at %r : memref<1xi32, #gpu.address_space<workgroup>>
      tile.atomic add %mine to %ra : memref<1xi32, #gpu.address_space<workgroup>>, memref<1xi32, #tile.cluster>
    }
    tile.cluster_sync
    %t = tile.region %T[%bx] [1] : memref<8xi32>
    tile.copy %all to %t : memref<1xi32, #gpu.address_space<workgroup>>, !tile.region<1xi32>
    %is0 = arith.cmpi eq, %rank, %c0 : index
    scf.if %is0 {
      %k = arith.divui %bx, %c4 : index
      %s = tile.region %S[%k, 0] [1, 45] drop [0] : memref<2x45xf32>
      tile.copy %sum to %s : memref<45xf32, #gpu.address_space<workgroup>>, !tile.region<45xf32>
      %m = tile.region %M[%k, 0] [1, 45] drop [0] : memref<2x45xf32>
      tile.copy %most to %m : memref<45xf16, #gpu.address_space<workgroup>>, !tile.region<45xf32>
      %b = tile.region %H[%k, 0] [1, 16] drop [0] : memref<2x16xi32>
      tile.copy %hist to %b : memref<16xi32, #gpu.address_space<workgroup>>, !tile.region<16xi32>
    }
    gpu.terminator
  }
  return
}

// Factors that another block wrote, read by wgmma.
// CASE: product(A=ints:8x64x64:f16, B=ints:64x64:f16, C=junk:8x64x64:f32)
// EXPECT: C = np.roll(A, 3, axis=0).astype(np.float32) @ B.astype(np.float32)
func.func @product(%A: memref<8x64x64xf16>, %B: memref<64x64xf16>, %C: memref<8x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 128 : index
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c8, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %n = arith.addi %bx, %c3 : index
    %to = arith.remui %n, %c8 : index
    %z = arith.constant 0.0 : f32
    %s = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %t = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %a = tile.region %A[%bx, 0, 0] [1, 64, 64] drop [0] : memref<8x64x64xf16>
    tile.copy %a to %f : !tile.region<64x64xf16>, memref<64x64xf16, #tile.fragment>
    %r = tile.remote %s at %to : memref<64x64xf16, #gpu.address_space<workgroup>>
    tile.copy %f to %r : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.cluster>
    %b = tile.region %B[0, 0] [64, 64] : memref<64x64xf16>
    tile.copy %b to %t : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
    tile.cluster_sync
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %s, %t, %acc : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    %c = tile.region %C[%bx, 0, 0] [1, 64, 64] drop [0] : memref<8x64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Neighbours exchange the edges of their parts in each step: blocks meet after
// the edges are there, and before they are written again.
// CASE: smooth(A=ints:4x31:f32, steps=5, B=junk:4x31:f32)
// CASE: smooth(A=ints:4x31:f32, steps=0, B=junk:4x31:f32)
// EXPECT: B = A.reshape(-1).copy()
// EXPECT: for _ in range(steps): p = np.concatenate([[0], B, [0]]); B = np.float32(p[:-2] + p[1:-1] + p[2:])
// EXPECT: B = B.reshape(4, 31)
func.func @smooth(%A: memref<4x31xf32>, %steps: index, %B: memref<4x31xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cT = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %c30 = arith.constant 30 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c4, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %now = tile.alloc : memref<31xf32, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<31xf32, #tile.fragment>
    %edge = tile.alloc : memref<2xf32, #gpu.address_space<workgroup>>
    tile.fill %edge, %z : memref<2xf32, #gpu.address_space<workgroup>>, f32
    %a = tile.region %A[%bx, 0] [1, 31] drop [0] : memref<4x31xf32>
    tile.copy %a to %now : !tile.region<31xf32>, memref<31xf32, #gpu.address_space<workgroup>>
    tile.cluster_sync
    %is_first = arith.cmpi eq, %bx, %c0 : index
    %is_last = arith.cmpi eq, %bx, %c3 : index
    scf.for %k = %c0 to %steps step %c1 {
      scf.if %is_first {
      } else {
        %l = arith.subi %bx, %c1 : index
        %left = tile.remote %edge at %l : memref<2xf32, #gpu.address_space<workgroup>>
        %to = tile.region %left[1] [1] : memref<2xf32, #tile.cluster>
        %from = tile.region %now[0] [1] : memref<31xf32, #gpu.address_space<workgroup>>
        tile.copy %from to %to : !tile.region<1xf32, #gpu.address_space<workgroup>>, !tile.region<1xf32, #tile.cluster>
      }
      scf.if %is_last {
      } else {
        %r = arith.addi %bx, %c1 : index
        %right = tile.remote %edge at %r : memref<2xf32, #gpu.address_space<workgroup>>
        %to = tile.region %right[0] [1] : memref<2xf32, #tile.cluster>
        %from = tile.region %now[30] [1] : memref<31xf32, #gpu.address_space<workgroup>>
        tile.copy %from to %to : !tile.region<1xf32, #gpu.address_space<workgroup>>, !tile.region<1xf32, #tile.cluster>
      }
      tile.cluster_sync
      tile.parallel (%i) in [31] {
        %at = memref.load %now[%i] : memref<31xf32, #gpu.address_space<workgroup>>
        %lo = arith.cmpi eq, %i, %c0 : index
        %before = scf.if %lo -> (f32) {
          %e = memref.load %edge[%c0] : memref<2xf32, #gpu.address_space<workgroup>>
          scf.yield %e : f32
        } else {
          %j = arith.subi %i, %c1 : index
          %e = memref.load %now[%j] : memref<31xf32, #gpu.address_space<workgroup>>
          scf.yield %e : f32
        }
        %hi = arith.cmpi eq, %i, %c30 : index
        %after = scf.if %hi -> (f32) {
          %e = memref.load %edge[%c1] : memref<2xf32, #gpu.address_space<workgroup>>
          scf.yield %e : f32
        } else {
          %j = arith.addi %i, %c1 : index
          %e = memref.load %now[%j] : memref<31xf32, #gpu.address_space<workgroup>>
          scf.yield %e : f32
        }
        %x = arith.addf %before, %at : f32
        %y = arith.addf %x, %after : f32
        memref.store %y, %f[%i] : memref<31xf32, #tile.fragment>
      }
      tile.copy %f to %now : memref<31xf32, #tile.fragment>, memref<31xf32, #gpu.address_space<workgroup>>
      tile.cluster_sync
    }
    %b = tile.region %B[%bx, 0] [1, 31] drop [0] : memref<4x31xf32>
    tile.copy %now to %b : memref<31xf32, #gpu.address_space<workgroup>>, !tile.region<31xf32>
    gpu.terminator
  }
  return
}

// The depth of a product over two blocks, which keep their roles: the second
// block puts its sums into a tile of the first one.
// CASE: splitk(A=ints:100x200:bf16, B=ints:200x72:bf16, C=junk:100x72:f32)
// CASE: splitk(A=ints:100x61:bf16, B=ints:61x71:bf16, C=junk:100x71:f32)
// EXPECT: C = A.astype(np.float32) @ B.astype(np.float32)
func.func @splitk(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c64 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c1, %hy = %c1, %hz = %c2) blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c2)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %rank = gpu.cluster_block_id z
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    %first = arith.muli %rank, %c64 : index
    scf.for %k = %first to %K step %c128 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xbf16>
      %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %is1 = arith.cmpi eq, %rank, %c1 : index
    scf.if %is1 {
      %to = tile.remote %sum at %c0 : memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.copy %acc to %to : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.cluster>
    }
    tile.cluster_sync
    %is0 = arith.cmpi eq, %rank, %c0 : index
    scf.if %is0 {
      %p = tile.alloc : memref<64x64xf32, #tile.fragment>
      tile.copy %sum to %p : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %p[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
        %v = arith.addf %x, %y : f32
        memref.store %v, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
      tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}
