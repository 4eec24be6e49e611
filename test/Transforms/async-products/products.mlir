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

// A use in a branch that the product is outside of: it is awaited before
// the branch, for its accumulator must not differ between the paths.
// CHECK-LABEL: func @used_in_branch
// CHECK: %[[C:.*]] = tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.fill
// CHECK-NEXT: tile.await pending 0 for %[[C]]
// CHECK-NEXT: scf.if
// CHECK-NOT: tile.await
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

// One in a branch is complete at its end.
// CHECK-LABEL: func @issued_in_branch
// CHECK: scf.if
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.fill
// CHECK: tile.await pending 0
// CHECK-NEXT: }
// CHECK-NOT: tile.await
// CHECK: return
func.func @issued_in_branch(%p: i1, %O: memref<64x64xf32>, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %f = tile.alloc : !C
  scf.if %p {
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
    tile.fill %f, %x : !C, f32
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// A factor in registers is not written before the product that reads it is
// complete; the one after may be under way.
// CHECK-LABEL: func @factor_in_registers
// CHECK: %[[C:.*]] = tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: tile.gemm {{.*}}async
// CHECK: tile.gemm {{.*}}async
// CHECK-NEXT: tile.await pending 1 for %[[C]]
// CHECK-NEXT: tile.fill
// CHECK: tile.await pending 0
// CHECK-NEXT: tile.copy
func.func @factor_in_registers(%O: memref<64x64xf32>, %P: memref<64x64xf32>, %y: f16) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : memref<64x64xf16, #tile.fragment>
  %S = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %d = tile.alloc : !C
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (memref<64x64xf16, #tile.fragment>, !S, !C)
  tile.gemm %S, %B, %d {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.fill %A, %y : memref<64x64xf16, #tile.fragment>, f16
  tile.copy %d to %O : !C, memref<64x64xf32>
  tile.copy %c to %P : !C, memref<64x64xf32>
  return
}

// The metadata of a sparse product is read when it is issued, its factors are
// read until it is complete. A dense product after it does not continue it:
// instructions of two shapes share no accumulator.
// CHECK-LABEL: func @sparse
// CHECK: tile.gemm_sp {{.*}}async
// CHECK-NEXT: tile.fill %{{.*}} : memref<64x4xi16
// CHECK-NEXT: tile.fill %{{.*}} : memref<64x64xf32
// CHECK-NEXT: tile.await pending 0
// CHECK-NEXT: tile.gemm
// CHECK-NOT: async
// CHECK: return
func.func @sparse(%O: memref<64x64xf32>, %w: i16, %x: f32) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : memref<64x32xf16, #smem>
  %E = tile.alloc : memref<64x4xi16, #smem>
  %B = tile.alloc : !S
  %F = tile.alloc : !S
  %c = tile.alloc : !C
  %f = tile.alloc : !C
  tile.gemm_sp %A, %E, %B, %c {instr = #tile.instr<wgmma>} : (memref<64x32xf16, #smem>, memref<64x4xi16, #smem>, !S, !C)
  tile.fill %E, %w : memref<64x4xi16, #smem>, i16
  tile.fill %f, %x : !C, f32
  tile.gemm %F, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// What is done beside the products ends with sums of rows: the wait names them,
// so that an assembler does not move it before the work.
// CHECK-LABEL: func @beside_row_sums
// CHECK: %[[C:.*]] = tile.alloc : memref<64x64xf32, #tile.fragment>
// CHECK: %[[R:.*]] = tile.alloc : memref<64xf32, #tile.fragment>
// CHECK: tile.await pending 0 for %[[C]] : memref<64x64xf32, #tile.fragment> after %[[R]]
func.func @beside_row_sums(%O: memref<64x64xf32>) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  %f = tile.alloc : !C
  %r = tile.alloc : memref<64xf32, #tile.fragment>
  tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  tile.parallel (%x, %y) in [64, 64] {
    %a = memref.load %f[%x, %y] : !C
    %b = math.exp2 %a : f32
    memref.store %b, %f[%x, %y] : !C
  }
  tile.reduce sum %f to %r dim 1 : !C, memref<64xf32, #tile.fragment>
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// A factor in one slot is overwritten at the head of the next iteration: a
// product under way would be awaited at once, so it is not.
// CHECK-LABEL: func @copies_in_front
// CHECK: scf.for
// CHECK: tile.gemm
// CHECK-NOT: async
// CHECK: return
func.func @copies_in_front(%I: memref<64x64xf16>, %O: memref<64x64xf32>, %n: index, %p: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  %c = tile.alloc : !C
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      tile.copy %I to %A : memref<64x64xf16>, !S
    }
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  tile.copy %c to %O : !C, memref<64x64xf32>
  return
}

// An accumulator of the body of a loop is gone after it: nothing names it there,
// nor before its allocation in the next round.
// CHECK-LABEL: func @accumulator_of_the_body
// CHECK: tile.gemm {{.*}}async
// CHECK-NOT: tile.await {{.*}} for
// CHECK: return
func.func @accumulator_of_the_body(%n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = tile.alloc : !S
  %B = tile.alloc : !S
  scf.for %k = %c0 to %n step %c1 {
    %c = tile.alloc : !C
    tile.gemm %A, %B, %c {instr = #tile.instr<wgmma>} : (!S, !S, !C)
  }
  return
}
