// Dependent products one iteration apart in loops that decide (scf.while), as
// rotated-loops.mlir has those that count.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=2
// RUN: sed 's/rotate = true/rotate = false/' %s > %t.roles.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.roles.mlir --target=sm_90a --out=%t --seeds=1 --no-ptxas
// RUN: sed 's/rotate = true/rotate = true, specialize = #tile.specialize<off>/' %s > %t.alone.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.alone.mlir --target=sm_90a --out=%t --seeds=1
// RUN: sed 's/rotate = true/rotate = false, specialize = #tile.specialize<off>/' %s > %t.plain.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.plain.mlir --target=sm_90a --out=%t --seeds=1 --no-ptxas
// RUN: %python %S/Inputs/run-kernel.py %s --target=sm_80 --out=%t --seeds=1

// All are proved, with roles and without, and no loop is left in order.
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --allow-empty
// RUN: tile-compile %t.alone.mlir --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: tile-verify
// CHECK-NOT: tile-rotation

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>
!row = memref<64xf32, #tile.fragment>

// How many iterations there are comes out as well.
// CASE: counts(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// CASE: counts(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts(Q=ints:64x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
// EXPECT: N[:] = len(range(first, len(K), 64)), max(first, first + (len(K) - first + 63) // 64 * 64)
func.func @counts(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %N: memref<2xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  %keys = memref.dim %K, %c0 : memref<?x64xbf16>
  %gx = arith.ceildivui %queries, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    %e:2 = scf.while (%n = %first, %t = %i0) : (index, i32) -> (index, i32) {
      %go = arith.cmpi slt, %n, %keys : index
      scf.condition(%go) %n, %t : index, i32
    } do {
    ^bb0(%n: index, %t: i32):
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %b = arith.minimumf %a, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %a = arith.mulf %e, %half : f32
        memref.store %a, %o[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      %t1 = arith.addi %t, %i1 : i32
      scf.yield %next, %t1 : index, i32
    } attributes {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    %end = arith.index_cast %e#0 : index to i32
    memref.store %e#1, %N[%c0] : memref<2xi32>
    memref.store %end, %N[%c1] : memref<2xi32>
    gpu.terminator
  }
  return
}

// CASE: counts_4(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// CASE: counts_4(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts_4(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts_4(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
// EXPECT: N[:] = len(range(first, len(K), 64)), max(first, first + (len(K) - first + 63) // 64 * 64)
func.func @counts_4(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %N: memref<2xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  %keys = memref.dim %K, %c0 : memref<?x64xbf16>
  %gx = arith.ceildivui %queries, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    %e:2 = scf.while (%n = %first, %t = %i0) : (index, i32) -> (index, i32) {
      %go = arith.cmpi slt, %n, %keys : index
      scf.condition(%go) %n, %t : index, i32
    } do {
    ^bb0(%n: index, %t: i32):
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %b = arith.minimumf %a, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %a = arith.mulf %e, %half : f32
        memref.store %a, %o[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      %t1 = arith.addi %t, %i1 : i32
      scf.yield %next, %t1 : index, i32
    } attributes {tile.num_stages = 4 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    %end = arith.index_cast %e#0 : index to i32
    memref.store %e#1, %N[%c0] : memref<2xi32>
    memref.store %end, %N[%c1] : memref<2xi32>
    gpu.terminator
  }
  return
}

// CASE: counts_cp_async(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// CASE: counts_cp_async(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts_cp_async(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: counts_cp_async(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
// EXPECT: N[:] = len(range(first, len(K), 64)), max(first, first + (len(K) - first + 63) // 64 * 64)
func.func @counts_cp_async(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %N: memref<2xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  %keys = memref.dim %K, %c0 : memref<?x64xbf16>
  %gx = arith.ceildivui %queries, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    %e:2 = scf.while (%n = %first, %t = %i0) : (index, i32) -> (index, i32) {
      %go = arith.cmpi slt, %n, %keys : index
      scf.condition(%go) %n, %t : index, i32
    } do {
    ^bb0(%n: index, %t: i32):
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks {prefer = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs {prefer = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %b = arith.minimumf %a, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %a = arith.mulf %e, %half : f32
        memref.store %a, %o[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      %t1 = arith.addi %t, %i1 : i32
      scf.yield %next, %t1 : index, i32
    } attributes {tile.num_stages = 3 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    %end = arith.index_cast %e#0 : index to i32
    memref.store %e#1, %N[%c0] : memref<2xi32>
    memref.store %end, %N[%c1] : memref<2xi32>
    gpu.terminator
  }
  return
}

// Which blocks take part, and how many, is read from memory; nothing is read after
// the end of the list. Every second one is scaled.
// CASE: listed(Q=ints:70x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:70x64:f32, L=count:1:i32, end=0)
// CASE: listed(Q=ints:70x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:70x64:f32, L=count:5:i32, end=1)
// CASE: listed(Q=ints:70x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:70x64:f32, L=count:5:i32, end=2)
// CASE: listed(Q=ints:70x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:70x64:f32, L=count:5:i32, end=4)
// EXPECT: O[:] = 0
// EXPECT: for b in L:
// EXPECT:   if b == end: break
// EXPECT:   S = np.minimum(np.maximum(Q @ K[64*b:64*b+64].T, 0), 8)
// EXPECT:   O += (S * 2 if b % 2 else S) @ V[64*b:64*b+64]
func.func @listed(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %L: memref<?xi32>, %end: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  %gx = arith.ceildivui %queries, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    scf.while (%i = %c0) : (index) -> (index, i32) {
      %number = memref.load %L[%i] : memref<?xi32>
      %go = arith.cmpi ne, %number, %end : i32
      scf.condition(%go) %i, %number : index, i32
    } do {
    ^bb0(%i: index, %number: i32):
      %block = arith.index_cast %number : i32 to index
      %n = arith.muli %block, %c64 : index
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %b = arith.minimumf %a, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      %kind = arith.remui %number, %i2 : i32
      %is_odd = arith.cmpi eq, %kind, %i1 : i32
      scf.if %is_odd {
        tile.parallel (%x, %y) in [64, 64] {
          %e = memref.load %s[%x, %y] : !acc
          %a = arith.addf %e, %e : f32
          memref.store %a, %s[%x, %y] : !acc
        }
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    } attributes {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// CASE: softmax_while(Q=ints:128x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=64)
// CASE: softmax_while(Q=ints:128x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=0)
// CASE: softmax_while(Q=ints:128x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=0)
// CASE: softmax_while(Q=ints:128x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=64)
// EXPECT: O[:], m, l = 0, np.zeros(len(Q)), np.zeros(len(Q))
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   S = np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 4)
// EXPECT:   if j < 128: S = np.where(j + np.arange(S.shape[1]) <= np.arange(len(Q))[:, None] % 64, S, 0)
// EXPECT:   old, m = m, np.maximum(m, S.max(axis=1))
// EXPECT:   P = 2.0 ** (S - m[:, None])
// EXPECT:   l = l * 2.0 ** (old - m) + P.sum(axis=1)
// EXPECT:   O[:] = O * (2.0 ** (old - m))[:, None] + P @ V[j:j+64]
// EXPECT: L[:] = l
func.func @softmax_while(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %L: memref<?xf32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  %keys = memref.dim %K, %c0 : memref<?x64xbf16>
  %gx = arith.ceildivui %queries, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    %max = tile.alloc : !row
    %sum = tile.alloc : !row
    %scale = tile.alloc : !row
    tile.fill %max, %zero : !row, f32
    tile.fill %sum, %zero : !row, f32
    scf.while (%n = %first) : (index) -> (index) {
      %go = arith.cmpi slt, %n, %keys : index
      scf.condition(%go) %n : index
    } do {
    ^bb0(%n: index):
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %b = arith.minimumf %a, %four : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      %is_near = arith.cmpi slt, %n, %c128 : index
      scf.if %is_near {
        tile.parallel (%x, %y) in [64, 64] {
          %e = memref.load %s[%x, %y] : !acc
          %key = arith.addi %n, %y : index
          %sees = arith.cmpi sle, %key, %x : index
          %a = arith.select %sees, %e, %zero : f32
          memref.store %a, %s[%x, %y] : !acc
        }
      }
      tile.copy %max to %scale : !row, !row
      tile.reduce max %s to %max dim 1 : !acc, !row
      tile.parallel (%x) in [64] {
        %a = memref.load %scale[%x] : !row
        %b = memref.load %max[%x] : !row
        %d = arith.subf %a, %b : f32
        %f = math.exp2 %d : f32
        %l = memref.load %sum[%x] : !row
        %g = arith.mulf %l, %f : f32
        memref.store %f, %scale[%x] : !row
        memref.store %g, %sum[%x] : !row
      }
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %b = memref.load %max[%x] : !row
        %d = arith.subf %e, %b : f32
        %f = math.exp2 %d : f32
        memref.store %f, %s[%x, %y] : !acc
      }
      tile.reduce sum %s to %sum dim 1 : !acc, !row
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %f = memref.load %scale[%x] : !row
        %a = arith.mulf %e, %f : f32
        memref.store %a, %o[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      scf.yield %next : index
    } attributes {tile.num_stages = 3 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    %rows = tile.region %L[%m] [64] : memref<?xf32>
    tile.copy %sum to %rows : !row, !tile.region<64xf32>
    gpu.terminator
  }
  return
}

// The keys are a factor of both products; tiles one after the other in a block, of
// which some have no blocks: slots and parities go on from one loop to the next.
// CASE: shared(Q=ints:256x64:bf16, K=ints:320x64:bf16, O=junk:256x64:f32)
// EXPECT: O[:] = 0
// EXPECT: for i in range(4):
// EXPECT:   for j in range(0, 128 * i - 64, 64):
// EXPECT:     S = np.minimum(np.maximum(Q[64*i:64*i+64] @ K[j:j+64].T, 0), 8)
// EXPECT:     O[64*i:64*i+64] += S @ K[j:j+64]
func.func @shared(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %O: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %m = %c0 to %queries step %c64 {
      %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %q to %Qs : !R, !T
      tile.fill %o, %zero : !acc, f32
      %twice = arith.addi %m, %m : index
      %end = arith.subi %twice, %c64 : index
      scf.while (%n = %c0) : (index) -> (index) {
        %go = arith.cmpi slt, %n, %end : index
        scf.condition(%go) %n : index
      } do {
      ^bb0(%n: index):
        %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
        tile.copy %k to %Ks : !R, !T
        tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
        tile.parallel (%x, %y) in [64, 64] {
          %e = memref.load %s[%x, %y] : !acc
          %a = arith.maximumf %e, %zero : f32
          %b = arith.minimumf %a, %eight : f32
          memref.store %b, %s[%x, %y] : !acc
        }
        tile.copy %s to %p : !acc, !P
        tile.gemm %p, %Ks, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
        %next = arith.addi %n, %c64 : index
        scf.yield %next : index
      } attributes {tile.num_stages = 3 : i32}
      %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
      tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}

// Ends with the first block of which a query has a score of at least 20: the rows
// decide, so nothing runs ahead of them, and products overlap all the same.
// CASE: ends(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, N=junk:1:i32, first=64)
// CASE: ends(Q=zeros:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, N=junk:1:i32, first=0)
// CASE: ends(Q=ones:64x64:bf16, K=ones:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:1:i32, first=64)
// EXPECT: O[:], n, done = 0, first, False
// EXPECT: while n < len(K) and not done:
// EXPECT:   S = np.minimum(np.maximum(Q @ K[n:n+64].T, 0), 8)
// EXPECT:   done = (Q @ K[n:n+64].T >= 20).any()
// EXPECT:   O[:] = O / 2 + S @ V[n:n+64]
// EXPECT:   n += 64
// EXPECT: N[0] = n
func.func @ends(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %N: memref<1xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  %queries = memref.dim %Q, %c0 : memref<?x64xbf16>
  %keys = memref.dim %K, %c0 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %far = tile.alloc : memref<64xi1, #tile.fragment>
    %max = tile.alloc : !row
    %limit = arith.constant 20.0 : f32
    %false = arith.constant false
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    %e:2 = scf.while (%n = %first, %done = %false) : (index, i1) -> (index, i1) {
      %more = arith.cmpi slt, %n, %keys : index
      %other = arith.xori %done, %true : i1
      %go = arith.andi %more, %other : i1
      scf.condition(%go) %n, %done : index, i1
    } do {
    ^bb0(%n: index, %done: i1):
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.reduce max %s to %max dim 1 {clear} : !acc, !row
      tile.parallel (%x) in [64] {
        %e = memref.load %max[%x] : !row
        %a = arith.cmpf oge, %e, %limit : f32
        memref.store %a, %far[%x] : memref<64xi1, #tile.fragment>
      }
      %now = tile.any_of %far : memref<64xi1, #tile.fragment>
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %b = arith.minimumf %a, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %a = arith.mulf %e, %half : f32
        memref.store %a, %o[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      scf.yield %next, %now : index, i1
    } attributes {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    %end = arith.index_cast %e#0 : index to i32
    memref.store %end, %N[%c0] : memref<1xi32>
    gpu.terminator
  }
  return
}
