// RUN: %tile_opt_passes 'tile-expand-products{target=sm_90a}' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-products{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// The pads are filled once, before the loop. C has pads around the loop, whose
// products have it to themselves. B is large enough.
// CHECK-LABEL: func.func @loop
// CHECK: %[[C:.*]] = tile.alloc : memref<3x64xf32, #tile.fragment>
// CHECK: %[[WIDE:.*]] = tile.alloc : memref<16x64xf32, #tile.fragment>
// CHECK: tile.fill %[[WIDE]]
// CHECK: %[[CORNER:.*]] = tile.region %[[WIDE]][0, 0] [3, 64]
// CHECK: tile.copy %[[C]] to %[[CORNER]]
// CHECK: %[[A:.*]] = tile.alloc : memref<16x32xf16, #gpu.address_space<workgroup>>
// CHECK: tile.fill %[[A]]
// CHECK: scf.for
// CHECK-NEXT: %[[PART:.*]] = tile.region %[[A]][0, 0] [3, 32]
// CHECK-NEXT: tile.copy %{{.*}} to %[[PART]]
// CHECK-NEXT: tile.gemm %[[A]], %{{.*}}, %[[WIDE]] clear %{{.*}} {transpose_b} : (memref<16x32xf16, #gpu.address_space<workgroup>>, memref<64x32xf16, #gpu.address_space<workgroup>>, memref<16x64xf32, #tile.fragment>)
// CHECK-NEXT: }
// CHECK-NEXT: tile.copy %[[CORNER]] to %[[C]]
func.func @loop(%n: index, %clear: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<3x32xf16, #shared>
  %b = tile.alloc : memref<64x32xf16, #shared>
  %c = tile.alloc : memref<3x64xf32, #fragment>
  scf.for %k = %c0 to %n step %c1 {
    // expected-remark @+1 {{[tile-product/padded] is padded from 3 x 64 x 32 to 16 x 64 x 32, M x N x K, which a matrix instruction and all warps take}}
    tile.gemm %a, %b, %c clear %clear {transpose_b} : (memref<3x32xf16, #shared>, memref<64x32xf16, #shared>, memref<3x64xf32, #fragment>)
  }
  return
}

// Something else uses C in the outer loop: it has pads around the inner one.
// Two products there have the same ones.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: tile.fill
// CHECK: %[[WIDE:.*]] = tile.alloc : memref<64x16xf32, #tile.fragment>
// CHECK: scf.for
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[WIDE]] {policy = #tile.warp_policy<full_row>}
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[WIDE]] {policy = #tile.warp_policy<full_row>}
// CHECK-NEXT: }
// CHECK-NEXT: tile.copy
// CHECK-NEXT: }
func.func @nested(%n: index, %zero: f32) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : memref<60x24xbf16, #shared>
  %b = tile.alloc : memref<24x9xbf16, #shared>
  %d = tile.alloc : memref<60x40xbf16, #fragment>
  %e = tile.alloc : memref<40x9xbf16, #shared>
  %c = tile.alloc : memref<60x9xf32, #fragment>
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %c, %zero : memref<60x9xf32, #fragment>, f32
    scf.for %k = %c0 to %n step %c1 {
      // expected-remark @+1 {{is padded from 60 x 9 x 24 to 64 x 16 x 32, M x N x K}}
      tile.gemm %a, %b, %c {policy = #tile.warp_policy<full_row>} : (memref<60x24xbf16, #shared>, memref<24x9xbf16, #shared>, memref<60x9xf32, #fragment>)
      // expected-remark @+1 {{is padded from 60 x 9 x 40 to 64 x 16 x 48, M x N x K}}
      tile.gemm %d, %e, %c {policy = #tile.warp_policy<full_row>} : (memref<60x40xbf16, #fragment>, memref<40x9xbf16, #shared>, memref<60x9xf32, #fragment>)
    }
  }
  return
}

// Where the tiles with pads are large, or a thread has little to do, an element
// loop is no worse.
// CHECK-LABEL: func.func @elements
// CHECK-NOT: tile.gemm
// CHECK: tile.parallel
// CHECK-NOT: tile.gemm
// CHECK: tile.parallel
// CHECK-NOT: tile.gemm
// CHECK: return
func.func @elements() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : memref<120x150xf16, #shared>
  %b = tile.alloc : memref<150x150xf16, #shared>
  %c = tile.alloc : memref<120x150xf32, #fragment>
  %d = tile.alloc : memref<2x20xf16, #shared>
  %e = tile.alloc : memref<20x9xf16, #shared>
  %f = tile.alloc : memref<2x9xf32, #fragment>
  // expected-remark @+1 {{[tile-product/elements] adds up each element of its own}}
  tile.gemm %a, %b, %c : (memref<120x150xf16, #shared>, memref<150x150xf16, #shared>, memref<120x150xf32, #fragment>)
  // expected-remark @+1 {{[tile-product/elements] adds up each element of its own}}
  tile.gemm %d, %e, %f : (memref<2x20xf16, #shared>, memref<20x9xf16, #shared>, memref<2x9xf32, #fragment>)
  return
}

// The second one finds no room for its pads.
// CHECK-LABEL: func.func @room
// CHECK: tile.gemm
// CHECK: tile.parallel
// CHECK-NOT: tile.gemm
// CHECK: return
func.func @room() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : memref<100x100xf16, #shared>
  %b = tile.alloc : memref<100x100xf16, #shared>
  %c = tile.alloc : memref<100x100xf32, #fragment>
  // expected-remark @+1 {{is padded from 100 x 100 x 100 to 128 x 104 x 112, M x N x K}}
  tile.gemm %a, %b, %c : (memref<100x100xf16, #shared>, memref<100x100xf16, #shared>, memref<100x100xf32, #fragment>)
  // expected-remark @+1 {{[tile-product/elements] adds up each element of its own}}
  tile.gemm %b, %a, %c {transpose_b} : (memref<100x100xf16, #shared>, memref<100x100xf16, #shared>, memref<100x100xf32, #fragment>)
  return
}
