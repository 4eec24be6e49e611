// Tiles that TMA writes to tensors on sm_90a: whole tiles and slots, ragged
// windows, storage that is used again, tensors that are read again. Odd rows, rows
// whose last bytes are not known to be 16, and sm_80 take plain stores.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: FileCheck %s < %t/sm_90a/epilogue.ptx

// The accumulator is put into shared memory by all threads: a fence and a barrier
// stand before the store, which one thread issues.
// CHECK-LABEL: .entry epilogue
// CHECK: fence.proxy.async
// CHECK: bar.sync
// CHECK: @%p{{[0-9]+}} cp.async.bulk.tensor.2d.global.shared::cta{{(.tile)?}}.bulk_group
// CHECK: cp.async.bulk.commit_group
// CHECK: cp.async.bulk.wait_group.read 0

// CASE: epilogue(A=ints:96x64:bf16, B=ints:64x80:bf16, C=junk:96x80:bf16)
// CASE: epilogue(A=ints:65x40:bf16, B=ints:40x72:bf16, C=junk:65x72:bf16)
// CASE: epilogue(A=ints:67x33:bf16, B=ints:33x57:bf16, C=junk:67x57:bf16)
// EXPECT: C = A @ B
func.func @epilogue(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %C, %c0 : memref<?x?xbf16>
  %N = memref.dim %C, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %M, %c64 : index
  %gy = arith.ceildivui %N, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c64 : index
    %n = arith.muli %by, %c64 : index
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Cs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %a = tile.region %A[%m, 0] [64, 64] : memref<?x?xbf16>
    %b = tile.region %B[0, %n] [64, 64] : memref<?x?xbf16>
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xbf16>
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    tile.copy %acc to %Cs : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %Cs to %c : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}

// One tile carries all rows: it is filled again when its store has read it.
// CASE: reuse(A=normal:100x48:f32, B=junk:100x48:f32, C=junk:100x48:f32)
// CASE: reuse(A=normal:99x47:f32, B=junk:99x47:f32, C=junk:99x47:f32)
// EXPECT: B = A; C = A
func.func @reuse(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %M = memref.dim %A, %c0 : memref<?x?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<16x48xf32, #gpu.address_space<workgroup>>
    %R = tile.alloc : memref<2x16x48xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %M step %c16 {
      %a = tile.region %A[%i, 0] [16, 48] : memref<?x?xf32>
      %b = tile.region %B[%i, 0] [16, 48] : memref<?x?xf32>
      %c = tile.region %C[%i, 0] [16, 48] : memref<?x?xf32>
      %r = tile.region %R[1, 0, 0] [1, 16, 48] drop [0] : memref<2x16x48xf32, #gpu.address_space<workgroup>>
      tile.copy %a to %S : !tile.region<16x48xf32>, memref<16x48xf32, #gpu.address_space<workgroup>>
      tile.copy %S to %b : memref<16x48xf32, #gpu.address_space<workgroup>>, !tile.region<16x48xf32>
      // What TMA wrote is read by TMA, into a slot of a ring, and written again.
      tile.copy %b to %r : !tile.region<16x48xf32>, !tile.region<16x48xf32, #gpu.address_space<workgroup>>
      tile.copy %r to %c : !tile.region<16x48xf32, #gpu.address_space<workgroup>>, !tile.region<16x48xf32>
    }
    gpu.terminator
  }
  return
}

// Three dimensions, one of them dropped; more than one box per tile.
// CASE: boxes(A=normal:2x32x320:f16, B=junk:3x32x320:f16)
// CASE: boxes(A=normal:2x29x312:f16, B=junk:3x29x312:f16)
// CASE: boxes(A=normal:2x29x311:f16, B=junk:3x29x311:f16)
// EXPECT: B[2] = A[1]
func.func @boxes(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x320xf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[1, 0, 0] [1, 32, 320] drop [0] : memref<?x?x?xf16>
    %b = tile.region %B[2, 0, 0] [1, 32, 320] drop [0] : memref<?x?x?xf16>
    tile.copy %a to %S : !tile.region<32x320xf16>, memref<32x320xf16, #gpu.address_space<workgroup>>
    tile.copy %S to %b : memref<32x320xf16, #gpu.address_space<workgroup>>, !tile.region<32x320xf16>
    gpu.terminator
  }
  return
}
