// RUN: %tile_opt_passes tile-insert-sync %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes tile-insert-sync %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>
#release = #tile.order<release>
#acquire = #tile.order<acquire>
!tile = memref<64xf32, #shared>

// Who releases does so for the block, and who acquires, too.
// CHECK-LABEL: func.func @one
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.atomic exchange
// CHECK-NEXT: tile.atomic exchange {{.*}}acquire
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @one(%A: memref<64xf32>, %l: memref<1xi32>, %one: i32, %f: memref<64xf32, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  tile.copy %f to %A {instr = #tile.instr<simt>} : memref<64xf32, #tile.fragment>, memref<64xf32>
  tile.atomic exchange %one to %l {order = #release} : i32, memref<1xi32>
  tile.atomic exchange %one to %l {order = #acquire} : i32, memref<1xi32>
  tile.copy %A to %f {instr = #tile.instr<simt>} : memref<64xf32>, memref<64xf32, #tile.fragment>
  return
}

// Shared memory is the block's own: a release needs no barrier for it.
// CHECK-LABEL: func.func @own
// CHECK: tile.fill
// CHECK-NEXT: tile.fence {{.*}}release
// CHECK-NEXT: tile.fence {{.*}}acq_rel
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.copy
func.func @own(%A: memref<64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : !tile
  tile.fill %S, %x : !tile, f32
  tile.fence {order = #release}
  tile.fence {order = #tile.order<acq_rel>}
  tile.copy %S to %A {instr = #tile.instr<simt>} : !tile, memref<64xf32>
  return
}

// A TMA store is complete before. What threads wrote that TMA may load, in this
// block or another, is fenced.
// CHECK-LABEL: func.func @tma
// CHECK: tile.copy %{{.*}} to %{{.*}} {{.*}}async
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>}
// CHECK-NEXT: tile.tma_wait
// CHECK-NOT: read
// CHECK: tile.fence_proxy {global}
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.atomic exchange
func.func @tma(%A: memref<64x64xf32>, %B: memref<64xf32>, %l: memref<1xi32>, %one: i32, %f: memref<64xf32, #tile.fragment>, %m: !tile.tensor_map) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %bar = tile.barrier_alloc {offset = 32768 : i64} : !tile.barrier<1>
  %S = tile.alloc {layout = #tile.layout<"linear">, offset = 0} : memref<64x64xf32, #shared>
  %T = tile.alloc {layout = #tile.layout<"linear">, offset = 16384} : memref<64x64xf32, #shared>
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xf32>
  tile.copy %a to %T map %m signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xf32>, memref<64x64xf32, #shared>
  tile.copy %S to %a map %m {instr = #tile.instr<tma>, async} : memref<64x64xf32, #shared>, !tile.region<64x64xf32>
  tile.copy %f to %B {instr = #tile.instr<simt>} : memref<64xf32, #tile.fragment>, memref<64xf32>
  tile.atomic exchange %one to %l {order = #release} : i32, memref<1xi32>
  return
}

// In a loop: what the round before read is released in the next one.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier_sync
// CHECK-NEXT: tile.atomic exchange
// CHECK-NEXT: tile.copy
// CHECK-NEXT: {{^ *}}}
func.func @loop(%A: memref<64xf32>, %l: memref<1xi32>, %one: i32, %f: memref<64xf32, #tile.fragment>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tile.atomic exchange %one to %l {order = #release} : i32, memref<1xi32>
    tile.copy %A to %f {instr = #tile.instr<simt>} : memref<64xf32>, memref<64xf32, #tile.fragment>
  }
  return
}
