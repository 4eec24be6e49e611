// Which loops of the consumer stay pipelined: those whose products depend on each
// other, so that tile-pipeline-planning rotates them (Analysis/LoopRotation.c).

// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a}' %s 2>/dev/null > %t.once
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %t.once | diff %t.once -

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>

// Two stages, whatever the depth of the rings is.
// CHECK-LABEL: func @rotated
// CHECK: tile.channel({{.*}}) depth 4
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: } {tile.num_stages = 2 : i32}
// CHECK: tile.role "producer"
// CHECK-NOT: tile.num_stages
func.func @rotated(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, !acc)
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o : (!P, !T, !acc)
    } {tile.num_stages = 4 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @not_wished
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @not_wished(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
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
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, !acc)
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Products that do not depend on each other release their slots later instead.
// CHECK-LABEL: func @independent
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @independent(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s {transpose_b} : (!T, !T, !acc)
      tile.gemm %Qs, %Vs, %o : (!T, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A slot of V would be held while the next one is waited for.
// CHECK-LABEL: func @one_slot
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @one_slot(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    // expected-remark @+1 {{[tile-rotation/slots] multiplies in order: a slot of the tile would be held for two iterations; one stage more gives it another}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, !acc)
      tile.copy %s to %p : !acc, !P
      // expected-note @+1 {{that op is here}}
      tile.gemm %p, %Vs, %o : (!P, !T, !acc)
    } {tile.num_stages = 1 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A block that is left out has no products: which one comes next depends on
// data. The loop keeps its order.
// CHECK-LABEL: func @guarded
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @guarded(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    // expected-remark @+1 {{[tile-rotation/guard] multiplies in order: a guard around products makes the next one depend on data; a loop over the blocks that take part has none}}
    scf.for %n = %c0 to %end step %c64 {
      %j = arith.divui %n, %c64 : index
      %bit = memref.load %M[%j] : memref<16xi32>
      %i0 = arith.constant 0 : i32
      %go = arith.cmpi ne, %bit, %i0 : i32
      // expected-note @+1 {{that op is here}}
      scf.if %go {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, !acc)
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o : (!P, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The guard is around the second product only, and before it its tile is
// waited for.
// CHECK-LABEL: func @guarded_second
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @guarded_second(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    // expected-remark @+1 {{[tile-rotation/guard]}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, !acc)
      tile.copy %s to %p : !acc, !P
      %far = arith.cmpi sge, %n, %c128 : index
      // expected-note @+1 {{that op is here}}
      scf.if %far {
        tile.gemm %p, %Vs, %o : (!P, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The first product takes what the last one of the iteration before has made,
// as a recurrent state does.
// CHECK-LABEL: func @recurrent
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @recurrent(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %M: memref<16xi32>, %O: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    // expected-remark @+1 {{[tile-rotation/dependence] multiplies in order: the first product of an iteration needs what later ones of the iteration before have computed, or registers that they still use}}
    scf.for %n = %c0 to %end step %c64 {
      %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !R, !T
      tile.copy %v to %Vs : !R, !T
      // expected-note @+1 {{that op is here}}
      tile.copy %o to %p : !acc, !P
      tile.gemm %p, %Ks, %s clear %true : (!P, !T, !acc)
      tile.copy %s to %p : !acc, !P
      tile.gemm %p, %Vs, %o : (!P, !T, !acc)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Accumulators and factors of two iterations are more than a thread has.
// CHECK-LABEL: func @too_many_registers
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @too_many_registers(%Q: memref<128x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : memref<128x64xbf16, #smem>
    %Ks = tile.alloc : memref<128x64xbf16, #smem>
    %Vs = tile.alloc : memref<128x64xbf16, #smem>
    %s = tile.alloc : memref<128x128xf32, #tile.fragment>
    %p = tile.alloc : memref<128x128xbf16, #tile.fragment>
    %o = tile.alloc : memref<128x64xf32, #tile.fragment>
    %q = tile.region %Q[0, 0] [128, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !tile.region<128x64xbf16>, memref<128x64xbf16, #smem>
    tile.fill %o, %zero : memref<128x64xf32, #tile.fragment>, f32
    // expected-note @+2 {{that op is here}}
    // expected-remark @+1 {{[tile-rotation/registers] multiplies in order: sums and factors of two iterations need more registers than a thread has; a smaller tile or more threads help}}
    scf.for %n = %c0 to %end step %c128 {
      %k = tile.region %K[%n, 0] [128, 64] {align = 16 : i64} : memref<1024x64xbf16>
      %v = tile.region %V[%n, 0] [128, 64] {align = 16 : i64} : memref<1024x64xbf16>
      tile.copy %k to %Ks : !tile.region<128x64xbf16>, memref<128x64xbf16, #smem>
      tile.copy %v to %Vs : !tile.region<128x64xbf16>, memref<128x64xbf16, #smem>
      tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (memref<128x64xbf16, #smem>, memref<128x64xbf16, #smem>, memref<128x128xf32, #tile.fragment>)
      tile.copy %s to %p : memref<128x128xf32, #tile.fragment>, memref<128x128xbf16, #tile.fragment>
      tile.gemm %p, %Vs, %o : (memref<128x128xbf16, #tile.fragment>, memref<128x64xbf16, #smem>, memref<128x64xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[0, 0] [128, 64] : memref<128x64xf32>
    tile.copy %o to %out : memref<128x64xf32, #tile.fragment>, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}

// Of a loop over tiles whose threads store, what the stores need of each tile stays in
// registers: 120 would do for one tile.
// CHECK-LABEL: func @stored_per_tile
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.num_stages
func.func @stored_per_tile(%Q: memref<64x64xbf16>, %K: memref<1024x64xbf16>, %V: memref<1024x64xbf16>, %O: memref<4096x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {registers = 128}
    scf.for %t = %bx to %c64 step %sx {
      %Qs = tile.alloc : !T
      %Ks = tile.alloc : !T
      %Vs = tile.alloc : !T
      %s = tile.alloc : !acc
      %p = tile.alloc : !P
      %o = tile.alloc : !acc
      %q = tile.region %Q[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
      tile.copy %q to %Qs : !R, !T
      tile.fill %o, %zero : !acc, f32
      // expected-note @+2 {{that op is here}}
      // expected-remark @+1 {{[tile-rotation/registers] multiplies in order: sums and factors of two iterations need more registers than a thread has; a smaller tile or more threads help: 132 per thread, at most 128}}
      scf.for %n = %c0 to %end step %c64 {
        %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
        %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<1024x64xbf16>
        tile.copy %k to %Ks : !R, !T
        tile.copy %v to %Vs : !R, !T
        tile.gemm %Qs, %Ks, %s clear %true {transpose_b} : (!T, !T, !acc)
        tile.copy %s to %p : !acc, !P
        tile.gemm %p, %Vs, %o : (!P, !T, !acc)
      } {tile.num_stages = 2 : i32}
      %row = arith.muli %t, %c64 : index
      %out = tile.region %O[%row, 0] [64, 64] : memref<4096x64xf32>
      tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    } {tile.persistent}
    gpu.terminator
  }
  return
}
