// Loops of a role with dependent products, rotated and in order, and the same
// kernels without roles: the results are exact, so all agree to the last bit.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=3
// RUN: sed 's/rotate = true/rotate = false/' %s > %t.in-order.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.in-order.mlir --target=sm_90a --out=%t --seeds=1
// RUN: sed 's/rotate = true/specialize = #tile.specialize<off>/' %s > %t.one-role.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.one-role.mlir --target=sm_90a --out=%t --seeds=1

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>

// As attention: the sum is scaled before something is added to it. No block of
// keys, one, two, an odd number; blocks from another one than the first on.
// CASE: chain(Q=ints:100x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:100x64:f32, first=64)
// CASE: chain(Q=ints:100x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:100x64:f32, first=0)
// CASE: chain(Q=ints:64x64:bf16, K=ints:128x64:bf16, V=ints:128x64:bf16, O=junk:64x64:f32, first=0)
// CASE: chain(Q=ints:64x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:64x64:f32, first=0)
// CASE: chain(Q=ints:64x64:bf16, K=ints:250x64:bf16, V=ints:250x64:bf16, O=junk:64x64:f32, first=64)
// EXPECT: O[:] = 0
// EXPECT: for j in range(first, len(K), 64):
// EXPECT:   O[:] = O / 2 + np.minimum(np.maximum(Q @ K[j:j+64].T, 0), 8) @ V[j:j+64]
func.func @chain(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %eight = arith.constant 8.0 : f32
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
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.fill %s, %zero : !acc, f32
      tile.gemm %Qs, %Ks, %s {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
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

// The tile of keys is a factor of both products, so a slot is held for two
// iterations. A guard that changes the scores of some blocks, and a carried
// value that only the late product uses. Three slots, three warpgroups that take
// turns.
// CASE: shared_keys(Q=ints:192x64:f16, K=ints:1x64:f16, O=junk:192x64:f32)
// CASE: shared_keys(Q=ints:192x64:f16, K=ints:128x64:f16, O=junk:192x64:f32)
// CASE: shared_keys(Q=ints:192x64:f16, K=ints:300x64:f16, O=junk:192x64:f32)
// EXPECT: O[:] = 0
// EXPECT: for j in range(0, len(K), 64):
// EXPECT:   S = np.minimum(np.maximum(Q @ K[j:j+64].T, -4), 4)
// EXPECT:   if j >= 128: S = S + 1
// EXPECT:   if j // 64 % 3 != 1: O += S @ K[j:j+64]
!T2 = memref<192x64xf16, #smem>
!K2 = memref<64x64xf16, #smem>
!acc2 = memref<192x64xf32, #tile.fragment>
!P2 = memref<192x64xf16, #tile.fragment>
func.func @shared_keys(%Q: memref<192x64xf16>, %K: memref<?x64xf16>, %O: memref<192x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c384 = arith.constant 384 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %four = arith.constant 4.0 : f32
  %less = arith.constant -4.0 : f32
  %true = arith.constant true
  %keys = memref.dim %K, %c0 : memref<?x64xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c384, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T2
    %Ks = tile.alloc : !K2
    %s = tile.alloc : !acc2
    %p = tile.alloc : !P2
    %o = tile.alloc : !acc2
    %t = tile.alloc : !acc2
    %q = tile.region %Q[0, 0] [192, 64] : memref<192x64xf16>
    tile.copy %q to %Qs : !tile.region<192x64xf16>, !T2
    tile.fill %o, %zero : !acc2, f32
    %last = scf.for %n = %c0 to %keys step %c64 iter_args(%turn = %i0) -> (i32) {
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xf16>
      tile.copy %k to %Ks : !tile.region<64x64xf16>, !K2
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T2, !K2, !acc2)
      tile.parallel (%x, %y) in [192, 64] {
        %e = memref.load %s[%x, %y] : !acc2
        %a = arith.maximumf %e, %less : f32
        %b = arith.minimumf %a, %four : f32
        memref.store %b, %s[%x, %y] : !acc2
      }
      %is_far = arith.cmpi sge, %n, %c128 : index
      scf.if %is_far {
        tile.parallel (%x, %y) in [192, 64] {
          %e = memref.load %s[%x, %y] : !acc2
          %a = arith.addf %e, %one : f32
          memref.store %a, %s[%x, %y] : !acc2
        }
      }
      tile.copy %s to %p : !acc2, !P2
      tile.gemm %p, %Ks, %t clear %true {policy = #tile.warp_policy<full_row>} : (!P2, !K2, !acc2)
      %kind = arith.remsi %turn, %i3 : i32
      %takes = arith.cmpi ne, %kind, %i1 : i32
      scf.if %takes {
        tile.parallel (%x, %y) in [192, 64] {
          %e = memref.load %o[%x, %y] : !acc2
          %f = memref.load %t[%x, %y] : !acc2
          %a = arith.addf %e, %f : f32
          memref.store %a, %o[%x, %y] : !acc2
        }
      }
      %next = arith.addi %turn, %i1 : i32
      scf.yield %next : i32
    } {tile.num_stages = 3 : i32}
    %out = tile.region %O[0, 0] [192, 64] : memref<192x64xf32>
    tile.copy %o to %out : !acc2, !tile.region<192x64xf32>
    gpu.terminator
  }
  return
}

// Tiles one after the other in a block: positions go on from one loop to the
// next, also where a loop has no iteration.
// CASE: tiles(Q=ints:256x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:256x64:f32)
// EXPECT: O[:] = 0
// EXPECT: for i in range(4):
// EXPECT:   for j in range(0, 128 * i - 64, 64):
// EXPECT:     S = np.minimum(np.maximum(Q[64*i:64*i+64] @ K[j:j+64].T, 0), 8)
// EXPECT:     O[64*i:64*i+64] += S @ V[j:j+64]
func.func @tiles(%Q: memref<256x64xbf16>, %K: memref<320x64xbf16>, %V: memref<320x64xbf16>, %O: memref<256x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = true}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %m = %c0 to %c256 step %c64 {
      %q = tile.region %Q[%m, 0] [64, 64] : memref<256x64xbf16>
      tile.copy %q to %Qs : !R, !T
      tile.fill %o, %zero : !acc, f32
      %twice = arith.addi %m, %m : index
      %end = arith.subi %twice, %c64 : index
      scf.for %n = %c0 to %end step %c64 {
        %k = tile.region %K[%n, 0] [64, 64] : memref<320x64xbf16>
        %v = tile.region %V[%n, 0] [64, 64] : memref<320x64xbf16>
        tile.copy %v to %Vs : !R, !T
        tile.copy %k to %Ks : !R, !T
        tile.gemm %Qs, %Ks, %s clear %true {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
        tile.parallel (%x, %y) in [64, 64] {
          %e = memref.load %s[%x, %y] : !acc
          %a = arith.maximumf %e, %zero : f32
          %b = arith.minimumf %a, %eight : f32
          memref.store %b, %s[%x, %y] : !acc
        }
        tile.copy %s to %p : !acc, !P
        tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      } {tile.num_stages = 2 : i32}
      %out = tile.region %O[%m, 0] [64, 64] : memref<256x64xf32>
      tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}
