// Attention with the tile of the kernel that was written by hand, fa3_d128.ptx, and as
// that computes: 128 queries and 128 keys of 128 columns, two warpgroups in turns, static
// extents of whole tiles, one multiply-add for each exponential, a sum that the first
// product overwrites. code-quality.test compares the instructions of both, for more
// heads and positions.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t --seeds=2

// Scores of 0, so that every key counts the same: sums of integers, a power of two as the
// number of keys, all exact.
// CASE: attention_tile(Q=ints:2x256x128:bf16, K=zeros:2x256x128:bf16, V=ints:2x256x128:bf16, O=junk:2x256x128:bf16, scale=0.125)
// EXPECT: O = np.broadcast_to(round_to(V.sum(axis=1, keepdims=True) / np.float32(K.shape[1]), "bf16"), O.shape)
// CASE: attention_tile(Q=normal:2x256x128:bf16, K=normal:2x256x128:bf16, V=normal:2x256x128:bf16, O=junk:2x256x128:bf16, scale=0.25)
// EXPECT: S = scale * (Q.astype(np.float64) @ K.transpose(0, 2, 1))
// EXPECT: P = np.exp(S - S.max(axis=2, keepdims=True))
// EXPECT: O = P @ V / P.sum(axis=2, keepdims=True)
// WITHIN: O = 0.01, 1

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
!tensor = memref<2x256x128xbf16> // head, position, column

func.func @attention_tile(%Q: !tensor, %K: !tensor, %V: !tensor, %O: !tensor, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %heads = memref.dim %Q, %c0 : !tensor
  %queries = memref.dim %Q, %c1 : !tensor
  %keys = memref.dim %K, %c1 : !tensor
  %gx = arith.ceildivui %queries, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %heads, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = false}
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32 // -inf
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32 // e^(scale * s) = 2^(factor * s)
    %m = arith.muli %bx, %c128 : index

    %Qs = tile.alloc : memref<128x128xbf16, #shared>
    %Ks = tile.alloc : memref<128x128xbf16, #shared>
    %Vs = tile.alloc : memref<128x128xbf16, #shared>
    %S = tile.alloc : memref<128x128xf32, #fragment>
    %P = tile.alloc : memref<128x128xbf16, #fragment>
    %acc = tile.alloc : memref<128x128xf32, #fragment>
    %max = tile.alloc : memref<128xf32, #fragment>
    %old = tile.alloc : memref<128xf32, #fragment>
    %sum = tile.alloc : memref<128xf32, #fragment>

    %q = tile.region %Q[%by, %m, 0] [1, 128, 128] drop [0] {align = 16 : i64} : !tensor
    tile.copy %q to %Qs : !tile.region<128x128xbf16>, memref<128x128xbf16, #shared>
    tile.fill %sum, %zero : memref<128xf32, #fragment>, f32
    tile.fill %max, %low : memref<128xf32, #fragment>, f32

    scf.for %n = %c0 to %keys step %c128 {
      %k = tile.region %K[%by, %n, 0] [1, 128, 128] drop [0] {align = 16 : i64} : !tensor
      %v = tile.region %V[%by, %n, 0] [1, 128, 128] drop [0] {align = 16 : i64} : !tensor
      tile.copy %k to %Ks : !tile.region<128x128xbf16>, memref<128x128xbf16, #shared>
      tile.copy %v to %Vs : !tile.region<128x128xbf16>, memref<128x128xbf16, #shared>
      tile.fill %S, %zero : memref<128x128xf32, #fragment>, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (memref<128x128xbf16, #shared>, memref<128x128xbf16, #shared>, memref<128x128xf32, #fragment>)

      tile.copy %max to %old : memref<128xf32, #fragment>, memref<128xf32, #fragment>
      tile.reduce max %S to %max dim 1 : memref<128x128xf32, #fragment>, memref<128xf32, #fragment>
      tile.parallel (%i) in [128] {
        %a = memref.load %old[%i] : memref<128xf32, #fragment>
        %b = memref.load %max[%i] : memref<128xf32, #fragment>
        %bs = arith.mulf %b, %factor : f32
        %nb = arith.negf %bs : f32
        %e = math.fma %a, %factor, %nb : f32
        %r = math.exp2 %e fastmath<afn> : f32
        %l = memref.load %sum[%i] : memref<128xf32, #fragment>
        %t = arith.mulf %l, %r : f32
        memref.store %r, %old[%i] : memref<128xf32, #fragment>
        memref.store %t, %sum[%i] : memref<128xf32, #fragment>
      }
      tile.parallel (%i, %j) in [128, 128] {
        %s = memref.load %S[%i, %j] : memref<128x128xf32, #fragment>
        %b = memref.load %max[%i] : memref<128xf32, #fragment>
        %bs = arith.mulf %b, %factor : f32
        %nb = arith.negf %bs : f32
        %e = math.fma %s, %factor, %nb : f32
        %p = math.exp2 %e fastmath<afn> : f32
        memref.store %p, %S[%i, %j] : memref<128x128xf32, #fragment>
      }
      tile.reduce sum %S to %sum dim 1 : memref<128x128xf32, #fragment>, memref<128xf32, #fragment>
      %later = arith.cmpi ne, %n, %c0 : index
      scf.if %later {
        tile.parallel (%i, %j) in [128, 128] {
          %x = memref.load %acc[%i, %j] : memref<128x128xf32, #fragment>
          %r = memref.load %old[%i] : memref<128xf32, #fragment>
          %y = arith.mulf %x, %r : f32
          memref.store %y, %acc[%i, %j] : memref<128x128xf32, #fragment>
        }
      }
      tile.copy %S to %P : memref<128x128xf32, #fragment>, memref<128x128xbf16, #fragment>
      %first = arith.cmpi eq, %n, %c0 : index
      tile.gemm %P, %Vs, %acc clear %first : (memref<128x128xbf16, #fragment>, memref<128x128xbf16, #shared>, memref<128x128xf32, #fragment>)
    } {tile.num_stages = 2 : i32}

    tile.parallel (%i) in [128] {
      %l = memref.load %sum[%i] : memref<128xf32, #fragment>
      %one = arith.constant 1.0 : f32
      %y = arith.divf %one, %l fastmath<arcp,afn> : f32
      memref.store %y, %sum[%i] : memref<128xf32, #fragment>
    }
    tile.parallel (%i, %j) in [128, 128] {
      %x = memref.load %acc[%i, %j] : memref<128x128xf32, #fragment>
      %l = memref.load %sum[%i] : memref<128xf32, #fragment>
      %xl = arith.mulf %x, %l : f32
      %y = arith.truncf %xl : f32 to bf16
      %row = arith.addi %m, %i : index
      memref.store %y, %O[%by, %row, %j] {tile.align = 16 : i64} : !tensor
    }
    gpu.terminator
  }
  return
}
