// Causal attention with heads of 64 columns.
!tensor = memref<?x?x64xbf16>
!Qs = memref<128x64xbf16, #gpu.address_space<workgroup>>
!Ks = memref<128x64xbf16, #gpu.address_space<workgroup>>
!S = memref<128x128xf32, #tile.fragment>
!P = memref<128x128xbf16, #tile.fragment>
!acc = memref<128x64xf32, #tile.fragment>
!row = memref<128xf32, #tile.fragment>
func.func @attention(%Q: !tensor, %K: !tensor, %V: !tensor, %O: !tensor, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
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
    %low = arith.constant 0xFF800000 : f32
    %log2e = arith.constant 1.44269504 : f32
    %factor = arith.mulf %scale, %log2e : f32
    %last = arith.subi %sx, %c1 : index
    %block = arith.subi %last, %bx : index
    %m = arith.muli %block, %c128 : index
    %head = arith.divui %by, %group : index
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
    %q = tile.region %Q[%m, %by, 0] [128, 1, 64] drop [1] : !tensor
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, !Qs
    tile.fill %acc, %zero : !acc, f32
    tile.fill %sum, %zero : !row, f32
    tile.fill %max, %low : !row, f32
    scf.for %n = %c0 to %end step %c128 {
      %k = tile.region %K[%n, %head, 0] [128, 1, 64] drop [1] : !tensor
      %v = tile.region %V[%n, %head, 0] [128, 1, 64] drop [1] : !tensor
      tile.copy %k to %Ks : !tile.region<128x64xbf16>, !Ks
      tile.copy %v to %Vs : !tile.region<128x64xbf16>, !Ks
      tile.fill %S, %zero : !S, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (!Qs, !Ks, !S)
      %next = arith.addi %n, %c128 : index
      %seen = arith.minsi %first, %keys : index
      %masked = arith.cmpi sgt, %next, %seen : index
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
        %d = arith.subf %a, %b : f32
        %e = arith.mulf %d, %factor : f32
        %r = math.exp2 %e fastmath<afn> : f32
        %l = memref.load %sum[%i] : !row
        %t = arith.mulf %l, %r : f32
        %x = arith.mulf %b, %factor : f32
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
      tile.parallel (%i, %j) in [128, 64] {
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
      %r = arith.divf %one, %l : f32
      memref.store %r, %sum[%i] : !row
    }
    tile.parallel (%i, %j) in [128, 64] {
      %x = memref.load %acc[%i, %j] : !acc
      %r = memref.load %sum[%i] : !row
      %y = arith.mulf %x, %r : f32
      memref.store %y, %acc[%i, %j] : !acc
    }
    %o = tile.region %O[%m, %by, 0] [128, 1, 64] drop [1] : !tensor
    tile.copy %acc to %o : !acc, !tile.region<128x64xbf16>
    gpu.terminator
  }
  return
}
