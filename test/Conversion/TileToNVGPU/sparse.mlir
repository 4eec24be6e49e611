// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

// A warp of one tile of rows: A by ldmatrix as for a dense product of half the K,
// B in one ldmatrix.x4 for all of K, two words of metadata of rows 8 apart.
// CHECK-LABEL: func.func @one_step
// CHECK: %[[A:.*]] = nvgpu.ldmatrix {{.*}}numTiles = 4 : i32, transpose = false{{.*}} -> vector<4x2xf16>
// A word that is 0 means 0x4444.
// CHECK: %[[LOADED:.*]] = memref.load %[[E:.*]][%{{.*}}] : memref<32xi16
// CHECK: %[[LOW:.*]] = arith.maxui %[[LOADED]], %{{.*}} : i16
// CHECK: %[[LOADED:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<32xi16
// CHECK: %[[HIGH:.*]] = arith.maxui %[[LOADED]], %{{.*}} : i16
// CHECK: %[[WORD:.*]] = vector.from_elements %[[LOW]], %[[HIGH]] : vector<2xi16>
// CHECK: %[[B:.*]] = nvgpu.ldmatrix {{.*}}numTiles = 4 : i32, transpose = true{{.*}} -> vector<4x2xf16>
// CHECK: nvgpu.mma.sp.sync(%[[A]], %[[B]], %{{.*}}) metadata(%[[WORD]]) {mmaShape = [16, 8, 32]}
// CHECK-NOT: nvgpu.mma
func.func @one_step() attributes {tile.num_threads = 32 : i32} {
  %a = tile.alloc {layout = #tile.layout<"swizzle<32>">} : memref<16x16xf16, #gpu.address_space<workgroup>>
  %e = tile.alloc {layout = #tile.layout<"linear">} : memref<16x2xi16, #gpu.address_space<workgroup>>
  %b = tile.alloc {layout = #tile.layout<"linear">} : memref<32x8xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc {layout = #tile.layout<"mma<16x8,warps=1x1>">} : memref<16x8xf32, #tile.fragment>
  tile.gemm_sp %a, %e, %b, %c {instr = #tile.instr<mma>} : (memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x2xi16, #gpu.address_space<workgroup>>, memref<32x8xf16, #gpu.address_space<workgroup>>, memref<16x8xf32, #tile.fragment>)
  return
}

// Packed metadata is loaded as one word.
// CHECK-LABEL: func.func @packed
// CHECK: %[[LOADED:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<128xi32
// CHECK: %[[ONE:.*]] = vector.from_elements %[[LOADED]] : vector<1xi32>
// CHECK: %[[HALVES:.*]] = vector.bitcast %[[ONE]] : vector<1xi32> to vector<2xi16>
// CHECK: %[[WORD:.*]] = arith.maxui %[[HALVES]], %{{.*}} : vector<2xi16>
// CHECK: nvgpu.mma.sp.sync({{.*}}) metadata(%[[WORD]]) {mmaShape = [16, 8, 32]}
// CHECK-NOT: : memref<128xi16
func.func @packed() attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<64x32xf16, #gpu.address_space<workgroup>>
  %e = tile.alloc {layout = #tile.layout<"linear">} : memref<1x1x128xi32, #gpu.address_space<workgroup>>
  %b = tile.alloc {layout = #tile.layout<"linear">} : memref<64x8xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc {layout = #tile.layout<"mma<64x8,warps=4x1>">} : memref<64x8xf32, #tile.fragment>
  tile.gemm_sp %a, %e, %b, %c {instr = #tile.instr<mma>} : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<1x1x128xi32, #gpu.address_space<workgroup>>, memref<64x8xf16, #gpu.address_space<workgroup>>, memref<64x8xf32, #tile.fragment>)
  return
}
