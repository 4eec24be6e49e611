// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!wgmma = memref<64x64xf32, #tile.fragment>
!mma = memref<64x64xbf16, #tile.fragment>

// Layouts that the user gave differ: elements change threads through a scratch
// tile that packing and synchronisation will see.
// CHECK-LABEL: func.func @between_layouts
// CHECK: %[[F:.*]] = tile.alloc {layout = #tile.layout<"wgmma
// CHECK: %[[G:.*]] = tile.alloc {layout = #tile.layout<"mma
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"{{.*}}">} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %[[F]] to %[[S]]
// CHECK: tile.copy %[[S]] to %[[G]]
func.func @between_layouts() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : !wgmma
  %G = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !mma
  // expected-remark @+1 {{[tile-layout/exchange] moves elements between threads through shared memory in layout swizzle<32>: about 348 cycles}}
  tile.copy %F to %G {instr = #tile.instr<simt>} : !wgmma, !mma
  return
}

// A private array needs all elements: they come through shared memory.
// CHECK-LABEL: func.func @to_private
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %{{.*}} to %[[S]]
// CHECK: tile.copy %[[S]] to %{{.*}} : {{.*}}, memref<64x64xf32, #gpu.address_space<private>>
func.func @to_private() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : !wgmma
  %P = tile.alloc : memref<64x64xf32, #gpu.address_space<private>>
  // expected-remark @+1 {{[tile-layout/exchange] moves elements between threads through shared memory in layout linear: about 16572 cycles}}
  tile.copy %F to %P {instr = #tile.instr<simt>} : !wgmma, memref<64x64xf32, #gpu.address_space<private>>
  return
}

// Without given layouts both fragments take the same one: no exchange.
// CHECK-LABEL: func.func @free_fragments_agree
// CHECK-NOT: workgroup
func.func @free_fragments_agree() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : !wgmma
  %G = tile.alloc : !mma
  tile.copy %F to %G {instr = #tile.instr<simt>} : !wgmma, !mma
  return
}
