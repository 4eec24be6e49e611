// Kernels whose threads have few registers to spare: what the compiler chooses must
// leave enough (spills.test).

// MLA decode: all heads share one latent of 512 columns, which is key and value, and 64 rotary columns. 64 heads to a block.
func.func @mla_decode(%Q: memref<?x?x512xbf16>, %Qp: memref<?x?x64xbf16>, %C: memref<?x?x512xbf16>, %Kp: memref<?x?x64xbf16>, %O: memref<?x?x512xbf16>, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %B = memref.dim %Q, %c0 : memref<?x?x512xbf16>
  %H = memref.dim %Q, %c1 : memref<?x?x512xbf16>
  %Sk = memref.dim %C, %c1 : memref<?x?x512xbf16>
  %gx = arith.ceildivui %H, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %B, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %h = arith.muli %bx, %c64 : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %Qs = tile.alloc : memref<64x512xbf16, #gpu.address_space<workgroup>>
    %Qps = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Cs = tile.alloc : memref<32x512xbf16, #gpu.address_space<workgroup>>
    %Kps = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %S = tile.alloc : memref<64x32xf32, #tile.fragment>
    %P = tile.alloc : memref<64x32xbf16, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    %old = tile.alloc : memref<64xf32, #tile.fragment>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    %qr = tile.region %Q[%by, %h, 0] [1, 64, 512] drop [0] : memref<?x?x512xbf16>
    %qpr = tile.region %Qp[%by, %h, 0] [1, 64, 64] drop [0] : memref<?x?x64xbf16>
    tile.copy %qr to %Qs : !tile.region<64x512xbf16>, memref<64x512xbf16, #gpu.address_space<workgroup>>
    tile.copy %qpr to %Qps : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    %_4 = arith.constant 0.0 : f32
    tile.fill %acc, %_4 : memref<64x512xf32, #tile.fragment>, f32
    %_5 = arith.constant 0.0 : f32
    tile.fill %sum, %_5 : memref<64xf32, #tile.fragment>, f32
    %_6 = arith.constant 0xFF800000 : f32
    tile.fill %max, %_6 : memref<64xf32, #tile.fragment>, f32
    scf.for %n = %c0 to %Sk step %c32 {
      %cr = tile.region %C[%by, %n, 0] [1, 32, 512] drop [0] : memref<?x?x512xbf16>
      %kr = tile.region %Kp[%by, %n, 0] [1, 32, 64] drop [0] : memref<?x?x64xbf16>
      tile.copy %cr to %Cs : !tile.region<32x512xbf16>, memref<32x512xbf16, #gpu.address_space<workgroup>>
      tile.copy %kr to %Kps : !tile.region<32x64xbf16>, memref<32x64xbf16, #gpu.address_space<workgroup>>
      %_7 = arith.constant 0.0 : f32
      tile.fill %S, %_7 : memref<64x32xf32, #tile.fragment>, f32
      tile.gemm %Qs, %Cs, %S {transpose_b} : (memref<64x512xbf16, #gpu.address_space<workgroup>>, memref<32x512xbf16, #gpu.address_space<workgroup>>, memref<64x32xf32, #tile.fragment>)
      tile.gemm %Qps, %Kps, %S {transpose_b} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x32xf32, #tile.fragment>)
      tile.parallel (%i, %j) in [64, 32] {
        %s = memref.load %S[%i, %j] : memref<64x32xf32, #tile.fragment>
        %key = arith.addi %n, %j : index
        %in = arith.cmpi slt, %key, %Sk : index
        %_10 = arith.mulf %s, %factor : f32
        %_11 = arith.constant 0xFF800000 : f32
        %r = arith.select %in, %_10, %_11 : f32
        memref.store %r, %S[%i, %j] : memref<64x32xf32, #tile.fragment>
      }
      tile.copy %max to %old : memref<64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      tile.reduce max %S to %max dim 1 : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      tile.parallel (%i) in [64] {
        %a = memref.load %old[%i] : memref<64xf32, #tile.fragment>
        %b = memref.load %max[%i] : memref<64xf32, #tile.fragment>
        %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
        %_13 = arith.subf %a, %b : f32
        %r = math.exp2 %_13 fastmath<afn> : f32
        %t = arith.mulf %l, %r : f32
        memref.store %r, %old[%i] : memref<64xf32, #tile.fragment>
        memref.store %t, %sum[%i] : memref<64xf32, #tile.fragment>
      }
      tile.parallel (%i, %j) in [64, 32] {
        %s = memref.load %S[%i, %j] : memref<64x32xf32, #tile.fragment>
        %b = memref.load %max[%i] : memref<64xf32, #tile.fragment>
        %_16 = arith.subf %s, %b : f32
        %p = math.exp2 %_16 fastmath<afn> : f32
        memref.store %p, %S[%i, %j] : memref<64x32xf32, #tile.fragment>
      }
      tile.reduce sum %S to %sum dim 1 : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in [64, 512] {
        %x = memref.load %acc[%i, %j] : memref<64x512xf32, #tile.fragment>
        %r = memref.load %old[%i] : memref<64xf32, #tile.fragment>
        %y = arith.mulf %x, %r : f32
        memref.store %y, %acc[%i, %j] : memref<64x512xf32, #tile.fragment>
      }
      tile.copy %S to %P : memref<64x32xf32, #tile.fragment>, memref<64x32xbf16, #tile.fragment>
      tile.gemm %P, %Cs, %acc : (memref<64x32xbf16, #tile.fragment>, memref<32x512xbf16, #gpu.address_space<workgroup>>, memref<64x512xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    tile.parallel (%i, %j) in [64, 512] {
      %x = memref.load %acc[%i, %j] : memref<64x512xf32, #tile.fragment>
      %l = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
      %y = arith.divf %x, %l : f32
      memref.store %y, %acc[%i, %j] : memref<64x512xf32, #tile.fragment>
    }
    %or = tile.region %O[%by, %h, 0] [1, 64, 512] drop [0] : memref<?x?x512xbf16>
    tile.copy %acc to %or : memref<64x512xf32, #tile.fragment>, !tile.region<64x512xbf16>
    gpu.terminator
  }
  return
}

// Flash attention backward, causal, head 64: a block per 64 keys, loop over the queries from its own block on; dQ by atomics.
func.func @fa_bwd_atomic(%Q: memref<?x?x64xbf16>, %K: memref<?x?x64xbf16>, %V: memref<?x?x64xbf16>, %dO: memref<?x?x64xbf16>, %lse: memref<?x?xf32>, %delta: memref<?x?xf32>, %dQ: memref<?x?x64xf32>, %dK: memref<?x?x64xf32>, %dV: memref<?x?x64xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %B = memref.dim %Q, %c0 : memref<?x?x64xbf16>
  %S = memref.dim %Q, %c1 : memref<?x?x64xbf16>
  %gx = arith.ceildivui %S, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %B, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %n = arith.muli %bx, %c64 : index
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %Ks = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Vs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Qs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Os = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Ss = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %st = tile.alloc : memref<64x64xf32, #tile.fragment>
    %dp = tile.alloc : memref<64x64xf32, #tile.fragment>
    %pt = tile.alloc : memref<64x64xbf16, #tile.fragment>
    %dst = tile.alloc : memref<64x64xbf16, #tile.fragment>
    %dk = tile.alloc : memref<64x64xf32, #tile.fragment>
    %dv = tile.alloc : memref<64x64xf32, #tile.fragment>
    %dq = tile.alloc : memref<64x64xf32, #tile.fragment>
    %l = tile.alloc : memref<64xf32, #tile.fragment>
    %de = tile.alloc : memref<64xf32, #tile.fragment>
    %kr = tile.region %K[%by, %n, 0] [1, 64, 64] drop [0] : memref<?x?x64xbf16>
    %vr = tile.region %V[%by, %n, 0] [1, 64, 64] drop [0] : memref<?x?x64xbf16>
    tile.copy %kr to %Ks : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %vr to %Vs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    %_4 = arith.constant 0.0 : f32
    tile.fill %dk, %_4 : memref<64x64xf32, #tile.fragment>, f32
    %_5 = arith.constant 0.0 : f32
    tile.fill %dv, %_5 : memref<64x64xf32, #tile.fragment>, f32
    scf.for %m = %n to %S step %c64 {
      %qr = tile.region %Q[%by, %m, 0] [1, 64, 64] drop [0] : memref<?x?x64xbf16>
      %or = tile.region %dO[%by, %m, 0] [1, 64, 64] drop [0] : memref<?x?x64xbf16>
      %lr = tile.region %lse[%by, %m] [1, 64] drop [0] : memref<?x?xf32>
      %dr = tile.region %delta[%by, %m] [1, 64] drop [0] : memref<?x?xf32>
      tile.copy %qr to %Qs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      %_6 = arith.constant 0.0 : f32
      tile.fill %st, %_6 : memref<64x64xf32, #tile.fragment>, f32
      tile.gemm %Ks, %Qs, %st {transpose_b} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.copy %lr to %l : !tile.region<64xf32>, memref<64xf32, #tile.fragment>
      tile.copy %dr to %de : !tile.region<64xf32>, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in [64, 64] {
        %s = memref.load %st[%i, %j] : memref<64x64xf32, #tile.fragment>
        %a = memref.load %l[%j] : memref<64xf32, #tile.fragment>
        %key = arith.addi %n, %i : index
        %query = arith.addi %m, %j : index
        %see = arith.cmpi sle, %key, %query : index
        %in = arith.cmpi slt, %query, %S : index
        %_11 = arith.mulf %s, %factor : f32
        %_12 = arith.mulf %a, %log2e : f32
        %_13 = arith.subf %_11, %_12 : f32
        %p = math.exp2 %_13 fastmath<afn> : f32
        %_15 = arith.constant 0.0 : f32
        %_16 = arith.select %in, %p, %_15 : f32
        %_17 = arith.constant 0.0 : f32
        %r = arith.select %see, %_16, %_17 : f32
        memref.store %r, %st[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      tile.copy %st to %pt : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16, #tile.fragment>
      tile.copy %or to %Os : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      %_19 = arith.constant 0.0 : f32
      tile.fill %dp, %_19 : memref<64x64xf32, #tile.fragment>, f32
      tile.gemm %Vs, %Os, %dp {transpose_b} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.gemm %pt, %Os, %dv : (memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.parallel (%i, %j) in [64, 64] {
        %p = memref.load %st[%i, %j] : memref<64x64xf32, #tile.fragment>
        %x = memref.load %dp[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = memref.load %de[%j] : memref<64xf32, #tile.fragment>
        %_20 = arith.subf %x, %y : f32
        %_21 = arith.mulf %p, %_20 : f32
        %r = arith.mulf %_21, %scale : f32
        memref.store %r, %dp[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
      tile.copy %dp to %dst : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16, #tile.fragment>
      tile.gemm %dst, %Qs, %dk : (memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.copy %dst to %Ss : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      %_23 = arith.constant 0.0 : f32
      tile.fill %dq, %_23 : memref<64x64xf32, #tile.fragment>, f32
      tile.gemm %Ss, %Ks, %dq {transpose_a} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      %qo = tile.region %dQ[%by, %m, 0] [1, 64, 64] drop [0] : memref<?x?x64xf32>
      tile.atomic add %dq to %qo : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    } {tile.num_stages = 2 : i32}
    %ko = tile.region %dK[%by, %n, 0] [1, 64, 64] drop [0] : memref<?x?x64xf32>
    %vo = tile.region %dV[%by, %n, 0] [1, 64, 64] drop [0] : memref<?x?x64xf32>
    tile.copy %dk to %ko : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    tile.copy %dv to %vo : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A linear layer with GELU: the epilogue is stored in parts.
func.func @gelu_128x256x64_s4_t256(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %bias: memref<?xbf16>, %C: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c0 : memref<?x?xbf16>
  %gn = arith.ceildivui %N, %c256 : index
  %gm = arith.ceildivui %M, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gn, %sy = %gm, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c256 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<256x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x256xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [256, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<256x64xbf16>, memref<256x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<256x64xbf16, #gpu.address_space<workgroup>>, memref<128x256xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %bv = tile.alloc : memref<256xf32, #tile.fragment>
    %brow = tile.region %bias[%n] [256] : memref<?xbf16>
    tile.copy %brow to %bv : !tile.region<256xbf16>, memref<256xf32, #tile.fragment>
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %root = arith.constant 0.797884561 : f32
    tile.parallel (%i, %j) in [128, 256] {
      %x = memref.load %acc[%i, %j] : memref<128x256xf32, #tile.fragment>
      %c = memref.load %bv[%j] : memref<256xf32, #tile.fragment>
      %z = arith.addf %x, %c : f32
      %z2 = arith.mulf %z, %z : f32
      %p = math.fma %z2, %cubic, %one : f32
      %qq = arith.mulf %z, %p : f32
      %r = arith.mulf %qq, %root : f32
      %th = math.tanh %r fastmath<afn> : f32
      %u = arith.addf %th, %one : f32
      %v = arith.mulf %z, %half : f32
      %g = arith.mulf %v, %u : f32
      memref.store %g, %acc[%i, %j] : memref<128x256xf32, #tile.fragment>
    }
    %c = tile.region %C[%m, %n] [128, 256] : memref<?x?xbf16>
    tile.copy %acc to %c : memref<128x256xf32, #tile.fragment>, !tile.region<128x256xbf16>
    gpu.terminator
  }
  return
}

// Attention of 192 rows, heads of 96. Where the rows of K are aligned to nothing there are no
// roles, and a loop over tiles and products of two iterations find no registers.
func.func @attention_of_odd_keys(%Q: memref<?x?xf16>, %Kk: memref<?x?xf16>, %V: memref<?x?xf16>, %O: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cR = arith.constant 192 : index
  %cC = arith.constant 32 : index
  %cT = arith.constant 384 : index
  %k0 = arith.constant 0.0 : f32
  %kinf = arith.constant 0xFF800000 : f32
  %Q_d0 = memref.dim %Q, %c0 : memref<?x?xf16>
  %Kk_d0 = memref.dim %Kk, %c0 : memref<?x?xf16>
  %gx = arith.ceildivui %Q_d0, %cR : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1) threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1) {
    %x1 = arith.muli %bx, %cR : index
    %qs = tile.alloc : memref<192x96xf16, #gpu.address_space<workgroup>>
    %ks = tile.alloc : memref<32x96xf16, #gpu.address_space<workgroup>>
    %vs = tile.alloc : memref<32x96xf16, #gpu.address_space<workgroup>>
    %s = tile.alloc : memref<192x32xf32, #tile.fragment>
    %p = tile.alloc : memref<192x32xf16, #tile.fragment>
    %acc = tile.alloc : memref<192x96xf32, #tile.fragment>
    %mx = tile.alloc : memref<192xf32, #tile.fragment>
    %old = tile.alloc : memref<192xf32, #tile.fragment>
    %sm = tile.alloc : memref<192xf32, #tile.fragment>
    %x2 = tile.region %Q[%x1, %c0] [192, 96]  : memref<?x?xf16>
    tile.copy %x2 to %qs : !tile.region<192x96xf16>, memref<192x96xf16, #gpu.address_space<workgroup>>
    tile.fill %acc, %k0 : memref<192x96xf32, #tile.fragment>, f32
    tile.fill %mx, %kinf : memref<192xf32, #tile.fragment>, f32
    tile.fill %sm, %k0 : memref<192xf32, #tile.fragment>, f32
    scf.for %x3 = %c0 to %Kk_d0 step %cC {
      %x4 = tile.region %Kk[%x3, %c0] [32, 96]  : memref<?x?xf16>
      tile.copy %x4 to %ks : !tile.region<32x96xf16>, memref<32x96xf16, #gpu.address_space<workgroup>>
      %x5 = tile.region %V[%x3, %c0] [32, 96]  : memref<?x?xf16>
      tile.copy %x5 to %vs : !tile.region<32x96xf16>, memref<32x96xf16, #gpu.address_space<workgroup>>
      tile.fill %s, %k0 : memref<192x32xf32, #tile.fragment>, f32
      tile.gemm %qs, %ks, %s {transpose_b} : (memref<192x96xf16, #gpu.address_space<workgroup>>, memref<32x96xf16, #gpu.address_space<workgroup>>, memref<192x32xf32, #tile.fragment>)
      tile.copy %mx to %old : memref<192xf32, #tile.fragment>, memref<192xf32, #tile.fragment>
      tile.reduce max %s to %mx dim 1 : memref<192x32xf32, #tile.fragment>, memref<192xf32, #tile.fragment>
      tile.parallel (%x6) in [192] {
        %x7 = memref.load %old[%x6] : memref<192xf32, #tile.fragment>
        %x8 = memref.load %mx[%x6] : memref<192xf32, #tile.fragment>
        %x9 = arith.subf %x7, %x8 : f32
        %x10 = math.exp2 %x9 : f32
        memref.store %x10, %old[%x6] : memref<192xf32, #tile.fragment>
      }
      tile.parallel (%x11, %x12) in [192, 32] {
        %x13 = memref.load %s[%x11, %x12] : memref<192x32xf32, #tile.fragment>
        %x14 = memref.load %mx[%x11] : memref<192xf32, #tile.fragment>
        %x15 = arith.subf %x13, %x14 : f32
        %x16 = math.exp2 %x15 : f32
        memref.store %x16, %s[%x11, %x12] : memref<192x32xf32, #tile.fragment>
      }
      tile.parallel (%x17) in [192] {
        %x18 = memref.load %old[%x17] : memref<192xf32, #tile.fragment>
        %x19 = memref.load %sm[%x17] : memref<192xf32, #tile.fragment>
        %x20 = arith.mulf %x18, %x19 : f32
        memref.store %x20, %sm[%x17] : memref<192xf32, #tile.fragment>
      }
      tile.reduce sum %s to %sm dim 1 : memref<192x32xf32, #tile.fragment>, memref<192xf32, #tile.fragment>
      tile.parallel (%x21, %x22) in [192, 96] {
        %x23 = memref.load %acc[%x21, %x22] : memref<192x96xf32, #tile.fragment>
        %x24 = memref.load %old[%x21] : memref<192xf32, #tile.fragment>
        %x25 = arith.mulf %x23, %x24 : f32
        memref.store %x25, %acc[%x21, %x22] : memref<192x96xf32, #tile.fragment>
      }
      tile.copy %s to %p : memref<192x32xf32, #tile.fragment>, memref<192x32xf16, #tile.fragment>
      tile.gemm %p, %vs, %acc : (memref<192x32xf16, #tile.fragment>, memref<32x96xf16, #gpu.address_space<workgroup>>, memref<192x96xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %x26 = tile.region %O[%x1, %c0] [192, 96]  : memref<?x?xf32>
    tile.copy %acc to %x26 : memref<192x96xf32, #tile.fragment>, !tile.region<192x96xf32>
    gpu.terminator
  }
  return
}
