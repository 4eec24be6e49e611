// Matrix products in pipelined loops: any number of steps, 0 included, ragged
// edges, and slots that wrap many times.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/pipelines.py %s --stages=1,4 --seeds=2 --out=%t

#smem = #gpu.address_space<workgroup>

// CASE: gemm3(A=ints:128x0:bf16, B=ints:0x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:128x32:bf16, B=ints:32x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:128x64:bf16, B=ints:64x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:128x96:bf16, B=ints:96x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:128x128:bf16, B=ints:128x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:128x192:bf16, B=ints:192x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:128x224:bf16, B=ints:224x64:bf16, C=junk:128x64:f32)
// CASE: gemm3(A=ints:77x131:bf16, B=ints:131x51:bf16, C=junk:77x51:f32)
// EXPECT: C = A @ B
func.func @gemm3(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c32 {
      %a = tile.region %A[0, %k] [128, 32] : memref<?x?xbf16>
      %b = tile.region %B[%k, 0] [32, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x32xbf16>, memref<128x32xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<128x32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<128x64xf32, #tile.fragment>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[0, 0] [128, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<128x64xf32, #tile.fragment>, !tile.region<128x64xf32>
    gpu.terminator
  }
  return
}
