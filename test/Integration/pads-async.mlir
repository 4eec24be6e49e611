// Pads other than zero, of windows that TMA and cp.async move: in rings of roles, in
// pipelines without them, and copied once. Some windows leave their tensor at rows,
// some at columns, amid what cp.async moves at once, or altogether.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Sums of the columns that lie below each other, of every type.
// CASE: sum_f64(A=ints:20x94:f64, B=junk:32x32:f32, k=96)
// CASE: sum_f64(A=ints:5x61:f64, B=junk:16x32:f32, k=96)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 32).sum(1)
func.func @sum_f64(%A: memref<?x?xf64>, %B: memref<?x32xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x32xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : f64
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x32xf64, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x32xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 32] pad %pad : f64 in : memref<?x?xf64>
      tile.copy %a to %S : !tile.region<16x32xf64>, memref<16x32xf64, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 32] {
        %v = memref.load %S[%x, %y] : memref<16x32xf64, #gpu.address_space<workgroup>>
        %f = arith.truncf %v : f64 to f32
        %w = memref.load %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 32] : memref<?x32xf32>
    tile.copy %sum to %b : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_f32(A=ints:20x92:f32, B=junk:32x32:f32, k=96)
// CASE: sum_f32(A=ints:5x61:f32, B=junk:16x32:f32, k=96)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 32).sum(1)
func.func @sum_f32(%A: memref<?x?xf32>, %B: memref<?x32xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x32xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : f32
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x32xf32, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x32xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 32] pad %pad : f32 in : memref<?x?xf32>
      tile.copy %a to %S : !tile.region<16x32xf32>, memref<16x32xf32, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 32] {
        %v = memref.load %S[%x, %y] : memref<16x32xf32, #gpu.address_space<workgroup>>
        %f = arith.addf %v, %zero : f32
        %w = memref.load %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 32] : memref<?x32xf32>
    tile.copy %sum to %b : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_f16(A=ints:20x184:f16, B=junk:32x64:f32, k=192)
// CASE: sum_f16(A=ints:5x125:f16, B=junk:16x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @sum_f16(%A: memref<?x?xf16>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : f16
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xf16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : f16 in : memref<?x?xf16>
      tile.copy %a to %S : !tile.region<16x64xf16>, memref<16x64xf16, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xf16, #gpu.address_space<workgroup>>
        %f = arith.extf %v : f16 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_bf16(A=ints:20x184:bf16, B=junk:32x64:f32, k=192)
// CASE: sum_bf16(A=ints:5x125:bf16, B=junk:16x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @sum_bf16(%A: memref<?x?xbf16>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : bf16
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xbf16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : bf16 in : memref<?x?xbf16>
      tile.copy %a to %S : !tile.region<16x64xbf16>, memref<16x64xbf16, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xbf16, #gpu.address_space<workgroup>>
        %f = arith.extf %v : bf16 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_f8E4M3FN(A=ints:20x176:f8E4M3FN, B=junk:32x64:f32, k=192)
// CASE: sum_f8E4M3FN(A=ints:5x125:f8E4M3FN, B=junk:16x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @sum_f8E4M3FN(%A: memref<?x?xf8E4M3FN>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : f8E4M3FN
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xf8E4M3FN, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : f8E4M3FN in : memref<?x?xf8E4M3FN>
      tile.copy %a to %S : !tile.region<16x64xf8E4M3FN>, memref<16x64xf8E4M3FN, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xf8E4M3FN, #gpu.address_space<workgroup>>
        %f = arith.extf %v : f8E4M3FN to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_f8E5M2(A=ints:20x176:f8E5M2, B=junk:32x64:f32, k=192)
// CASE: sum_f8E5M2(A=ints:5x125:f8E5M2, B=junk:16x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @sum_f8E5M2(%A: memref<?x?xf8E5M2>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : f8E5M2
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xf8E5M2, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : f8E5M2 in : memref<?x?xf8E5M2>
      tile.copy %a to %S : !tile.region<16x64xf8E5M2>, memref<16x64xf8E5M2, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xf8E5M2, #gpu.address_space<workgroup>>
        %f = arith.extf %v : f8E5M2 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_i8(A=ints:20x176:i8, B=junk:32x64:f32, k=192)
// CASE: sum_i8(A=ints:5x125:i8, B=junk:16x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @sum_i8(%A: memref<?x?xi8>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3 : i8
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xi8, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : i8 in : memref<?x?xi8>
      tile.copy %a to %S : !tile.region<16x64xi8>, memref<16x64xi8, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xi8, #gpu.address_space<workgroup>>
        %f = arith.sitofp %v : i8 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_i16(A=ints:20x88:i16, B=junk:32x32:f32, k=96)
// CASE: sum_i16(A=ints:5x61:i16, B=junk:16x32:f32, k=96)
// EXPECT: T = np.full((len(B), k), -3); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 32).sum(1)
func.func @sum_i16(%A: memref<?x?xi16>, %B: memref<?x32xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x32xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3 : i16
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x32xi16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x32xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 32] pad %pad : i16 in : memref<?x?xi16>
      tile.copy %a to %S : !tile.region<16x32xi16>, memref<16x32xi16, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 32] {
        %v = memref.load %S[%x, %y] : memref<16x32xi16, #gpu.address_space<workgroup>>
        %f = arith.sitofp %v : i16 to f32
        %w = memref.load %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 32] : memref<?x32xf32>
    tile.copy %sum to %b : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_i32(A=ints:20x92:i32, B=junk:32x32:f32, k=96)
// CASE: sum_i32(A=ints:5x61:i32, B=junk:16x32:f32, k=96)
// EXPECT: T = np.full((len(B), k), -3); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 32).sum(1)
func.func @sum_i32(%A: memref<?x?xi32>, %B: memref<?x32xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x32xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3 : i32
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x32xi32, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x32xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 32] pad %pad : i32 in : memref<?x?xi32>
      tile.copy %a to %S : !tile.region<16x32xi32>, memref<16x32xi32, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 32] {
        %v = memref.load %S[%x, %y] : memref<16x32xi32, #gpu.address_space<workgroup>>
        %f = arith.sitofp %v : i32 to f32
        %w = memref.load %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x32xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 32] : memref<?x32xf32>
    tile.copy %sum to %b : memref<16x32xf32, #tile.fragment>, !tile.region<16x32xf32>
    gpu.terminator
  }
  return
}

// CASE: sum_i64(A=ints:20x46:i64, B=junk:32x16:f32, k=48)
// CASE: sum_i64(A=ints:5x29:i64, B=junk:16x16:f32, k=48)
// EXPECT: T = np.full((len(B), k), -3); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 16).sum(1)
func.func @sum_i64(%A: memref<?x?xi64>, %B: memref<?x16xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x16xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3 : i64
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x16xi64, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x16xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 16] pad %pad : i64 in : memref<?x?xi64>
      tile.copy %a to %S : !tile.region<16x16xi64>, memref<16x16xi64, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 16] {
        %v = memref.load %S[%x, %y] : memref<16x16xi64, #gpu.address_space<workgroup>>
        %f = arith.sitofp %v : i64 to f32
        %w = memref.load %sum[%x, %y] : memref<16x16xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x16xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 16] : memref<?x16xf32>
    tile.copy %sum to %b : memref<16x16xf32, #tile.fragment>, !tile.region<16x16xf32>
    gpu.terminator
  }
  return
}

// The same where all copies of roles are by cp.async.
// CASE: required(A=ints:20x184:f16, B=junk:32x64:f32, k=192)
// CASE: required(A=ints:20x184:f16, B=junk:32x64:f32, k=0)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @required(%A: memref<?x?xf16>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %pad = arith.constant -3.0 : f16
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xf16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : f16 in : memref<?x?xf16>
      tile.copy %a to %S {prefer = #tile.instr<cp_async>} : !tile.region<16x64xf16>, memref<16x64xf16, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xf16, #gpu.address_space<workgroup>>
        %f = arith.extf %v : f16 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32, tile.specialize = "required"}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// Without roles, and in blocks that loop over tiles.
// CASE: off(A=ints:300x184:f16, B=junk:304x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @off(%A: memref<?x?xf16>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %pad = arith.constant -3.0 : f16
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xf16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : f16 in : memref<?x?xf16>
      tile.copy %a to %S : !tile.region<16x64xf16>, memref<16x64xf16, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xf16, #gpu.address_space<workgroup>>
        %f = arith.extf %v : f16 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// CASE: persistent(A=ints:300x184:f16, B=junk:304x64:f32, k=192)
// EXPECT: T = np.full((len(B), k), -3.0); w = min(k, A.shape[1]); T[:len(A), :w] = A[:, :w]; B[:] = T.reshape(len(B), -1, 64).sum(1)
func.func @persistent(%A: memref<?x?xf16>, %B: memref<?x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cn = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %B, %c0 : memref<?x64xf32>
  %g = arith.ceildivui %rows, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %pad = arith.constant -3.0 : f16
    %zero = arith.constant 0.0 : f32
    %m = arith.muli %bx, %c16 : index
    %S = tile.alloc : memref<16x64xf16, #gpu.address_space<workgroup>>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %cn {
      %a = tile.region %A[%m, %i] [16, 64] pad %pad : f16 in : memref<?x?xf16>
      tile.copy %a to %S : !tile.region<16x64xf16>, memref<16x64xf16, #gpu.address_space<workgroup>>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %S[%x, %y] : memref<16x64xf16, #gpu.address_space<workgroup>>
        %f = arith.extf %v : f16 to f32
        %w = memref.load %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
        %u = arith.addf %f, %w : f32
        memref.store %u, %sum[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
    } {tile.num_stages = 3 : i32}
    %b = tile.region %B[%m, 0] [16, 64] : memref<?x64xf32>
    tile.copy %sum to %b : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    gpu.terminator
  }
  return
}

// The greatest element of each row, -inf where it has none; windows that begin before
// the tensor.
// CASE: row_max(X=ints:3x21x44:f32, Y=junk:3x32:f32, j=-8, b=1)
// CASE: row_max(X=ints:3x40x64:f32, Y=junk:3x32:f32, j=0, b=2)
// CASE: row_max(X=ints:3x40x64:f32, Y=junk:3x32:f32, j=-72, b=0)
// EXPECT: T = np.full((32, 64), -np.inf); x = np.arange(64) + j; ok = (x >= 0) & (x < X.shape[2]); h = min(32, X.shape[1])
// EXPECT: T[:h, ok] = X[b, :h, x[ok]].T; Y[b] = T.max(1)
func.func @row_max(%X: memref<3x?x?xf32>, %Y: memref<3x32xf32>, %j: index, %b: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c4 = arith.constant 4 : index
  %j4 = arith.divsi %j, %c4 : index
  %at = arith.muli %j4, %c4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %low = arith.constant 0xFF800000 : f32
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %max = tile.alloc : memref<32xf32, #tile.fragment>
    tile.fill %max, %low : memref<32xf32, #tile.fragment>, f32
    %x = tile.region %X[%b, 0, %at] [1, 32, 64] drop [0] pad %low : f32 in : memref<3x?x?xf32>
    tile.copy %x to %S : !tile.region<32x64xf32>, memref<32x64xf32, #gpu.address_space<workgroup>>
    tile.reduce max %S to %max dim 1 : memref<32x64xf32, #gpu.address_space<workgroup>>, memref<32xf32, #tile.fragment>
    %y = tile.region %Y[%b, 0] [1, 32] drop [0] : memref<3x32xf32>
    tile.copy %max to %y : memref<32xf32, #tile.fragment>, !tile.region<32xf32>
    gpu.terminator
  }
  return
}

// Factors of a product with pads of their own.
// CASE: product(A=ints:100x72:f16, B=ints:88x136:f16, C=junk:128x192:f32, k=160, p=3)
// CASE: product(A=ints:128x64:f16, B=ints:64x192:f16, C=junk:128x192:f32, k=64, p=-1)
// EXPECT: P = np.full((128, k), 2.0); P[:len(A), :A.shape[1]] = A; Q = np.full((k, 192), float(p)); Q[:len(B), :B.shape[1]] = B; C = P @ Q
func.func @product(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %k: index, %p: f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c2, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f16
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %i = %c0 to %k step %c32 {
      %a = tile.region %A[%m, %i] [64, 32] pad %two : f16 in : memref<?x?xf16>
      %b = tile.region %B[%i, %n] [32, 64] pad %p : f16 in : memref<?x?xf16>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
