// RUN: %tile_opt_passes 'tile-verify-channels{target=sm_90a}' %s -verify-diagnostics -o /dev/null

// What other blocks signal is not known here: nothing is claimed.
func.func @multicast(%A: memref<64xf32>, %map: !tile.tensor_map) attributes {tile.num_threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %both = arith.constant 3 : i32
  %full = tile.barrier_alloc : !tile.barrier<1>
  tile.barrier_init %full arrivals 1 : !tile.barrier<1>
  tile.cluster_sync
  %s = tile.alloc : memref<2x64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %A[0] [64] : memref<64xf32>
  %t = tile.region %s[0, 0] [1, 64] drop [0] : memref<2x64xf32, #gpu.address_space<workgroup>>
  tile.barrier_expect %full[%c0] bytes 512 : !tile.barrier<1>
  // expected-remark @+1 {{[tile-verify/form] is not proved, and may well be right: the proof does not follow an op that signals barriers of other blocks}}
  tile.copy %a to %t map %map signal %full[%c0] of !tile.barrier<1> multicast %both {instr = #tile.instr<tma>} : !tile.region<64xf32>, !tile.region<64xf32, #gpu.address_space<workgroup>>
  tile.barrier_wait %full[%c0] parity %i0 : !tile.barrier<1>
  return
}
