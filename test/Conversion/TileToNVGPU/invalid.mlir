// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s -split-input-file -verify-diagnostics

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @number_of_threads() kernel {
    %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
    %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
    // expected-error @+1 {{expects a constant number of threads per block}}
    tile.gemm %A, %A, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
    gpu.return
  }
}

// -----

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
func.func @destination_without_layout(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : !smem
  %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x?xbf16>
  // expected-error @+1 {{cannot address its destination: no layout}}
  tile.copy %a to %As {instr = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, !smem
  return
}

// -----

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
func.func @sums_without_layout() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc : !acc
  // expected-error @+1 {{expects an accumulator with a layout}}
  tile.gemm %A, %A, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// -----

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
func.func @factor_without_layout() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  // expected-error @+1 {{cannot address operand 1: no layout}}
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// -----

// wgmma deals out rows in another order.
!a = memref<128x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<128x64xf32, #tile.fragment>
func.func @sums_of_another_instruction() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !a
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !b
  %C = tile.alloc {layout = #tile.layout<"wgmma<128x64,wg=1x1>">} : !acc
  // expected-error @+1 {{expects an accumulator that 4x1 warps hold as mma.sync does}}
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!a, !b, !acc)
  return
}

// -----

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
func.func @sums_of_fewer_warps() attributes {tile.num_threads = 256 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  // expected-error @+1 {{expects an accumulator that all 256 threads hold, got 4 warps}}
  tile.gemm %A, %A, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// -----

// A factor in registers lies as mma.sync reads it, or inference converts it.
!a = memref<64x64xbf16, #tile.fragment>
!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
func.func @factor_of_other_warps() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"mma<64x64,warps=4x1>">} : !a
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  // expected-error @+1 {{expects operand 0 in registers as 2x2 warps of mma.sync read it; run tile-layout-inference first}}
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!a, !smem, !acc)
  return
}

// -----

!a = memref<16x16xf16, #gpu.address_space<workgroup>>
!e = memref<16x2xi16, #gpu.address_space<workgroup>>
!b = memref<32x8xf16, #gpu.address_space<workgroup>>
!acc = memref<16x8xf32, #tile.fragment>
func.func @metadata_without_layout() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"linear">} : !a
  %E = tile.alloc : !e
  %B = tile.alloc {layout = #tile.layout<"linear">} : !b
  %C = tile.alloc {layout = #tile.layout<"mma<16x8,warps=1x1>">} : !acc
  // expected-error @+1 {{cannot address the metadata: no layout}}
  tile.gemm_sp %A, %E, %B, %C {instr = #tile.instr<mma>} : (!a, !e, !b, !acc)
  return
}
