// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -split-input-file -verify-diagnostics

func.func @required_tma_of_a_device_pointer(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%c0, %c0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  // expected-error @+1 {{cannot use tma: a tensor map can only be made on the host, of a tensor of the function that launches}}
  tile.copy %a to %As {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @required_cp_async_converts(%A: memref<?x?xf32>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%c0, %c0] [64, 64] {align = 16 : i64} : memref<?x?xf32>
  // expected-error @+1 {{cannot use cp_async: cp.async does not convert elements}}
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<64x64xf32>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @required_cp_async_of_short_rows(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %As = tile.alloc : memref<64x5xbf16, #gpu.address_space<workgroup>>
  %a = tile.region %A[%c0, %c0] [64, 5] {align = 16 : i64} : memref<?x?xbf16>
  // expected-error @+1 {{cannot use cp_async: rows of the tile have 10 bytes, no multiple of 4}}
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<64x5xbf16>, memref<64x5xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @policy_does_not_cover() attributes {tile.num_threads = 256 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{no matrix instruction is legal: wgmma: 64x64 cannot be shared by 2 warpgroups of 64x8 with policy full_row; mma: 64x64 cannot be shared by 8 warps of 16x8 with policy full_row}}
  tile.gemm %As, %As, %acc {policy = #tile.warp_policy<full_row>} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @required_wgmma_with_short_k() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x8xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<8x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{cannot use wgmma: K = 8 is no multiple of 16}}
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<64x8xbf16, #gpu.address_space<workgroup>>, memref<8x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @threads_are_no_warps() {
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  // expected-error @+1 {{expects a positive multiple of 32 threads per block, at most 1024, got 48}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c48, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// The agents of a channel say who may fill it.
!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
func.func @channel_agents(%A: memref<64x64xbf16>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "producer" warps 2 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      %a = tile.region %A[0, 0] [64, 64] : memref<64x64xbf16>
      // expected-error @+1 {{cannot use cp_async: the channel that it fills has no such agent}}
      tile.copy %a to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, !slot
    }
  }
  return
}

// -----

// Nobody has said which agent the copy is, and the channel has no other.
!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
func.func @no_agent(%A: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c160 = arith.constant 160 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 4} : !ring
    tile.specialize {
      tile.role "consumer" warps 4 {
      }
      tile.role "producer" warps 1 {
        %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
        %a = tile.region %A[0, 0] [64, 64] : memref<?x?xbf16>
        // expected-error @+1 {{has no instruction that is an agent of the channel that it fills; not tma: rows are known to be aligned to 2 bytes; TMA needs 16; with instr = #tile.instr<tma> the host checks that}}
        tile.copy %a to %r signal %ch[%c0] of !tile.channel : !tile.region<64x64xbf16>, !slot
      }
    }
    gpu.terminator
  }
  return
}

// -----

!a = memref<64x64xbf16, #gpu.address_space<workgroup>>
!c = memref<64x64xf32, #tile.fragment>
func.func @warpgroups_of_a_role() attributes {tile.num_threads = 160 : i32} {
  %A = tile.alloc : !a
  %C = tile.alloc : !c
  tile.specialize {
    tile.role "first" warps 1 {
    }
    tile.role "second" warps 4 {
      // expected-error @+1 {{cannot use wgmma: wgmma needs aligned warpgroups, the role starts at warp 1}}
      tile.gemm %A, %A, %C {instr = #tile.instr<wgmma>} : (!a, !a, !c)
    }
  }
  return
}

// -----

!s = memref<64x64xf32, #gpu.address_space<workgroup>>
func.func @store_converts(%A: memref<64x64xf16>) attributes {tile.num_threads = 128 : i32} {
  %S = tile.alloc : !s
  %a = tile.region %A[0, 0] [64, 64] : memref<64x64xf16>
  // expected-error @+1 {{cannot use tma: TMA does not convert elements}}
  tile.copy %S to %a {instr = #tile.instr<tma>} : !s, !tile.region<64x64xf16>
  return
}

// -----

// What another pass takes apart first.
func.func @batch(%a: memref<3x64x64xbf16, #gpu.address_space<workgroup>>) attributes {tile.num_threads = 128 : i32} {
  %c = tile.alloc : memref<3x64x64xf32, #tile.fragment>
  // expected-error @+1 {{it is a product for each of 3 matrices; run tile-expand-products first}}
  tile.gemm %a, %a, %c : (memref<3x64x64xbf16, #gpu.address_space<workgroup>>, memref<3x64x64xbf16, #gpu.address_space<workgroup>>, memref<3x64x64xf32, #tile.fragment>)
  return
}

// -----

func.func @doubles(%a: memref<64x64xf64, #gpu.address_space<workgroup>>) attributes {tile.num_threads = 128 : i32} {
  %c = tile.alloc : memref<64x64xf64, #tile.fragment>
  // expected-error @+1 {{wgmma has no f64}}
  tile.gemm %a, %a, %c {instr = #tile.instr<wgmma>} : (memref<64x64xf64, #gpu.address_space<workgroup>>, memref<64x64xf64, #gpu.address_space<workgroup>>, memref<64x64xf64, #tile.fragment>)
  return
}
