// RUN: %tile_opt_passes 'convert-tile-to-threads' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'convert-tile-to-threads' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// A fragment is registers: constants into its storage. Of several lanes that hold
// an element one runs the loop, and neighbours are one store.
// CHECK-LABEL: func.func @registers
// CHECK: gpu.thread_id x
// CHECK: %[[F:.*]] = tile.storage
// CHECK: %[[S:.*]] = tile.storage
// CHECK: scf.if
// CHECK: %[[R0:.*]] = memref.load %[[F]][%{{.*}}] : memref<4xf32, #gpu.address_space<private>>
// CHECK: arith.addf %[[R0]]
// CHECK: vector.store %{{.*}}, %[[S]][%{{.*}}] {alignment = 16 : i64} : memref<64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
func.func @registers(%v: f32) attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*4), lane=(d0:4*16, 0*2), warp=() -> d0:64>">} : memref<64xf32, #tile.fragment>
  %s = tile.alloc {layout = #tile.layout<"linear">} : memref<64xf32, #gpu.address_space<workgroup>>
  tile.parallel (%i) in [64] {
    %x = memref.load %f[%i] : memref<64xf32, #tile.fragment>
    %y = arith.addf %x, %v : f32
    memref.store %y, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  } {layout = #tile.layout<"bases<reg=(d0:1*4), lane=(d0:4*16, 0*2), warp=() -> d0:64>">}
  return
}

// Without layout threads take elements in turn; the last ones are some
// threads' only. Every thread stores for itself.
// CHECK-LABEL: func.func @dealt
// CHECK: scf.for
// CHECK: memref.store {{.*}} {tile.by_thread}
// CHECK: %[[REST:.*]] = arith.cmpi ult
// CHECK: scf.if %[[REST]]
// CHECK: memref.store {{.*}} {tile.by_thread}
func.func @dealt(%A: memref<601xf32>, %v: f32) attributes {tile.num_threads = 32 : i32} {
  tile.parallel (%i) in [601] {
    memref.store %v, %A[%i] : memref<601xf32>
  }
  return
}

// Loads of a batch come before its stores.
// CHECK-LABEL: func.func @early
// CHECK: memref.load %[[A:.*]][
// CHECK: memref.load %[[A]][
// CHECK: memref.store
// CHECK-NOT: memref.load
func.func @early(%A: memref<64xf32>, %B: memref<64xf32>) attributes {tile.num_threads = 32 : i32} {
  tile.parallel (%i) in [64] {
    %x = memref.load %A[%i] : memref<64xf32>
    memref.store %x, %B[%i] : memref<64xf32>
  } {layout = #tile.layout<"bases<reg=(d0:32*2), lane=(d0:1*32), warp=() -> d0:64>">}
  return
}

// What is aligned moves in vectors; where a guard holds for the first and the last
// element of a run, too. Elements of other runs are tested each.
// CHECK-LABEL: func.func @guarded
// CHECK: %[[FIRST:.*]] = arith.cmpi ult
// CHECK: %[[LAST:.*]] = arith.cmpi ult
// CHECK: %[[ALL:.*]] = arith.andi %[[FIRST]], %[[LAST]]
// CHECK: scf.if %[[ALL]] {
// CHECK-NEXT: vector.load {{.*}}vector<4xf32>
// CHECK-NOT: scf.if
// CHECK: vector.store
// CHECK: } else {
// CHECK-NOT: vector
// CHECK-COUNT-4: scf.if
// CHECK-NOT: scf.if
// CHECK: return
func.func @guarded(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %v: f32) attributes {tile.num_threads = 32 : i32} {
  tile.parallel (%i) in [128] {
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %x = memref.load %A[%i] {tile.align = 16 : i64} : memref<?xf32>
      %y = arith.addf %x, %v : f32
      memref.store %y, %B[%i] {tile.align = 16 : i64} : memref<?xf32>
    }
  }
  return
}

// Elements between two that satisfy such a guard need not: they are tested each.
// CHECK-LABEL: func.func @not_convex
// CHECK-NOT: vector
// CHECK: return
func.func @not_convex(%A: memref<?xf32>, %n: index, %v: f32) attributes {tile.num_threads = 32 : i32} {
  tile.parallel (%i) in [128] {
    %in = arith.cmpi ne, %i, %n : index
    scf.if %in {
      memref.store %v, %A[%i] {tile.align = 16 : i64} : memref<?xf32>
    }
  }
  return
}

// A choice between an element of a fragment and a number is no branch: any
// thread may compute both. What may be outside of memory stays one. Constants
// stand once, and indices that nobody reads are gone.
// CHECK-LABEL: func.func @choices
// CHECK: arith.constant 3.000000e+00 : f32
// CHECK-NOT: arith.constant 3.000000e+00 : f32
// CHECK: %[[X:.*]] = memref.load %{{.*}} : memref<2xf32, #gpu.address_space<private>>
// CHECK: arith.select %{{.*}}, %[[X]], %{{.*}} : f32
// CHECK: scf.if %{{.*}} -> (f32)
// CHECK-NEXT: memref.load %{{.*}} : memref<64xf32>
func.func @choices(%A: memref<64xf32>, %n: index) attributes {tile.num_threads = 32 : i32} {
  %three = arith.constant 3.0 : f32
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*2), lane=(d0:2*32), warp=() -> d0:64>">} : memref<64xf32, #tile.fragment>
  tile.parallel (%i) in [64] {
    %c = arith.constant 3.0 : f32
    %is_inside = arith.cmpi ult, %i, %n : index
    %x = scf.if %is_inside -> f32 {
      %y = memref.load %f[%i] : memref<64xf32, #tile.fragment>
      scf.yield %y : f32
    } else {
      scf.yield %c : f32
    }
    %z = scf.if %is_inside -> f32 {
      %y = memref.load %A[%i] : memref<64xf32>
      scf.yield %y : f32
    } else {
      scf.yield %three : f32
    }
    %s = arith.addf %x, %z : f32
    memref.store %s, %f[%i] : memref<64xf32, #tile.fragment>
  } {layout = #tile.layout<"bases<reg=(d0:1*2), lane=(d0:2*32), warp=() -> d0:64>">}
  return
}
