// What has no lowering is refused at the op, with what would help.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s -split-input-file -verify-diagnostics

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @layout_missing() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{has no layout; run tile-layout-inference first}}
    %f = tile.alloc : !acc
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @offset_missing() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{has no offset; run tile-pack-shared-memory first}}
    %s = tile.alloc {layout = #tile.layout<"linear">} : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @barrier_offset_missing() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{has no offset; run tile-pack-shared-memory first}}
    %b = tile.barrier_alloc : !tile.barrier<2>
    gpu.return
  }
}

// -----

// A layout is needed to address a shared tile, also for a single element.
gpu.module @m {
  gpu.func @shared_without_layout(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {offset = 0 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{cannot address the shared tile: }}
    tile.copy %A to %s {instr = #tile.instr<simt>} : memref<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @copy_without_instruction(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %p = tile.alloc : memref<8xf32, #gpu.address_space<private>>
    // expected-error @+1 {{has no instruction; run tile-instruction-annotation first}}
    tile.copy %A to %p : memref<8xf32>, memref<8xf32, #gpu.address_space<private>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @cp_async_left(%A: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<8x8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{uses cp_async; run convert-tile-to-nvgpu first}}
    tile.copy %A to %s {instr = #tile.instr<cp_async>} : memref<8x8xf32>, memref<8x8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @tma_without_map(%A: memref<?x64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] : memref<?x64xbf16>
    // expected-error @+1 {{uses tma without a tensor map; run tile-layout-inference first}}
    tile.copy %a to %s {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @tma_without_barrier(%A: memref<?x64xbf16>, %map: !tile.tensor_map) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] : memref<?x64xbf16>
    // expected-error @+1 {{uses tma without a barrier; run tile-lower-channels first}}
    tile.copy %a to %s map %map {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @tma_into_padded_rows(%A: memref<?x64xbf16>, %map: !tile.tensor_map) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = tile.barrier_alloc {offset = 16384 : i64} : !tile.barrier<1>
    %s = tile.alloc {layout = #tile.layout<"padded<68>">, offset = 0 : i64} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] : memref<?x64xbf16>
    // expected-error @+1 {{the layout of the tile does not suit TMA}}
    tile.copy %a to %s map %map signal %b[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @no_function_of_f8(%x: f8E4M3FNUZ, %A: memref<f8E4M3FNUZ>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{has no lowering but for f64, f32, f16, bf16, f8E4M3FN and f8E5M2}}
    %y = math.exp %x : f8E4M3FNUZ
    memref.store %y, %A[] : memref<f8E4M3FNUZ>
    gpu.return
  }
}

// -----

!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @fragments_differ() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : !acc
    %g = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
    // expected-error @+1 {{copies between windows or layouts of fragments; run tile-layout-inference first}}
    tile.copy %f to %g {instr = #tile.instr<simt>} : !acc, !acc
    gpu.return
  }
}

// -----

!acc = memref<64x64xf32, #tile.fragment>
!private = memref<64x64xf32, #gpu.address_space<private>>
gpu.module @m {
  gpu.func @fragment_to_private() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : !acc
    %p = tile.alloc : !private
    // expected-error @+1 {{copies a fragment to private memory; run tile-layout-inference first}}
    tile.copy %f to %p {instr = #tile.instr<simt>} : !acc, !private
    gpu.return
  }
}

// -----

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @product_without_instruction() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !shared
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : !acc
    // expected-error @+1 {{has no instruction; run tile-instruction-annotation first}}
    tile.gemm %s, %s, %f : (!shared, !shared, !acc)
    gpu.return
  }
}

// -----

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @mma_left() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !shared
    %f = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
    // expected-error @+1 {{uses mma; run convert-tile-to-nvgpu first}}
    tile.gemm %s, %s, %f {instr = #tile.instr<mma>} : (!shared, !shared, !acc)
    gpu.return
  }
}

// -----

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @accumulator_of_other_layout() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !shared
    %f = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
    // expected-error @+1 {{the layout of the accumulator is no wgmma layout of 1 warpgroups}}
    tile.gemm %s, %s, %f {instr = #tile.instr<wgmma>} : (!shared, !shared, !acc)
    gpu.return
  }
}

// -----

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!factor = memref<64x64xbf16, #tile.fragment>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @factor_of_other_layout() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !shared
    %a = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !factor
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : !acc
    // expected-error @+1 {{the layout of A is not that of a wgmma factor of 1x1 warpgroups; run tile-layout-inference first}}
    tile.gemm %a, %s, %f {instr = #tile.instr<wgmma>} : (!factor, !shared, !acc)
    gpu.return
  }
}

// -----

!padded = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>
gpu.module @m {
  gpu.func @operand_of_other_layout() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"padded<72>">, offset = 0 : i64} : !padded
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : !acc
    // expected-error @+1 {{an operand does not suit wgmma: }}
    tile.gemm %s, %s, %f {instr = #tile.instr<wgmma>} : (!padded, !padded, !acc)
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{needs a constant block size}}
  gpu.func @no_block_size() kernel {
    tile.barrier_sync
    gpu.return
  }
}

// -----

// Without tile ops blocks may have any size, but for what counts warps.
gpu.module @m {
  gpu.func @no_number_of_warps(%A: memref<1xi32>) kernel {
    // expected-error @+1 {{needs a constant block size}}
    %n = gpu.num_subgroups : index
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{argument 1 cannot be passed to a kernel}}
  gpu.func @vector_argument(%a: i32, %v: vector<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{a tensor has rank 6, at most 5 is supported}}
  gpu.func @rank(%A: memref<1x1x1x1x1x1xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}

// -----

!a = memref<256x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x256xbf16, #gpu.address_space<workgroup>>
!acc = memref<256x256xf32, #tile.fragment>
gpu.module @m {
  gpu.func @too_many_accumulators() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !a
    %b = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 32768 : i64} : !b
    %f = tile.alloc {layout = #tile.layout<"wgmma<256x256,wg=1x1>">} : !acc
    // expected-error @+1 {{needs 512 accumulators per thread, a thread has 255 registers}}
    tile.gemm %a, %b, %f {instr = #tile.instr<wgmma>} : (!a, !b, !acc)
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @async_copy_of_private() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p = tile.alloc : memref<64xbf16, #gpu.address_space<private>>
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64xbf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects a tensor that is an argument of the kernel}}
    %t = nvgpu.device_async_copy %p[%c0], %s[%c0], 8 : memref<64xbf16, #gpu.address_space<private>> to memref<64xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @ldmatrix_of_tile() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects the storage of a shared tile}}
    %t = nvgpu.ldmatrix %s[%c0, %c0] {numTiles = 4 : i32, transpose = false} : memref<64x64xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
    gpu.return
  }
}

// -----

!a = memref<64x64xbf16, #gpu.address_space<workgroup>>
!b = memref<64x192xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x192xf32, #tile.fragment>
gpu.module @m {
  gpu.func @warpgroup_inside_an_atom() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %a = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64} : !a
    %b = tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 8192 : i64} : !b
    %f = tile.alloc {layout = #tile.layout<"wgmma<64x192,wg=1x2>">} : !acc
    // expected-error @+1 {{swizzle atom}}
    tile.gemm %a, %b, %f {instr = #tile.instr<wgmma>} : (!a, !b, !acc)
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @foreign_loop(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{'affine.for' op has no lowering to nvvm}}
    affine.for %i = 0 to 8 {
      %a = tile.region %A[%i] [1] : memref<8xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @waits_for_more_threads() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @+1 {{waits for 160 threads, in a kernel of 128 threads per block}}
    tile.barrier_sync {id = 1 : i64, threads = 160 : i64}
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @update_by_all(%A: memref<8xi32>, %i: index, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.barrier_sync
    // expected-error @+1 {{expects to be in a tile.parallel: here every thread would do it; tile.atomic happens once}}
    memref.atomic_rmw addi %v, %A[%i] : (i32, memref<8xi32>) -> i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @gathered_fragment(%X: memref<?x?x?x64xbf16>, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*8), lane=(d1:8*8, d0:1*4), warp=(d0:4*4) -> d0:16, d1:64>">} : memref<16x64xbf16, #tile.fragment>
    %w = tile.im2col %X[%i, %i] [16, 64] kernel [3, 3] : memref<?x?x?x64xbf16>
    // expected-error @+1 {{gathers a fragment; run tile-expand-elements first}}
    tile.copy %w to %f {instr = #tile.instr<simt>} : !tile.region<16x64xbf16>, memref<16x64xbf16, #tile.fragment>
    gpu.return
  }
}

// -----

// How many columns are of one element of the filter was not written down.
gpu.module @m {
  gpu.func @narrow_gather(%X: memref<?x?x?x64xbf16>, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %w = tile.im2col %X[%i, %i] [16, 64] kernel [3, 3] {align = 16 : i64} : memref<?x?x?x64xbf16>
    // expected-error @+1 {{cannot use cp_async: the layout of the tile, or what is known of the image, allows accesses of 16 bits only}}
    tile.copy %w to %s {instr = #tile.instr<cp_async>} : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @signed_element(%A: memref<8xui8>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{accesses elements of a type that has no lowering}}
    %x = memref.load %A[%c0] : memref<8xui8>
    memref.store %x, %A[%c0] : memref<8xui8>
    gpu.return
  }
}
