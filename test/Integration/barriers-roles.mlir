// Roles and blocks on mbarriers that the program writes itself, without channels:
// the usual ways to count slots and parities. All of them are proved.

// REQUIRES: numpy
// RUN: tile-opt %s --tile-verify-channels=strict=true -o /dev/null
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

#smem = #gpu.address_space<workgroup>
!A = memref<?x64xbf16>
!row = !tile.region<16x64xbf16>
!ring = memref<3x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!tile = memref<16x64xbf16, #smem>
!b1 = !tile.barrier<1>
!b3 = !tile.barrier<3>

// A ring of TMA copies; positions are carried by the loops.
// CASE: carried(A=ints:112x64:bf16, B=junk:112x64:bf16)
// CASE: carried(A=ints:16x64:bf16, B=junk:16x64:bf16)
// EXPECT: B = A
func.func @carried(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c160 = arith.constant 160 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : !A
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %R = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
    %full = tile.barrier_alloc : !b3
    tile.barrier_init %full arrivals 1 : !b3
    %empty = tile.barrier_alloc : !b3
    tile.barrier_init %empty arrivals 4 : !b3
    tile.barrier_sync
    tile.specialize {
      tile.role "consumer" warps 4 {
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %si = arith.index_cast %s : i32 to index
          tile.barrier_wait %full[%si] parity %p : !b3
          %r = tile.region %R[%si, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %i, %c16 : index
          %b = tile.region %B[%at, 0] [16, 64] : !A
          tile.copy %r to %b : !slot, !row
          tile.barrier_arrive %empty[%si] by <warps> : !b3
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "producer" warps 1 {
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %one) -> (i32, i32) {
          %si = arith.index_cast %s : i32 to index
          tile.barrier_wait %empty[%si] parity %p {leader} : !b3
          %r = tile.region %R[%si, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %i, %c16 : index
          %a = tile.region %A[%at, 0] [16, 64] {align = 16 : i64} : !A
          tile.barrier_expect %full[%si] bytes 2048 : !b3
          tile.copy %a to %r map %map signal %full[%si] of !b3 {instr = #tile.instr<tma>} : !row, !slot
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// Slot k mod 3, parity k / 3 mod 2; two copies fill a slot. The producer waits
// from the second lap on only.
// CASE: counted(A=ints:144x64:bf16, C=ints:144x64:bf16, B=junk:144x64:bf16, D=junk:144x64:bf16)
// CASE: counted(A=ints:48x64:bf16, C=ints:48x64:bf16, B=junk:48x64:bf16, D=junk:48x64:bf16)
// EXPECT: B = A
// EXPECT: D = C
func.func @counted(%A: !A, %C: !A, %B: !A, %D: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %one = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : !A
  %mapc = tile.tensor_map %C box [16, 64] swizzle 128 : !A
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %R = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
    %Q = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
    %full = tile.barrier_alloc : !b3
    tile.barrier_init %full arrivals 1 : !b3
    %empty = tile.barrier_alloc : !b3
    tile.barrier_init %empty arrivals 64 : !b3
    tile.barrier_sync
    tile.specialize {
      tile.role "producer" warps 1 {
        scf.for %k = %c0 to %n step %c1 {
          %s = arith.remui %k, %c3 : index
          %lap = arith.divui %k, %c3 : index
          %l = arith.index_cast %lap : index to i32
          %bit = arith.andi %l, %one : i32
          %p = arith.xori %bit, %one : i32
          %again = arith.cmpi uge, %k, %c3 : index
          scf.if %again {
            tile.barrier_wait %empty[%s] parity %p {leader} : !b3
          }
          %at = arith.muli %k, %c16 : index
          %r = tile.region %R[%s, 0, 0] [1, 16, 64] drop [0] : !ring
          %q = tile.region %Q[%s, 0, 0] [1, 16, 64] drop [0] : !ring
          %a = tile.region %A[%at, 0] [16, 64] {align = 16 : i64} : !A
          %c = tile.region %C[%at, 0] [16, 64] {align = 16 : i64} : !A
          tile.barrier_expect %full[%s] bytes 4096 : !b3
          tile.copy %a to %r map %map signal %full[%s] of !b3 {instr = #tile.instr<tma>} : !row, !slot
          tile.copy %c to %q map %mapc signal %full[%s] of !b3 {instr = #tile.instr<tma>} : !row, !slot
        }
      }
      tile.role "consumer" warps 2 {
        scf.for %k = %c0 to %n step %c1 {
          %s = arith.remui %k, %c3 : index
          %lap = arith.divui %k, %c3 : index
          %l = arith.index_cast %lap : index to i32
          %p = arith.andi %l, %one : i32
          tile.barrier_wait %full[%s] parity %p : !b3
          %r = tile.region %R[%s, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %k, %c16 : index
          %b = tile.region %B[%at, 0] [16, 64] : !A
          tile.copy %r to %b : !slot, !row
          %q = tile.region %Q[%s, 0, 0] [1, 16, 64] drop [0] : !ring
          %d = tile.region %D[%at, 0] [16, 64] : !A
          tile.copy %q to %d : !slot, !row
          tile.barrier_arrive %empty[%s] : !b3
        }
      }
    }
    gpu.terminator
  }
  return
}

// One slot; all threads of the writing role arrive. Parities are k mod 2.
// CASE: stores(A=ints:80x64:bf16, B=junk:80x64:bf16)
// EXPECT: B = A
func.func @stores(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %full = tile.barrier_alloc : !b1
    tile.barrier_init %full arrivals 64 : !b1
    %empty = tile.barrier_alloc : !b1
    tile.barrier_init %empty arrivals 2 : !b1
    tile.barrier_sync
    tile.specialize {
      tile.role "writes" warps 2 {
        scf.for %k = %c0 to %n step %c1 {
          %rem = arith.remui %k, %c2 : index
          %bit = arith.index_cast %rem : index to i32
          %p = arith.xori %bit, %one : i32
          tile.barrier_wait %empty[%c0] parity %p : !b1
          %at = arith.muli %k, %c16 : index
          %a = tile.region %A[%at, 0] [16, 64] : !A
          tile.copy %a to %S {instr = #tile.instr<simt>} : !row, !tile
          tile.barrier_arrive %full[%c0] : !b1
        }
      }
      tile.role "reads" warps 2 {
        scf.for %k = %c0 to %n step %c1 {
          %ki = arith.index_cast %k : index to i32
          %p = arith.andi %ki, %one : i32
          tile.barrier_wait %full[%c0] parity %p : !b1
          %at = arith.muli %k, %c16 : index
          %b = tile.region %B[%at, 0] [16, 64] : !A
          tile.copy %S to %b : !tile, !row
          tile.barrier_arrive %empty[%c0] by <warps> : !b1
        }
      }
    }
    gpu.terminator
  }
  return
}

// Copies by cp.async that arrive when they have landed; the position is a slot and
// a phase that flips where the slot wraps.
// CASE: async(A=ints:128x64:bf16, B=junk:128x64:bf16)
// EXPECT: B = A
func.func @async(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    %full = tile.barrier_alloc : !b3
    tile.barrier_init %full arrivals 64 : !b3
    %empty = tile.barrier_alloc : !b3
    tile.barrier_init %empty arrivals 2 : !b3
    tile.barrier_sync
    tile.specialize {
      tile.role "copies" warps 2 {
        %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0, %p = %one) -> (index, i32) {
          tile.barrier_wait %empty[%s] parity %p : !b3
          %r = tile.region %R[%s, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %k, %c16 : index
          %a = tile.region %A[%at, 0] [16, 64] {align = 16 : i64} : !A
          tile.copy %a to %r {async, instr = #tile.instr<cp_async>} : !row, !slot
          tile.barrier_arrive %full[%s] by <cp_async> : !b3
          %t = arith.addi %s, %c1 : index
          %wraps = arith.cmpi eq, %t, %c3 : index
          %s1 = arith.select %wraps, %c0, %t : index
          %w = arith.extui %wraps : i1 to i32
          %p1 = arith.xori %p, %w : i32
          scf.yield %s1, %p1 : index, i32
        }
        tile.cp_async_commit
        tile.cp_async_wait pending 0
      }
      tile.role "reads" warps 2 {
        %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0, %p = %z) -> (index, i32) {
          tile.barrier_wait %full[%s] parity %p : !b3
          %r = tile.region %R[%s, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %k, %c16 : index
          %b = tile.region %B[%at, 0] [16, 64] : !A
          tile.copy %r to %b : !slot, !row
          tile.barrier_arrive %empty[%s] by <warps> : !b3
          %t = arith.addi %s, %c1 : index
          %wraps = arith.cmpi eq, %t, %c3 : index
          %s1, %p1 = scf.if %wraps -> (index, i32) {
            %flip = arith.xori %p, %one : i32
            scf.yield %c0, %flip : index, i32
          } else {
            scf.yield %t, %p : index, i32
          }
          scf.yield %s1, %p1 : index, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// No roles: all threads wait for the copies of one, into a ring that two copies
// have begun to fill.
// CASE: block(A=ints:128x64:bf16, B=junk:128x64:bf16)
// CASE: block(A=ints:16x64:bf16, B=junk:16x64:bf16)
// EXPECT: B = A
func.func @block(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : !A
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %R = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
    %full = tile.barrier_alloc : !b3
    tile.barrier_init %full arrivals 1 : !b3
    tile.barrier_sync
    scf.for %k = %c0 to %c2 step %c1 {
      %r = tile.region %R[%k, 0, 0] [1, 16, 64] drop [0] : !ring
      %at = arith.muli %k, %c16 : index
      %a = tile.region %A[%at, 0] [16, 64] {align = 16 : i64} : !A
      tile.barrier_expect %full[%k] bytes 2048 : !b3
      tile.copy %a to %r map %map signal %full[%k] of !b3 {instr = #tile.instr<tma>} : !row, !slot
    }
    %last:4 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z, %p = %z, %t = %c2, %u = %z) -> (i32, i32, index, i32) {
      %k2 = arith.addi %k, %c2 : index
      %r2 = tile.region %R[%t, 0, 0] [1, 16, 64] drop [0] : !ring
      %at2 = arith.muli %k2, %c16 : index
      %a = tile.region %A[%at2, 0] [16, 64] {align = 16 : i64} : !A
      tile.barrier_sync
      tile.barrier_expect %full[%t] bytes 2048 : !b3
      tile.copy %a to %r2 map %map signal %full[%t] of !b3 {instr = #tile.instr<tma>} : !row, !slot
      %si = arith.index_cast %s : i32 to index
      tile.barrier_wait %full[%si] parity %p : !b3
      %r = tile.region %R[%si, 0, 0] [1, 16, 64] drop [0] : !ring
      %at = arith.muli %k, %c16 : index
      %b = tile.region %B[%at, 0] [16, 64] : !A
      tile.copy %r to %b : !slot, !row
      %s1, %p1 = tile.advance %s, %p depth 3
      %s2, %p2 = tile.advance %s1, %p1 depth 3
      %s3, %p3 = tile.advance %s2, %p2 depth 3
      %t1 = arith.index_cast %s3 : i32 to index
      scf.yield %s1, %p1, %t1, %p2 : i32, i32, index, i32
    }
    %s0 = arith.index_cast %last#0 : i32 to index
    tile.barrier_wait %full[%s0] parity %last#1 : !b3
    %n1, %q1 = tile.advance %last#0, %last#1 depth 3
    %s9 = arith.index_cast %n1 : i32 to index
    tile.barrier_wait %full[%s9] parity %q1 : !b3
    gpu.terminator
  }
  return
}

// One tile that all rounds read comes once; what the rounds make is stored by TMA,
// which reads the slot until it is waited for.
// CASE: once(A=ints:96x64:bf16, C=ints:16x64:bf16, B=junk:96x64:bf16)
// EXPECT: B = A
func.func @once(%A: !A, %C: memref<16x64xbf16>, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : !A
  %mapb = tile.tensor_map %B box [16, 64] swizzle 128 : !A
  %mapc = tile.tensor_map %C box [16, 64] swizzle 128 : memref<16x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %R = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
    %Q = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !tile
    %f = tile.alloc : memref<16x64xbf16, #tile.fragment>
    %there = tile.barrier_alloc : !b1
    tile.barrier_init %there arrivals 1 : !b1
    %full = tile.barrier_alloc : !b3
    tile.barrier_init %full arrivals 1 : !b3
    %empty = tile.barrier_alloc : !b3
    tile.barrier_init %empty arrivals 2 : !b3
    tile.barrier_sync
    tile.specialize {
      tile.role "producer" warps 1 {
        %c = tile.region %C[0, 0] [16, 64] {align = 16 : i64} : memref<16x64xbf16>
        tile.barrier_expect %there[%c0] bytes 2048 : !b1
        tile.copy %c to %Q map %mapc signal %there[%c0] of !b1 {instr = #tile.instr<tma>} : !row, !tile
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %one) -> (i32, i32) {
          %si = arith.index_cast %s : i32 to index
          tile.barrier_wait %empty[%si] parity %p {leader} : !b3
          %r = tile.region %R[%si, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %i, %c16 : index
          %a = tile.region %A[%at, 0] [16, 64] {align = 16 : i64} : !A
          tile.barrier_expect %full[%si] bytes 2048 : !b3
          tile.copy %a to %r map %map signal %full[%si] of !b3 {instr = #tile.instr<tma>} : !row, !slot
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "consumer" warps 2 {
        tile.barrier_wait %there[%c0] parity %z : !b1
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %si = arith.index_cast %s : i32 to index
          tile.copy %Q to %f : !tile, memref<16x64xbf16, #tile.fragment>
          tile.barrier_wait %full[%si] parity %p : !b3
          %r = tile.region %R[%si, 0, 0] [1, 16, 64] drop [0] : !ring
          %at = arith.muli %i, %c16 : index
          %b = tile.region %B[%at, 0] [16, 64] {align = 16 : i64} : !A
          tile.copy %r to %b map %mapb {async, instr = #tile.instr<tma>} : !slot, !row
          tile.tma_wait pending 0 {read}
          tile.barrier_arrive %empty[%si] by <warps> : !b3
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// Element loops fill and read slots of the ring by its first index.
// CASE: elements(A=ints:80x64:bf16, B=junk:80x64:bf16)
// EXPECT: B = A + A
func.func @elements(%A: !A, %B: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c160 = arith.constant 160 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.dim %A, %c0 : !A
  %n = arith.ceildivui %m, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    %full = tile.barrier_alloc : !b3
    tile.barrier_init %full arrivals 96 : !b3
    %empty = tile.barrier_alloc : !b3
    tile.barrier_init %empty arrivals 2 : !b3
    tile.barrier_sync
    tile.specialize {
      tile.role "fills" warps 3 {
        %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0, %p = %one) -> (index, i32) {
          tile.barrier_wait %empty[%s] parity %p : !b3
          %at = arith.muli %k, %c16 : index
          tile.parallel (%i, %j) in [16, 64] {
            %r = arith.addi %at, %i : index
            %x = memref.load %A[%r, %j] : !A
            memref.store %x, %R[%s, %i, %j] : !ring
          }
          tile.barrier_arrive %full[%s] : !b3
          %t = arith.addi %s, %c1 : index
          %wraps = arith.cmpi eq, %t, %c3 : index
          %s1 = arith.select %wraps, %c0, %t : index
          %w = arith.extui %wraps : i1 to i32
          %p1 = arith.xori %p, %w : i32
          scf.yield %s1, %p1 : index, i32
        }
      }
      tile.role "reads" warps 2 {
        %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %si = arith.index_cast %s : i32 to index
          tile.barrier_wait %full[%si] parity %p : !b3
          %at = arith.muli %k, %c16 : index
          tile.parallel (%i, %j) in [16, 64] {
            %r = arith.addi %at, %i : index
            %x = memref.load %R[%si, %i, %j] : !ring
            %y = arith.addf %x, %x : bf16
            memref.store %y, %B[%r, %j] : !A
          }
          tile.barrier_arrive %empty[%si] by <warps> : !b3
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// The consumers store slots as they are, which TMA does: for the user the store is
// done where it stands, so its reads are over before the slot is given back.
// CASE: stored_slots(A=ints:112x64:bf16, B=junk:112x64:bf16, n=7)
// CASE: stored_slots(A=ints:40x64:bf16, B=junk:40x64:bf16, n=3)
// EXPECT: B = A
func.func @stored_slots(%A: memref<?x64xbf16>, %B: memref<?x64xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c160 = arith.constant 160 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %ring = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
    %full = tile.barrier_alloc : !tile.barrier<2>
    tile.barrier_init %full arrivals 1 : !tile.barrier<2>
    %empty = tile.barrier_alloc : !tile.barrier<2>
    tile.barrier_init %empty arrivals 4 : !tile.barrier<2>
    tile.channel_barriers(%ring) full %full empty %empty : !tile.barrier<2>, !tile.barrier<2>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
    tile.specialize {
      tile.role "consumer" warps 4 {
        scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
          %i = arith.index_cast %s : i32 to index
          tile.barrier_wait %full[%i] parity %p : !tile.barrier<2>
          %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
          %row = arith.muli %k, %c16 : index
          %b = tile.region %B[%row, 0] [16, 64] : memref<?x64xbf16>
          tile.copy %slot to %b : !tile.region<16x64xbf16, #gpu.address_space<workgroup>>, !tile.region<16x64xbf16>
          tile.barrier_arrive %empty[%i] by <warps> : !tile.barrier<2>
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "producer" warps 1 {
        scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
          %i = arith.index_cast %s : i32 to index
          %q = arith.xori %p, %i1 : i32
          tile.barrier_wait %empty[%i] parity %q {leader} : !tile.barrier<2>
          %row = arith.muli %k, %c16 : index
          %a = tile.region %A[%row, 0] [16, 64] {align = 16 : i64} : memref<?x64xbf16>
          %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
          tile.barrier_expect %full[%i] bytes 2048 : !tile.barrier<2>
          tile.copy %a to %slot map %map signal %full[%i] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, !tile.region<16x64xbf16, #gpu.address_space<workgroup>>
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}
