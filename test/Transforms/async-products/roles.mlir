// RUN: %tile_opt_passes 'tile-async-products' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!Ring = memref<3x64x64xf16, #smem>
!One = memref<1x64x64xf16, #smem>
!C = memref<64x64xf32, #tile.fragment>
!Slot = !tile.region<64x64xf16, #smem>

// A product is under way across iterations: the slot is released after the next
// one. The first iteration is peeled, overwrites the accumulator and releases
// nothing; the fill is left for no iteration at all.
// CHECK-LABEL: func @late_release
// CHECK: tile.role "consumer"
// CHECK-NOT: tile.fill
// CHECK: %[[HAS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[HAS]]
// CHECK: tile.wait
// CHECK: tile.gemm {{.*}} clear %{{.*}} {async
// CHECK-NOT: tile.release
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[OS:.*]] = %{{.*}}, %[[OP:.*]] = %{{.*}})
// CHECK: tile.wait %{{.*}}[%[[S]], %[[P]]]
// CHECK: tile.gemm {{.*}}{async
// CHECK-NEXT: tile.await pending 1
// CHECK-NEXT: tile.release %{{.*}}[%[[OS]], %[[OP]]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[S]], %[[P]]
// CHECK: }
// CHECK: tile.await pending 0 for
// CHECK-NEXT: tile.release
// CHECK: } else {
// CHECK-NEXT: tile.fill
// CHECK: }
// CHECK: tile.copy
func.func @late_release(%I: memref<64x64xf16>, %O: memref<64x64xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %A = tile.alloc : !Ring
  %ch = tile.channel(%A) depth 3 {tma, consumer_warps = 4 : i64} : !Ring
  tile.specialize {
    tile.role "consumer" warps 4 {
      %c = tile.alloc : !C
      tile.fill %c, %zero : !C, f32
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        tile.wait %ch[%s, %p]
        %si = arith.index_cast %s : i32 to index
        %a = tile.region %A[%si, 0, 0] [1, 64, 64] drop [0] : !Ring
        tile.gemm %a, %a, %c {instr = #tile.instr<wgmma>} : (!Slot, !Slot, !C)
        tile.release %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
      tile.copy %c to %O : !C, memref<64x64xf32>
    }
    tile.role "producer" warps 1 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        tile.acquire %ch[%s, %p]
        %si = arith.index_cast %s : i32 to index
        %a = tile.region %A[%si, 0, 0] [1, 64, 64] drop [0] : !Ring
        tile.copy %I to %a signal %ch[%si] of !tile.channel {instr = #tile.instr<tma>} : memref<64x64xf16>, !Slot
        tile.commit %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 3
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// One slot: it has to be released before it is filled again, so nothing may be
// under way.
// CHECK-LABEL: func @one_slot
// CHECK: scf.for
// CHECK: tile.gemm
// CHECK-NOT: async
// CHECK: tile.release
// CHECK-NOT: scf.if
// CHECK: return
func.func @one_slot(%I: memref<64x64xf16>, %O: memref<64x64xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %A = tile.alloc : !One
  %ch = tile.channel(%A) depth 1 {tma, consumer_warps = 4 : i64} : !One
  tile.specialize {
    tile.role "consumer" warps 4 {
      %c = tile.alloc : !C
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        tile.wait %ch[%s, %p]
        %a = tile.region %A[0, 0, 0] [1, 64, 64] drop [0] : !One
        tile.gemm %a, %a, %c {instr = #tile.instr<wgmma>} : (!Slot, !Slot, !C)
        tile.release %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 1
        scf.yield %s1, %p1 : i32, i32
      }
      tile.copy %c to %O : !C, memref<64x64xf32>
    }
    tile.role "producer" warps 1 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        tile.acquire %ch[%s, %p]
        %a = tile.region %A[0, 0, 0] [1, 64, 64] drop [0] : !One
        tile.copy %I to %a signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : memref<64x64xf16>, !Slot
        tile.commit %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 1
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

// A product of another sum that follows at once goes before the release, which waits
// for the one that read the slot.
// CHECK-LABEL: func @two_sums
// CHECK: tile.role "consumer"
// CHECK: tile.wait
// CHECK: tile.wait
// CHECK: tile.gemm {{.*}}{async
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: tile.await pending 0
// CHECK-NEXT: tile.release
// CHECK-NEXT: tile.release
func.func @two_sums(%I: memref<64x64xf16>, %O: memref<64x64xf32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %A = tile.alloc : !One
  %B = tile.alloc : !One
  %ca = tile.channel(%A) depth 1 {tma, consumer_warps = 4 : i64} : !One
  %cb = tile.channel(%B) depth 1 {tma, consumer_warps = 4 : i64} : !One
  tile.specialize {
    tile.role "consumer" warps 4 {
      %c = tile.alloc : !C
      %d = tile.alloc : !C
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        tile.wait %ca[%s, %p]
        tile.wait %cb[%s, %p]
        %a = tile.region %A[0, 0, 0] [1, 64, 64] drop [0] : !One
        %b = tile.region %B[0, 0, 0] [1, 64, 64] drop [0] : !One
        tile.gemm %a, %a, %c {instr = #tile.instr<wgmma>} : (!Slot, !Slot, !C)
        tile.release %ca[%s, %p]
        tile.gemm %b, %b, %d {instr = #tile.instr<wgmma>} : (!Slot, !Slot, !C)
        tile.release %cb[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 1
        scf.yield %s1, %p1 : i32, i32
      }
      tile.copy %c to %O : !C, memref<64x64xf32>
    }
    tile.role "producer" warps 1 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        tile.acquire %ca[%s, %p]
        %a = tile.region %A[0, 0, 0] [1, 64, 64] drop [0] : !One
        tile.copy %I to %a signal %ca[%c0] of !tile.channel {instr = #tile.instr<tma>} : memref<64x64xf16>, !Slot
        tile.commit %ca[%s, %p]
        tile.acquire %cb[%s, %p]
        %b = tile.region %B[0, 0, 0] [1, 64, 64] drop [0] : !One
        tile.copy %I to %b signal %cb[%c0] of !tile.channel {instr = #tile.instr<tma>} : memref<64x64xf16>, !Slot
        tile.commit %cb[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 1
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}
