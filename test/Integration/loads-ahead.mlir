// What threads load themselves in loops, a step ahead by way of registers: scales of
// fragments, with roles, without, under guards and in rotated loops; element loops
// that stay with the consumers; a loop after one that the producer serves.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && mkdir -p %t
// RUN: cp %s %t/roles.mlir
// RUN: sed 's/num_stages = 3/num_stages = 2/;s/specialize<preferred>/specialize<off>/' %s > %t/off.mlir
// RUN: %python %S/Inputs/run-kernel.py %t/roles.mlir --target=sm_90a --target=sm_80 --out=%t/roles
// RUN: %python %S/Inputs/run-kernel.py %t/off.mlir --target=sm_90a --out=%t/off --seeds=1
// RUN: tile-compile %t/roles.mlir --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=ROLES --implicit-check-not=tile-verify --implicit-check-not=tile-pipeline
// RUN: tile-compile %t/roles.mlir --target=sm_80 --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=tile-pipeline
// ROLES-COUNT-2: remark: [tile-pipeline/prefetched]
// ROLES: remark: [tile-pipeline/plain] stops its threads until memory has answered: its condition decides about slots of rings, too
// ROLES-COUNT-3: remark: [tile-pipeline/register-staged]
// ROLES: remark: [tile-pipeline/prefetched]
// NONE-COUNT-3: remark: [tile-pipeline/prefetched]
// NONE-COUNT-3: remark: [tile-pipeline/register-staged]
// NONE-COUNT-2: remark: [tile-pipeline/prefetched]

#s = #gpu.address_space<workgroup>
#f = #tile.fragment
!tile = memref<64x64xf16, #s>
!acc = memref<64x64xf32, #f>
!row = memref<64xf32, #f>

// Rows and columns of each product are scaled before they are added.
// CASE: scaled(A=ints:64x320:f16, B=ints:320x64:f16, S=ints:5x64:f32, U=ints:5x64:f32, n=5, Y=junk:64x64:f32)
// CASE: scaled(A=ints:64x320:f16, B=ints:320x64:f16, S=ints:5x64:f32, U=ints:5x64:f32, n=1, Y=junk:64x64:f32)
// CASE: scaled(A=ints:64x320:f16, B=ints:320x64:f16, S=ints:5x64:f32, U=ints:5x64:f32, n=0, Y=junk:64x64:f32)
// EXPECT: Y = sum([(A[:, 64 * i:64 * i + 64] @ B[64 * i:64 * i + 64]) * S[i][:, None] * U[i][None] for i in range(n)], np.zeros((64, 64)))
func.func @scaled(%A: memref<64x320xf16>, %B: memref<320x64xf16>, %S: memref<5x64xf32>, %U: memref<5x64xf32>, %n: index, %Y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    %part = tile.alloc : !acc
    %sf = tile.alloc : memref<64xf32, #f>
    %uf = tile.alloc : memref<64xf32, #f>
    tile.fill %acc, %zero : !acc, f32
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c64 : index
      %a = tile.region %A[0, %k] [64, 64] : memref<64x320xf16>
      %b = tile.region %B[%k, 0] [64, 64] : memref<320x64xf16>
      tile.copy %a to %As : !tile.region<64x64xf16>, !tile
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      tile.fill %part, %zero : !acc, f32
      tile.gemm %As, %Bs, %part : (!tile, !tile, !acc)
      %s = tile.region %S[%i, 0] [1, 64] drop [0] : memref<5x64xf32>
      %u = tile.region %U[%i, 0] [1, 64] drop [0] : memref<5x64xf32>
      tile.copy %s to %sf : !tile.region<64xf32>, memref<64xf32, #f>
      tile.copy %u to %uf : !tile.region<64xf32>, memref<64xf32, #f>
      tile.parallel (%x, %y) in [64, 64] {
        %p = memref.load %part[%x, %y] : !acc
        %v = memref.load %sf[%x] : memref<64xf32, #f>
        %w = memref.load %uf[%y] : memref<64xf32, #f>
        %q = arith.mulf %p, %v : f32
        %r = arith.mulf %q, %w : f32
        %c = memref.load %acc[%x, %y] : !acc
        %d = arith.addf %c, %r : f32
        memref.store %d, %acc[%x, %y] : !acc
      }
    } {tile.num_stages = 3 : i32}
    %y = tile.region %Y[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Blocks of a list, of which a mask leaves some out; the row of scales is an index
// of a tensor.
// CASE: guarded(A=ints:64x320:f16, B=ints:320x64:f16, S=ints:9x64:f32, at=pairs:5:i32, mask=ints:5:i32, Y=junk:64x64:f32)
// EXPECT: Y = sum([(A[:, 64 * i:64 * i + 64] @ B[64 * i:64 * i + 64]) * S[abs(int(at[i])) % 9][:, None] for i in range(5) if mask[i] > 0], np.zeros((64, 64)))
func.func @guarded(%A: memref<64x320xf16>, %B: memref<320x64xf16>, %S: memref<9x64xf32>, %at: memref<5xi32>, %mask: memref<5xi32>, %Y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %nine = arith.constant 9 : i32
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    %part = tile.alloc : !acc
    %sf = tile.alloc : !row
    tile.fill %acc, %zero : !acc, f32
    scf.for %i = %c0 to %c5 step %c1 {
      %on = memref.load %mask[%i] : memref<5xi32>
      %is_on = arith.cmpi sgt, %on, %none : i32
      scf.if %is_on {
        %k = arith.muli %i, %c64 : index
        %a = tile.region %A[0, %k] [64, 64] : memref<64x320xf16>
        %b = tile.region %B[%k, 0] [64, 64] : memref<320x64xf16>
        tile.copy %a to %As : !tile.region<64x64xf16>, !tile
        tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
        tile.fill %part, %zero : !acc, f32
        tile.gemm %As, %Bs, %part : (!tile, !tile, !acc)
        %v = memref.load %at[%i] : memref<5xi32>
        %w = math.absi %v : i32
        %q = arith.remui %w, %nine : i32
        %r = arith.index_cast %q : i32 to index
        %s = tile.region %S[%r, 0] [1, 64] drop [0] : memref<9x64xf32>
        tile.copy %s to %sf : !tile.region<64xf32>, !row
        tile.parallel (%x, %y) in [64, 64] {
          %p = memref.load %part[%x, %y] : !acc
          %e = memref.load %sf[%x] : !row
          %g = arith.mulf %p, %e : f32
          %c = memref.load %acc[%x, %y] : !acc
          %d = arith.addf %c, %g : f32
          memref.store %d, %acc[%x, %y] : !acc
        }
      }
    } {tile.num_stages = 3 : i32}
    %y = tile.region %Y[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The left factor of the first loop is computed with a row that the kernel itself
// computes, so the consumers keep that loop. The second loop has rows that only
// plain copies take, and no product that waits for the first.
// CASE: kept(A=ints:64x192:f16, R=ints:64:f16, B=ints:192x64:f16, C=ints:64x37:f16, D=ints:37x64:f16, Y=junk:64x64:f32)
// EXPECT: Y = (A + np.tile(2 * R, 3)) @ B + C @ D
func.func @kept(%A: memref<64x192xf16>, %R: memref<64xf16>, %B: memref<192x64xf16>, %C: memref<64x37xf16>, %D: memref<37x64xf16>, %Y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c37 = arith.constant 37 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %zh = arith.constant 0.0 : f16
    %two = arith.constant 2.0 : f16
    %Rs = tile.alloc : memref<64xf16, #s>
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %Cs = tile.alloc : memref<64x16xf16, #s>
    %Ds = tile.alloc : memref<16x64xf16, #s>
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    tile.parallel (%j) in [64] {
      %x = memref.load %R[%j] : memref<64xf16>
      %y = arith.mulf %x, %two : f16
      memref.store %y, %Rs[%j] : memref<64xf16, #s>
    }
    scf.for %k = %c0 to %c192 step %c64 {
      %b = tile.region %B[%k, 0] [64, 64] : memref<192x64xf16>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      tile.parallel (%i, %j) in [64, 64] {
        %c = arith.addi %k, %j : index
        %x = memref.load %A[%i, %c] : memref<64x192xf16>
        %r = memref.load %Rs[%j] : memref<64xf16, #s>
        %e = arith.addf %x, %r : f16
        memref.store %e, %As[%i, %j] : !tile
      }
      tile.gemm %As, %Bs, %acc : (!tile, !tile, !acc)
    } {tile.num_stages = 3 : i32}
    scf.for %k = %c0 to %c37 step %c16 {
      %c = tile.region %C[0, %k] [64, 16] : memref<64x37xf16>
      tile.copy %c to %Cs : !tile.region<64x16xf16>, memref<64x16xf16, #s>
      tile.parallel (%i, %j) in [16, 64] {
        %r = arith.addi %k, %i : index
        %in = arith.cmpi ult, %r, %c37 : index
        scf.if %in {
          %x = memref.load %D[%r, %j] : memref<37x64xf16>
          memref.store %x, %Ds[%i, %j] : memref<16x64xf16, #s>
        } else {
          memref.store %zh, %Ds[%i, %j] : memref<16x64xf16, #s>
        }
      }
      tile.gemm %Cs, %Ds, %acc : (memref<64x16xf16, #s>, memref<16x64xf16, #s>, !acc)
    } {tile.num_stages = 3 : i32}
    %y = tile.region %Y[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Dependent products, whose scores are scaled by key, and a late product whose
// columns are: with roles the loop is rotated.
// CASE: rotated(Q=ints:64x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, S=ints:5x64:f32, U=ints:5x64:f32, O=junk:64x64:f32)
// CASE: rotated(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, S=ints:1x64:f32, U=ints:1x64:f32, O=junk:64x64:f32)
// EXPECT: O[:] = 0
// EXPECT: for j in range(len(K) // 64):
// EXPECT:   P = np.clip((Q @ K[64 * j:64 * j + 64].T) * S[j][None], -8, 8)
// EXPECT:   O[:] = (O + P @ V[64 * j:64 * j + 64]) / 2 + U[j][None]
func.func @rotated(%Q: memref<64x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %S: memref<?x64xf32>, %U: memref<?x64xf32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %eight = arith.constant 8.0 : f32
  %less = arith.constant -8.0 : f32
  %keys = memref.dim %K, %c0 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %Qs = tile.alloc : memref<64x64xbf16, #s>
    %Ks = tile.alloc : memref<64x64xbf16, #s>
    %Vs = tile.alloc : memref<64x64xbf16, #s>
    %s = tile.alloc : !acc
    %p = tile.alloc : memref<64x64xbf16, #f>
    %o = tile.alloc : !acc
    %sf = tile.alloc : !row
    %uf = tile.alloc : !row
    %q = tile.region %Q[0, 0] [64, 64] : memref<64x64xbf16>
    tile.copy %q to %Qs : !tile.region<64x64xbf16>, memref<64x64xbf16, #s>
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %keys step %c64 {
      %block = arith.divui %n, %c64 : index
      %k = tile.region %K[%n, 0] [64, 64] : memref<?x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<?x64xbf16>
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, memref<64x64xbf16, #s>
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, memref<64x64xbf16, #s>
      tile.fill %s, %zero : !acc, f32
      tile.gemm %Qs, %Ks, %s {transpose_b, policy = #tile.warp_policy<full_row>} : (memref<64x64xbf16, #s>, memref<64x64xbf16, #s>, !acc)
      %sr = tile.region %S[%block, 0] [1, 64] drop [0] : memref<?x64xf32>
      %ur = tile.region %U[%block, 0] [1, 64] drop [0] : memref<?x64xf32>
      tile.copy %sr to %sf : !tile.region<64xf32>, !row
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %s[%x, %y] : !acc
        %g = memref.load %sf[%y] : !row
        %h = arith.mulf %e, %g : f32
        %a = arith.maximumf %h, %less : f32
        %b = arith.minimumf %a, %eight : f32
        memref.store %b, %s[%x, %y] : !acc
      }
      tile.copy %s to %p : !acc, memref<64x64xbf16, #f>
      tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (memref<64x64xbf16, #f>, memref<64x64xbf16, #s>, !acc)
      tile.copy %ur to %uf : !tile.region<64xf32>, !row
      tile.parallel (%x, %y) in [64, 64] {
        %e = memref.load %o[%x, %y] : !acc
        %g = memref.load %uf[%y] : !row
        %a = arith.mulf %e, %half : f32
        %b = arith.addf %a, %g : f32
        memref.store %b, %o[%x, %y] : !acc
      }
    } {tile.num_stages = 3 : i32}
    tile.copy %o to %O : !acc, memref<64x64xf32>
    gpu.terminator
  }
  return
}
