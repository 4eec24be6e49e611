// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>

// Each warp has all rows of C and 16 columns: per step four fragments of A and
// one load of B.
// CHECK-LABEL: func.func @side_by_side
// CHECK-COUNT-5: nvgpu.ldmatrix
// CHECK-COUNT-8: nvgpu.mma.sync
// CHECK-NEXT: %{{.*}} = arith
// CHECK-COUNT-15: nvgpu.ldmatrix
// CHECK-NOT: nvgpu.ldmatrix
// CHECK: return
func.func @side_by_side() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=1x4>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// Each warp has 16 rows and all columns: one fragment of A, four loads of B.
// CHECK-LABEL: func.func @on_top_of_each_other
// CHECK-COUNT-2: nvgpu.ldmatrix
// CHECK-COUNT-2: nvgpu.mma.sync
// CHECK: nvgpu.ldmatrix
// CHECK-COUNT-30: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @on_top_of_each_other() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=4x1>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// CHECK-LABEL: func.func @eight_warps
// CHECK-COUNT-16: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @eight_warps() attributes {tile.num_threads = 256 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x4>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// CHECK-LABEL: func.func @three_warps
// CHECK-COUNT-16: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @three_warps() attributes {tile.num_threads = 96 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<48x32xbf16, #gpu.address_space<workgroup>>
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<32x64xbf16, #gpu.address_space<workgroup>>
  %C = tile.alloc {layout = #tile.layout<"mma<48x64,warps=3x1>">} : memref<48x64xf32, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (memref<48x32xbf16, #gpu.address_space<workgroup>>, memref<32x64xbf16, #gpu.address_space<workgroup>>, memref<48x64xf32, #tile.fragment>)
  return
}

// 80 columns for two warps are five tiles of 8 for each: two loads of two tiles
// and one of the last. Lanes of the upper half give the rows of the second tile.
// CHECK-LABEL: func.func @odd_number_of_tiles
// CHECK: %[[UPPER:.*]] = arith.cmpi uge, %{{.*}}, %c16{{.*}} : index
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK: %[[ROW:.*]] = arith.select %[[UPPER]]
// CHECK: nvgpu.ldmatrix %{{.*}}[%[[ROW]]] {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-2: nvgpu.mma.sync
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-2: nvgpu.mma.sync
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 2 : i32, transpose = true} {{.*}} -> vector<2x2xbf16>
// CHECK: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @odd_number_of_tiles() attributes {tile.num_threads = 64 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<32>">} : memref<16x16xbf16, #gpu.address_space<workgroup>>
  %B = tile.alloc {layout = #tile.layout<"coreMatrix">} : memref<16x80xbf16, #gpu.address_space<workgroup>>
  %C = tile.alloc {layout = #tile.layout<"mma<16x80,warps=1x2>">} : memref<16x80xf32, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (memref<16x16xbf16, #gpu.address_space<workgroup>>, memref<16x80xbf16, #gpu.address_space<workgroup>>, memref<16x80xf32, #tile.fragment>)
  return
}

// Threads of a block with three dimensions are numbered x first.
// CHECK-LABEL: gpu.func @block_of_three_dimensions
// CHECK: %[[X:.*]] = gpu.thread_id x
// CHECK: %[[Y:.*]] = gpu.thread_id y
// CHECK: %[[Z:.*]] = gpu.thread_id z
// CHECK: %[[ZS:.*]] = arith.muli %[[Z]], %c2{{.*}} : index
// CHECK: %[[YZ:.*]] = arith.addi %[[Y]], %[[ZS]] : index
// CHECK: %[[YZS:.*]] = arith.muli %[[YZ]], %c16{{.*}} : index
// CHECK: %[[TID:.*]] = arith.addi %[[X]], %[[YZS]] : index
// CHECK: arith.remui %[[TID]], %c32{{.*}} : index
// CHECK: arith.divui %[[TID]], %c32{{.*}} : index
gpu.module @kernels {
  gpu.func @block_of_three_dimensions() kernel attributes {known_block_size = array<i32: 16, 2, 4>} {
    %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
    %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
    %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
    tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
    gpu.return
  }
}

// The same inside a launch.
// CHECK-LABEL: func.func @launch
// CHECK: gpu.launch
// CHECK-NEXT: gpu.thread_id x
// CHECK-NEXT: gpu.thread_id y
// CHECK-NOT: gpu.thread_id z
// CHECK: arith.muli %{{.*}}, %c64{{.*}} : index
func.func @launch() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c2, %nz = %c1) {
    %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
    %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
    %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
    tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
    gpu.terminator
  }
  return
}
