// C[M,N] += A[M,K] * B[K,N] where K is long and C is small: each block multiplies
// one part of K, and adds its sums to C. f16 factors, f32 sums, any sizes.
//
//   tile-compile examples/split-k.mlir --target=sm_90a -o out/
//   tile-run out/split_k.json ints:64x1000:f16 ints:1000x72:f16 zeros:64x72:f32 4
//            --save 2=c.npy --emulate --seed=1
//
// The last argument is the number of parts. The updates of an element happen in
// any order, so float sums may differ in the last bits from run to run.
#shared = #gpu.address_space<workgroup>
!factor = memref<?x?xf16>
!result = memref<?x?xf32>
!As = memref<64x64xf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>

func.func @split_k(%A: !factor, %B: !factor, %C: !result, %parts: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %A, %c0 : !factor
  %K = memref.dim %A, %c1 : !factor
  %N = memref.dim %B, %c1 : !factor
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %parts)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index

    // A part is a whole number of steps, so that no two blocks read one step.
    %steps = arith.ceildivui %K, %c64 : index
    %part = arith.ceildivui %steps, %parts : index
    %extent = arith.muli %part, %c64 : index
    %first = arith.muli %bz, %extent : index
    %next = arith.addi %first, %extent : index
    %end = arith.minui %next, %K : index

    %As = tile.alloc : !As
    %Bs = tile.alloc : !As
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %first to %end step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : !factor
      %b = tile.region %B[%k, %n] [64, 64] : !factor
      tile.copy %a to %As : !tile.region<64x64xf16>, !As
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !As
      tile.gemm %As, %Bs, %acc : (!As, !As, !acc)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, %n] [64, 64] : !result
    tile.atomic add %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
