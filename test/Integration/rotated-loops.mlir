// Dependent products one iteration apart: loops that count and loops that decide,
// copies by TMA, by cp.async and by way of registers, with roles and without. The
// results are exact, so rotated and in order all agree with numpy to the last bit.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=2
// RUN: sed 's/rotate = true/rotate = false/' %s > %t.roles.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.roles.mlir --target=sm_90a --out=%t --seeds=1 --no-ptxas
// RUN: sed 's/rotate = true/rotate = true, specialize = #tile.specialize<off>/' %s > %t.alone.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.alone.mlir --target=sm_90a --out=%t --seeds=1
// RUN: sed 's/rotate = true/rotate = false, specialize = #tile.specialize<off>/' %s > %t.plain.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.plain.mlir --target=sm_90a --out=%t --seeds=1 --no-ptxas
// RUN: %python %S/Inputs/run-kernel.py %s --target=sm_80 --out=%t --seeds=1

// All are proved, and no loop is left in order.
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

// No iteration, one, two, three, and an odd rest.
// CASE: stages_3(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, first=64)
// CASE: stages_3(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, first=0)
// CASE: stages_3(Q=ints:64x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:64x64:f32, first=0)
// CASE: stages_3(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, first=0)
// CASE: stages_3(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
func.func @stages_3(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %first: index) {
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
    scf.for %n = %first to %keys step %c64 {
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
    } {tile.num_stages = 3 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// By cp.async: groups of two products.
// CASE: cp_async_2(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, first=64)
// CASE: cp_async_2(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, first=0)
// CASE: cp_async_2(Q=ints:64x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:64x64:f32, first=0)
// CASE: cp_async_2(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, first=0)
// CASE: cp_async_2(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
func.func @cp_async_2(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %first: index) {
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
    scf.for %n = %first to %keys step %c64 {
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
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// CASE: cp_async_4(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, first=64)
// CASE: cp_async_4(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, first=0)
// CASE: cp_async_4(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, first=0)
// CASE: cp_async_4(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
func.func @cp_async_4(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %first: index) {
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
    scf.for %n = %first to %keys step %c64 {
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
    } {tile.num_stages = 4 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The tensors are of another type: loads to registers, stores after the work.
// CASE: converted(Q=ints:64x64:bf16, K=ints:64x64:f32, V=ints:64x64:f32, O=junk:64x64:f32, first=64)
// CASE: converted(Q=ints:64x64:bf16, K=ints:64x64:f32, V=ints:64x64:f32, O=junk:64x64:f32, first=0)
// CASE: converted(Q=ints:64x64:bf16, K=ints:128x64:f32, V=ints:128x64:f32, O=junk:64x64:f32, first=0)
// CASE: converted(Q=ints:64x64:bf16, K=ints:250x64:f32, V=ints:250x64:f32, O=junk:64x64:f32, first=0)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
func.func @converted(%Q: memref<?x64xbf16>, %K: memref<?x64xf32>, %V: memref<?x64xf32>, %O: memref<?x64xf32>, %first: index) {
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
  %keys = memref.dim %K, %c0 : memref<?x64xf32>
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
    scf.for %n = %first to %keys step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xf32>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xf32>
      tile.copy %k to %Ks : !tile.region<64x64xf32>, !T
      tile.copy %v to %Vs : !tile.region<64x64xf32>, !T
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
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The state of attention: maxima, sums, a sum that is rescaled; a mask for near
// blocks. Powers of two keep it exact.
// CASE: softmax(Q=ints:128x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=64)
// CASE: softmax(Q=ints:128x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=0)
// CASE: softmax(Q=ints:128x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=0)
// CASE: softmax(Q=ints:128x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:128x64:f32, L=junk:128:f32, first=64)
// EXPECT: O[:], m, l = 0, np.zeros(len(Q)), np.zeros(len(Q))
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   S = np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 4)
// EXPECT:   if j < 128: S = np.where(j + np.arange(S.shape[1]) <= np.arange(len(Q))[:, None] % 64, S, 0)
// EXPECT:   old, m = m, np.maximum(m, S.max(axis=1))
// EXPECT:   P = 2.0 ** (S - m[:, None])
// EXPECT:   l = l * 2.0 ** (old - m) + P.sum(axis=1)
// EXPECT:   O[:] = O * (2.0 ** (old - m))[:, None] + P @ V[j:j+64]
// EXPECT: L[:] = l
func.func @softmax(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %L: memref<?xf32>, %first: index) {
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
    scf.for %n = %first to %keys step %c64 {
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
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    %rows = tile.region %L[%m] [64] : memref<?xf32>
    tile.copy %sum to %rows : !row, !tile.region<64xf32>
    gpu.terminator
  }
  return
}

// Rows that the loop hands on: copies ahead of the products use them, a mask beside
// the products does, and they come out.
// CASE: carried(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// CASE: carried(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: carried(Q=ints:64x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: carried(Q=ints:64x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=0)
// CASE: carried(Q=ints:64x64:bf16, K=ints:410x64:bf16, V=ints:410x64:bf16, O=junk:64x64:f32, N=junk:2:i32, first=64)
// EXPECT: O[:], row, t = 0, first, 3
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0) + t, 8) @ V[j:j+64]
// EXPECT:   row, t = row + 64, t + row // 64
// EXPECT: N[:] = row, t
func.func @carried(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %N: memref<2xi32>, %first: index) {
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
    %i3 = arith.constant 3 : i32
    %i64 = arith.constant 64 : i32
    %start = arith.index_cast %first : index to i32
    %e:2 = scf.for %i = %first to %keys step %c64 iter_args(%row = %start, %t = %i3) -> (i32, i32) {
      %n = arith.index_cast %row : i32 to index
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, !T
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %a = arith.maximumf %e, %zero : f32
        %u = arith.sitofp %t : i32 to f32
        %d = arith.addf %a, %u : f32
        %b = arith.minimumf %d, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %a = arith.mulf %e, %half : f32
        memref.store %a, %o[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      %r1 = arith.addi %row, %i64 : i32
      %h = arith.divui %row, %i64 : i32
      %t1 = arith.addi %t, %h : i32
      scf.yield %r1, %t1 : i32, i32
    } {tile.num_stages = 3 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    memref.store %e#0, %N[%c0] : memref<2xi32>
    memref.store %e#1, %N[%c1] : memref<2xi32>
    gpu.terminator
  }
  return
}
