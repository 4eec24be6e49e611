// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -split-input-file -verify-diagnostics | FileCheck %s

#smem = #gpu.address_space<workgroup>

// A ring has the layout of a slot, expanded: the same text as for one slot.
// CHECK-LABEL: func @products
// CHECK: %[[A:.*]] = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<3x128x64xbf16
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x128xbf16
// CHECK: tile.alloc {layout = #tile.layout<"wgmma<128x128,wg=1x1>">}
func.func @products(%slot: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<3x128x64xbf16, #smem>
  %Bs = tile.alloc : memref<64x128xbf16, #smem>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %a = tile.region %As[%slot, 0, 0] [1, 128, 64] drop [0] : memref<3x128x64xbf16, #smem>
  tile.gemm %a, %Bs, %acc {instr = #tile.instr<wgmma>} : (!tile.region<128x64xbf16, #smem>, memref<64x128xbf16, #smem>, memref<128x128xf32, #tile.fragment>)
  return
}

// -----

#smem = #gpu.address_space<workgroup>

// Slots of 480 bytes begin at multiples of 512.
// CHECK-LABEL: func @padded_slots
// CHECK: tile.alloc {layout = #tile.layout<"bases<d0=(o:128*4),
func.func @padded_slots(%slot: index, %value: f32) attributes {tile.num_threads = 32 : i32} {
  %S = tile.alloc : memref<4x5x24xf32, #smem>
  %s = tile.region %S[%slot, 0, 0] [1, 5, 24] drop [0] : memref<4x5x24xf32, #smem>
  tile.fill %s, %value : !tile.region<5x24xf32, #smem>, f32
  return
}

// -----

#smem = #gpu.address_space<workgroup>

// A tile that is also used as a whole is no ring. Its slots are windows, whose
// layout follows from that of the tile: rank 3 has no swizzle that wgmma reads.
// expected-error@+1 {{cannot infer layouts: layout conflict on 128x64xbf16}}
func.func @whole(%slot: index, %zero: bf16) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<3x128x64xbf16, #smem>
  %Bs = tile.alloc : memref<64x128xbf16, #smem>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %As, %zero : memref<3x128x64xbf16, #smem>, bf16
  %a = tile.region %As[%slot, 0, 0] [1, 128, 64] drop [0] : memref<3x128x64xbf16, #smem>
  tile.gemm %a, %Bs, %acc {instr = #tile.instr<wgmma>} : (!tile.region<128x64xbf16, #smem>, memref<64x128xbf16, #smem>, memref<128x128xf32, #tile.fragment>)
  return
}

// -----

#smem = #gpu.address_space<workgroup>

// A given layout that places slots differently makes no ring either: wgmma, which
// adds the offset of the slot, cannot read it.
// expected-error@+1 {{cannot infer layouts: op tile.gemm in line}}
func.func @unlike(%slot: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"bases<d0=(o:4096^o:8), d1=(o:64*64), d2=(o:1*64) -> o:8192>">} : memref<2x64x64xbf16, #smem>
  %Bs = tile.alloc : memref<64x64xbf16, #smem>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %a = tile.region %As[%slot, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xbf16, #smem>
  tile.gemm %a, %Bs, %acc {instr = #tile.instr<wgmma>} : (!tile.region<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #tile.fragment>)
  return
}
