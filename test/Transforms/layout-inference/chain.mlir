// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once 2> /dev/null -o %t.twice
// RUN: diff %t.once %t.twice

!q = memref<128x64xbf16, #gpu.address_space<workgroup>>
!k = memref<64x64xbf16, #gpu.address_space<workgroup>>
!s = memref<128x64xf32, #tile.fragment>
!p = memref<128x64xbf16, #tile.fragment>

// The accumulator of the first product lies as the second one reads its left
// factor: both get one layout, and the cast moves nothing. The policy of the first
// product leaves it open; all warpgroups go along M.
// CHECK-LABEL: func.func @accumulator_becomes_factor
// CHECK-NOT: workgroup>> {{.*}}128x64xf32
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"wgmma<128x64,wg=2x1>">} : memref<128x64xf32
// CHECK: %[[P:.*]] = tile.alloc {layout = #tile.layout<"wgmma<128x64,wg=2x1>">} : memref<128x64xbf16
// CHECK: tile.copy %[[S]] to %[[P]]
// CHECK-NEXT: tile.gemm %[[P]]
func.func @accumulator_becomes_factor() attributes {tile.num_threads = 256 : i32} {
  %Q = tile.alloc : !q
  %K = tile.alloc : !k
  %S = tile.alloc : !s
  %P = tile.alloc : !p
  %O = tile.alloc : !s
  tile.gemm %Q, %K, %S {instr = #tile.instr<wgmma>, transpose_b} : (!q, !k, !s)
  tile.copy %S to %P {instr = #tile.instr<simt>} : !s, !p
  tile.gemm %P, %K, %O {instr = #tile.instr<wgmma>} : (!p, !k, !s)
  return
}

!qi = memref<64x32xi8, #gpu.address_space<workgroup>>
!ki = memref<32x32xi8, #gpu.address_space<workgroup>>
!si = memref<64x32xi32, #tile.fragment>
!pi = memref<64x32xi8, #tile.fragment>

// A lane of an accumulator holds two neighbours, one of an 8-bit factor four: they
// come by shuffles, not through shared memory.
// CHECK-LABEL: func.func @other_lanes
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"wgmma<64x32,wg=1x1>">} : memref<64x32xi32
// CHECK: %[[P:.*]] = tile.alloc {layout = #tile.layout<"wgmmaA<64x32,8,wg=1x1>">} : memref<64x32xi8
// CHECK-NOT: tile.alloc {{.*}}workgroup
// CHECK: tile.copy %[[S]] to %[[P]]
// CHECK: tile.gemm %[[P]]
func.func @other_lanes() attributes {tile.num_threads = 128 : i32} {
  %Q = tile.alloc : !qi
  %K = tile.alloc : !ki
  %S = tile.alloc : !si
  %P = tile.alloc : !pi
  %O = tile.alloc : !si
  tile.gemm %Q, %K, %S {instr = #tile.instr<wgmma>, transpose_b} : (!qi, !ki, !si)
  // expected-remark @+1 {{[tile-layout/convert] converts between layouts by warp shuffle: about}}
  tile.copy %S to %P {instr = #tile.instr<simt>} : !si, !pi
  tile.gemm %P, %K, %O {instr = #tile.instr<wgmma>, transpose_b} : (!pi, !ki, !si)
  return
}

!a = memref<64x64xbf16, #tile.fragment>
!b = memref<64x64xbf16, #gpu.address_space<workgroup>>
!c = memref<64x64xf32, #tile.fragment>

// A factor whose layout the user gave is converted before the product.
// CHECK-LABEL: func.func @given_factor
// CHECK: %[[A:.*]] = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : memref<64x64xbf16, #tile.fragment>
// CHECK: %[[F:.*]] = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xbf16, #tile.fragment>
// CHECK: %[[X:.*]] = tile.alloc {{.*}} : memref<64x64xbf16, #gpu.address_space<workgroup>>
// CHECK: tile.copy %[[A]] to %[[X]]
// CHECK: tile.copy %[[X]] to %[[F]]
// CHECK: tile.gemm %[[F]]
func.func @given_factor() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !a
  %B = tile.alloc : !b
  %C = tile.alloc : !c
  // expected-remark @+1 {{[tile-layout/exchange] moves elements between threads through shared memory}}
  tile.gemm %A, %B, %C {instr = #tile.instr<wgmma>} : (!a, !b, !c)
  return
}
