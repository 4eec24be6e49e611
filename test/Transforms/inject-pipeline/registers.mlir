// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline,canonicalize' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!A = memref<64x?xbf16>
!F = memref<64x?xf32>
!B = memref<?x64xbf16>
!S = memref<64x64xbf16, #smem>
!Acc = memref<64x64xf32, #frag>

// Loads before the product of the step, stores after it, under one
// condition. What is on its way has the type of the tensor, so that nothing waits
// for it before. One slot is enough: the product has read it.
// CHECK-LABEL: func.func @product
// CHECK: %[[S:.*]] = tile.alloc : memref<64x64xbf16, #gpu
// CHECK: %[[T:.*]] = tile.alloc : memref<64x64xbf16, #gpu
// CHECK: tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: %[[F:.*]] = tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: %[[G:.*]] = tile.alloc : memref<64x64xbf16, #tile.fragment>
// CHECK: scf.for
// CHECK: scf.if %[[EXISTS:.*]] {
// CHECK: tile.copy %{{.*}} to %[[F]] {instr = #tile.instr<simt>}
// CHECK: tile.parallel
// CHECK: memref.store %{{.*}}, %[[G]]
// CHECK: }
// CHECK: tile.gemm %[[S]], %[[T]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK: tile.copy %[[F]] to %[[S]] {instr = #tile.instr<simt>}
// CHECK: tile.copy %[[G]] to %[[T]] {instr = #tile.instr<simt>}
// CHECK: }
func.func @product(%A: !F, %B: !B, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !S
    %Bs = tile.alloc : !S
    %acc = tile.alloc : !Acc
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : !F
      // expected-remark @+1 {{[tile-pipeline/register-staged] goes by way of registers: loaded ahead of the work of its step, stored to shared memory after it}}
      tile.copy %a to %As {instr = #tile.instr<simt>} : !tile.region<64x64xf32>, !S
      // expected-remark @+1 {{[tile-pipeline/register-staged]}}
      tile.parallel (%i, %j) in [64, 64] {
        %r = arith.addi %k, %i : index
        %x = memref.load %B[%r, %j] : !B
        %y = arith.addf %x, %x : bf16
        memref.store %y, %Bs[%i, %j] : !S
      }
      tile.gemm %As, %Bs, %acc : (!S, !S, !Acc)
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Element loops that leave elements out, or store them elsewhere, stay in one
// piece: what is left out keeps its value in shared memory only.
// CHECK-LABEL: func.func @element_loops
// CHECK-NOT: #tile.fragment
// CHECK: return
func.func @element_loops(%A: memref<64x64xf32>, %O: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xf32, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: the element loop does not store every element of the tile once, at its own index}}
      tile.parallel (%j) in [64] {
        %to = arith.subi %c63, %j : index
        %x = memref.load %A[%i, %j] : memref<64x64xf32>
        memref.store %x, %S[%to] : memref<64xf32, #smem>
      }
      tile.copy %S to %o {instr = #tile.instr<simt>} : memref<64xf32, #smem>, !tile.region<64xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Registers have no indices but parallel ones, whatever the sum is.
func.func @sum_of_nothing(%A: memref<64x64xf32>, %O: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xf32, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: the element loop does not store every element of the tile once, at its own index}}
      tile.parallel (%j) in [64] {
        %to = arith.addi %c0, %j : index
        %x = memref.load %A[%i, %j] : memref<64x64xf32>
        memref.store %x, %S[%to] : memref<64xf32, #smem>
      }
      tile.copy %S to %o {instr = #tile.instr<simt>} : memref<64xf32, #smem>, !tile.region<64xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// A plan of the user that leaves nothing to do between the parts.
// CHECK-LABEL: func.func @nothing_between
// CHECK-NOT: #tile.fragment
// CHECK: return
func.func @nothing_between(%A: memref<64x64xf32>, %O: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xf32, #smem>
    %T = tile.alloc : memref<64xf32, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      %o = tile.region %O[%i, 0] [1, 64] drop [0] : memref<64x64xf32>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: no work of its step stands between its loads and its stores}}
      tile.copy %a to %S {instr = #tile.instr<simt>, tile.stage = 0 : i32, tile.order = 1 : i32} : !tile.region<64xf32>, memref<64xf32, #smem>
      tile.copy %S to %T {instr = #tile.instr<simt>, tile.stage = 0 : i32, tile.order = 2 : i32} : memref<64xf32, #smem>, memref<64xf32, #smem>
      tile.copy %S to %o {instr = #tile.instr<simt>, tile.stage = 1 : i32, tile.order = 3 : i32} : memref<64xf32, #smem>, !tile.region<64xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Too large for the registers that the kernel leaves: elements of two bytes that are
// known to lie at multiples of no more come one by one, each to a register of its own.
// CHECK-LABEL: func.func @large
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>} : !tile.region<64x64xbf16>, !tile.region<64x64xbf16, #gpu
// CHECK: return
func.func @large(%A: !A, %O: memref<64x64xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !S
    %f = tile.alloc : memref<64x128xbf16, #frag>
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : !A
      %o = tile.region %O[0, 0] [64, 64] : memref<64x64xbf16>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: it takes 128 registers per thread, and 31 are free}}
      tile.copy %a to %As {instr = #tile.instr<simt>} : !tile.region<64x64xbf16>, !S
      tile.copy %As to %o {instr = #tile.instr<simt>} : !S, !tile.region<64x64xbf16>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// The tile is filled by a loop, read, and filled again by a copy that could be
// asynchronous: each iteration keeps a tile of its own all the same.
// CHECK-LABEL: func.func @filled_twice
// CHECK: scf.for
// CHECK: memref.store %{{.*}} : memref<32xf32, #tile.fragment>
// CHECK: return
func.func @filled_twice(%A: memref<64x32xf32>, %O: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32xf32, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
      // expected-remark @+1 {{[tile-pipeline/register-staged]}}
      tile.parallel (%j) in [32] {
        %x = memref.load %A[%i, %j] : memref<64x32xf32>
        memref.store %x, %S[%j] : memref<32xf32, #smem>
      }
      // expected-note @+1 {{that op is here}}
      tile.copy %S to %o {instr = #tile.instr<simt>} : memref<32xf32, #smem>, !tile.region<32xf32>
      // expected-remark @+1 {{[tile-pipeline/dependence]}}
      tile.copy %a to %S {instr = #tile.instr<cp_async>} : !tile.region<32xf32>, memref<32xf32, #smem>
      tile.copy %S to %o {instr = #tile.instr<simt>} : memref<32xf32, #smem>, !tile.region<32xf32>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// A window of an image is gathered into shared memory at once.
// CHECK-LABEL: func.func @image
// CHECK-NOT: #tile.fragment
// CHECK: return
func.func @image(%X: memref<1x64x8x32xbf16>, %O: memref<64x32xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<8x32xbf16, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %x = tile.im2col %X[%i, %c0] [8, 32] kernel [1, 3] pad [0, 1] : memref<1x64x8x32xbf16>
      %o = tile.region %O[%i, 0] [8, 32] : memref<64x32xbf16>
      // expected-remark @+1 {{[tile-pipeline/plain] stops its threads until memory has answered: registers take no windows of images}}
      tile.copy %x to %S {instr = #tile.instr<simt>} : !tile.region<8x32xbf16>, memref<8x32xbf16, #smem>
      tile.copy %S to %o {instr = #tile.instr<simt>} : memref<8x32xbf16, #smem>, !tile.region<8x32xbf16>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}
