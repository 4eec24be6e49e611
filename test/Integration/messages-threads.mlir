// What every thread prints, where from, and when: in roles that the compiler makes
// and in those of the user, around pipelines and in them.

// RUN: rm -rf %t && mkdir %t
// RUN: tile-compile %s --target=sm_80 -o %t/80 --no-remarks
// RUN: tile-compile %s --target=sm_90a -o %t/90 --no-remarks
// RUN: tile-run %t/80/threads.json --emulate 5 | FileCheck %s --check-prefix=THREADS
// RUN: tile-run %t/90/threads.json --emulate 5 | FileCheck %s --check-prefix=THREADS
// RUN: tile-run %t/90/threads.json --emulate 5 | grep -c '^all' | FileCheck %s --check-prefix=COUNT
// RUN: not tile-run %t/80/threads.json --emulate 65 2>&1 | FileCheck %s --check-prefix=LANE
// RUN: not tile-run %t/90/threads.json --emulate 6 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-run %t/80/loop.json --emulate ones:37x32:f32 zeros:37x32:f32 37 zeros:4:i64 | FileCheck %s --check-prefix=LOOP
// RUN: tile-run %t/90/loop.json --emulate ones:37x32:f32 zeros:37x32:f32 37 zeros:4:i64 | FileCheck %s --check-prefix=LOOP
// RUN: tile-opt %s --tile-pipeline-planning --tile-ws-tiled | FileCheck %s --check-prefix=ROLES
// ROLES: tile.role "producer"

#smem = #gpu.address_space<workgroup>

// Ids of threads, in branches that some take; numbers of threads count from the
// start of the block, also in a role.
// THREADS-DAG: all[0]: 5
// THREADS-DAG: all[95]: 5
// THREADS-DAG: {{.*}}messages-threads.mlir:[[@LINE+20]]: lane[4]: 4
// THREADS-DAG: second[95]
// THREADS-DAG: {{.*}}messages-threads.mlir:[[@LINE+24]]: first: 5
// COUNT: 96
// LANE: lanes are few
// ONE: n is not 6
// LANE-NOT: n is not 6
func.func @threads(%n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    tile.print "all"(%n : index) {every_thread}
    %is_four = arith.cmpi eq, %tx, %c4 : index
    %few = arith.cmpi ule, %n, %c64 : index
    scf.if %is_four {
      tile.assert %few, "lanes are few"
      tile.print "lane"(%tx : index) {every_thread, source_line}
    }
    %is_other = arith.cmpi ne, %n, %c6 : index
    tile.specialize {
      tile.role "one" warps 1 {
        tile.assert %is_other, "n is not 6" {one_thread}
        tile.print "first"(%n : index) {source_line}
      }
      tile.role "two" warps 2 {
        tile.print "second" {every_thread}
      }
    }
    gpu.terminator
  }
  return
}

// Rounds of a pipelined loop, with the time of each; the first round is the one
// that ends first.
// LOOP-COUNT-37: round: 1{{$}}
// LOOP-NOT: round
// LOOP: took: 1{{$}}
func.func @loop(%A: memref<37x32xf32>, %B: memref<37x32xf32>, %n: index, %T: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0 : i64
    %S = tile.alloc : memref<1x32xf32, #smem>
    %begin = tile.clock nanoseconds
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (i64) {
      %a = tile.region %A[%i, 0] [1, 32] : memref<37x32xf32>
      %b = tile.region %B[%i, 0] [1, 32] : memref<37x32xf32>
      tile.copy %a to %S : !tile.region<1x32xf32>, memref<1x32xf32, #smem>
      %now = tile.clock cycles
      %later = arith.cmpi ugt, %now, %before : i64
      tile.assert %later, "time goes on"
      tile.print "round"(%later : i1)
      tile.copy %S to %b : memref<1x32xf32, #smem>, !tile.region<1x32xf32>
      scf.yield %now : i64
    } {tile.num_stages = 3 : i32}
    %end = tile.clock nanoseconds
    %took = arith.cmpi ugt, %end, %begin : i64
    tile.print "took"(%took : i1)
    memref.store %last, %T[%c0] : memref<4xi64>
    gpu.terminator
  }
  return
}
