// Flash attention as language models use it: each query sees the keys up to its
// own position, several heads of queries share one head of keys and values, and
// tensors are stored position by position. bf16 factors, f32 sums, heads of 128
// columns. examples/attention.mlir is the same without these.
//
//   tile-compile examples/attention-causal.mlir --target=sm_90a -o out/
//   tile-run out/attention_causal.json normal:100x4x128:bf16 normal:257x2x128:bf16
//            normal:257x2x128:bf16 zeros:100x4x128:bf16 0.0884 --save 3=o.npy
//            --emulate --seed=1
//
// The last query has the position of the last key: query i sees the keys up to
// i + keys - queries. A query that sees none gives 0. Blocks of keys that no
// query of the block sees are not visited; only those at the diagonal and the
// last one are masked. The last queries have the most work, so they go first.
#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
!tensor = memref<?x?x128xbf16> // position, head, column
!Qs = memref<128x128xbf16, #shared>
!Ks = memref<128x128xbf16, #shared>
!S = memref<128x128xf32, #fragment>
!P = memref<128x128xbf16, #fragment>
!acc = memref<128x128xf32, #fragment>
!row = memref<128xf32, #fragment>

func.func @attention_causal(%Q: !tensor, %K: !tensor, %V: !tensor, %O: !tensor, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %queries = memref.dim %Q, %c0 : !tensor
  %heads = memref.dim %Q, %c1 : !tensor
  %keys = memref.dim %K, %c0 : !tensor
  %kv_heads = memref.dim %K, %c1 : !tensor
  %group = arith.ceildivui %heads, %kv_heads : index
  %gx = arith.ceildivui %queries, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %heads, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant 0xFF800000 : f32 // -inf
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32 // e^(scale * s) = 2^(factor * s)
    %blocks = arith.subi %sx, %c1 : index
    %block = arith.subi %blocks, %bx : index
    %m = arith.muli %block, %c128 : index
    %head = arith.divui %by, %group : index

    // Query m + i sees %first + i keys, but not more than there are.
    %ahead = arith.subi %keys, %queries : index
    %before = arith.addi %m, %ahead : index
    %first = arith.addi %before, %c1 : index
    %reach = arith.addi %before, %c128 : index
    %end = arith.minsi %reach, %keys : index

    %Qs = tile.alloc : !Qs
    %Ks = tile.alloc : !Ks
    %Vs = tile.alloc : !Ks
    %S = tile.alloc : !S
    %P = tile.alloc : !P
    %acc = tile.alloc : !acc
    %max = tile.alloc : !row
    %shift = tile.alloc : !row
    %rescale = tile.alloc : !row
    %sum = tile.alloc : !row

    %q = tile.region %Q[%m, %by, 0] [128, 1, 128] drop [1] : !tensor
    tile.copy %q to %Qs : !tile.region<128x128xbf16>, !Qs
    tile.fill %acc, %zero : !acc, f32
    tile.fill %sum, %zero : !row, f32
    tile.fill %max, %low : !row, f32

    scf.for %n = %c0 to %end step %c128 {
      %k = tile.region %K[%n, %head, 0] [128, 1, 128] drop [1] : !tensor
      %v = tile.region %V[%n, %head, 0] [128, 1, 128] drop [1] : !tensor
      tile.copy %k to %Ks : !tile.region<128x128xbf16>, !Ks
      tile.copy %v to %Vs : !tile.region<128x128xbf16>, !Ks
      tile.fill %S, %zero : !S, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (!Qs, !Ks, !S)

      %last = arith.addi %n, %c128 : index
      %seen = arith.minsi %first, %keys : index // by the first query
      %masked = arith.cmpi sgt, %last, %seen : index
      scf.if %masked {
        tile.parallel (%i, %j) in [128, 128] {
          %s = memref.load %S[%i, %j] : !S
          %key = arith.addi %n, %j : index
          %bound = arith.addi %first, %i : index
          %visible = arith.minsi %bound, %keys : index
          %is_visible = arith.cmpi slt, %key, %visible : index
          %t = arith.select %is_visible, %s, %low : f32
          memref.store %t, %S[%i, %j] : !S
        }
      }

      tile.copy %max to %rescale : !row, !row
      tile.reduce max %S to %max dim 1 : !S, !row
      tile.parallel (%i) in [128] {
        %a = memref.load %rescale[%i] : !row
        %b = memref.load %max[%i] : !row
        %none = arith.cmpf oeq, %b, %low : f32 // no key so far: -inf - -inf is NaN
        %c = arith.select %none, %zero, %b : f32
        %d = arith.subf %a, %c : f32
        %e = arith.mulf %d, %factor : f32
        %r = math.exp2 %e fastmath<afn> : f32
        %l = memref.load %sum[%i] : !row
        %t = arith.mulf %l, %r : f32
        %x = arith.mulf %c, %factor : f32
        %y = arith.negf %x : f32
        memref.store %r, %rescale[%i] : !row
        memref.store %t, %sum[%i] : !row
        memref.store %y, %shift[%i] : !row
      }
      tile.parallel (%i, %j) in [128, 128] {
        %s = memref.load %S[%i, %j] : !S
        %y = memref.load %shift[%i] : !row
        %e = math.fma %s, %factor, %y : f32
        %p = math.exp2 %e fastmath<afn> : f32
        memref.store %p, %S[%i, %j] : !S
      }
      tile.reduce sum %S to %sum dim 1 : !S, !row
      tile.parallel (%i, %j) in [128, 128] {
        %x = memref.load %acc[%i, %j] : !acc
        %r = memref.load %rescale[%i] : !row
        %y = arith.mulf %x, %r : f32
        memref.store %y, %acc[%i, %j] : !acc
      }
      tile.copy %S to %P : !S, !P
      tile.gemm %P, %Vs, %acc : (!P, !Ks, !acc)
    } {tile.num_stages = 2 : i32}

    tile.parallel (%i) in [128] {
      %l = memref.load %sum[%i] : !row
      %none = arith.cmpf oeq, %l, %zero : f32
      %d = arith.select %none, %one, %l : f32
      %r = arith.divf %one, %d : f32
      memref.store %r, %sum[%i] : !row
    }
    tile.parallel (%i, %j) in [128, 128] {
      %x = memref.load %acc[%i, %j] : !acc
      %r = memref.load %sum[%i] : !row
      %y = arith.mulf %x, %r : f32
      memref.store %y, %acc[%i, %j] : !acc
    }
    %o = tile.region %O[%m, %by, 0] [128, 1, 128] drop [1] : !tensor
    tile.copy %acc to %o : !acc, !tile.region<128x128xbf16>
    gpu.terminator
  }
  return
}
