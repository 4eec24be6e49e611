// Kernels whose roles are written by hand: what one role does for itself, roles that
// take turns, ids of threads, and pipelines of cp.async whose groups are counted by
// the program.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// The tile goes through shared memory of the reading role: its threads meet at a
// barrier of their own, while the other role goes on. After the roles all threads
// see what they did.
// CASE: staged(A=ints:64x64:f32, B=junk:64x64:f32, C=junk:64x64:f32, n=2)
// CASE: staged(A=ints:192x64:f32, B=junk:192x64:f32, C=junk:192x64:f32, n=5)
// EXPECT: B = A
// EXPECT: C = A
func.func @staged(%A: memref<?x64xf32>, %B: memref<?x64xf32>, %C: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c224 = arith.constant 224 : index
  %z = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x64xf32>
  %grid = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %grid, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c224, %ny = %c1, %nz = %c1) {
    %row = arith.muli %bx, %c64 : index
    %R = tile.alloc : memref<2x64x64xf32, #gpu.address_space<workgroup>>
    %S = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %G = tile.alloc : memref<64x64xf32, #tile.fragment>
    %ch = tile.channel(%R) depth 2 {simt_threads = 96, consumer_warps = 4} : memref<2x64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[%row, 0] [64, 64] : memref<?x64xf32>
    %b = tile.region %B[%row, 0] [64, 64] : memref<?x64xf32>
    %c = tile.region %C[%row, 0] [64, 64] : memref<?x64xf32>
    tile.specialize {
      tile.role "reads" warps 4 {
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %r = tile.region %R[%x, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xf32, #gpu.address_space<workgroup>>
          tile.wait %ch[%s, %p]
          tile.copy %r to %F : !tile.region<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
          tile.release %ch[%s, %p]
          tile.copy %F to %S : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #gpu.address_space<workgroup>>
          tile.copy %S to %G : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
          tile.copy %G to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "fills" warps 3 {
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %r = tile.region %R[%x, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xf32, #gpu.address_space<workgroup>>
          tile.acquire %ch[%s, %p]
          tile.copy %a to %r signal %ch[%x] of !tile.channel : !tile.region<64x64xf32>, !tile.region<64x64xf32, #gpu.address_space<workgroup>>
          tile.commit %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    tile.copy %S to %c : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Two roles take the rounds of one channel in turn: each advances over the rounds
// of the other. Turns order what they do between begin and end.
// CASE: alternate(A=ints:128x32:bf16, B=ints:32x64:bf16, C=junk:128x64:f32)
// CASE: alternate(A=ints:576x32:bf16, B=ints:32x64:bf16, C=junk:576x64:f32)
// CASE: alternate(A=ints:320x32:bf16, B=ints:32x64:bf16, C=junk:320x64:f32)
// EXPECT: C = A.astype(np.float32) @ B.astype(np.float32)
func.func @alternate(%A: memref<?x32xbf16>, %B: memref<32x64xbf16>, %C: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c288 = arith.constant 288 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x32xbf16>
  %rounds = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c288, %ny = %c1, %nz = %c1) {
    %Ra = tile.alloc : memref<3x64x32xbf16, #gpu.address_space<workgroup>>
    %Rb = tile.alloc : memref<1x32x64xbf16, #gpu.address_space<workgroup>>
    %cha = tile.channel(%Ra) depth 3 {tma, consumer_warps = 4} : memref<3x64x32xbf16, #gpu.address_space<workgroup>>
    %chb = tile.channel(%Rb) depth 1 {tma, consumer_warps = 8} : memref<1x32x64xbf16, #gpu.address_space<workgroup>>
    %rb = tile.region %Rb[0, 0, 0] [1, 32, 64] drop [0] : memref<1x32x64xbf16, #gpu.address_space<workgroup>>
    tile.specialize {
      tile.role "even" warps 4 pingpong {
        %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.wait %chb[%z, %z]
        %e:2 = scf.for %i = %c0 to %rounds step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %r = tile.region %Ra[%x, 0, 0] [1, 64, 32] drop [0] : memref<3x64x32xbf16, #gpu.address_space<workgroup>>
          tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
          tile.turn <begin>
          tile.wait %cha[%s, %p]
          tile.gemm %r, %rb, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
          tile.release %cha[%s, %p]
          tile.turn <end>
          %row = arith.muli %i, %c64 : index
          %c = tile.region %C[%row, 0] [64, 64] : memref<?x64xf32>
          tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %s1, %p1 depth 3
          scf.yield %s2, %p2 : i32, i32
        }
        tile.release %chb[%z, %z]
      }
      tile.role "odd" warps 4 pingpong {
        %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.wait %chb[%z, %z]
        %s0, %p0 = tile.advance %z, %z depth 3
        %e:2 = scf.for %i = %c1 to %rounds step %c2 iter_args(%s = %s0, %p = %p0) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %r = tile.region %Ra[%x, 0, 0] [1, 64, 32] drop [0] : memref<3x64x32xbf16, #gpu.address_space<workgroup>>
          tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
          tile.turn <begin>
          tile.wait %cha[%s, %p]
          tile.gemm %r, %rb, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
          tile.release %cha[%s, %p]
          tile.turn <end>
          %row = arith.muli %i, %c64 : index
          %c = tile.region %C[%row, 0] [64, 64] : memref<?x64xf32>
          tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
          %s1, %p1 = tile.advance %s, %p depth 3
          %s2, %p2 = tile.advance %s1, %p1 depth 3
          scf.yield %s2, %p2 : i32, i32
        }
        tile.release %chb[%z, %z]
      }
      tile.role "producer" warps 1 {
        %b = tile.region %B[0, 0] [32, 64] {align = 16 : i64} : memref<32x64xbf16>
        tile.acquire %chb[%z, %z]
        tile.copy %b to %rb signal %chb[%c0] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>
        tile.commit %chb[%z, %z]
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %r = tile.region %Ra[%x, 0, 0] [1, 64, 32] drop [0] : memref<3x64x32xbf16, #gpu.address_space<workgroup>>
          %row = arith.muli %i, %c64 : index
          %a = tile.region %A[%row, 0] [64, 32] {align = 16 : i64} : memref<?x32xbf16>
          tile.acquire %cha[%s, %p]
          tile.copy %a to %r signal %cha[%x] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, !tile.region<64x32xbf16, #gpu.address_space<workgroup>>
          tile.commit %cha[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// Both warpgroups of one role read every round, one after the other.
// CASE: one_role(A=ints:128x32:bf16, B=ints:96x64:bf16, C=junk:128x64:f32)
// EXPECT: C = A.astype(np.float32) @ (B[:32] + B[32:64] + B[64:]).astype(np.float32)
func.func @one_role(%A: memref<128x32xbf16>, %B: memref<96x64xbf16>, %C: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c384 = arith.constant 384 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c384, %ny = %c1, %nz = %c1) {
    %Ra = tile.alloc : memref<1x128x32xbf16, #gpu.address_space<workgroup>>
    %Rb = tile.alloc : memref<2x32x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
    %cha = tile.channel(%Ra) depth 1 {cp_async_threads = 128, consumer_warps = 8} : memref<1x128x32xbf16, #gpu.address_space<workgroup>>
    %chb = tile.channel(%Rb) depth 2 {tma, consumer_warps = 8} : memref<2x32x64xbf16, #gpu.address_space<workgroup>>
    %ra = tile.region %Ra[0, 0, 0] [1, 128, 32] drop [0] : memref<1x128x32xbf16, #gpu.address_space<workgroup>>
    tile.specialize {
      tile.role "reads" warps 8 registers 184 pingpong {
        tile.fill %acc, %zero : memref<128x64xf32, #tile.fragment>, f32
        tile.wait %cha[%z, %z]
        %e:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %rb = tile.region %Rb[%x, 0, 0] [1, 32, 64] drop [0] : memref<2x32x64xbf16, #gpu.address_space<workgroup>>
          tile.wait %chb[%s, %p]
          tile.turn <begin>
          tile.gemm %ra, %rb, %acc {policy = #tile.warp_policy<full_row>} : (!tile.region<128x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xf32, #tile.fragment>)
          tile.turn <end>
          tile.release %chb[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
        tile.release %cha[%z, %z]
        tile.copy %acc to %C : memref<128x64xf32, #tile.fragment>, memref<128x64xf32>
      }
      tile.role "fills" warps 4 registers 40 {
        %a = tile.region %A[0, 0] [128, 32] {align = 16 : i64} : memref<128x32xbf16>
        tile.acquire %cha[%z, %z]
        tile.copy %a to %ra signal %cha[%c0] of !tile.channel {instr = #tile.instr<cp_async>} : !tile.region<128x32xbf16>, !tile.region<128x32xbf16, #gpu.address_space<workgroup>>
        tile.commit %cha[%z, %z]
        %e:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %x = arith.index_cast %s : i32 to index
          %rb = tile.region %Rb[%x, 0, 0] [1, 32, 64] drop [0] : memref<2x32x64xbf16, #gpu.address_space<workgroup>>
          %row = arith.muli %i, %c32 : index
          %b = tile.region %B[%row, 0] [32, 64] {align = 16 : i64} : memref<96x64xbf16>
          tile.acquire %chb[%s, %p]
          tile.copy %b to %rb signal %chb[%x] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>
          tile.commit %chb[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// Inside roles `gpu.thread_id` is that of the block; the first thread of a role makes
// its scalar stores; reductions are those of the threads of the role, and a ring may be filled by
// any op that stores.
// CASE: threads(A=ints:64x64:f32, B=junk:64:f32, C=zeros:192:i32)
// EXPECT: B = A.sum(1) + 64
// EXPECT: C[0], C[128] = 7, 128
func.func @threads(%A: memref<64x64xf32>, %B: memref<64xf32>, %C: memref<192xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c192 = arith.constant 192 : index
  %z = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c192, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : memref<1x64x64xf32, #gpu.address_space<workgroup>>
    %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : memref<1x64x64xf32, #gpu.address_space<workgroup>>
    %ch = tile.channel(%R) depth 1 {simt_threads = 64, consumer_warps = 4} : memref<1x64x64xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<64x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.specialize {
      tile.role "reads" warps 4 {
        memref.store %seven, %C[%c0] : memref<192xi32>
        tile.copy %A to %F : memref<64x64xf32>, memref<64x64xf32, #tile.fragment>
        tile.reduce sum %F to %sum dim 1 {clear} : memref<64x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
        tile.wait %ch[%z, %z]
        tile.copy %r to %F : !tile.region<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
        tile.release %ch[%z, %z]
        tile.reduce sum %F to %sum dim 1 : memref<64x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
        tile.copy %sum to %B : memref<64xf32, #tile.fragment>, memref<64xf32>
      }
      tile.role "fills" warps 2 {
        %t = gpu.thread_id x
        %id = arith.index_cast %t : index to i32
        memref.store %id, %C[%t] : memref<192xi32>
        tile.acquire %ch[%z, %z]
        tile.fill %r, %one : !tile.region<64x64xf32, #gpu.address_space<workgroup>>, f32
        tile.commit %ch[%z, %z]
      }
    }
    gpu.terminator
  }
  return
}

// Two roles that have nothing to do with each other: copies without a channel are
// waited for by their role, element loops are those of its threads.
// CASE: apart(A=ints:96x64:f32, B=junk:96x64:f32, C=ints:96x64:f32, D=junk:96x64:f32)
// EXPECT: B = A
// EXPECT: D = C * 2 + A
func.func @apart(%A: memref<96x64xf32>, %B: memref<96x64xf32>, %C: memref<96x64xf32>, %D: memref<96x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %c160 = arith.constant 160 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %U = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    tile.specialize {
      tile.role "one" warps 1 {
        scf.for %i = %c0 to %c96 step %c32 {
          %a = tile.region %A[%i, 0] [32, 64] {align = 16 : i64} : memref<96x64xf32>
          %b = tile.region %B[%i, 0] [32, 64] {align = 16 : i64} : memref<96x64xf32>
          tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
          tile.copy %S to %b {instr = #tile.instr<simt>} : memref<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
        }
      }
      tile.role "two" warps 4 {
        scf.for %i = %c0 to %c96 step %c32 {
          %a = tile.region %A[%i, 0] [32, 64] {align = 16 : i64} : memref<96x64xf32>
          %c = tile.region %C[%i, 0] [32, 64] {align = 16 : i64} : memref<96x64xf32>
          %d = tile.region %D[%i, 0] [32, 64] {align = 16 : i64} : memref<96x64xf32>
          tile.copy %c to %T {instr = #tile.instr<tma>} : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
          tile.copy %a to %U {instr = #tile.instr<tma>} : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
          tile.parallel (%x, %y) in [32, 64] {
            %p = memref.load %T[%x, %y] : memref<32x64xf32, #gpu.address_space<workgroup>>
            %q = memref.load %U[%x, %y] : memref<32x64xf32, #gpu.address_space<workgroup>>
            %r = arith.addf %p, %p : f32
            %s = arith.addf %r, %q : f32
            memref.store %s, %T[%x, %y] : memref<32x64xf32, #gpu.address_space<workgroup>>
          }
          tile.copy %T to %d {instr = #tile.instr<tma>} : memref<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
        }
      }
    }
    gpu.terminator
  }
  return
}

// Copies of TMA at the very end of roles: each role waits for its own before all
// threads read.
// CASE: ends(A=ints:64x64:f32, B=ints:64x64:f32, C=junk:128x64:f32)
// CASE: ends(A=ints:70x60:f32, B=ints:3x64:f32, C=junk:128x64:f32)
// EXPECT: C = np.zeros((128, 64), np.float32)
// EXPECT: C[:min(64, len(A)), :A.shape[1]] = A[:64]
// EXPECT: C[64:64 + len(B), :B.shape[1]] = B
func.func @ends(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<128x64xf32>) {
  %c1 = arith.constant 1 : index
  %c160 = arith.constant 160 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [64, 64] : memref<?x?xf32>
    %c = tile.region %C[0, 0] [64, 64] : memref<128x64xf32>
    %d = tile.region %C[64, 0] [64, 64] : memref<128x64xf32>
    tile.specialize {
      tile.role "one" warps 4 {
        tile.copy %a to %S : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      }
      tile.role "two" warps 1 {
        tile.copy %b to %T : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      }
    }
    tile.copy %S to %c : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    tile.copy %T to %d : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
