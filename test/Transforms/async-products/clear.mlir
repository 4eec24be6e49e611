// Products overwrite zeros that would be added to (AccumulatorClear.c).

// RUN: %tile_opt_passes 'tile-async-products' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-async-products' %s > %t.once
// RUN: %tile_opt_passes 'tile-async-products' %t.once | diff %t.once -

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf16, #smem>
!C = memref<64x64xf32, #tile.fragment>

// CHECK-LABEL: func @behind_fill
// CHECK-NOT: tile.fill
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: tile.gemm {{.*}} clear %[[YES]]
func.func @behind_fill(%O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  tile.fill %c, %zero : !C, f32
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// The first iteration overwrites; without any the fill is still needed, and
// then nothing is under way.
// CHECK-LABEL: func @in_front_of_loop(
// CHECK-SAME: memref<64x64xf32>, %[[LB:[a-z0-9]+]]: index, %[[UB:[a-z0-9]+]]: index
// CHECK-NOT: tile.fill
// CHECK: scf.for %[[I:.*]] = %[[LB]] to %[[UB]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %[[LB]]
// CHECK: tile.gemm {{.*}} clear %[[FIRST]]
// CHECK: %[[NONE:.*]] = arith.cmpi sge, %[[LB]], %[[UB]]
// CHECK: scf.if %[[NONE]]
// CHECK-NEXT: tile.fill
func.func @in_front_of_loop(%O: memref<64x64xf32>, %lb: index, %ub: index, %step: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  tile.fill %c, %zero : !C, f32
  scf.for %i = %lb to %ub step %step {
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// A loop that surely runs needs no fill.
// CHECK-LABEL: func @loop_that_runs
// CHECK-NOT: tile.fill
// CHECK: tile.gemm {{.*}} clear
// CHECK-NOT: tile.fill
// CHECK: return
func.func @loop_that_runs(%O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  tile.fill %c, %zero : !C, f32
  scf.for %i = %c0 to %c3 step %c1 {
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// The sum is read before the product, is not zero, is -0.0, or is filled on one
// path: the fill stays.
// CHECK-LABEL: func @kept
// CHECK-COUNT-4: tile.fill
// CHECK: scf.for
// CHECK-NOT: clear
// CHECK: return
func.func @kept(%O: memref<64x64xf32>, %lb: index, %ub: index, %step: index, %p: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %minus_zero = arith.constant -0.0 : f32
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %d = tile.alloc : !C
  %e = tile.alloc : !C
  %f = tile.alloc : !C
  tile.fill %c, %zero : !C, f32
  tile.fill %d, %one : !C, f32
  tile.fill %f, %minus_zero : !C, f32
  scf.if %p {
    tile.fill %e, %zero : !C, f32
  }
  scf.for %i = %lb to %ub step %step {
    tile.parallel (%x, %y) in [64, 64] {
      %a = memref.load %c[%x, %y] : !C
      %b = arith.mulf %a, %a : f32
      memref.store %b, %c[%x, %y] : !C
    }
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
    tile.gemm %A, %B, %d {instr = #tile.instr<wgmma>} : (!S, !S, !C)
    tile.gemm %A, %B, %e {instr = #tile.instr<wgmma>} : (!S, !S, !C)
    tile.gemm %A, %B, %f {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// Zeros that are read first stay for the reader; in a branch as well.
// CHECK-LABEL: func @read_before
// CHECK: tile.fill
// CHECK: scf.if
// CHECK: tile.copy
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: tile.gemm {{.*}} clear %[[YES]]
func.func @read_before(%O: memref<64x64xf32>, %p: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  tile.fill %c, %zero : !C, f32
  scf.if %p {
    tile.copy %c to %B : !C, !S
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// What may be other than zero is added to: written before the reader, or in an
// iteration before.
// CHECK-LABEL: func @written_before
// CHECK-NOT: clear
// CHECK: return
func.func @written_before(%O: memref<64x64xf32>, %p: i1, %n: index) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  tile.fill %c, %zero : !C, f32
  scf.if %p {
    tile.parallel (%i, %j) in [64, 64] {
      memref.store %one, %c[%i, %j] : !C
    }
  }
  tile.copy %c to %B : !C, !S
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.fill %c, %zero : !C, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %c to %B : !C, !S
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}
