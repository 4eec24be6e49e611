// RUN: %tile_opt_passes 'tile-alternate-registers' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-alternate-registers' %s 2> %t.remarks > %t.once
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %tile_opt_passes 'tile-alternate-registers' %t.once | diff %t.once -

#smem = #gpu.address_space<workgroup>
!A = memref<64x32xbf16, #smem>
!B = memref<64x64xbf16, #smem>
!E = memref<64x4xi16, #smem>
!C = memref<64x64xf32, #tile.fragment>

// The product of a round is under way when the next one is issued: two rounds at a
// time, and a branch for one that is left. Carried values go through all of them.
// CHECK-LABEL: func @under_way
// CHECK-SAME: %[[LB:[a-z0-9]+]]: index, %[[UB:[a-z0-9]+]]: index
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
// CHECK: %[[N:.*]] = arith.select %[[SOME]]
// CHECK: %[[PAIRS:.*]] = arith.shrui %[[N]]
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[PAIRS]] step %{{.*}} iter_args(%[[K:.*]] = %[[LB]], %[[X:.*]] = %{{.*}})
// CHECK:   %[[Y:.*]] = arith.addi %[[X]], %[[K]]
// CHECK:   tile.gemm_sp {{.*}}async
// CHECK-NEXT: tile.await pending 1
// CHECK:   %[[K1:.*]] = arith.addi %[[K]], %[[STEP:.*]] : index
// CHECK:   %[[Y1:.*]] = arith.addi %[[Y]], %[[K1]]
// CHECK:   tile.gemm_sp {{.*}}async
// CHECK-NEXT: tile.await pending 1
// CHECK:   %[[K2:.*]] = arith.addi %[[K1]], %[[STEP]] : index
// CHECK:   scf.yield %[[K2]], %[[Y1]]
// CHECK: } {tile.alternate}
// CHECK: %[[ODD:.*]] = arith.andi %[[N]]
// CHECK: arith.cmpi ne, %[[ODD]]
// CHECK: %[[LAST:.*]] = scf.if
// CHECK:   %[[Z:.*]] = arith.addi %[[R]]#1, %[[R]]#0
// CHECK:   tile.gemm_sp {{.*}}async
// CHECK:   scf.yield %[[Z]]
// CHECK: else
// CHECK:   scf.yield %[[R]]#1
// CHECK: return %[[LAST]]
func.func @under_way(%lb: index, %ub: index, %O: memref<64x64xf32>) -> index attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %A = tile.alloc : !A
  %B = tile.alloc : !B
  %E = tile.alloc : !E
  %c = tile.alloc : !C
  %sum = scf.for %k = %lb to %ub step %c3 iter_args(%x = %c0) -> index {
    %y = arith.addi %x, %k : index
    tile.gemm_sp %A, %E, %B, %c {transpose_b, async, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    tile.await pending 1
    scf.yield %y : index
  }
  tile.await pending 0 for %c : !C
  tile.copy %c to %O : !C, memref<64x64xf32>
  return %sum : index
}

// Each product is complete before the next one is issued.
// CHECK-LABEL: func @awaited
// CHECK-COUNT-1: tile.gemm_sp
// CHECK-NOT: tile.gemm_sp
// CHECK-NOT: tile.alternate
// CHECK: return
func.func @awaited(%lb: index, %ub: index, %O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !A
  %B = tile.alloc : !B
  %E = tile.alloc : !E
  %c = tile.alloc : !C
  scf.for %k = %lb to %ub step %c1 {
    tile.gemm_sp %A, %E, %B, %c {transpose_b, async, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    tile.await pending 0
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// A dense product has no metadata.
// CHECK-LABEL: func @dense
// CHECK-COUNT-1: tile.gemm
// CHECK-NOT: tile.gemm
// CHECK: return
func.func @dense(%lb: index, %ub: index, %O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !B
  %B = tile.alloc : !B
  %c = tile.alloc : !C
  scf.for %k = %lb to %ub step %c1 {
    tile.gemm %A, %B, %c {async, instr = #tile.instr<wgmma>} : (!B, !B, !C)
    tile.await pending 1
  }
  tile.await pending 0 for %c : !C
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// Three products are under way: two sets of registers are not enough, so that the
// one of the same set is waited for.
// REMARK: [tile-async/registers] is issued when at most 1 products are under way: the instruction reads the registers of its metadata until it has completed; two sets of them alternate in an scf.for
// CHECK-LABEL: func @deeper
// CHECK: scf.for
// CHECK: tile.await pending 1{{$}}
// CHECK-NEXT: tile.gemm_sp
// CHECK-NEXT: tile.await pending 2{{$}}
// CHECK: tile.await pending 1{{$}}
// CHECK-NEXT: tile.gemm_sp
// CHECK-NEXT: tile.await pending 2{{$}}
// CHECK: } {tile.alternate}
// CHECK: scf.if
// CHECK-NOT: tile.await pending 1
// CHECK: tile.gemm_sp
func.func @deeper(%lb: index, %ub: index, %O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !A
  %B = tile.alloc : !B
  %E = tile.alloc : !E
  %c = tile.alloc : !C
  scf.for %k = %lb to %ub step %c1 {
    tile.gemm_sp %A, %E, %B, %c {transpose_b, async, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    tile.await pending 2
  }
  tile.await pending 0 for %c : !C
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// No plain loop, or the product of one round meets that of another run of the loop:
// its last execution is waited for.
// CHECK-LABEL: func @while
// CHECK: scf.while
// CHECK: tile.await pending 0
// CHECK-NEXT: tile.gemm_sp
// CHECK-NOT: tile.gemm_sp
func.func @while(%ub: index, %O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !A
  %B = tile.alloc : !B
  %E = tile.alloc : !E
  %c = tile.alloc : !C
  %n = scf.while (%k = %c0) : (index) -> index {
    %more = arith.cmpi slt, %k, %ub : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    tile.gemm_sp %A, %E, %B, %c {transpose_b, async, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    tile.await pending 1
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  tile.await pending 0 for %c : !C
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// Nothing is waited for between two runs of the inner loop: its last copy may meet
// the one of the run before, where a run has one round.
// CHECK-LABEL: func @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: tile.await pending 0
// CHECK: } {tile.alternate}
// CHECK: scf.if
// CHECK: tile.await pending 0
// CHECK-NEXT: tile.gemm_sp
func.func @nested(%n: index, %O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !A
  %B = tile.alloc : !B
  %E = tile.alloc : !E
  %c = tile.alloc : !C
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %i to %n step %c1 {
      tile.gemm_sp %A, %E, %B, %c {transpose_b, async, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
      tile.await pending 1
    }
  }
  tile.await pending 0 for %c : !C
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// It is known that one is left: it waits for the products of the loop.
// CHECK-LABEL: func @counted
// CHECK: scf.for
// CHECK: } {tile.alternate}
// CHECK: scf.if
// CHECK-NEXT: tile.await pending 0
// CHECK: tile.gemm_sp
func.func @counted(%O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %A = tile.alloc : !A
  %B = tile.alloc : !B
  %E = tile.alloc : !E
  %c = tile.alloc : !C
  scf.for %k = %c0 to %c7 step %c1 {
    tile.gemm_sp %A, %E, %B, %c {transpose_b, async, instr = #tile.instr<wgmma>} : (!A, !E, !B, !C)
    tile.await pending 1
  }
  tile.await pending 0 for %c : !C
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}
