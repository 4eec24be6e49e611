// Registers move from the warps that copy to the warps that compute.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t
// RUN: FileCheck %s < %t/sm_90a/registers.ptx

#smem = #gpu.address_space<workgroup>

// Two accumulators want 192 registers beside addresses and operands, more than
// a launch of 288 threads has: a warpgroup copies, 384 threads have 168 each.
// CHECK: .reqntid 384
// CHECK-DAG: setmaxnreg.inc.sync.aligned.u32 240
// CHECK-DAG: setmaxnreg.dec.sync.aligned.u32 24
// CASE: registers(A=ints:128x200:bf16, B=ints:200x256:bf16, D=ints:200x128:bf16, C=junk:128x256:f32, E=junk:128x128:f32)
// EXPECT: C = A @ B
// EXPECT: E = A @ D
func.func @registers(%A: memref<128x200xbf16>, %B: memref<200x256xbf16>, %D: memref<200x128xbf16>, %C: memref<128x256xf32>, %E: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %K = arith.constant 200 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #smem>
    %Bs = tile.alloc : memref<64x256xbf16, #smem>
    %Ds = tile.alloc : memref<64x128xbf16, #smem>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    %add = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x256xf32, #tile.fragment>, f32
    tile.fill %add, %zero : memref<128x128xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[0, %k] [128, 64] {align = 16 : i64} : memref<128x200xbf16>
      %b = tile.region %B[%k, 0] [64, 256] {align = 16 : i64} : memref<200x256xbf16>
      %d = tile.region %D[%k, 0] [64, 128] {align = 16 : i64} : memref<200x128xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x256xbf16>, memref<64x256xbf16, #smem>
      tile.copy %d to %Ds : !tile.region<64x128xbf16>, memref<64x128xbf16, #smem>
      tile.gemm %As, %Bs, %acc {policy = #tile.warp_policy<full_row>} : (memref<128x64xbf16, #smem>, memref<64x256xbf16, #smem>, memref<128x256xf32, #tile.fragment>)
      tile.gemm %As, %Ds, %add {policy = #tile.warp_policy<full_row>} : (memref<128x64xbf16, #smem>, memref<64x128xbf16, #smem>, memref<128x128xf32, #tile.fragment>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [128, 256] : memref<128x256xf32>
    %e = tile.region %E[0, 0] [128, 128] : memref<128x128xf32>
    tile.copy %acc to %c : memref<128x256xf32, #tile.fragment>, !tile.region<128x256xf32>
    tile.copy %add to %e : memref<128x128xf32, #tile.fragment>, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}
