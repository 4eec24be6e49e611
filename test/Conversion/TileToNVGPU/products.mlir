// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!smem = memref<64x64xbf16, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>

// Four warps compute 32 x 32 each: per step of K two fragments of A, and two
// loads of B that hold two fragments each, for 2 x 4 products. Fragments lie in
// memory as the instruction wants them where K is contiguous; else they are
// transposed on the way.
// CHECK-LABEL: func.func @plain
// CHECK: %[[A:.*]] = tile.storage %{{.*}} : memref<64x64xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = tile.storage %{{.*}} : memref<64x64xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[A0:.*]] = nvgpu.ldmatrix %[[A]][%{{.*}}] {numTiles = 4 : i32, transpose = false} : memref<4096xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
// CHECK: %[[A1:.*]] = nvgpu.ldmatrix %[[A]][%{{.*}}] {numTiles = 4 : i32, transpose = false}
// CHECK: %[[B01:.*]] = nvgpu.ldmatrix %[[B]][%{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK: %[[B0:.*]] = vector.extract_strided_slice %[[B01]] {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
// CHECK: %[[B1:.*]] = vector.extract_strided_slice %[[B01]] {offsets = [2, 0]
// CHECK: nvgpu.mma.sync(%[[A0]], %[[B0]], %{{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-NEXT: nvgpu.mma.sync(%[[A0]], %[[B1]], %{{.*}})
// CHECK-NEXT: nvgpu.mma.sync(%[[A1]], %[[B1]], %{{.*}})
// CHECK-NEXT: nvgpu.mma.sync(%[[A1]], %[[B0]], %{{.*}})
// CHECK: %[[B23:.*]] = nvgpu.ldmatrix %[[B]][%{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK: %[[B2:.*]] = vector.extract_strided_slice %[[B23]] {offsets = [0, 0]
// CHECK: %[[B3:.*]] = vector.extract_strided_slice %[[B23]] {offsets = [2, 0]
// CHECK-NEXT: nvgpu.mma.sync(%[[A1]], %[[B2]], %{{.*}})
// CHECK-NEXT: nvgpu.mma.sync(%[[A1]], %[[B3]], %{{.*}})
// CHECK-NEXT: nvgpu.mma.sync(%[[A0]], %[[B3]], %{{.*}})
// CHECK-NEXT: nvgpu.mma.sync(%[[A0]], %[[B2]], %{{.*}})
// CHECK-COUNT-24: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @plain() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// CHECK-LABEL: func.func @transpose_a
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-32: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @transpose_a() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_a} : (!smem, !smem, !acc)
  return
}

// CHECK-LABEL: func.func @transpose_b
// CHECK-NOT: transpose = true
// CHECK-COUNT-32: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @transpose_b() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_b} : (!smem, !smem, !acc)
  return
}

// CHECK-LABEL: func.func @transpose_both
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK-COUNT-32: nvgpu.mma.sync
// CHECK: return
func.func @transpose_both() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_a, transpose_b} : (!smem, !smem, !acc)
  return
}

// The layout may store a tile transposed: what counts is which dimension is
// contiguous in memory.
// CHECK-LABEL: func.func @stored_transposed
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK: return
func.func @stored_transposed() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128,t>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"swizzle<128,t>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// Rows that are not stored in 16 bytes at a multiple of 16: no ldmatrix. Eight
// elements per fragment of A, four per fragment of B.
// CHECK-LABEL: func.func @element_by_element
// CHECK-NOT: nvgpu.ldmatrix
// CHECK-COUNT-8: memref.load %{{.*}}[%{{.*}}] : memref<4348xbf16, #gpu.address_space<workgroup>>
// CHECK: vector.from_elements {{.*}} : vector<4x2xbf16>
// CHECK: vector.from_elements {{.*}} : vector<2x2xbf16>
// CHECK: nvgpu.mma.sync
// CHECK-NOT: nvgpu.ldmatrix
// CHECK: return
func.func @element_by_element() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc {layout = #tile.layout<"padded<68>">} : !smem
  %B = tile.alloc {layout = #tile.layout<"padded<68>">} : !smem
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!smem, !smem, !acc)
  return
}

// Slots of rings: the slot is added, the swizzle stays one XOR per step of K.
// CHECK-LABEL: func.func @slots
// CHECK: arith.muli %arg0, %c4096
// CHECK: nvgpu.ldmatrix
// CHECK-COUNT-32: nvgpu.mma.sync
func.func @slots(%slot: index) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
  %C = tile.alloc {layout = #tile.layout<"mma<64x64,warps=2x2>">} : !acc
  %A = tile.region %As[%slot, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
  %B = tile.region %Bs[%slot, 0, 0] [1, 64, 64] drop [0] : memref<3x64x64xbf16, #gpu.address_space<workgroup>>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!tile.region<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>, !acc)
  return
}
