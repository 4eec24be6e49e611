// Kernels that give out work by a counter and keep their roles: the producer takes the
// tickets, and passes them on. Tickets in the condition of a while, before it and at the
// end of its body, under a guard, of several tiles; tiles that copies fill in a condition.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=3
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t/90 2>&1 | FileCheck %s

#shared = #gpu.address_space<workgroup>
#frag = #tile.fragment
!ticket = memref<1xi32, #shared>
!wide = memref<1xi64, #shared>
!tile = memref<16x64xbf16, #shared>
!win = !tile.region<16x64xbf16>
!acc = memref<16x64xf32, #frag>
!out = !tile.region<16x64xf32>

// A product of each ticket; the ticket is read again in the body.
// CHECK: remark: [tile-ws/ticket] the producer does this update once, and passes what it found to the computing warps through a ring of 2
// CASE: products(A=ints:300x200:bf16, B=ints:200x128:bf16, C=junk:300x128:f32, next=zeros:1:i32)
// EXPECT: C = A @ B; next[0] = 5 + 3
func.func @products(%A: memref<300x200xbf16>, %B: memref<200x128xbf16>, %C: memref<300x128xf32>, %next: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 200 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %T = tile.alloc : !ticket
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x128xbf16, #shared>
    %acc = tile.alloc : memref<64x128xf32, #frag>
    scf.while : () -> () {
      tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
      %t = memref.load %T[%c0] : !ticket
      %n = arith.index_cast %t : i32 to index
      %more = arith.cmpi ult, %n, %c5 : index
      scf.condition(%more)
    } do {
      %t = memref.load %T[%c0] : !ticket
      %n = arith.index_cast %t : i32 to index
      %m = arith.muli %n, %c64 : index
      tile.fill %acc, %zero : memref<64x128xf32, #frag>, f32
      scf.for %k = %c0 to %K step %c32 {
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

// The first ticket before the loop, the next one at the end of its body; a loop
// carries it. Two rows of tiles a ticket; no work at all.
// CASE: carried(A=ints:90x100:bf16, C=junk:90x64:f32, next=zeros:1:i32, n=90)
// CASE: carried(A=ints:90x100:bf16, C=zeros:90x64:f32, next=zeros:1:i32, n=0)
// EXPECT: C[:n] = sum([A[:n, 64 * k:64 * k + 64].astype("float32") if 64 * k + 64 <= 100 else np.pad(A[:n, 64 * k:].astype("float32"), ((0, 0), (0, 28))) for k in range(2)]); next[0] = 32 * (-(-n // 32) + 2)
func.func @carried(%A: memref<90x100xbf16>, %C: memref<90x64xf32>, %next: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %step = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %T = tile.alloc : !ticket
    %S = tile.alloc : !tile
    %X = tile.alloc : memref<16x64xbf16, #frag>
    %acc = tile.alloc : !acc
    tile.atomic add %step to %next old %T : i32, memref<1xi32>, !ticket
    %first = memref.load %T[%c0] : !ticket
    %last = scf.while (%t = %first) : (i32) -> i32 {
      %row = arith.index_cast %t : i32 to index
      %more = arith.cmpi ult, %row, %n : index
      scf.condition(%more) %t : i32
    } do {
    ^bb0(%t: i32):
      %row = arith.index_cast %t : i32 to index
      scf.for %i = %c0 to %c2 step %c1 {
        %off = arith.muli %i, %c16 : index
        %r = arith.addi %row, %off : index
        tile.fill %acc, %zero : !acc, f32
        scf.for %k = %c0 to %c100 step %c64 {
          %a = tile.region %A[%r, %k] [16, 64] : memref<90x100xbf16>
          tile.copy %a to %S : !win, !tile
          tile.copy %S to %X : !tile, memref<16x64xbf16, #frag>
          tile.parallel (%p, %q) in [16, 64] {
            %x = memref.load %X[%p, %q] : memref<16x64xbf16, #frag>
            %y = memref.load %acc[%p, %q] : !acc
            %f = arith.extf %x : bf16 to f32
            %z = arith.addf %f, %y : f32
            memref.store %z, %acc[%p, %q] : !acc
          }
        } {tile.num_stages = 2 : i32, tile.specialize = "required"}
        %c = tile.region %C[%r, 0] [16, 64] : memref<90x64xf32>
        tile.copy %acc to %c : !acc, !out
      }
      tile.atomic add %step to %next old %T : i32, memref<1xi32>, !ticket
      %t1 = memref.load %T[%c0] : !ticket
      scf.yield %t1 : i32
    }
    gpu.terminator
  }
  return
}

// A ticket of 64 bits under a guard of a block; two counters, one for rows and one for
// how far a block counts; maxima are tickets, too.
// CASE: guarded(A=ints:64x64:bf16, C=zeros:64x64:f32, next=zeros:1:i64, top=zeros:1:i32, lo=1)
// CASE: guarded(A=ints:64x64:bf16, C=zeros:64x64:f32, next=zeros:1:i64, top=zeros:1:i32, lo=3)
// EXPECT: C = np.where(np.arange(64)[:, None] < 16 * (3 - lo), A.astype("float32"), 0); next[0] = 3 - lo; top[0] = 7 * (lo < 3)
func.func @guarded(%A: memref<64x64xbf16>, %C: memref<64x64xf32>, %next: memref<1xi64>, %top: memref<1xi32>, %lo: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i64
    %seven = arith.constant 7 : i32
    %T = tile.alloc : !wide
    %U = tile.alloc : !ticket
    %S = tile.alloc : !tile
    %X = tile.alloc : memref<16x64xbf16, #frag>
    %F = tile.alloc : !acc
    %go = arith.cmpi uge, %bx, %lo : index
    scf.if %go {
      tile.atomic add %one to %next old %T : i64, memref<1xi64>, !wide
      %t = memref.load %T[%c0] : !wide
      %n = arith.index_cast %t : i64 to index
      tile.atomic max %seven to %top old %U : i32, memref<1xi32>, !ticket
      %u = memref.load %U[%c0] : !ticket
      %is = arith.cmpi ule, %u, %seven : i32
      %end = arith.select %is, %c1, %c0 : index
      %row = arith.muli %n, %c16 : index
      scf.for %k = %c0 to %end step %c1 {
        %a = tile.region %A[%row, 0] [16, 64] : memref<64x64xbf16>
        tile.copy %a to %S : !win, !tile
        tile.copy %S to %X : !tile, memref<16x64xbf16, #frag>
      } {tile.num_stages = 2 : i32, tile.specialize = "required"}
      tile.parallel (%p, %q) in [16, 64] {
        %x = memref.load %X[%p, %q] : memref<16x64xbf16, #frag>
        %f = arith.extf %x : bf16 to f32
        memref.store %f, %F[%p, %q] : !acc
      }
      %c = tile.region %C[%row, 0] [16, 64] : memref<64x64xf32>
      tile.copy %F to %c : !acc, !out
    }
    gpu.terminator
  }
  return
}

// No ticket: a tile that is copied and used in the condition, once more than the body
// runs, and read again in the body.
// CASE: condition(A=ints:112x64:bf16, C=zeros:112x64:f32, n=7)
// CASE: condition(A=ints:112x64:bf16, C=zeros:112x64:f32, n=0)
// EXPECT: C[:16 * n] = 2 * A[:16 * n].astype("float32")
func.func @condition(%A: memref<112x64xbf16>, %C: memref<112x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %P = tile.alloc : !tile
    %X = tile.alloc : memref<16x64xbf16, #frag>
    %Y = tile.alloc : memref<16x64xbf16, #frag>
    %Z = tile.alloc : memref<16x64xbf16, #frag>
    %F = tile.alloc : !acc
    %r = scf.while (%i = %c0) : (index) -> index {
      %row = arith.muli %i, %c16 : index
      %a = tile.region %A[%row, 0] [16, 64] : memref<112x64xbf16>
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %X : !tile, memref<16x64xbf16, #frag>
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %row = arith.muli %i, %c16 : index
      scf.for %k = %c0 to %c2 step %c1 {
        %a = tile.region %A[%row, 0] [16, 64] : memref<112x64xbf16>
        tile.copy %a to %P : !win, !tile
        tile.copy %P to %Z : !tile, memref<16x64xbf16, #frag>
      } {tile.num_stages = 2 : i32, tile.specialize = "required"}
      tile.copy %S to %Y : !tile, memref<16x64xbf16, #frag>
      tile.parallel (%p, %q) in [16, 64] {
        %x = memref.load %Z[%p, %q] : memref<16x64xbf16, #frag>
        %y = memref.load %Y[%p, %q] : memref<16x64xbf16, #frag>
        %f = arith.extf %x : bf16 to f32
        %g = arith.extf %y : bf16 to f32
        %s = arith.addf %f, %g : f32
        memref.store %s, %F[%p, %q] : !acc
      }
      %c = tile.region %C[%row, 0] [16, 64] : memref<112x64xf32>
      tile.copy %F to %c : !acc, !out
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    gpu.terminator
  }
  return
}
