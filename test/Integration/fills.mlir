// Fills of every memory and every element type, of whole tiles and of windows;
// what a window leaves out keeps its value.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: memories(A=junk:20x30:f32, B=junk:20x30:f32, C=junk:20x30:f32, D=junk:4x5:f32, v=2.5)
// CASE: memories(A=junk:20x32:f32, B=junk:20x32:f32, C=junk:9x32:f32, D=junk:4x5:f32, v=3)
// CASE: memories(A=junk:9x30:f32, B=junk:9x30:f32, C=junk:9x30:f32, D=junk:4x5:f32, v=-1)
// EXPECT: A[3:19, 5:21] = v; B[:16, :16] = v; C[:16, :16] = v; D[:] = v
func.func @memories(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<4x5xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<16x16xf32, #gpu.address_space<workgroup>>
    %F = tile.alloc : memref<16x16xf32, #tile.fragment>
    %P = tile.alloc : memref<4x5xf32, #gpu.address_space<private>>
    %a = tile.region %A[3, 5] [16, 16] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [16, 16] : memref<?x?xf32>
    %c = tile.region %C[0, 0] [16, 16] : memref<?x?xf32>
    tile.fill %a, %v : !tile.region<16x16xf32>, f32
    tile.fill %S, %v : memref<16x16xf32, #gpu.address_space<workgroup>>, f32
    tile.copy %S to %b : memref<16x16xf32, #gpu.address_space<workgroup>>, !tile.region<16x16xf32>
    tile.fill %F, %v : memref<16x16xf32, #tile.fragment>, f32
    tile.copy %F to %c : memref<16x16xf32, #tile.fragment>, !tile.region<16x16xf32>
    tile.fill %P, %v : memref<4x5xf32, #gpu.address_space<private>>, f32
    tile.copy %P to %D : memref<4x5xf32, #gpu.address_space<private>>, memref<4x5xf32>
    gpu.terminator
  }
  return
}

// CASE: windows(A=junk:6x8:i32, B=junk:2x8:i32, v=5, r=3)
// EXPECT: A[:4] = 1; A[2:4, 4:8] = v; A[r] = 9
// EXPECT: B[:] = 2; B[0, 4:8] = v; B[1, r:r + 2] = v
func.func @windows(%A: memref<6x8xi32>, %B: memref<2x8xi32>, %v: i32, %r: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %nine = arith.constant 9 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x8xi32, #gpu.address_space<workgroup>>
    tile.fill %S, %one : memref<4x8xi32, #gpu.address_space<workgroup>>, i32
    %s = tile.region %S[2, 4] [2, 4] : memref<4x8xi32, #gpu.address_space<workgroup>>
    tile.fill %s, %v : !tile.region<2x4xi32, #gpu.address_space<workgroup>>, i32
    %a = tile.region %A[0, 0] [4, 8] : memref<6x8xi32>
    tile.copy %S to %a : memref<4x8xi32, #gpu.address_space<workgroup>>, !tile.region<4x8xi32>
    %row = tile.region %A[%r, 0] [1, 8] drop [0] : memref<6x8xi32>
    tile.fill %row, %nine : !tile.region<8xi32>, i32
    %P = tile.alloc : memref<2x8xi32, #gpu.address_space<private>>
    tile.fill %P, %two : memref<2x8xi32, #gpu.address_space<private>>, i32
    %p = tile.region %P[0, 4] [1, 4] drop [0] : memref<2x8xi32, #gpu.address_space<private>>
    tile.fill %p, %v : !tile.region<4xi32, #gpu.address_space<private>>, i32
    %q = tile.region %P[1, %r] [1, 2] drop [0] : memref<2x8xi32, #gpu.address_space<private>>
    tile.fill %q, %v : !tile.region<2xi32, #gpu.address_space<private>>, i32
    tile.copy %P to %B : memref<2x8xi32, #gpu.address_space<private>>, memref<2x8xi32>
    gpu.terminator
  }
  return
}

// CASE: types(A=junk:5:i1, B=junk:5:i8, C=junk:5:i16, D=junk:5:i64, E=junk:5:f16, F=junk:5:bf16, G=junk:5:f64, p=1)
// CASE: types(A=junk:8:i1, B=junk:8:i8, C=junk:8:i16, D=junk:8:i64, E=junk:8:f16, F=junk:8:bf16, G=junk:8:f64, p=1)
// CASE: types(A=junk:5:i1, B=junk:5:i8, C=junk:5:i16, D=junk:5:i64, E=junk:5:f16, F=junk:5:bf16, G=junk:5:f64, p=0)
// EXPECT: A[:] = p; B[:] = -100; C[:] = -30000; D[:] = 1 << 40; E[:] = 0.5; F[:] = -1.5; G[:] = 1 / 3
func.func @types(%A: memref<?xi1>, %B: memref<?xi8>, %C: memref<?xi16>, %D: memref<?xi64>, %E: memref<?xf16>, %F: memref<?xbf16>, %G: memref<?xf64>, %p: i1) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %b = arith.constant -100 : i8
  %c = arith.constant -30000 : i16
  %d = arith.constant 1099511627776 : i64
  %e = arith.constant 0.5 : f16
  %f = arith.constant -1.5 : bf16
  %g = arith.constant 0.33333333333333333 : f64
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a0 = tile.region %A[0] [8] : memref<?xi1>
    tile.fill %a0, %p : !tile.region<8xi1>, i1
    %S = tile.alloc : memref<8xi8, #tile.fragment>
    tile.fill %S, %b : memref<8xi8, #tile.fragment>, i8
    %b0 = tile.region %B[0] [8] : memref<?xi8>
    tile.copy %S to %b0 : memref<8xi8, #tile.fragment>, !tile.region<8xi8>
    %c0 = tile.region %C[0] [8] : memref<?xi16>
    tile.fill %c0, %c : !tile.region<8xi16>, i16
    %d0 = tile.region %D[0] [8] : memref<?xi64>
    tile.fill %d0, %d : !tile.region<8xi64>, i64
    %T = tile.alloc : memref<8xf16, #gpu.address_space<workgroup>>
    tile.fill %T, %e : memref<8xf16, #gpu.address_space<workgroup>>, f16
    %e0 = tile.region %E[0] [8] : memref<?xf16>
    tile.copy %T to %e0 : memref<8xf16, #gpu.address_space<workgroup>>, !tile.region<8xf16>
    %f0 = tile.region %F[0] [8] : memref<?xbf16>
    tile.fill %f0, %f : !tile.region<8xbf16>, bf16
    %g0 = tile.region %G[0] [8] : memref<?xf64>
    tile.fill %g0, %g : !tile.region<8xf64>, f64
    gpu.terminator
  }
  return
}
