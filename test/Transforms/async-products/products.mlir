// RUN: %tile_opt_passes 'tile-async-products' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-async-products' %s > %t.once
// RUN: %tile_opt_passes 'tile-async-products' %t.once | diff %t.once -

#smem = #gpu.address_space<workgroup>
!S = memref<64x64xf16, #smem>
!C = memref<64x64xf32, #tile.fragment>
!Slot = !tile.region<64x64xf16, #smem>

// Nothing is between the product and the use of its accumulator.
// CHECK-LABEL: func @awaited_at_once
// CHECK: tile.gemm
// CHECK-NOT: async
// CHECK-NOT: tile.await
// CHECK: return
func.func @awaited_at_once(%O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// Two products: the first is awaited with one under way, for its accumulator
// is used; then the second. Their awaits name what is complete.
// CHECK-LABEL: func @two_products
// CHECK: %[[C:.*]] = tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: %[[D:.*]] = tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.await pending 1 for %[[C]]
// CHECK-NEXT: tile.copy %[[C]]
// CHECK: tile.await pending 0 for %[[D]]
// CHECK-NEXT: tile.copy %[[D]]
func.func @two_products(%O: memref<64x64xf32>, %P: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %d = tile.alloc : !C
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.gemm %B, %A, %d {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.copy %c to %O : !C, memref<64x64xf32>
  tile.copy %d to %P : !C, memref<64x64xf32>
  return
}

// A factor is overwritten while the product would be under way.
// CHECK-LABEL: func @factor_overwritten
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.fill
// CHECK: tile.await pending 0
// CHECK-NEXT: tile.copy %{{.*}} to %{{.*}} : memref<64x64xf16>
func.func @factor_overwritten(%I: memref<64x64xf16>, %O: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %f = tile.alloc : !C
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.fill %f, %x : !C, f32
  tile.copy %I to %A : memref<64x64xf16>, !S
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// A use in a branch that the product is outside of: it stays synchronous.
// CHECK-LABEL: func @used_in_branch
// CHECK: tile.gemm
// CHECK-NOT: async
// CHECK: return
func.func @used_in_branch(%p: i1, %O: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %f = tile.alloc : !C
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.fill %f, %x : !C, f32
  scf.if %p {
    tile.copy %c to %O : !C, memref<64x64xf32>
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// Other instructions are as they were.
// CHECK-LABEL: func @mma
// CHECK-NOT: async
// CHECK: return
func.func @mma(%O: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %f = tile.alloc : !C
  tile.gemm %A, %B, %c {instr = #tile.instr<mma>} : (!S, !S, !C)
  tile.fill %f, %x : !C, f32
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}
