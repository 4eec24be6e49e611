// RUN: %tile_opt_passes 'convert-tile-to-nvgpu' %s | FileCheck %s

!s16 = memref<32x32xf16, #gpu.address_space<workgroup>>
!s32 = memref<32x32xf32, #gpu.address_space<workgroup>>
!s8 = memref<32x32xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @f16_sums_in_f32
// CHECK: nvgpu.ldmatrix {{.*}} -> vector<4x2xf16>
// CHECK-COUNT-16: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @f16_sums_in_f32() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<64>">} : !s16
  %B = tile.alloc {layout = #tile.layout<"swizzle<64>">} : !s16
  %C = tile.alloc {layout = #tile.layout<"mma<32x32,warps=1x1>">} : memref<32x32xf32, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!s16, !s16, memref<32x32xf32, #tile.fragment>)
  return
}

// CHECK-LABEL: func.func @f16_sums_in_f16
// CHECK: vector.from_elements {{.*}} : vector<2x2xf16>
// CHECK-COUNT-16: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
// CHECK: memref.store {{.*}} : memref<32xf16, #gpu.address_space<private>>
func.func @f16_sums_in_f16() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<64>">} : !s16
  %B = tile.alloc {layout = #tile.layout<"swizzle<64>">} : !s16
  %C = tile.alloc {layout = #tile.layout<"mma<32x32,warps=1x1>">} : memref<32x32xf16, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>} : (!s16, !s16, memref<32x32xf16, #tile.fragment>)
  return
}

// Elements of 32 bits cannot be transposed by ldmatrix: B, which is contiguous
// along N, is loaded element by element.
// CHECK-LABEL: func.func @tf32
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} {{.*}} -> vector<4x1xf32>
// CHECK: memref.load {{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: vector.from_elements {{.*}} : vector<2x1xf32>
// CHECK-COUNT-32: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @tf32() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !s32
  %B = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !s32
  %C = tile.alloc {layout = #tile.layout<"mma<32x32,warps=1x1>">} : memref<32x32xf32, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, precision = "tf32"} : (!s32, !s32, memref<32x32xf32, #tile.fragment>)
  return
}

// CHECK-LABEL: func.func @i8
// CHECK: nvgpu.ldmatrix {{.*}} -> vector<4x4xi8>
// CHECK-COUNT-8: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
// CHECK-NOT: nvgpu.mma.sync
// CHECK: return
func.func @i8() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<32>">} : !s8
  %B = tile.alloc {layout = #tile.layout<"swizzle<32>">} : !s8
  %C = tile.alloc {layout = #tile.layout<"mma<32x32,warps=1x1>">} : memref<32x32xi32, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_b} : (!s8, !s8, memref<32x32xi32, #tile.fragment>)
  return
}

// nvgpu has no 8-bit floats: the product of bytes says what they are.
// CHECK-LABEL: func.func @f8
// CHECK: nvgpu.mma.sync{{.*}}tile.mma_type = f8E4M3FN{{.*}}(vector<4x4xi8>, vector<2x4xi8>, vector<2x2xf32>)
func.func @f8() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<32>">} : memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>
  %B = tile.alloc {layout = #tile.layout<"swizzle<32>">} : memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>
  %C = tile.alloc {layout = #tile.layout<"mma<32x32,warps=1x1>">} : memref<32x32xf32, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_b} : (memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<32x32xf32, #tile.fragment>)
  return
}

// The factors may be of two types.
// CHECK-LABEL: func.func @f8_mixed
// CHECK: nvgpu.mma.sync{{.*}}tile.mma_type = f8E5M2, tile.mma_type_b = f8E4M3FN{{.*}}(vector<4x4xi8>, vector<2x4xi8>, vector<2x2xf16>)
func.func @f8_mixed() attributes {tile.num_threads = 32 : i32} {
  %A = tile.alloc {layout = #tile.layout<"swizzle<32>">} : memref<32x32xf8E5M2, #gpu.address_space<workgroup>>
  %B = tile.alloc {layout = #tile.layout<"swizzle<32>">} : memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>
  %C = tile.alloc {layout = #tile.layout<"mma<32x32,warps=1x1>">} : memref<32x32xf16, #tile.fragment>
  tile.gemm %A, %B, %C {instr = #tile.instr<mma>, transpose_b} : (memref<32x32xf8E5M2, #gpu.address_space<workgroup>>, memref<32x32xf8E4M3FN, #gpu.address_space<workgroup>>, memref<32x32xf16, #tile.fragment>)
  return
}
