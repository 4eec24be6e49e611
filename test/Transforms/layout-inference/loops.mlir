// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// A loop follows the accumulator of a product, and what is read in it follows
// the loop: a vector of rows is replicated over the lanes of a row.
// CHECK-LABEL: func.func @epilogue
// CHECK: tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
// CHECK: tile.alloc {layout = #tile.layout<"bases<reg=(d0:8), lane=(0*4, d0:1*8), warp=(d0:16*4) -> d0:64>">} : memref<64xf32, #tile.fragment>
// CHECK-NOT: tile.copy
// CHECK: } {layout = #tile.layout<"wgmma<64x64,wg=1x1>">}
func.func @epilogue() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %B = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %scale = tile.alloc : memref<64xf32, #tile.fragment>
  tile.gemm %A, %B, %acc {instr = #tile.instr<wgmma>} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  tile.parallel (%i, %j) in [64, 64] {
    %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %s = memref.load %scale[%i] : memref<64xf32, #tile.fragment>
    %y = arith.mulf %x, %s : f32
    memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  return
}

// A transposition between fragments costs nothing: one layout is the other's.
// CHECK-LABEL: func.func @transposed
// CHECK: #tile.layout<"bases<reg=(d1:1*4, d0:16), lane=(d1:4*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:32>">} : memref<32x32xf32, #tile.fragment>
// CHECK: #tile.layout<"bases<reg=(d0:1*4, d1:16), lane=(d0:4*8, d1:1*4), warp=(d1:4*4) -> d0:32, d1:32>">} : memref<32x32xf32, #tile.fragment>
// CHECK-NOT: workgroup
func.func @transposed() attributes {tile.num_threads = 128 : i32} {
  %x = tile.alloc : memref<32x32xf32, #tile.fragment>
  %y = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.parallel (%i, %j) in [32, 32] {
    %v = memref.load %x[%i, %j] : memref<32x32xf32, #tile.fragment>
    memref.store %v, %y[%j, %i] : memref<32x32xf32, #tile.fragment>
  }
  return
}

// Layouts that the user gave exclude each other: the loop gets a copy that fits.
// CHECK-LABEL: func.func @given
// CHECK: tile.copy %{{.*}} to %[[S:.*]] {
// CHECK: tile.copy %[[S]] to %[[FIT:.*]] {
// CHECK: tile.parallel
// CHECK: memref.load %[[FIT]]
func.func @given(%A: memref<64x64xf32>) attributes {tile.num_threads = 32 : i32} {
  %x = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*64, d0:32), lane=(d0:1*32), warp=() -> d0:64, d1:64>">} : memref<64x64xf32, #tile.fragment>
  %y = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*64, d1:32), lane=(d1:1*32), warp=() -> d0:64, d1:64>">} : memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-layout/exchange] moves elements between threads through shared memory}}
  tile.parallel (%i, %j) in [64, 64] {
    %u = memref.load %x[%i, %j] : memref<64x64xf32, #tile.fragment>
    %v = memref.load %y[%i, %j] : memref<64x64xf32, #tile.fragment>
    %w = arith.addf %u, %v : f32
    memref.store %w, %A[%i, %j] : memref<64x64xf32>
  }
  return
}

// A long loop over memory alone needs no layout: threads take chunks in turn.
// CHECK-LABEL: func.func @memory_alone
// CHECK-NOT: layout
func.func @memory_alone(%A: memref<256x256xf32>, %v: f32) attributes {tile.num_threads = 32 : i32} {
  tile.parallel (%i, %j) in [256, 256] {
    memref.store %v, %A[%i, %j] : memref<256x256xf32>
  }
  return
}

// Four threads hold each element, and the loop reads what it writes: one thread
// runs an element, and what it stores in the fragment passes a shared tile.
// CHECK-LABEL: func.func @rereads
// CHECK: %[[M:.*]] = tile.alloc {{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: %[[F:.*]] = tile.alloc {{.*}} : memref<32xf32, #tile.fragment>
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %[[F]] to %[[S]]
// CHECK: tile.parallel
// CHECK: memref.store {{.*}} %[[S]]
// CHECK: memref.store {{.*}} %[[M]]
// CHECK: tile.copy %[[S]] to %[[F]]
func.func @rereads() attributes {tile.num_threads = 128 : i32} {
  %m = tile.alloc : memref<32xf32, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<32xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-layout/scratch] reads memory that it writes, and several threads run each element, as its fragments lie: one of them passes what it stores through 128 bytes of shared memory}}
  tile.parallel (%i) in [32] {
    %x = memref.load %f[%i] : memref<32xf32, #tile.fragment>
    %y = memref.load %m[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    %z = arith.addf %x, %y : f32
    memref.store %z, %f[%i] : memref<32xf32, #tile.fragment>
    memref.store %x, %m[%i] : memref<32xf32, #gpu.address_space<workgroup>>
  }
  return
}
