// Loops without roles whose products depend on each other: the late product runs
// one iteration behind the first one, and each copy N - 1 iterations ahead of what
// reads it first, so a tile has N slots.

// RUN: %tile_opt_passes 'tile-pipeline-planning' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-pipeline-planning' %s 2>/dev/null > %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning' %t.once | diff %t.once -
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s 2>/dev/null | FileCheck %s --check-prefix=INJECT

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>

// CHECK-LABEL: func @two_stages
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0 : i32
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1 : i32
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 1 : i32
// CHECK: tile.copy {{.*}}tile.order = 4 : i32, tile.stage = 1 : i32
// CHECK: tile.gemm {{.*}}tile.order = 3 : i32, tile.stage = 2 : i32
// Nothing that multiplies is guarded: steps 0 and 1, a loop from the second
// iteration on, a step of the last stage, all of it if there is an iteration.
// INJECT-LABEL: func @two_stages
// INJECT-COUNT-2: tile.alloc : memref<2x64x64xbf16
// INJECT: scf.if
// INJECT: tile.copy
// INJECT: scf.if
// INJECT: tile.copy
// INJECT: tile.copy
// INJECT: tile.barrier_wait
// INJECT: tile.gemm {{.*}}transpose_b
// INJECT-NOT: tile.gemm
// INJECT: scf.for
// INJECT: scf.if
// INJECT: tile.copy
// INJECT: }
// INJECT: tile.copy
// INJECT: tile.barrier_wait
// INJECT: tile.gemm {{.*}}transpose_b
// INJECT: tile.barrier_wait
// INJECT: tile.gemm
// INJECT: scf.yield
// INJECT: }
// INJECT-NOT: transpose_b
// INJECT: tile.barrier_wait
// INJECT: tile.gemm
func.func @two_stages(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @four_stages
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0 : i32
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1 : i32
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 3 : i32
// CHECK: tile.copy {{.*}}tile.order = 4 : i32, tile.stage = 3 : i32
// CHECK: tile.gemm {{.*}}tile.order = 3 : i32, tile.stage = 4 : i32
func.func @four_stages(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @decides
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0 : i32
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 1 : i32
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 1 : i32
// CHECK: tile.copy {{.*}}tile.order = 4 : i32, tile.stage = 1 : i32
// CHECK: tile.gemm {{.*}}tile.order = 3 : i32, tile.stage = 2 : i32
// What decides about iterations is computed S iterations ahead; the loop runs as
// long as the stage of the first product has one.
// INJECT-LABEL: func @decides
// INJECT: arith.cmpi slt
// INJECT: scf.if
// INJECT: tile.copy
// INJECT: tile.gemm {{.*}}transpose_b
// INJECT-NOT: tile.gemm
// INJECT: scf.while
// INJECT: scf.condition(%{{.*}})
// INJECT: tile.gemm {{.*}}transpose_b
// INJECT: tile.gemm
// INJECT: scf.yield
// INJECT-NOT: transpose_b
// INJECT: tile.gemm
func.func @decides(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.while (%n = %c0) : (index) -> (index) {
      %go = arith.cmpi slt, %n, %end : index
      scf.condition(%go) %n : index
    } do {
    ^bb0(%n: index):
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      scf.yield %next : index
    } attributes {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// A tile that both products read is held for two iterations: one ahead with three
// slots.
// CHECK-LABEL: func @shared_tile
// CHECK: tile.copy {{.*}}tile.order = 0 : i32, tile.stage = 0 : i32
// CHECK: tile.gemm {{.*}}tile.order = 1 : i32, tile.stage = 1 : i32
// CHECK: tile.copy {{.*}}tile.order = 3 : i32, tile.stage = 1 : i32
// CHECK: tile.gemm {{.*}}tile.order = 2 : i32, tile.stage = 2 : i32
func.func @shared_tile(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Ks, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

// With two there would be none for the copy ahead.
// CHECK-LABEL: func @shared_tile_2_slots
// CHECK: tile.gemm {{.*}}tile.stage = 1
// CHECK: tile.gemm {{.*}}tile.stage = 1
func.func @shared_tile_2_slots(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+1 {{[tile-rotation/slots] multiplies in order: a slot of the tile would be held for two iterations; one stage more gives it another}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      // expected-note @+1 {{that op is here}}
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Ks, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @one_stage
// CHECK: tile.copy {{.*}}tile.stage = 0
// CHECK: tile.gemm {{.*}}tile.stage = 1
// CHECK: tile.gemm {{.*}}tile.stage = 1
func.func @one_stage(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+1 {{[tile-rotation/slots] multiplies in order: a slot of the tile would be held for two iterations; one stage more gives it another}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      // expected-note @+1 {{that op is here}}
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 1 : i32}
    gpu.terminator
  }
  return
}

// The plan of the copies is as in order.
// CHECK-LABEL: func @guarded
// CHECK: tile.copy {{.*}}tile.order = 1 : i32, tile.stage = 0 : i32
// CHECK: tile.copy {{.*}}tile.order = 4 : i32, tile.stage = 0 : i32
// CHECK: tile.gemm {{.*}}tile.order = 0 : i32, tile.stage = 2 : i32
// CHECK: tile.copy {{.*}}tile.order = 2 : i32, tile.stage = 2 : i32
// CHECK: tile.gemm {{.*}}tile.order = 3 : i32, tile.stage = 2 : i32
func.func @guarded(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+1 {{[tile-rotation/guard] multiplies in order: a guard around products makes the next one depend on data; a loop over the blocks that take part has none}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      scf.if %takes {
        // expected-note @+1 {{that op is here}}
        tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @recurrent
// CHECK: tile.gemm {{.*}}tile.stage = 2
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @recurrent(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+1 {{[tile-rotation/dependence] multiplies in order: the first product of an iteration needs what later ones of the iteration before have computed, or registers that they still use}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      // expected-note @+1 {{that op is here}}
      tile.copy %o to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Ks, %s clear %true {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Products that add to one sum wait for nothing that threads compute: nothing is
// lost in their order, and nothing said.
// CHECK-LABEL: func @one_sum
// CHECK: tile.gemm {{.*}}tile.stage = 2
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @one_sum(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %o = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %o {instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.gemm %Qs, %Vs, %o {instr = #tile.instr<wgmma>} : (!T, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @recurrent_while
// CHECK: tile.gemm {{.*}}tile.stage = 2
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @recurrent_while(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+1 {{[tile-rotation/dependence] multiplies in order: the first product of an iteration needs what later ones of the iteration before have computed, or registers that they still use}}
    scf.while (%n = %c0) : (index) -> (index) {
      %go = arith.cmpi slt, %n, %end : index
      scf.condition(%go) %n : index
    } do {
    ^bb0(%n: index):
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      // expected-note @+1 {{that op is here}}
      tile.copy %o to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Ks, %s clear %true {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
      %next = arith.addi %n, %c64 : index
      scf.yield %next : index
    } attributes {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @registers
// CHECK: tile.gemm {{.*}}tile.stage = 2
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @registers(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {registers = 104}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+2 {{[tile-rotation/registers] multiplies in order: sums and factors of two iterations need more registers than a thread has; a smaller tile or more threads help: 120 per thread, at most 104}}
    // expected-note @+1 {{that op is here}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Threads that copy in the loop keep addresses, of at most eight chunks at a time: by
// TMA 120 registers would do.
// CHECK-LABEL: func @copied_by_threads
func.func @copied_by_threads(%K: memref<1024x64xbf16>, %V: memref<1024x67xbf16>, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {registers = 128}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    // expected-remark @+2 {{[tile-rotation/registers] multiplies in order: sums and factors of two iterations need more registers than a thread has; a smaller tile or more threads help: 136 per thread, at most 128}}
    // expected-note @+1 {{that op is here}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x67xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<simt>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Without a remark: the user said so.
// CHECK-LABEL: func @not_wished
// CHECK: tile.gemm {{.*}}tile.stage = 2
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @not_wished(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {rotate = false}
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<tma>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<tma>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<wgmma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<wgmma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// mma.sync is done when the next instruction runs: there is nothing to run beside,
// and nothing to say.
// CHECK-LABEL: func @synchronous
// CHECK: tile.gemm {{.*}}tile.stage = 2
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @synchronous(%K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %end: index, %takes: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] : memref<1024x64xbf16>
      tile.copy %k to %Ks {instr = #tile.instr<cp_async>} : !R, !T
      tile.copy %v to %Vs {instr = #tile.instr<cp_async>} : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b, instr = #tile.instr<mma>} : (!T, !T, !acc)
      tile.copy %s to %p {instr = #tile.instr<simt>} : !acc, !P
      tile.gemm %p, %Vs, %o {instr = #tile.instr<mma>} : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
