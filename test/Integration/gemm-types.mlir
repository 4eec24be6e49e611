// wgmma of 8-bit floats, tf32 and 8-bit integers: operands contiguous along K,
// rows aligned for TMA and not. Factors are integers, so products are exact.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && tile-compile %s --target=sm_90a -o %t --no-remarks
// RUN: tile-run %t/e4m3.json ints:96x80:f8E4M3FN ints:72x80:f8E4M3FN ones:96x72:f32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/e4m3.json ints:65x131:f8E4M3FN ints:70x131:f8E4M3FN ones:65x70:f32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/e5m2.json ints:96x80:f8E5M2 ints:72x80:f8E5M2 ones:96x72:f32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/e5m2.json ints:65x131:f8E5M2 ints:70x131:f8E5M2 ones:65x70:f32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/tf32.json ints:96x80:f32 ints:72x80:f32 ones:96x72:f32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/tf32.json ints:65x131:f32 ints:70x131:f32 ones:65x70:f32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/s8.json ints:96x80:i8 ints:72x80:i8 ones:96x72:i32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy
// RUN: tile-run %t/s8.json ints:65x131:i8 ints:70x131:i8 ones:65x70:i32 --emulate --seeds=2 --save 0=%t/a.npy --save 1=%t/b.npy --save 2=%t/c.npy
// RUN: %python %S/Inputs/check-product.py %t/a.npy %t/b.npy %t/c.npy

func.func @e4m3(%A: memref<?x?xf8E4M3FN>, %B: memref<?x?xf8E4M3FN>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf8E4M3FN>
  %K = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>
  %N = memref.dim %B, %c0 : memref<?x?xf8E4M3FN>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xf8E4M3FN>
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xf8E4M3FN>
      tile.copy %a to %As : !tile.region<64x64xf8E4M3FN>, memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xf8E4M3FN>, memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    }
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

func.func @e5m2(%A: memref<?x?xf8E5M2>, %B: memref<?x?xf8E5M2>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf8E5M2>
  %K = memref.dim %A, %c1 : memref<?x?xf8E5M2>
  %N = memref.dim %B, %c0 : memref<?x?xf8E5M2>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<64x64xf8E5M2, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xf8E5M2, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xf8E5M2>
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xf8E5M2>
      tile.copy %a to %As : !tile.region<64x64xf8E5M2>, memref<64x64xf8E5M2, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xf8E5M2>, memref<64x64xf8E5M2, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xf8E5M2, #gpu.address_space<workgroup>>, memref<64x64xf8E5M2, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    }
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

func.func @tf32(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf32>
  %K = memref.dim %A, %c1 : memref<?x?xf32>
  %N = memref.dim %B, %c0 : memref<?x?xf32>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xf32>
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xf32>
      tile.copy %a to %As : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b, precision = "tf32"} : (memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    }
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

func.func @s8(%A: memref<?x?xi8>, %B: memref<?x?xi8>, %C: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0 : i32
  %M = memref.dim %A, %c0 : memref<?x?xi8>
  %K = memref.dim %A, %c1 : memref<?x?xi8>
  %N = memref.dim %B, %c0 : memref<?x?xi8>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<64x64xi8, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xi8, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xi32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xi32, #tile.fragment>, i32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xi8>
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xi8>
      tile.copy %a to %As : !tile.region<64x64xi8>, memref<64x64xi8, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<64x64xi8>, memref<64x64xi8, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<64x64xi8, #gpu.address_space<workgroup>>, memref<64x64xi8, #gpu.address_space<workgroup>>, memref<64x64xi32, #tile.fragment>)
    }
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xi32>
    tile.copy %acc to %c : memref<64x64xi32, #tile.fragment>, !tile.region<64x64xi32>
    gpu.terminator
  }
  return
}
