// What stands beside a channel counts as little as what stands in it: bytes that are
// signalled to another barrier, and waits that one thread makes for all, are refused
// whether the barriers are declared as a channel or not.

// RUN: %tile_opt_passes 'tile-verify-channels{strict=true}' %s -o /dev/null
// RUN: grep -v channel_barriers %s > %t.mlir
// RUN: %tile_opt_passes 'tile-verify-channels{strict=true}' %t.mlir -o /dev/null

// The copy signals the barrier that gives slots back: nobody learns that it has landed.
// RUN: sed 's/signal %full/signal %empty/' %s > %t.signal.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels{synced=true}' %t.signal.mlir -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/signal %full/signal %empty/' %t.mlir > %t.signal-own.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels{synced=true}' %t.signal-own.mlir -o /dev/null 2>&1 | FileCheck %s

// One thread of the consumer waits, the others read what has not landed.
// RUN: sed 's/wait %full.*parity .p/& {leader}/' %s > %t.reader.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels{synced=true}' %t.reader.mlir -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/wait %full.*parity .p/& {leader}/' %t.mlir > %t.reader-own.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels{synced=true}' %t.reader-own.mlir -o /dev/null 2>&1 | FileCheck %s

// One thread of the producer waits, and the others fill slots that are still read.
// RUN: sed 's/wait %free.*parity .q/& {leader}/' %s > %t.writer.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels{synced=true}' %t.writer.mlir -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/wait %free.*parity .q/& {leader}/' %t.mlir > %t.writer-own.mlir
// RUN: not %tile_opt_passes 'tile-verify-channels{synced=true}' %t.writer-own.mlir -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: {{.*}}[tile-verify/

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x64xbf16>
!row = !tile.region<16x64xbf16>
!ring = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!pair = !tile.barrier<2>

// Slots are filled by TMA: one thread of the producer is enough.
func.func @by_tma(%A: !tensor, %B: !tensor, %map: !tile.tensor_map, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
  %full = tile.barrier_alloc : !pair
  tile.barrier_init %full arrivals 1 : !pair
  %empty = tile.barrier_alloc : !pair
  tile.barrier_init %empty arrivals 4 : !pair
  tile.channel_barriers(%ring) full %full empty %empty : !pair, !pair, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %zero) -> (i32, i32) {
        %i = arith.index_cast %s : i32 to index
        tile.barrier_wait %full[%i] parity %p : !pair
        %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
        %row = arith.muli %k, %c16 : index
        %b = tile.region %B[%row, 0] [16, 64] : !tensor
        tile.copy %slot to %b {instr = #tile.instr<simt>} : !slot, !row
        tile.barrier_arrive %empty[%i] by <warps> : !pair
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %one) -> (i32, i32) {
        %i = arith.index_cast %s : i32 to index
        tile.barrier_wait %empty[%i] parity %p {leader} : !pair
        %row = arith.muli %k, %c16 : index
        %a = tile.region %A[%row, 0] [16, 64] {align = 16 : i64} : !tensor
        %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
        tile.barrier_expect %full[%i] bytes 2048 : !pair
        tile.copy %a to %slot map %map signal %full[%i] of !pair {instr = #tile.instr<tma>} : !row, !slot
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// Slots are filled by all threads of the producer.
func.func @by_threads(%A: !tensor, %B: !tensor, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = tile.alloc : !ring
  %filled = tile.barrier_alloc : !pair
  tile.barrier_init %filled arrivals 96 : !pair
  %free = tile.barrier_alloc : !pair
  tile.barrier_init %free arrivals 2 : !pair
  tile.channel_barriers(%ring) full %filled empty %free : !pair, !pair, !ring
  tile.barrier_sync
  tile.specialize {
    tile.role "consumer" warps 2 {
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %zero) -> (i32, i32) {
        %i = arith.index_cast %s : i32 to index
        tile.barrier_wait %filled[%i] parity %p : !pair
        %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
        %row = arith.muli %k, %c16 : index
        %b = tile.region %B[%row, 0] [16, 64] : !tensor
        tile.copy %slot to %b {instr = #tile.instr<simt>} : !slot, !row
        tile.barrier_arrive %free[%i] by <warps> : !pair
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 3 {
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %q = %one) -> (i32, i32) {
        %i = arith.index_cast %s : i32 to index
        tile.barrier_wait %free[%i] parity %q : !pair
        %row = arith.muli %k, %c16 : index
        %a = tile.region %A[%row, 0] [16, 64] {align = 16 : i64} : !tensor
        %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
        tile.copy %a to %slot {instr = #tile.instr<simt>} : !row, !slot
        tile.barrier_arrive %filled[%i] : !pair
        %s1, %p1 = tile.advance %s, %q depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
