// Further kernels of passes-of-others-full.test: a loop that decides with products
// that depend on each other, gathers, and what is not pipelined.

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>

// Which blocks take part, and how many, is read from memory; nothing is read after
// the end of the list. Every second one is scaled.
// CASE: listed(Q=ints:70x64:bf16, K=ints:320x64:bf16, V=ints:320x64:bf16, O=junk:70x64:f32, L=count:1:i32, end=0)
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

// What threads share without a pipeline: sums and running sums of rows, a tile turned
// around, a vote, updates of memory; two tiles in a loop that is not pipelined.
// CASE: rows(A=ints:40x32:i32, S=junk:40x32:i32, T=junk:32x40:i32, C=zeros:32:i32, N=zeros:1:i32)
// EXPECT: S = A.cumsum(axis=1)
// EXPECT: T = A.T
// EXPECT: C = A.sum(axis=0)
// EXPECT: N[0] = (A.sum(axis=1) > 5).reshape(5, 8).any(axis=1).sum()
func.func @rows(%A: memref<40x32xi32>, %S: memref<40x32xi32>, %T: memref<32x40xi32>, %C: memref<32xi32>, %N: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i5 = arith.constant 5 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %a = tile.alloc : memref<8x32xi32, #smem>
    %t = tile.alloc : memref<32x8xi32, #smem>
    %f = tile.alloc : memref<8x32xi32, #tile.fragment>
    %sum = tile.alloc : memref<8xi32, #tile.fragment>
    %far = tile.alloc : memref<8xi1, #tile.fragment>
    %votes = scf.for %m = %c0 to %c40 step %c8 iter_args(%n = %i0) -> i32 {
      %in = tile.region %A[%m, 0] [8, 32] : memref<40x32xi32>
      tile.copy %in to %a : !tile.region<8x32xi32>, memref<8x32xi32, #smem>
      tile.transpose %a to %t : memref<8x32xi32, #smem>, memref<32x8xi32, #smem>
      tile.copy %a to %f : memref<8x32xi32, #smem>, memref<8x32xi32, #tile.fragment>
      tile.reduce sum %f to %sum dim 1 {clear} : memref<8x32xi32, #tile.fragment>, memref<8xi32, #tile.fragment>
      tile.parallel (%i) in [8] {
        %x = memref.load %sum[%i] : memref<8xi32, #tile.fragment>
        %y = arith.cmpi sgt, %x, %i5 : i32
        memref.store %y, %far[%i] : memref<8xi1, #tile.fragment>
      }
      %any = tile.any_of %far : memref<8xi1, #tile.fragment>
      %vote = arith.extui %any : i1 to i32
      %next = arith.addi %n, %vote : i32
      scf.for %i = %c0 to %c8 step %c1 {
        %row = tile.region %a[%i, 0] [1, 32] drop [0] : memref<8x32xi32, #smem>
        tile.atomic add %row to %C : !tile.region<32xi32, #smem>, memref<32xi32>
      }
      tile.scan sum %f to %f dim 1 : memref<8x32xi32, #tile.fragment>, memref<8x32xi32, #tile.fragment>
      %s = tile.region %S[%m, 0] [8, 32] : memref<40x32xi32>
      tile.copy %f to %s : memref<8x32xi32, #tile.fragment>, !tile.region<8x32xi32>
      %out = tile.region %T[0, %m] [32, 8] : memref<32x40xi32>
      tile.copy %t to %out : memref<32x8xi32, #smem>, !tile.region<32x8xi32>
      scf.yield %next : i32
    }
    memref.store %votes, %N[%c0] : memref<1xi32>
    gpu.terminator
  }
  return
}

// One row of blocks for the output pixels, one for the filters; 64 x 32 tiles of
// an image with 64 channels: each step reads one element of the filter.
// W holds 3 x 3 x C rows of F columns, Y a row for each output pixel.
// CASE: aligned(X=ints:1x8x8x64:bf16, W=ints:576x72:bf16, P=64, Y=junk:64x72:f32)
// EXPECT: import convolution
// EXPECT: Y = convolution.convolve(X, W.reshape(3, 3, 64, -1), pad=(1, 1))
func.func @aligned(%X: memref<?x?x?x64xbf16>, %W: memref<?x?xbf16>, %P: index, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %F = memref.dim %W, %c1 : memref<?x?xbf16>
  %K = memref.dim %W, %c0 : memref<?x?xbf16>
  %gx = arith.ceildivui %P, %c64 : index
  %gy = arith.ceildivui %F, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %row = arith.muli %bx, %c64 : index
    %first = arith.muli %by, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %w0 = tile.im2col %X[%row, %k] [64, 32] kernel [3, 3] pad [1, 1] : memref<?x?x?x64xbf16>
      tile.copy %w0 to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      %b = tile.region %W[%k, %first] [32, 64] : memref<?x?xbf16>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %y = tile.region %Y[%row, %first] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %y : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
