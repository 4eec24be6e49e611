// O = softmax(scale * Q * transpose(K)) * V for every head: flash attention, the
// forward pass. bf16 factors, f32 sums, heads of 64 columns, any number of
// queries and keys.
//
//   tile-compile examples/attention.mlir --target=sm_90a -o out/
//   tile-run out/attention.json normal:2x100x64:bf16 normal:2x257x64:bf16
//            normal:2x257x64:bf16 zeros:2x100x64:bf16 0.125 --save 3=o.npy
//            --emulate --seed=1
//
// The scores of 64 queries and 64 keys are never stored: they stay in the
// registers of the product, where the maximum and the sum of a row meet them
// again, and as bf16 they are the left factor of the second product. A sum over
// the keys seen so far is rescaled when a later block has a larger maximum.
// While one block of keys is computed on, the next one is copied.
#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
!tensor = memref<?x?x64xbf16> // head, position, column

func.func @attention(%Q: !tensor, %K: !tensor, %V: !tensor, %O: !tensor, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %heads = memref.dim %Q, %c0 : !tensor
  %queries = memref.dim %Q, %c1 : !tensor
  %keys = memref.dim %K, %c1 : !tensor
  %gx = arith.ceildivui %queries, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %heads, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant 0xFF800000 : f32 // -inf
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32 // e^(scale * s) = 2^(factor * s)
    %m = arith.muli %bx, %c64 : index

    %Qs = tile.alloc : memref<64x64xbf16, #shared>
    %Ks = tile.alloc : memref<64x64xbf16, #shared>
    %Vs = tile.alloc : memref<64x64xbf16, #shared>
    %S = tile.alloc : memref<64x64xf32, #fragment>
    %P = tile.alloc : memref<64x64xbf16, #fragment>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %max = tile.alloc : memref<64xf32, #fragment>
    %old = tile.alloc : memref<64xf32, #fragment>
    %sum = tile.alloc : memref<64xf32, #fragment>

    %q = tile.region %Q[%by, %m, 0] [1, 64, 64] drop [0] : !tensor
    tile.copy %q to %Qs : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
    tile.fill %acc, %zero : memref<64x64xf32, #fragment>, f32
    tile.fill %sum, %zero : memref<64xf32, #fragment>, f32
    tile.fill %max, %low : memref<64xf32, #fragment>, f32

    scf.for %n = %c0 to %keys step %c64 {
      %k = tile.region %K[%by, %n, 0] [1, 64, 64] drop [0] : !tensor
      %v = tile.region %V[%by, %n, 0] [1, 64, 64] drop [0] : !tensor
      tile.copy %k to %Ks : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
      tile.copy %v to %Vs : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
      tile.fill %S, %zero : memref<64x64xf32, #fragment>, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #fragment>)

      // Keys beyond the last one take no part; only the last block has any.
      %left = arith.subi %keys, %n : index
      %ragged = arith.cmpi slt, %left, %c64 : index
      scf.if %ragged {
        tile.parallel (%i, %j) in [64, 64] {
          %s = memref.load %S[%i, %j] : memref<64x64xf32, #fragment>
          %is_key = arith.cmpi slt, %j, %left : index
          %t = arith.select %is_key, %s, %low : f32
          memref.store %t, %S[%i, %j] : memref<64x64xf32, #fragment>
        }
      }

      tile.copy %max to %old : memref<64xf32, #fragment>, memref<64xf32, #fragment>
      tile.reduce max %S to %max dim 1 : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
      tile.parallel (%i) in [64] {
        %a = memref.load %old[%i] : memref<64xf32, #fragment>
        %b = memref.load %max[%i] : memref<64xf32, #fragment>
        %d = arith.subf %a, %b : f32
        %e = arith.mulf %d, %factor : f32
        %r = math.exp2 %e fastmath<afn> : f32
        %l = memref.load %sum[%i] : memref<64xf32, #fragment>
        %t = arith.mulf %l, %r : f32
        memref.store %r, %old[%i] : memref<64xf32, #fragment>
        memref.store %t, %sum[%i] : memref<64xf32, #fragment>
      }
      tile.parallel (%i, %j) in [64, 64] {
        %s = memref.load %S[%i, %j] : memref<64x64xf32, #fragment>
        %b = memref.load %max[%i] : memref<64xf32, #fragment>
        %d = arith.subf %s, %b : f32
        %e = arith.mulf %d, %factor : f32
        %p = math.exp2 %e fastmath<afn> : f32
        memref.store %p, %S[%i, %j] : memref<64x64xf32, #fragment>
      }
      tile.reduce sum %S to %sum dim 1 : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
      tile.parallel (%i, %j) in [64, 64] {
        %x = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
        %r = memref.load %old[%i] : memref<64xf32, #fragment>
        %y = arith.mulf %x, %r : f32
        memref.store %y, %acc[%i, %j] : memref<64x64xf32, #fragment>
      }
      tile.copy %S to %P : memref<64x64xf32, #fragment>, memref<64x64xbf16, #fragment>
      tile.gemm %P, %Vs, %acc : (memref<64x64xbf16, #fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #fragment>)
    } {tile.num_stages = 2 : i32}

    tile.parallel (%i) in [64] {
      %l = memref.load %sum[%i] : memref<64xf32, #fragment>
      %r = arith.divf %one, %l : f32
      memref.store %r, %sum[%i] : memref<64xf32, #fragment>
    }
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
      %r = memref.load %sum[%i] : memref<64xf32, #fragment>
      %y = arith.mulf %x, %r : f32
      memref.store %y, %acc[%i, %j] : memref<64x64xf32, #fragment>
    }
    %o = tile.region %O[%by, %m, 0] [1, 64, 64] drop [0] : !tensor
    tile.copy %acc to %o : memref<64x64xf32, #fragment>, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}
