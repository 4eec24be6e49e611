// Which tensors are aligned decides for each of them: no tensor costs another its
// best instruction. docs/Rationale/Variants.md says which combinations have a kernel.

// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a},tile-instruction-annotation{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_80},tile-instruction-annotation{target=sm_80}' %s | FileCheck %s --check-prefix=OLD
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s -o %t.once
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#smem = #gpu.address_space<workgroup>

// Of two factors, a mask and a result: all; without the result, as rows of results
// are odd the most often; without the mask, without either factor; with rows of 4
// bytes; and what needs nothing, where the mask has cp.async all the same.
// CHECK-LABEL: func.func @two_factors_and_a_mask
// CHECK: address of argument 3 is a multiple of 16 bytes
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf32
// CHECK: tile.gemm
// CHECK: }, {
// CHECK: address of argument 2 is a multiple of 16 bytes
// CHECK-NOT: argument 3
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf32
// CHECK: }, {
// CHECK: address of argument 1 is a multiple of 16 bytes
// CHECK-NOT: argument 2
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<cp_async>{{.*}}64x64xf32
// CHECK: }, {
// CHECK-NOT: argument 0
// CHECK: instr<simt>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf32
// CHECK: }, {
// CHECK-NOT: argument 1
// CHECK: instr<tma>{{.*}}64x64xf16
// CHECK: instr<simt>{{.*}}64x64xf16
// CHECK: instr<tma>{{.*}}64x64xf32
// CHECK: }, {
// CHECK: address of argument 0 is a multiple of 4 bytes
// CHECK: stride 0 of argument 0 is a multiple of 4 bytes
// CHECK: address of argument 1 is a multiple of 4 bytes
// CHECK-NOT: argument 2
// CHECK: instr<cp_async>{{.*}}64x64xf16
// CHECK: instr<cp_async>{{.*}}64x64xf16
// CHECK: instr<cp_async>{{.*}}64x64xf32
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK: instr<simt>{{.*}}64x64xf16
// CHECK: instr<simt>{{.*}}64x64xf16
// CHECK: instr<cp_async>{{.*}}64x64xf32
// CHECK: return

// Without TMA the mask moves by cp.async of 16 bytes or of 4.
// OLD-LABEL: func.func @two_factors_and_a_mask
// OLD: address of argument 2 is a multiple of 16 bytes
// OLD-NOT: argument 3
// OLD: align = 16 {{.*}}f16
// OLD: align = 16 {{.*}}f16
// OLD: align = 16 {{.*}}f32
// OLD: }, {
// OLD-NOT: argument 2
// OLD: align = 16 {{.*}}f16
// OLD: align = 16 {{.*}}f16
// OLD: tile.region %{{.*}} [64, 64] : memref<?x?xf32>
// OLD: instr<cp_async>{{.*}}64x64xf16
// OLD: instr<cp_async>{{.*}}64x64xf16
// OLD: instr<cp_async>{{.*}}64x64xf32
// OLD: }, {
// OLD-NOT: argument 0
// OLD: instr<simt>{{.*}}64x64xf16
// OLD: instr<cp_async>{{.*}}64x64xf16
// OLD: }, {
// OLD-NOT: argument 1
// OLD: instr<cp_async>{{.*}}64x64xf16
// OLD: instr<simt>{{.*}}64x64xf16
// OLD: }, {
// OLD: address of argument 1 is a multiple of 4 bytes
// OLD: }, {
// OLD-NOT: tile.require
// OLD: return
func.func @two_factors_and_a_mask(%A: memref<64x?xf16>, %B: memref<64x?xf16>, %M: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x64xf16, #smem>
    %Bs = tile.alloc : memref<64x64xf16, #smem>
    %Ms = tile.alloc : memref<64x64xf32, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %m_ = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x?xf16>
      %b = tile.region %B[0, %k] [64, 64] : memref<64x?xf16>
      %m = tile.region %M[0, %k] [64, 64] : memref<?x?xf32>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %m to %Ms : !tile.region<64x64xf32>, memref<64x64xf32, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xf16, #smem>, memref<64x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
      tile.copy %Ms to %m_ : memref<64x64xf32, #smem>, memref<64x64xf32, #tile.fragment>
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Static strides say how far a tensor can get: rows of 504 bytes move by 8. An
// address alone makes no kernel more.
// CHECK-LABEL: func.func @static_rows
// CHECK: address of argument 0 is a multiple of 8 bytes
// CHECK-NOT: stride
// CHECK: address of argument 1 is a multiple of 16 bytes
// CHECK-NOT: stride
// CHECK: align = 8
// CHECK: align = 16
// CHECK: instr<cp_async>
// CHECK: instr<tma>
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK: return
func.func @static_rows(%A: memref<64x252xf16>, %B: memref<256x64xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xf16, #smem>
    %Bs = tile.alloc : memref<32x64xf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c256 step %c32 {
      %a = tile.region %A[0, %k] [64, 32] : memref<64x252xf16>
      %b = tile.region %B[%k, 0] [32, 64] : memref<256x64xf16>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #smem>
      tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #smem>, memref<32x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}

// An element loop never costs the factors anything, however its rows lie.
// CHECK-LABEL: func.func @sums_of_rows
// CHECK: stride 0 of argument 2 is a multiple of 16 bytes
// CHECK: }, {
// CHECK: stride 0 of argument 1 is a multiple of 16 bytes
// CHECK-NOT: argument 2
// CHECK: instr<tma>
// CHECK: instr<tma>
// CHECK: }, {
func.func @sums_of_rows(%A: memref<64x?xf16>, %B: memref<64x?xf16>, %R: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x64xf16, #smem>
    %Bs = tile.alloc : memref<64x64xf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x?xf16>
      %b = tile.region %B[0, %k] [64, 64] : memref<64x?xf16>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xf16, #smem>, memref<64x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      memref.store %x, %R[%i, %j] : memref<?x?xf32>
    }
    gpu.terminator
  }
  return
}

// Many tensors: those that no product reads are missed together, and the number of
// kernels stays small.
// CHECK-LABEL: func.func @many
// CHECK: address of argument 5 is a multiple of 16 bytes
// CHECK: }, {
// CHECK: address of argument 0 is a multiple of 16 bytes
// CHECK: address of argument 1 is a multiple of 16 bytes
// CHECK-NOT: argument 2
// CHECK: }, {
// CHECK-NOT: argument 0
// CHECK: address of argument 1 is a multiple of 16 bytes
// CHECK: address of argument 2 is a multiple of 16 bytes
// CHECK: }, {
// CHECK-NOT: argument 1
// CHECK: }, {
// CHECK: multiple of 4 bytes
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK-NOT: }, {
// CHECK: return
func.func @many(%A: memref<64x?xf16>, %B: memref<64x?xf16>, %M: memref<?x?xf16>, %N: memref<?x?xf16>, %O: memref<?x?xf16>, %P: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xf16, #smem>
    %Bs = tile.alloc : memref<64x64xf16, #smem>
    %Ms = tile.alloc : memref<64x64xf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x?xf16>
      %b = tile.region %B[0, %k] [64, 64] : memref<64x?xf16>
      %m = tile.region %M[0, %k] [64, 64] : memref<?x?xf16>
      %n = tile.region %N[0, %k] [64, 64] : memref<?x?xf16>
      %o = tile.region %O[0, %k] [64, 64] : memref<?x?xf16>
      %p = tile.region %P[0, %k] [64, 64] : memref<?x?xf16>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %m to %Ms : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %n to %Ms : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %o to %Ms : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.copy %p to %Ms : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xf16, #smem>, memref<64x64xf16, #smem>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}
