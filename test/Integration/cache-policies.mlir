// Copies with a policy of L2: each load, store and TMA copy of global memory has
// it, cp.async never does, and the values are those of copies without.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: cat %t/sm_90a/*.ptx %t/sm_80/*.ptx > %t/all.ptx
// RUN: grep -E "(ld|st)\.global|cp\.async\.bulk\.tensor" %t/all.ptx > %t/accesses
// RUN: not grep -v "L2::cache_hint" %t/accesses
// RUN: grep -E "cp\.async\.ca" %t/all.ptx && grep -E "cp\.async\.cg" %t/all.ptx
// RUN: not grep -E "cp\.async\.c[ag].*L2::cache_hint" %t/all.ptx
// RUN: FileCheck %s --check-prefix=FORMS < %t/accesses

// FORMS-DAG: ld.global.L2::cache_hint.b8
// FORMS-DAG: ld.global.L2::cache_hint.v4.b32
// FORMS-DAG: st.global.L2::cache_hint.b32
// FORMS-DAG: st.global.L2::cache_hint.v4.b32
// FORMS-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
// FORMS-DAG: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint

#first = #tile.eviction<first>
#last = #tile.eviction<last>
#smem = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Plain loads and stores, alone and in vectors, of fragments, shared and private
// tiles; of windows that leave their tensors.
// CASE: plain(A=ints:24x40:f32, B=junk:24x40:f32, C=junk:24x40:f32, D=wide:24x40:i8, E=junk:24x40:i8)
// CASE: plain(A=ints:23x37:f32, B=junk:23x37:f32, C=junk:23x37:f32, D=wide:23x37:i8, E=junk:23x37:i8)
// CASE: plain(A=ints:24x40:f32@44+1, B=junk:24x40:f32@41+2, C=junk:24x40:f32@43+3, D=wide:24x40:i8@41+1, E=junk:24x40:i8@43+2)
// EXPECT: B = A; C = A; E = D
func.func @plain(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32, strided<[?, 1], offset: ?>>, %C: memref<?x?xf32, strided<[?, 1], offset: ?>>, %D: memref<?x?xi8, strided<[?, 1], offset: ?>>, %E: memref<?x?xi8, strided<[?, 1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<24x40xf32, #fragment>
    %S = tile.alloc : memref<24x40xf32, #smem>
    %T = tile.alloc : memref<24x40xi8, #smem>
    %a = tile.region %A[0, 0] [24, 40] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    %b = tile.region %B[0, 0] [24, 40] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    %c = tile.region %C[0, 0] [24, 40] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    %d = tile.region %D[0, 0] [24, 40] : memref<?x?xi8, strided<[?, 1], offset: ?>>
    %e = tile.region %E[0, 0] [24, 40] : memref<?x?xi8, strided<[?, 1], offset: ?>>
    tile.copy %a to %F {eviction = #first} : !tile.region<24x40xf32>, memref<24x40xf32, #fragment>
    tile.copy %F to %b {eviction = #last} : memref<24x40xf32, #fragment>, !tile.region<24x40xf32>
    tile.copy %a to %S {eviction = #last} : !tile.region<24x40xf32>, memref<24x40xf32, #smem>
    tile.copy %S to %c {eviction = #first, instr = #tile.instr<simt>} : memref<24x40xf32, #smem>, !tile.region<24x40xf32>
    tile.copy %d to %T {eviction = #first, instr = #tile.instr<simt>} : !tile.region<24x40xi8>, memref<24x40xi8, #smem>
    tile.copy %T to %e {eviction = #first, instr = #tile.instr<simt>} : memref<24x40xi8, #smem>, !tile.region<24x40xi8>
    gpu.terminator
  }
  return
}

// Whole tensors: 16 bytes at once, without conditions.
// CASE: whole(A=ints:32x64:f32, B=junk:32x64:f32, C=junk:32x64:f16)
// EXPECT: B = A; C = A.astype(np.float16)
func.func @whole(%A: memref<32x64xf32>, %B: memref<32x64xf32>, %C: memref<32x64xf16>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<32x64xf32, #fragment>
    tile.copy %A to %F {eviction = #first} : memref<32x64xf32>, memref<32x64xf32, #fragment>
    tile.copy %F to %B {eviction = #last} : memref<32x64xf32, #fragment>, memref<32x64xf32>
    tile.copy %F to %C {eviction = #first} : memref<32x64xf32, #fragment>, memref<32x64xf16>
    gpu.terminator
  }
  return
}

// A pipelined product: TMA or cp.async in, registers or staged boxes out.
// CASE: product(A=ints:128x96:bf16, B=ints:96x72:bf16, C=junk:128x72:bf16)
// CASE: product(A=ints:70x40:bf16, B=ints:40x100:bf16, C=junk:70x100:bf16)
// CASE: product(A=ints:70x41:bf16, B=ints:41x99:bf16, C=junk:70x99:bf16)
// EXPECT: C = round_to(A.astype(np.float32) @ B.astype(np.float32), 'bf16')
func.func @product(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xbf16>
  %k = memref.dim %A, %c1 : memref<?x?xbf16>
  %n = memref.dim %B, %c1 : memref<?x?xbf16>
  %gx = arith.ceildivui %m, %c64 : index
  %gy = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %row = arith.muli %bx, %c64 : index
    %column = arith.muli %by, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #fragment>, f32
    scf.for %i = %c0 to %k step %c32 {
      %a = tile.region %A[%row, %i] [64, 32] : memref<?x?xbf16>
      %b = tile.region %B[%i, %column] [32, 64] : memref<?x?xbf16>
      tile.copy %a to %As {eviction = #first} : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      tile.copy %b to %Bs {eviction = #last} : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<64x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%row, %column] [64, 64] : memref<?x?xbf16>
    tile.copy %acc to %c {eviction = #first} : memref<64x64xf32, #fragment>, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}

// The gathers of a convolution: by cp.async in groups of 4 and 16 bytes, by
// elements, into a fragment.
// CASE: gathers(X=ints:2x9x7x16:bf16, Y=ints:2x9x7x3:bf16, A=junk:126x32:bf16, B=junk:126x32:bf16, C=junk:126x32:bf16)
// EXPECT: import convolution
// EXPECT: A = convolution.tile(X, (0, 0), (126, 32), (3, 3), pad=(1, 1)); C = A
// EXPECT: B = convolution.tile(Y, (0, 0), (126, 32), (3, 3), pad=(1, 1))
func.func @gathers(%X: memref<?x?x?x16xbf16>, %Y: memref<?x?x?x3xbf16>, %A: memref<126x32xbf16>, %B: memref<126x32xbf16>, %C: memref<126x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x32xbf16, #smem>
    %T = tile.alloc : memref<64x32xbf16, #smem>
    %F = tile.alloc : memref<64x32xbf16, #fragment>
    %row = arith.muli %bx, %c64 : index
    %x = tile.im2col %X[%row, %c0] [64, 32] kernel [3, 3] pad [1, 1] : memref<?x?x?x16xbf16>
    %y = tile.im2col %Y[%row, %c0] [64, 32] kernel [3, 3] pad [1, 1] : memref<?x?x?x3xbf16>
    tile.copy %x to %S {eviction = #last} : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    tile.copy %y to %T {eviction = #last} : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
    tile.copy %x to %F {eviction = #last} : !tile.region<64x32xbf16>, memref<64x32xbf16, #fragment>
    %a = tile.region %A[%row, 0] [64, 32] : memref<126x32xbf16>
    %b = tile.region %B[%row, 0] [64, 32] : memref<126x32xbf16>
    %c = tile.region %C[%row, 0] [64, 32] : memref<126x32xbf16>
    tile.copy %S to %a {eviction = #first} : memref<64x32xbf16, #smem>, !tile.region<64x32xbf16>
    tile.copy %T to %b {eviction = #first} : memref<64x32xbf16, #smem>, !tile.region<64x32xbf16>
    tile.copy %F to %c {eviction = #first} : memref<64x32xbf16, #fragment>, !tile.region<64x32xbf16>
    gpu.terminator
  }
  return
}
