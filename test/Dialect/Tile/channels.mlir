// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Channels, positions, roles and turns are printed as they are read, in text,
// in the generic form and in bytecode.

!ring = memref<4x128x64xbf16, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @channels
func.func @channels(%A: memref<?x?xbf16>, %m: index) attributes {tile.num_threads = 288 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[AS:.*]] = tile.alloc
  // CHECK: %[[BS:.*]] = tile.alloc
  %As = tile.alloc : !ring
  %Bs = tile.alloc : memref<4x64x128xbf16, #gpu.address_space<workgroup>>
  // CHECK: %[[CH:.*]] = tile.channel(%[[AS]], %[[BS]]) depth 4 {consumer_warps = 8 : i64, tma} : memref<4x128x64xbf16, #gpu.address_space<workgroup>>, memref<4x64x128xbf16, #gpu.address_space<workgroup>>
  %ch = tile.channel(%As, %Bs) depth 4 {tma, consumer_warps = 8} : !ring, memref<4x64x128xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.specialize {
  tile.specialize {
    // CHECK-NEXT: tile.role "consumer" warps 8 registers 240 {
    tile.role "consumer" warps 8 registers 240 {
      // CHECK: tile.wait %[[CH]][%{{.*}}, %{{.*}}]{{$}}
      // CHECK-NEXT: tile.release %[[CH]][%{{.*}}, %{{.*}}]{{$}}
      tile.wait %ch[%c0, %c0]
      tile.release %ch[%c0, %c0]
    }
    // CHECK: tile.role "producer" warps 1 {
    tile.role "producer" warps 1 {
      // CHECK: %[[S:.*]], %[[P:.*]] = tile.advance %{{.*}}, %{{.*}} depth 4
      %s, %p = tile.advance %c1, %c0 depth 4
      %i = arith.index_cast %s : i32 to index
      %a = tile.region %A[%m, %m] [128, 64] : memref<?x?xbf16>
      %slot = tile.region %As[%i, 0, 0] [1, 128, 64] drop [0] : !ring
      // CHECK: tile.acquire %[[CH]][%[[S]], %[[P]]]{{$}}
      tile.acquire %ch[%s, %p]
      // CHECK: tile.copy %{{.*}} to %{{.*}} signal %[[CH]][%{{.*}} of !tile.channel : !tile.region
      tile.copy %a to %slot signal %ch[%i] of !tile.channel : !tile.region<128x64xbf16>, !tile.region<128x64xbf16, #gpu.address_space<workgroup>>
      // CHECK: tile.commit %[[CH]][%[[S]], %[[P]]]{{$}}
      tile.commit %ch[%s, %p]
    }
  }
  return
}

// CHECK-LABEL: func.func @agents
func.func @agents() {
  %As = tile.alloc : !ring
  // CHECK: tile.channel(%{{.*}}) depth 4 {consumer_warps = 4 : i64, cp_async_threads = 128 : i64, simt_threads = 32 : i64} : memref<4x128x64xbf16, #gpu.address_space<workgroup>>
  %ch = tile.channel(%As) depth 4 {cp_async_threads = 128, simt_threads = 32, consumer_warps = 4} : !ring
  return
}

// CHECK-LABEL: func.func @turns
func.func @turns() {
  tile.specialize {
    // CHECK: tile.role "one" warps 4 registers 240 pingpong {
    tile.role "one" warps 4 registers 240 pingpong {
      // CHECK-NEXT: tile.turn <begin>
      // CHECK-NEXT: tile.turn <end>
      tile.turn <begin>
      tile.turn <end>
    }
    // CHECK: tile.role "two" warps 4 pingpong {
    tile.role "two" warps 4 pingpong {
      tile.turn <begin>
      tile.turn <end>
    }
  }
  return
}

// What is left of a channel when its verbs are barriers, and what is left of
// roles when they are branches.
// CHECK-LABEL: func.func @lowered
func.func @lowered(%R: memref<4x64x64xbf16, #gpu.address_space<workgroup>>, %full: !tile.barrier<4>, %empty: !tile.barrier<4>) -> i32 {
  // CHECK: tile.channel_barriers(%{{.*}}) full %{{.*}} empty %{{.*}} : !tile.barrier<4>, !tile.barrier<4>, memref<4x64x64xbf16, #gpu.address_space<workgroup>>
  tile.channel_barriers(%R) full %full empty %empty : !tile.barrier<4>, !tile.barrier<4>, memref<4x64x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: %[[WARP:.*]] = tile.warp_id
  // CHECK: return %[[WARP]] : i32
  %warp = tile.warp_id
  return %warp : i32
}
