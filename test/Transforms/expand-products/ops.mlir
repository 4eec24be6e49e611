// RUN: %tile_opt_passes 'tile-expand-products{target=sm_90a}' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-products{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>

// Sums go along K, in f32 for f16; a factor in registers is copied.
// CHECK-LABEL: func.func @row
// CHECK: %[[A:.*]] = tile.alloc : memref<1x20xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %{{.*}} to %[[A]]
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [1, 48] {
// CHECK: %[[OLD:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]] : memref<1x48xf16, #tile.fragment>
// CHECK: arith.extf %[[OLD]] : f16 to f32
// CHECK: %[[NOTHING:.*]] = arith.constant 0.0
// CHECK: %[[ZERO:.*]] = arith.select %arg0, %[[NOTHING]],
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (f32)
// CHECK: memref.load %[[A]][%[[I]], %[[K]]]
// CHECK: memref.load %{{.*}}[%[[J]], %[[K]]] : memref<48x20xf16
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[SUM]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: memref.store
func.func @row(%clear: i1) attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : memref<1x20xf16, #tile.fragment>
  %b = tile.alloc : memref<48x20xf16, #shared>
  %c = tile.alloc : memref<1x48xf16, #tile.fragment>
  // expected-remark @+1 {{[tile-product/elements] adds up each element of its own, with no matrix instruction: those take M x N of 16 x 8 and K of 32 bytes}}
  tile.gemm %a, %b, %c clear %clear {transpose_b} : (memref<1x20xf16, #tile.fragment>, memref<48x20xf16, #shared>, memref<1x48xf16, #tile.fragment>)
  return
}

// Each matrix of a batch is a window, and has a fragment of its own.
// CHECK-LABEL: func.func @batch
// CHECK-COUNT-2: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {policy = #tile.warp_policy<full_row>} : (!tile.region<32x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>, memref<32x64xf32, #tile.fragment>)
// CHECK-NOT: tile.gemm
func.func @batch() attributes {tile.num_threads = 64 : i32} {
  %a = tile.alloc : memref<2x32x32xbf16, #shared>
  %b = tile.alloc : memref<2x32x64xbf16, #shared>
  %c = tile.alloc : memref<2x32x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c {policy = #tile.warp_policy<full_row>} : (memref<2x32x32xbf16, #shared>, memref<2x32x64xbf16, #shared>, memref<2x32x64xf32, #tile.fragment>)
  return
}

// Other warps would share it: it stays, and tile-instruction-annotation says so.
// CHECK-LABEL: func.func @stays
// CHECK: tile.gemm
func.func @stays() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : memref<16x32xbf16, #shared>
  %b = tile.alloc : memref<32x8xbf16, #shared>
  %c = tile.alloc : memref<16x8xf32, #tile.fragment>
  tile.gemm %a, %b, %c : (memref<16x32xbf16, #shared>, memref<32x8xbf16, #shared>, memref<16x8xf32, #tile.fragment>)
  return
}

// f64 has an instruction; f32 rounded to tf32 has one, and
// stays rounded in a batch. What the user says is obeyed.
// CHECK-LABEL: func.func @precisions
// CHECK: tile.gemm {{.*}} : (memref<16x16xf64
// CHECK: tile.gemm {{.*}} {precision = "tf32"} : (!tile.region<16x16xf32
// CHECK: tile.gemm {{.*}} {instr = #tile.instr<mma>} : (memref<8x32xbf16
func.func @precisions() attributes {tile.num_threads = 32 : i32} {
  %a = tile.alloc : memref<16x16xf64, #shared>
  %b = tile.alloc : memref<16x16xf64, #shared>
  %c = tile.alloc : memref<16x16xf64, #tile.fragment>
  tile.gemm %a, %b, %c : (memref<16x16xf64, #shared>, memref<16x16xf64, #shared>, memref<16x16xf64, #tile.fragment>)
  %d = tile.alloc : memref<1x16x16xf32, #shared>
  %e = tile.alloc : memref<1x16x16xf32, #shared>
  %f = tile.alloc : memref<1x16x16xf32, #tile.fragment>
  tile.gemm %d, %e, %f {precision = "tf32"} : (memref<1x16x16xf32, #shared>, memref<1x16x16xf32, #shared>, memref<1x16x16xf32, #tile.fragment>)
  %g = tile.alloc : memref<8x32xbf16, #shared>
  %h = tile.alloc : memref<32x8xbf16, #shared>
  %i = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.gemm %g, %h, %i {instr = #tile.instr<mma>} : (memref<8x32xbf16, #shared>, memref<32x8xbf16, #shared>, memref<8x8xf32, #tile.fragment>)
  return
}
