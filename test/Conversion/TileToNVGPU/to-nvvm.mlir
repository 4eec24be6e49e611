// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_80})' %s | FileCheck %s

!smem = memref<1024xbf16, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Four words per thread, two of which make up a fragment of B. The constant in
  // the index is an offset of the pointer.
  // CHECK-LABEL: llvm.func @bf16
  // CHECK: %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, bf16
  // CHECK: %[[A:.*]] = nvvm.ldmatrix %[[ROW]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
  // CHECK: %[[A1:.*]] = llvm.extractvalue %[[A]][1]
  // CHECK: %[[A2:.*]] = llvm.extractvalue %[[A]][2]
  // CHECK: %[[A3:.*]] = llvm.extractvalue %[[A]][3]
  // CHECK: %[[NEXT:.*]] = llvm.getelementptr %{{.*}}[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, bf16
  // CHECK: %[[B:.*]] = nvvm.ldmatrix %[[NEXT]] {{.*}}layout = #nvvm.mma_layout<col>
  // CHECK: llvm.extractvalue %[[B]][1]
  // CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
  // CHECK: %[[B3:.*]] = llvm.extractvalue %[[B]][3]
  // CHECK: %[[C:.*]] = nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B2]], %[[B3]]] C[%[[X:.*]], %[[X]], %[[X]], %[[X]]]
  // CHECK-SAME: layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %[[C2:.*]] = llvm.extractvalue %[[C]][2]
  // CHECK: llvm.store %[[C2]]
  // CHECK-NOT: vector.
  // CHECK-NOT: nvgpu.
  // CHECK: llvm.return
  gpu.func @bf16(%i: index, %x: f32, %out: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %As = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %s = tile.storage %As : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %a = nvgpu.ldmatrix %s[%i] {numTiles = 4 : i32, transpose = false} : !smem -> vector<4x2xbf16>
    %j = arith.addi %i, %c64 : index
    %bb = nvgpu.ldmatrix %s[%j] {numTiles = 4 : i32, transpose = true} : !smem -> vector<4x2xbf16>
    %b = vector.extract_strided_slice %bb {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
    %c = vector.from_elements %x, %x, %x, %x : vector<2x2xf32>
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %e = vector.extract %d[1, 0] : f32 from vector<2x2xf32>
    memref.store %e, %out[%c0] : memref<4xf32>
    gpu.return
  }

  // Pairs of f16 travel as words, and are vectors for the instruction. Sums that
  // folded to a constant are one still.
  // CHECK-LABEL: llvm.func @f16
  // CHECK: %[[L:.*]] = nvvm.ldmatrix {{.*}}num = 2 : i32{{.*}} -> !llvm.struct<(i32, i32)>
  // CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[%{{[0-9]+}}, %{{[0-9]+}}] {{.*}} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
  // CHECK: %[[SECOND:.*]] = llvm.extractelement %{{.*}}[%c1_i32{{.*}} : i32] : vector<2xf16>
  // CHECK: llvm.store %[[SECOND]]
  gpu.func @f16(%i: index, %x: f16, %out: memref<4xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<2x2xf16>
    %As = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<16x64xf16, #gpu.address_space<workgroup>>
    %s = tile.storage %As : memref<16x64xf16, #gpu.address_space<workgroup>>
    %b = nvgpu.ldmatrix %s[%i] {numTiles = 2 : i32, transpose = false} : memref<1024xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %a = vector.from_elements %x, %x, %x, %x, %x, %x, %x, %x : vector<4x2xf16>
    %d = nvgpu.mma.sync (%a, %b, %zero) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    %e = vector.extract %d[0, 1] : f16 from vector<2x2xf16>
    memref.store %e, %out[%c0] : memref<4xf16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @tf32
  // CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}#nvvm.mma_type<tf32>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  gpu.func @tf32(%x: f32, %out: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = vector.from_elements %x, %x, %x, %x : vector<4x1xf32>
    %b = vector.from_elements %x, %x : vector<2x1xf32>
    %c = vector.from_elements %x, %x, %x, %x : vector<2x2xf32>
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    %e = vector.extract %d[1, 1] : f32 from vector<2x2xf32>
    memref.store %e, %out[%c0] : memref<4xf32>
    gpu.return
  }

  // Sums of integers wrap.
  // CHECK-LABEL: llvm.func @i8
  // CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}#nvvm.mma_type<s8>{{.*}} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  gpu.func @i8(%i: index, %x: i32, %out: memref<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %As = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<16x64xi8, #gpu.address_space<workgroup>>
    %s = tile.storage %As : memref<16x64xi8, #gpu.address_space<workgroup>>
    %a = nvgpu.ldmatrix %s[%i] {numTiles = 4 : i32, transpose = false} : memref<1024xi8, #gpu.address_space<workgroup>> -> vector<4x4xi8>
    %b = nvgpu.ldmatrix %s[%i] {numTiles = 2 : i32, transpose = false} : memref<1024xi8, #gpu.address_space<workgroup>> -> vector<2x4xi8>
    %c = vector.from_elements %x, %x, %x, %x : vector<2x2xi32>
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
    %e = vector.extract %d[1, 1] : i32 from vector<2x2xi32>
    memref.store %e, %out[%c0] : memref<4xi32>
    gpu.return
  }

  // What differs between threads is one pointer, what constants add another: 16
  // rows further down all threads share it. The number of elements to read
  // becomes bytes.
  // CHECK-LABEL: llvm.func @copy
  // CHECK-SAME: (%[[A:.*]]: !llvm.ptr<1>
  // CHECK: %[[SHARED:.*]] = llvm.getelementptr %{{.*}}[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, bf16
  // CHECK: %[[THREAD:.*]] = llvm.getelementptr %[[A]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  // CHECK: %[[GLOBAL:.*]] = llvm.getelementptr %[[THREAD]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c2{{.*}} : i32
  // CHECK: nvvm.cp.async.shared.global %[[SHARED]], %[[GLOBAL]], 16, cache = cg, %[[BYTES]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: nvvm.cp.async.wait.group 0
  gpu.func @copy(%A: memref<?x?xbf16>, %i: index, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c16 = arith.constant 16 : index
    %c1024 = arith.constant 1024 : index
    %As = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %s = tile.storage %As : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %row = arith.addi %i, %c16 : index
    %o = arith.addi %i, %c1024 : index
    %t0 = nvgpu.device_async_copy %A[%row, %i], %s[%o], 8, %n {bypassL1} : memref<?x?xbf16> to memref<4096xbf16, #gpu.address_space<workgroup>>
    %t1 = nvgpu.device_async_copy %A[%i, %i], %s[%i], 2 : memref<?x?xbf16> to memref<4096xbf16, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t0, %t1
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.return
  }
}
