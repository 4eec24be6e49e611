// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

!smem = memref<16x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<16x16xf32, #tile.fragment>

// The sums are loaded before the first step of K and stored after the last; the
// four of a thread in 16 x 8 elements of C are one vector.
// CHECK-LABEL: func.func @loaded_and_stored_once
// CHECK: %[[C:.*]] = tile.storage %{{.*}} : memref<16x16xf32, #tile.fragment>
// CHECK: %[[S0:.*]] = memref.load %[[C]][%c0{{.*}}] : memref<8xf32, #gpu.address_space<private>>
// CHECK: %[[S1:.*]] = memref.load %[[C]][%c1{{.*}}]
// CHECK: %[[S2:.*]] = memref.load %[[C]][%c2{{.*}}]
// CHECK: %[[S3:.*]] = memref.load %[[C]][%c3{{.*}}]
// CHECK: %[[SUM:.*]] = vector.from_elements %[[S0]], %[[S1]], %[[S2]], %[[S3]] : vector<2x2xf32>
// CHECK-COUNT-4: memref.load %[[C]]
// CHECK-NOT: memref.load
// CHECK: %[[NEXT:.*]] = nvgpu.mma.sync(%{{.*}}, %{{.*}}, %[[SUM]])
// CHECK: nvgpu.mma.sync
// CHECK: nvgpu.mma.sync(%{{.*}}, %{{.*}}, %[[NEXT]])
// CHECK-COUNT-5: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: %[[R0:.*]] = vector.extract %{{.*}}[0, 0] : f32 from vector<2x2xf32>
// CHECK: memref.store %[[R0]], %[[C]][%c0{{.*}}]
// CHECK: %[[R1:.*]] = vector.extract %{{.*}}[0, 1]
// CHECK: memref.store %[[R1]], %[[C]][%c1{{.*}}]
// CHECK: %[[R2:.*]] = vector.extract %{{.*}}[1, 0]
// CHECK: memref.store %[[R2]], %[[C]][%c2{{.*}}]
// CHECK-COUNT-5: memref.store
// CHECK-NOT: memref.store
// CHECK: return
func.func @loaded_and_stored_once() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<16x16,warps=1x1>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_b} : (!smem, !smem, !acc)
  return
}

// Where `clear` holds the product starts at zero.
// CHECK-LABEL: func.func @clear
// CHECK-SAME: (%[[CLEAR:.*]]: i1)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[S0:.*]] = memref.load
// CHECK-NEXT: arith.select %[[CLEAR]], %[[ZERO]], %[[S0]] : f32
// CHECK-COUNT-7: arith.select %[[CLEAR]], %[[ZERO]]
// CHECK-NOT: arith.select
// CHECK: nvgpu.mma.sync
func.func @clear(%clear: i1) attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<16x16,warps=1x1>">} : !acc
  tile.gemm %A, %B, %C clear %clear {instr = #tile.instr<mma>, transpose_b} : (!smem, !smem, !acc)
  return
}
