// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of TileClusterOps.td; its name cites the label.

func.func @sync_c1() {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects a barrier of the cluster outside tile.parallel}}
    tile.cluster_sync
  }
  return
}

// -----

func.func @remote_c1_memory(%A: memref<8xf32>, %r: index) {
  // expected-error @+1 {{expects 'tile' to be a shared tile, the result of tile.alloc or tile.view, got memref<8xf32>}}
  %t = tile.remote %A at %r : memref<8xf32>
  return
}

// -----

func.func @remote_c1_twice(%r: index) {
  %s = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  %t = tile.remote %s at %r : memref<8xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'tile' to be a shared tile, the result of tile.alloc or tile.view, got memref<8xf32, #tile.cluster>}}
  %u = tile.remote %t at %r : memref<8xf32, #tile.cluster>
  return
}

// -----

func.func @remote_c2() {
  %r = arith.constant 16 : index
  %s = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'rank' from 0 to 15, got 16}}
  %t = tile.remote %s at %r : memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @remote_c3(%r: index) {
  %s = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects a tile of another block outside tile.parallel}}
    %t = tile.remote %s at %r : memref<8xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

// What a product reads is in shared memory of its own block.
func.func @factor(%r: index) {
  %s = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %t = tile.remote %s at %r : memref<64x64xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects A in shared memory or a fragment, got it in memory of the cluster}}
  tile.gemm %t, %s, %acc : (memref<64x64xf16, #tile.cluster>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @tma(%A: memref<64xf32>, %r: index) {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %t = tile.remote %s at %r : memref<64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0] [64] : memref<64xf32>
  // expected-error @+1 {{expects 'instr' to be simt, got #tile.instr<tma>, which copies between global and shared memory only, for a copy from global memory to memory of the cluster}}
  tile.copy %a to %t {instr = #tile.instr<tma>} : !tile.region<64xf32>, memref<64xf32, #tile.cluster>
  return
}

// -----

// Constraint (C14) of tile.copy.
func.func @copy_c14_simt(%A: memref<64xf32>, %mask: i32) {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0] [64] : memref<64xf32>
  // expected-error @+1 {{expects 'multicast' only with instr = #tile.instr<tma> into shared memory, and 'signal' of a barrier}}
  tile.copy %a to %s multicast %mask {instr = #tile.instr<simt>} : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c14_signal(%A: memref<64xf32>, %mask: i32) {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0] [64] : memref<64xf32>
  // expected-error @+1 {{expects 'multicast' only with instr = #tile.instr<tma> into shared memory, and 'signal' of a barrier}}
  tile.copy %a to %s multicast %mask {instr = #tile.instr<tma>} : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_c14_mask(%A: memref<64xf32>, %bar: !tile.barrier<1>, %c0: index) {
  %mask = arith.constant 65536 : i32
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0] [64] : memref<64xf32>
  // expected-error @+1 {{expects a mask of blocks from 0 to 15, got the constant 65536}}
  tile.copy %a to %s signal %bar[%c0] of !tile.barrier<1> multicast %mask {instr = #tile.instr<tma>} : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// Constraint (C2) of tile.barrier_arrive.
func.func @arrive_c2(%bar: !tile.barrier<1>, %c0: index, %rank: index) {
  // expected-error @+1 {{expects 'rank' without 'by' cp_async: copies land in shared memory of this block}}
  tile.barrier_arrive %bar[%c0] at %rank by <cp_async> : !tile.barrier<1>
  return
}
