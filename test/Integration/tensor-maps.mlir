// Tensors at addresses of a table and parts of tensors that have strides of their own, moved
// by TMA: the kernel makes the maps, and makes them anew when the tensor changes.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --sms=1,3 --seeds=2 --out=%t
// RUN: FileCheck %s --input-file=%t/sm_90a/groups.ptx

#shared = #gpu.address_space<workgroup>
!sA = memref<64x32xbf16, #shared>
!sB = memref<32x64xbf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>
!A = memref<?x?xbf16, strided<[?, 1]>>
!C = memref<?x64xf32, strided<[64, 1]>>

// Groups of rows, each with memory of its own, in a persistent kernel that finds the group
// of a tile by the sizes; some have no rows.
// CHECK: tensormap.replace
// CHECK: fence.proxy.tensormap::generic.release.gpu
// CHECK: fence.proxy.tensormap::generic.acquire.gpu
// CASE: groups(A=ints:300x72:bf16, B=ints:5x72x64:bf16, sizes=count:5:i32, step=29, C=zeros:300x64:f32)
// CASE: groups(A=ints:150x8:bf16, B=ints:2x8x64:bf16, sizes=ones:2:i32, step=75, C=zeros:150x64:f32)
// CASE: groups(A=ints:64x200:bf16, B=ints:3x200x64:bf16, sizes=zeros:3:i32, step=5, C=zeros:64x64:f32)
// CASE: groups(A=ints:140x128:bf16, B=ints:7x128x64:bf16, sizes=ones:7:i32, step=20, C=zeros:140x64:f32)
// EXPECT: C = C.copy(); e = np.cumsum(sizes * step)
// EXPECT: for g in range(len(B)): C[e[g] - sizes[g] * step:e[g]] = A[e[g] - sizes[g] * step:e[g]] @ B[g]
func.func @groups(%A: memref<?x?xbf16>, %B: memref<?x?x64xbf16>, %sizes: memref<?xi32>, %step: index, %C: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %groups = memref.dim %B, %c0 : memref<?x?x64xbf16>
  %T = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %As = memref.alloc(%groups) : memref<?xi64>
  %Bs = memref.alloc(%groups) : memref<?xi64>
  %Cs = memref.alloc(%groups) : memref<?xi64>
  %a_index = tile.address %A : memref<?x?xbf16>
  %b_index = tile.address %B : memref<?x?x64xbf16>
  %c_index = tile.address %C : memref<?x64xf32>
  %a_first = arith.index_cast %a_index : index to i64
  %b_first = arith.index_cast %b_index : index to i64
  %c_first = arith.index_cast %c_index : index to i64
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2 : index
    %wide = arith.constant 256 : index
    scf.for %g = %c0 to %groups step %c1 iter_args(%row = %c0) -> index {
      %size32 = memref.load %sizes[%g] : memref<?xi32>
      %steps = arith.index_cast %size32 : i32 to index
      %size = arith.muli %steps, %step : index
      %next = arith.addi %row, %size : index
      %row_bytes = arith.muli %K, %two : index
      %a_bytes = arith.muli %row, %row_bytes : index
      %b_rows = arith.muli %g, %row_bytes : index
      %b_bytes = arith.muli %b_rows, %c64 : index
      %c_bytes = arith.muli %row, %wide : index
      %a_wide = arith.index_cast %a_bytes : index to i64
      %b_wide = arith.index_cast %b_bytes : index to i64
      %c_wide = arith.index_cast %c_bytes : index to i64
      %a = arith.addi %a_first, %a_wide : i64
      %b = arith.addi %b_first, %b_wide : i64
      %c = arith.addi %c_first, %c_wide : i64
      tile.parallel (%i) in [1] {
        memref.store %a, %As[%g] : memref<?xi64>
        memref.store %b, %Bs[%g] : memref<?xi64>
        memref.store %c, %Cs[%g] : memref<?xi64>
      }
      scf.yield %next : index
    }
    gpu.terminator
  }
  %most = arith.ceildivui %T, %c64 : index
  %tiles = arith.addi %most, %groups : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %tiles, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %zero = arith.constant 0.0 : f32
    %none = arith.constant -1 : index
    %found:3 = scf.for %g = %c0 to %groups step %c1 iter_args(%first = %c0, %group = %none, %row = %c0) -> (index, index, index) {
      %size32 = memref.load %sizes[%g] : memref<?xi32>
      %steps = arith.index_cast %size32 : i32 to index
      %size = arith.muli %steps, %step : index
      %up = arith.addi %size, %c63 : index
      %count = arith.divui %up, %c64 : index
      %next = arith.addi %first, %count : index
      %after = arith.cmpi sge, %bx, %first : index
      %before = arith.cmpi slt, %bx, %next : index
      %here = arith.andi %after, %before : i1
      %distance = arith.subi %bx, %first : index
      %at = arith.muli %distance, %c64 : index
      %group1 = arith.select %here, %g, %group : index
      %row1 = arith.select %here, %at, %row : index
      scf.yield %next, %group1, %row1 : index, index, index
    }
    %some = arith.cmpi sge, %found#1, %c0 : index
    scf.if %some {
      %size32 = memref.load %sizes[%found#1] : memref<?xi32>
      %steps = arith.index_cast %size32 : i32 to index
      %M = arith.muli %steps, %step : index
      %a_address = memref.load %As[%found#1] : memref<?xi64>
      %b_address = memref.load %Bs[%found#1] : memref<?xi64>
      %c_address = memref.load %Cs[%found#1] : memref<?xi64>
      %a_at = tile.tensor_at %a_address : memref<bf16>
      %b_at = tile.tensor_at %b_address : memref<bf16>
      %c_at = tile.tensor_at %c_address : memref<f32>
      %Ag = memref.reinterpret_cast %a_at to offset: [0], sizes: [%M, %K], strides: [%K, 1] : memref<bf16> to !A
      %Bg = memref.reinterpret_cast %b_at to offset: [0], sizes: [%K, 64], strides: [64, 1] : memref<bf16> to memref<?x64xbf16, strided<[64, 1]>>
      %Cg = memref.reinterpret_cast %c_at to offset: [0], sizes: [%M, 64], strides: [64, 1] : memref<f32> to !C
      %a = tile.alloc : !sA
      %b = tile.alloc : !sB
      %acc = tile.alloc : !acc
      tile.fill %acc, %zero : !acc, f32
      scf.for %k = %c0 to %K step %c32 {
        %aw = tile.region %Ag[%found#2, %k] [64, 32] {align = 16 : i64} : !A
        %bw = tile.region %Bg[%k, 0] [32, 64] {align = 16 : i64} : memref<?x64xbf16, strided<[64, 1]>>
        tile.copy %aw to %a : !tile.region<64x32xbf16>, !sA
        tile.copy %bw to %b : !tile.region<32x64xbf16>, !sB
        tile.gemm %a, %b, %acc : (!sA, !sB, !acc)
      } {tile.num_stages = 3 : i32}
      %cw = tile.region %Cg[%found#2, 0] [64, 64] {align = 16 : i64} : !C
      tile.copy %acc to %cw : !acc, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}

// Every `step`-th row from `first` on of a tensor of the host, as a product's factor: a map of
// the kernel in variants of the launch, whose workspaces come before them.
// CASE: strided(X=ints:100x64:bf16, B=ints:64x40:bf16, first=3, step=2, count=45, Y=junk:45x40:f32)
// CASE: strided(X=ints:100x64:bf16, B=ints:64x40:bf16, first=1, step=1, count=1, Y=junk:1x40:f32)
// CASE: strided(X=ints:100x64:bf16@+1, B=ints:64x40:bf16, first=0, step=3, count=33, Y=junk:33x40:f32)
// EXPECT: Y = X[first:first + count * step:step] @ B
func.func @strided(%X: memref<?x64xbf16>, %B: memref<64x40xbf16>, %first: index, %step: index, %count: index, %Y: memref<?x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %blocks = arith.ceildivui %count, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %from = arith.muli %first, %c64 : index
    %gap = arith.muli %step, %c64 : index
    %rows = memref.reinterpret_cast %X to offset: [%from], sizes: [%count, 64], strides: [%gap, 1] : memref<?x64xbf16> to memref<?x64xbf16, strided<[?, 1], offset: ?>>
    %a = tile.alloc : memref<64x32xbf16, #shared>
    %b = tile.alloc : memref<32x40xbf16, #shared>
    %acc = tile.alloc : memref<64x40xf32, #tile.fragment>
    %m = arith.muli %bx, %c64 : index
    tile.fill %acc, %zero : memref<64x40xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c64 step %c32 {
      %aw = tile.region %rows[%m, %k] [64, 32] : memref<?x64xbf16, strided<[?, 1], offset: ?>>
      %bw = tile.region %B[%k, 0] [32, 40] : memref<64x40xbf16>
      tile.copy %aw to %a : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
      tile.copy %bw to %b : !tile.region<32x40xbf16>, memref<32x40xbf16, #shared>
      tile.gemm %a, %b, %acc : (memref<64x32xbf16, #shared>, memref<32x40xbf16, #shared>, memref<64x40xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %y = tile.region %Y[%m, 0] [64, 40] : memref<?x40xf32>
    tile.copy %acc to %y : memref<64x40xf32, #tile.fragment>, !tile.region<64x40xf32>
    gpu.terminator
  }
  return
}

// Tensors of so many rows, none included: no map has an extent of 0.
// CASE: clipped(X=ints:40x64:bf16, n=0, Y=junk:32x64:bf16, Z=zeros:40x64:bf16)
// CASE: clipped(X=ints:40x64:bf16, n=5, Y=junk:32x64:bf16, Z=zeros:40x64:bf16)
// CASE: clipped(X=ints:40x64:bf16, n=40, Y=junk:32x64:bf16, Z=zeros:40x64:bf16)
// EXPECT: x = X[:min(n, 32)]; Y = np.zeros((32, 64)); Y[:len(x)] = x; Z = np.zeros((40, 64)); Z[:len(x)] = x
func.func @clipped(%X: memref<40x64xbf16>, %n: index, %Y: memref<32x64xbf16>, %Z: memref<40x64xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x_index = tile.address %X : memref<40x64xbf16>
  %z_index = tile.address %Z : memref<40x64xbf16>
  %x_address = arith.index_cast %x_index : index to i64
  %z_address = arith.index_cast %z_index : index to i64
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<32x64xbf16, #shared>
    %x_at = tile.tensor_at %x_address : memref<bf16>
    %z_at = tile.tensor_at %z_address : memref<bf16>
    %Xn = memref.reinterpret_cast %x_at to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<bf16> to memref<?x64xbf16, strided<[64, 1]>>
    %Zn = memref.reinterpret_cast %z_at to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<bf16> to memref<?x64xbf16, strided<[64, 1]>>
    %x = tile.region %Xn[0, 0] [32, 64] {align = 16 : i64} : memref<?x64xbf16, strided<[64, 1]>>
    %z = tile.region %Zn[0, 0] [32, 64] {align = 16 : i64} : memref<?x64xbf16, strided<[64, 1]>>
    %y = tile.region %Y[0, 0] [32, 64] : memref<32x64xbf16>
    tile.copy %x to %t : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
    tile.copy %t to %y : memref<32x64xbf16, #shared>, !tile.region<32x64xbf16>
    tile.copy %t to %z : memref<32x64xbf16, #shared>, !tile.region<32x64xbf16>
    gpu.terminator
  }
  return
}

// Sums of groups of four and of two tiles, in rings of three slots: where each group fills
// all slots nobody waits for the loads of the map before.
// CASE: rounds(X=ints:7x64x64:bf16, Y=junk:16x64:f32, Z=junk:16x32:f32)
// CASE: rounds(X=ints:1x64x64:bf16, Y=junk:16x64:f32, Z=junk:16x32:f32)
// EXPECT: Y = X.reshape(-1, 16, 64).sum(0); Z = X[:, :32, :32].reshape(-1, 16, 32).sum(0)
func.func @rounds(%X: memref<?x64x64xbf16>, %Y: memref<16x64xf32>, %Z: memref<16x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c8192 = arith.constant 8192 : index
  %groups = memref.dim %X, %c0 : memref<?x64x64xbf16>
  %table = memref.alloc(%groups) : memref<?xi64>
  %index = tile.address %X : memref<?x64x64xbf16>
  %first = arith.index_cast %index : index to i64
  gpu.launch blocks(%g, %by, %bz) in (%gx = %groups, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %bytes = arith.muli %g, %c8192 : index
    %wide = arith.index_cast %bytes : index to i64
    %address = arith.addi %first, %wide : i64
    tile.parallel (%i) in [1] {
      memref.store %address, %table[%g] : memref<?xi64>
    }
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %zero = arith.constant 0.0 : f32
    %t = tile.alloc : memref<16x64xbf16, #shared>
    %y = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %y, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %g = %c0 to %groups step %c1 {
      %address = memref.load %table[%g] : memref<?xi64>
      %at = tile.tensor_at %address : memref<64x64xbf16>
      scf.for %i = %c0 to %c64 step %c16 {
        %w = tile.region %at[%i, 0] [16, 64] {align = 16 : i64} : memref<64x64xbf16>
        tile.copy %w to %t : !tile.region<16x64xbf16>, memref<16x64xbf16, #shared>
        tile.parallel (%r, %c) in [16, 64] {
          %a = memref.load %t[%r, %c] : memref<16x64xbf16, #shared>
          %b = memref.load %y[%r, %c] : memref<16x64xf32, #tile.fragment>
          %wide = arith.extf %a : bf16 to f32
          %s = arith.addf %b, %wide : f32
          memref.store %s, %y[%r, %c] : memref<16x64xf32, #tile.fragment>
        }
      } {tile.num_stages = 3 : i32}
    }
    tile.copy %y to %Y : memref<16x64xf32, #tile.fragment>, memref<16x64xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<required>}
    %zero = arith.constant 0.0 : f32
    %u = tile.alloc : memref<16x32xbf16, #shared>
    %z = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %z, %zero : memref<16x32xf32, #tile.fragment>, f32
    scf.for %g = %c0 to %groups step %c1 {
      %address = memref.load %table[%g] : memref<?xi64>
      %at = tile.tensor_at %address : memref<64x64xbf16>
      scf.for %i = %c0 to %c32 step %c16 {
        %w = tile.region %at[%i, 0] [16, 32] {align = 16 : i64} : memref<64x64xbf16>
        tile.copy %w to %u : !tile.region<16x32xbf16>, memref<16x32xbf16, #shared>
        tile.parallel (%r, %c) in [16, 32] {
          %a = memref.load %u[%r, %c] : memref<16x32xbf16, #shared>
          %b = memref.load %z[%r, %c] : memref<16x32xf32, #tile.fragment>
          %wide = arith.extf %a : bf16 to f32
          %s = arith.addf %b, %wide : f32
          memref.store %s, %z[%r, %c] : memref<16x32xf32, #tile.fragment>
        }
      } {tile.num_stages = 3 : i32}
    }
    tile.copy %z to %Z : memref<16x32xf32, #tile.fragment>, memref<16x32xf32>
    gpu.terminator
  }
  return
}
