// The guard of a peeled iteration must ask what the whole loop asks first. One that asks
// for more leaves a copy under way that nobody waits for, one that asks for less waits
// for a copy that nobody makes.

// peeled-guards-alone.test takes the channel's line away.

// RUN: %tile_opt_passes 'tile-verify-channels{strict=true}' %s -o /dev/null
// RUN: sed 's/slt, %c0, %n/slt, %c1, %n/' %s > %t.more.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels' %t.more.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: {{.*}}[tile-verify/exit-in-flight]
// RUN: sed 's/slt, %c0, %n/sle, %c0, %n/' %s > %t.less.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels' %t.less.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: error: {{.*}}[tile-verify/deadlock]
// RUN: sed 's/slt, %c0, %n/slt, %c0, %other/' %s > %t.other.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels' %t.other.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}[tile-verify/

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x64xbf16>
!row = !tile.region<16x64xbf16>
!ring = memref<3x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!three = !tile.barrier<3>

func.func @peeled(%A: !tensor, %B: !tensor, %map: !tile.tensor_map, %n: index, %other: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
  %full = tile.barrier_alloc : !three
  tile.barrier_init %full arrivals 1 : !three
  %empty = tile.barrier_alloc : !three
  tile.barrier_init %empty arrivals 4 : !three
  tile.channel_barriers(%ring) full %full empty %empty : !three, !three, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %ran = arith.cmpi slt, %c0, %n : index
      scf.if %ran {
        tile.barrier_wait %full[%c0] parity %zero : !three
        %slot0 = tile.region %ring[0, 0, 0] [1, 16, 64] drop [0] : !ring
        %b0 = tile.region %B[%c0, 0] [16, 64] : !tensor
        tile.copy %slot0 to %b0 {instr = #tile.instr<simt>} : !slot, !row
        %s0, %p0 = tile.advance %zero, %zero depth 3
        %e:4 = scf.for %k = %c1 to %n step %c1 iter_args(%s = %s0, %p = %p0, %rs = %zero, %rp = %zero) -> (i32, i32, i32, i32) {
          %i = arith.index_cast %s : i32 to index
          tile.barrier_wait %full[%i] parity %p : !three
          %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
          %row = arith.muli %k, %c16 : index
          %b = tile.region %B[%row, 0] [16, 64] : !tensor
          tile.copy %slot to %b {instr = #tile.instr<simt>} : !slot, !row
          %r = arith.index_cast %rs : i32 to index
          tile.barrier_arrive %empty[%r] by <warps> : !three
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1, %s, %p : i32, i32, i32, i32
        }
        %last = arith.index_cast %e#2 : i32 to index
        tile.barrier_arrive %empty[%last] by <warps> : !three
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %one) -> (i32, i32) {
        %i = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%i] parity %p {leader} : !three
        %row = arith.muli %k, %c16 : index
        %a = tile.region %A[%row, 0] [16, 64] {align = 16 : i64} : !tensor
        %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
        tile.barrier_expect %full[%i] bytes 2048 : !three
        tile.copy %a to %slot map %map signal %full[%i] of !three {instr = #tile.instr<tma>} : !row, !slot
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
