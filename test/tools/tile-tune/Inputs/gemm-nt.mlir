// C = A * B^T in bf16; any extents.
func.func @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %C, %c1 : memref<?x?xbf16>
  %batch = arith.constant 1 : index
  %gx = arith.ceildivui %N, %c128 : index
  %gy = arith.ceildivui %M, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %batch)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [128, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 128] : memref<?x?xbf16>
    tile.copy %acc to %c : memref<128x128xf32, #tile.fragment>, !tile.region<128x128xbf16>
    gpu.terminator
  }
  return
}
