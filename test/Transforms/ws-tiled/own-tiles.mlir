// What decides about a copy may be computed in tiles: the producer has tiles of
// its own for it, and repeats it.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
#tma = #tile.instr<tma>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!out = memref<64x64xbf16, #frag>

// In the loop: a fragment, an element loop, a predicate. Few elements: one warp.
// CHECK-LABEL: func.func @fragments
// CHECK: tile.role "producer" warps 1
// CHECK: tile.copy {{.*}} to %[[M:.*]] : !tile.region<16xi32>, memref<16xi32, #tile.fragment>
// CHECK: tile.parallel
// CHECK: memref.load %[[M]]
// CHECK: memref.store {{.*}}, %[[P:[0-9]+]]
// CHECK: %[[ON:.*]] = tile.any_of %[[P]]
// CHECK: scf.if %[[ON]]
// CHECK: tile.acquire
func.func @fragments(%A: !tensor, %M: memref<?x16xi32>, %n: index, %limit: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !out
  %m = tile.alloc : memref<16xi32, #frag>
  %p = tile.alloc : memref<16xi1, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %M[%k, 0] [1, 16] drop [0] : memref<?x16xi32>
    tile.copy %w to %m : !tile.region<16xi32>, memref<16xi32, #frag>
    tile.parallel (%x) in [16] {
      %v = memref.load %m[%x] : memref<16xi32, #frag>
      %g = arith.cmpi sgt, %v, %limit : i32
      memref.store %g, %p[%x] : memref<16xi1, #frag>
    }
    %on = tile.any_of %p : memref<16xi1, #frag>
    scf.if %on {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %a to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !out
    }
  } {tile.num_stages = 2 : i32}
  return
}

// Before it: a table in shared memory, of which both roles have one.
// CHECK-LABEL: func.func @table
// CHECK: %[[CONSUMER:.*]] = tile.alloc : memref<8xi32, #gpu.address_space<workgroup>>
// CHECK: %[[PRODUCER:.*]] = tile.alloc : memref<8xi32, #gpu.address_space<workgroup>>
// CHECK: tile.role "consumer"
// CHECK: memref.store {{.*}}, %[[CONSUMER]]
// CHECK: memref.load %[[CONSUMER]]
// CHECK: tile.role "producer"
// CHECK: memref.store {{.*}}, %[[PRODUCER]]
// CHECK: memref.load %[[PRODUCER]]
// CHECK: tile.acquire
func.func @table(%A: !tensor, %M: memref<8xi32>, %limit: i32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !out
  %T = tile.alloc : memref<8xi32, #smem>
  tile.parallel (%x) in [8] {
    %v = memref.load %M[%x] : memref<8xi32>
    %w = arith.xori %v, %limit : i32
    memref.store %w, %T[%x] : memref<8xi32, #smem>
  }
  scf.for %k = %c0 to %c8 step %c1 {
    %v = memref.load %T[%k] : memref<8xi32, #smem>
    %on = arith.cmpi sgt, %v, %limit : i32
    scf.if %on {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %a to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !out
    }
  } {tile.num_stages = 2 : i32}
  return
}

// Many elements: four warps. The consumers keep their copy of what decides.
// CHECK-LABEL: func.func @wide
// CHECK: tile.role "consumer"
// CHECK: tile.copy {{.*}} : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK: tile.role "producer" warps 4
// CHECK: tile.copy {{.*}}instr = #tile.instr<simt>{{.*}} : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
func.func @wide(%A: !tensor, %M: memref<?x64xf32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -1.0 : f32
  %S = tile.alloc : !tile
  %F = tile.alloc : !out
  %Ms = tile.alloc : memref<32x64xf32, #smem>
  %m = tile.alloc : memref<32x64xi1, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %M[%k, 0] [32, 64] : memref<?x64xf32>
    // expected-remark @+1 {{[tile-ws/decides] the computing warps keep this copy: the producer decides by what the tile holds, and copies it for itself; decide by a scalar of it, or by any_of or all_of of the tile itself}}
    tile.copy %w to %Ms {instr = #tma} : !tile.region<32x64xf32>, memref<32x64xf32, #smem>
    tile.parallel (%y, %x) in [32, 64] {
      %v = memref.load %Ms[%y, %x] : memref<32x64xf32, #smem>
      %g = arith.cmpf olt, %v, %low : f32
      memref.store %g, %m[%y, %x] : memref<32x64xi1, #frag>
    }
    %on = tile.any_of %m : memref<32x64xi1, #frag>
    scf.if %on {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %a to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !out
    }
  } {tile.num_stages = 2 : i32}
  return
}

// A fragment that copies a window: the producer asks the tensor, and needs no
// registers for it.
// CHECK-LABEL: func.func @copied
// CHECK: tile.role "consumer"
// CHECK: tile.any_of {{.*}} : memref<128x128xi1, #tile.fragment>
// CHECK: tile.role "producer" warps 1
// CHECK-NOT: tile.alloc
// CHECK: %[[W:.*]] = tile.region %{{.*}} [128, 128]
// CHECK: tile.any_of %[[W]] : !tile.region<128x128xi1>
// CHECK: tile.acquire
func.func @copied(%A: !tensor, %M: memref<?x128xi1>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !out
  %m = tile.alloc : memref<128x128xi1, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %M[%k, 0] [128, 128] : memref<?x128xi1>
    tile.copy %w to %m : !tile.region<128x128xi1>, memref<128x128xi1, #frag>
    %on = tile.any_of %m : memref<128x128xi1, #frag>
    scf.if %on {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      tile.copy %a to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !out
    }
  } {tile.num_stages = 2 : i32}
  return
}

// Sums of floats depend on the number of threads.
// CHECK-LABEL: func.func @float_sum
// CHECK-NOT: tile.role
func.func @float_sum(%A: !tensor, %M: memref<?x16xf32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %S = tile.alloc : !tile
  %F = tile.alloc : !out
  %m = tile.alloc : memref<16xf32, #frag>
  %s = tile.alloc : memref<1xf32, #frag>
  %T = tile.alloc : memref<1xf32, #smem>
  // expected-remark @+1 {{[tile-ws/nothing-left]}}
  scf.for %k = %c0 to %n step %c1 {
    %w = tile.region %M[%k, 0] [1, 16] drop [0] : memref<?x16xf32>
    tile.copy %w to %m : !tile.region<16xf32>, memref<16xf32, #frag>
    // expected-note @+1 {{it depends on this}}
    tile.reduce sum %m to %s dim 0 {clear} : memref<16xf32, #frag>, memref<1xf32, #frag>
    tile.copy %s to %T : memref<1xf32, #frag>, memref<1xf32, #smem>
    %v = memref.load %T[%c0] : memref<1xf32, #smem>
    %on = arith.cmpf ogt, %v, %zero : f32
    scf.if %on {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/guard-consumer-data]}}
      tile.copy %a to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !out
    }
  } {tile.num_stages = 2 : i32}
  return
}

// More than a producer has registers for, and more shared memory than it is
// worth.
// CHECK-LABEL: func.func @large
// CHECK-NOT: tile.role
func.func @large(%A: !tensor, %M: memref<?x128xi1>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %U = tile.alloc : !tile
  %F = tile.alloc : !out
  %m = tile.alloc : memref<128x128xi1, #frag>
  %T = tile.alloc : memref<5000xi32, #smem>
  %zero = arith.constant 0 : i32
  tile.fill %T, %zero : memref<5000xi32, #smem>, i32
  // expected-remark @+1 {{[tile-ws/nothing-left]}}
  scf.for %k = %c0 to %n step %c1 {
    tile.parallel (%y, %x) in [128, 128] {
      %r = arith.addi %k, %y : index
      %v = memref.load %M[%r, %x] : memref<?x128xi1>
      memref.store %v, %m[%y, %x] : memref<128x128xi1, #frag>
    }
    %on = tile.any_of %m : memref<128x128xi1, #frag>
    scf.if %on {
      %a = tile.region %A[0, %k] [64, 64] : !tensor
      // expected-remark @+1 {{[tile-ws/slice-registers] the computing warps keep this copy: the producer would compute its address or a condition around it in more registers than its threads have to spare: 16384 registers, at most 8192; compute it from smaller tiles}}
      tile.copy %a to %S {instr = #tma} : !win, !tile
      tile.copy %S to %F : !tile, !out
    }
    %v = memref.load %T[%k] : memref<5000xi32, #smem>
    %at = arith.index_cast %v : i32 to index
    %b = tile.region %A[%at, %k] [64, 64] : !tensor
    // expected-remark @+1 {{[tile-ws/slice-bytes] the computing warps keep this copy: the producer would compute its address or a condition around it in more shared memory than is worth it: 20000 bytes, at most 16384; compute it from smaller tiles}}
    tile.copy %b to %U {instr = #tma} : !win, !tile
    tile.copy %U to %F : !tile, !out
  } {tile.num_stages = 2 : i32}
  return
}
