// Blocks take tiles from a counter by tile.next_tile: fewer tiles than blocks, none, many
// more; with roles and without; the ticket in the condition of a while, or before it and at
// the end of its body; launches after each other, for which nobody resets the counter.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=3
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t/90 2>&1 | FileCheck %s

#shared = #gpu.address_space<workgroup>
#frag = #tile.fragment

// Without a pipelined loop there are no roles.
// CASE: rows(A=ints:23x64:f32, B=junk:23x64:f32, counter=zeros:1:i32, n=23)
// CASE: rows(A=ints:23x64:f32, B=zeros:23x64:f32, counter=zeros:1:i32, n=0)
// CASE: rows(A=ints:23x64:f32, B=zeros:23x64:f32, counter=zeros:1:i32, n=1)
// CASE: rows(A=ints:23x64:f32, B=zeros:23x64:f32, counter=zeros:1:i32, n=3)
// EXPECT: B[:n] = A[:n] * 2; counter[0] = 0
func.func @rows(%A: memref<23x64xf32>, %B: memref<23x64xf32>, %counter: memref<1xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  %c5 = arith.constant 5 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c5, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2.0 : f32
    %x = tile.alloc : memref<64xf32, #frag>
    scf.while : () -> index {
      %t, %more = tile.next_tile %counter of %n : memref<1xi32>
      scf.condition(%more) %t : index
    } do {
    ^bb0(%row: index):
      %a = tile.region %A[%row, 0] [1, 64] drop [0] : memref<23x64xf32>
      %b = tile.region %B[%row, 0] [1, 64] drop [0] : memref<23x64xf32>
      tile.copy %a to %x : !tile.region<64xf32>, memref<64xf32, #frag>
      tile.parallel (%i) in [64] {
        %v = memref.load %x[%i] : memref<64xf32, #frag>
        %w = arith.mulf %v, %two : f32
        memref.store %w, %x[%i] : memref<64xf32, #frag>
      }
      tile.copy %x to %b : memref<64xf32, #frag>, !tile.region<64xf32>
      scf.yield
    }
    gpu.terminator
  }
  return
}

// A product of each ticket: the producer takes it, a ring hands it on. The depth of
// tile t is a number in memory; where it lies, a numbering of blocks says.
// CHECK: remark: [tile-ws/ticket] the producer does this update once
// CASE: ragged(A=ints:300x200:bf16, B=ints:200x128:bf16, depth=count:7:i32, C=junk:300x128:f32, counter=zeros:1:i32, n=5)
// CASE: ragged(A=ints:300x200:bf16, B=ints:200x128:bf16, depth=count:7:i32, C=zeros:300x128:f32, counter=zeros:1:i32, n=0)
// CASE: ragged(A=ints:300x200:bf16, B=ints:200x128:bf16, depth=count:7:i32, C=zeros:300x128:f32, counter=zeros:1:i32, n=1)
// EXPECT: C[:64 * n] = np.concatenate([A[64 * t:64 * t + 64, :32 * depth[t]].astype("float32") @ B[:32 * depth[t]].astype("float32") for t in range(n)] or [C[:0]])[:300]; counter[0] = 0
func.func @ragged(%A: memref<300x200xbf16>, %B: memref<200x128xbf16>, %depth: memref<7xi32>, %C: memref<300x128xf32>, %counter: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x128xbf16, #shared>
    %acc = tile.alloc : memref<64x128xf32, #frag>
    scf.while : () -> index {
      %t, %more = tile.next_tile %counter of %n : memref<1xi32>
      scf.condition(%more) %t : index
    } do {
    ^bb0(%t: index):
      %x, %y = tile.block_swizzle %t, %c0 of %c1, %c5 {panel = 2 : i64, raster = #tile.raster<row>}
      %m = arith.muli %y, %c64 : index
      %d = memref.load %depth[%y] : memref<7xi32>
      %rounds = arith.index_cast %d : i32 to index
      %end = arith.muli %rounds, %c32 : index
      tile.fill %acc, %zero : memref<64x128xf32, #frag>, f32
      scf.for %k = %c0 to %end step %c32 {
        %a = tile.region %A[%m, %k] [64, 32] : memref<300x200xbf16>
        %b = tile.region %B[%k, 0] [32, 128] : memref<200x128xbf16>
        tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
        tile.copy %b to %Bs : !tile.region<32x128xbf16>, memref<32x128xbf16, #shared>
        tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #shared>, memref<32x128xbf16, #shared>, memref<64x128xf32, #frag>)
      } {tile.num_stages = 3 : i32}
      %c = tile.region %C[%m, 0] [64, 128] : memref<300x128xf32>
      tile.copy %acc to %c : memref<64x128xf32, #frag>, !tile.region<64x128xf32>
      scf.yield
    }
    gpu.terminator
  }
  return
}

// Two launches by one counter, the second of another grid and another number of tiles;
// the first ticket before the loop, which the producer takes, too.
// CHECK: remark: [tile-ws/ticket] the producer does this update once
// CHECK: remark: [tile-ws/ticket] the producer does this update once
// CASE: twice(A=ints:90x128:bf16, C=zeros:90x64:f32, D=zeros:90x64:f32, counter=zeros:2:i32, n=6, m=2)
// CASE: twice(A=ints:90x128:bf16, C=zeros:90x64:f32, D=zeros:90x64:f32, counter=zeros:2:i32, n=1, m=6)
// EXPECT: C[:16 * n] = A[:16 * n, 64:].astype("float32"); D[:16 * m] = A[:16 * m, :64].astype("float32"); counter[:] = 0
func.func @twice(%A: memref<90x128xbf16>, %C: memref<90x64xf32>, %D: memref<90x64xf32>, %counter: memref<2xi32>, %n: index, %m: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<16x64xbf16, #shared>
    %X = tile.alloc : memref<16x64xbf16, #frag>
    %F = tile.alloc : memref<16x64xf32, #frag>
    %own = tile.region %counter[1] [1] : memref<2xi32>
    %first, %any = tile.next_tile %own of %n : !tile.region<1xi32>
    %end:2 = scf.while (%t = %first, %more = %any) : (index, i1) -> (index, i1) {
      scf.condition(%more) %t, %more : index, i1
    } do {
    ^bb0(%t: index, %go: i1):
      %r = arith.muli %t, %c16 : index
      scf.for %k = %c0 to %c128 step %c64 {
        %a = tile.region %A[%r, %k] [16, 64] : memref<90x128xbf16>
        tile.copy %a to %S : !tile.region<16x64xbf16>, memref<16x64xbf16, #shared>
        tile.copy %S to %X : memref<16x64xbf16, #shared>, memref<16x64xbf16, #frag>
      } {tile.num_stages = 2 : i32, tile.specialize = "required"}
      tile.copy %X to %F : memref<16x64xbf16, #frag>, memref<16x64xf32, #frag>
      %c = tile.region %C[%r, 0] [16, 64] : memref<90x64xf32>
      tile.copy %F to %c : memref<16x64xf32, #frag>, !tile.region<16x64xf32>
      %t1, %more1 = tile.next_tile %own of %n : !tile.region<1xi32>
      scf.yield %t1, %more1 : index, i1
    }
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %X = tile.alloc : memref<16x64xbf16, #frag>
    %F = tile.alloc : memref<16x64xf32, #frag>
    %own = tile.region %counter[1] [1] : memref<2xi32>
    scf.while : () -> index {
      %t, %more = tile.next_tile %own of %m : !tile.region<1xi32>
      scf.condition(%more) %t : index
    } do {
    ^bb0(%t: index):
      %r = arith.muli %t, %c16 : index
      %a = tile.region %A[%r, 0] [16, 64] : memref<90x128xbf16>
      tile.copy %a to %X : !tile.region<16x64xbf16>, memref<16x64xbf16, #frag>
      tile.copy %X to %F : memref<16x64xbf16, #frag>, memref<16x64xf32, #frag>
      %d = tile.region %D[%r, 0] [16, 64] : memref<90x64xf32>
      tile.copy %F to %d : memref<16x64xf32, #frag>, !tile.region<16x64xf32>
      scf.yield
    }
    gpu.terminator
  }
  return
}
