// Copies that broadcast, reverse and reshape, between all memories: ragged tensors
// with a pad, conversions, fragments, in pipelines.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#shared = #gpu.address_space<workgroup>

// A row in every line, a column in every row, from tensors that end in between.
// CASE: broadcast(R=ints:33:f16, C=ints:21:f32, X=junk:24x40:f32, Y=junk:24x40:f32, Z=junk:2x24x40:f16)
// EXPECT: r = np.full(40, 7.0); r[:33] = R
// EXPECT: c = np.zeros(24); c[:21] = C
// EXPECT: X = np.tile(r, (24, 1)); Y = np.tile(c[:, None], (1, 40)) + r[::-1]; Z = np.tile(Y, (2, 1, 1))
func.func @broadcast(%R: memref<?xf16>, %C: memref<?xf32>, %X: memref<24x40xf32>, %Y: memref<24x40xf32>, %Z: memref<2x24x40xf16>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %seven = arith.constant 7.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %r = tile.region %R[0] [40] pad %seven : f16 in : memref<?xf16>
    %c = tile.region %C[0] [24] : memref<?xf32>
    %x = tile.alloc : memref<24x40xf32, #shared>
    %y = tile.alloc : memref<24x40xf32, #tile.fragment>
    %q = tile.alloc : memref<24x40xf32, #tile.fragment>
    %s = tile.alloc : memref<24x1xf32, #shared>
    tile.arrange %r to %x broadcast [0] : !tile.region<40xf16>, memref<24x40xf32, #shared>
    tile.copy %x to %X : memref<24x40xf32, #shared>, memref<24x40xf32>
    tile.arrange %c to %s broadcast [1] : !tile.region<24xf32>, memref<24x1xf32, #shared>
    tile.arrange %s to %y broadcast [1] : memref<24x1xf32, #shared>, memref<24x40xf32, #tile.fragment>
    tile.arrange %r to %q broadcast [0] reverse [1] : !tile.region<40xf16>, memref<24x40xf32, #tile.fragment>
    tile.parallel (%i, %j) in [24, 40] {
      %a = memref.load %y[%i, %j] : memref<24x40xf32, #tile.fragment>
      %b = memref.load %q[%i, %j] : memref<24x40xf32, #tile.fragment>
      %v = arith.addf %a, %b : f32
      memref.store %v, %y[%i, %j] : memref<24x40xf32, #tile.fragment>
    }
    tile.copy %y to %Y : memref<24x40xf32, #tile.fragment>, memref<24x40xf32>
    tile.arrange %y to %Z broadcast [0] : memref<24x40xf32, #tile.fragment>, memref<2x24x40xf16>
    gpu.terminator
  }
  return
}

// Both dimensions, one, through fragments, and fragment to fragment.
// CASE: reverse(A=ints:15x31:i32, B=junk:15x31:i32, C=junk:16x32:i64, D=junk:16x32:i32)
// EXPECT: t = np.zeros((16, 32)); t[:15, :31] = A
// EXPECT: B = t[::-1, ::-1][:15, :31]; C = t[::-1]; D = t[:, ::-1]
func.func @reverse(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<16x32xi64>, %D: memref<16x32xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %a = tile.region %A[0, 0] [16, 32] : memref<?x?xi32>
    %b = tile.region %B[0, 0] [16, 32] : memref<?x?xi32>
    %s = tile.alloc : memref<16x32xi32, #shared>
    %f = tile.alloc : memref<16x32xi32, #tile.fragment>
    %g = tile.alloc : memref<16x32xi32, #tile.fragment>
    tile.arrange %a to %s reverse [0, 1] : !tile.region<16x32xi32>, memref<16x32xi32, #shared>
    tile.copy %s to %b : memref<16x32xi32, #shared>, !tile.region<16x32xi32>
    tile.copy %a to %f : !tile.region<16x32xi32>, memref<16x32xi32, #tile.fragment>
    tile.arrange %f to %C reverse [0] : memref<16x32xi32, #tile.fragment>, memref<16x32xi64>
    tile.arrange %f to %g reverse [1] : memref<16x32xi32, #tile.fragment>, memref<16x32xi32, #tile.fragment>
    tile.copy %g to %D : memref<16x32xi32, #tile.fragment>, memref<16x32xi32>
    gpu.terminator
  }
  return
}

// Lists as tiles and back, by views of whole tiles and by way of a scratch tile.
// CASE: reshape(A=ints:500:bf16, B=junk:4x4x32:f32, C=junk:32x16:f32, D=junk:8x60:bf16)
// EXPECT: t = np.full(512, 3.0); t[:500] = A
// EXPECT: B = t.reshape(4, 4, 32); C = t.reshape(32, 16); D = t[:480].reshape(8, 60)
func.func @reshape(%A: memref<?xbf16>, %B: memref<4x4x32xf32>, %C: memref<32x16xf32>, %D: memref<8x60xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %three = arith.constant 3.0 : bf16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %a = tile.region %A[0] [512] pad %three : bf16 in : memref<?xbf16>
    %s = tile.alloc : memref<32x16xbf16, #shared>
    %f = tile.alloc : memref<32x16xf32, #tile.fragment>
    %w = tile.region %s[0, 0] [30, 16] : memref<32x16xbf16, #shared>
    %d = tile.region %D[0, 0] [8, 60] : memref<8x60xbf16>
    tile.arrange %a to %s reshape : !tile.region<512xbf16>, memref<32x16xbf16, #shared>
    tile.arrange %s to %B reshape : memref<32x16xbf16, #shared>, memref<4x4x32xf32>
    tile.arrange %a to %f reshape : !tile.region<512xbf16>, memref<32x16xf32, #tile.fragment>
    tile.copy %f to %C : memref<32x16xf32, #tile.fragment>, memref<32x16xf32>
    tile.arrange %w to %d reshape : !tile.region<30x16xbf16, #shared>, !tile.region<8x60xbf16>
    gpu.terminator
  }
  return
}

// A bias that every round of a pipelined product reads anew, and factors as lists.
// CASE: products(A=ints:4x2048:bf16, B=ints:128x64:bf16, S=ints:4x32:f32, C=junk:64x64:f32)
// EXPECT: a = A.reshape(4, 64, 32); b = B.reshape(4, 32, 64)
// EXPECT: C = sum((a[k] * S[k]) @ b[k] for k in range(4))
func.func @products(%A: memref<4x2048xbf16>, %B: memref<128x64xbf16>, %S: memref<4x32xf32>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x64xbf16, #shared>
    %Ss = tile.alloc : memref<64x32xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c4 step %c1 {
      %row = arith.muli %k, %c32 : index
      %a = tile.region %A[%k, 0] [1, 2048] drop [0] : memref<4x2048xbf16>
      %b = tile.region %B[%row, 0] [32, 64] : memref<128x64xbf16>
      %s = tile.region %S[%k, 0] [1, 32] : memref<4x32xf32>
      tile.arrange %a to %As reshape : !tile.region<2048xbf16>, memref<64x32xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
      tile.arrange %s to %Ss broadcast [0] : !tile.region<1x32xf32>, memref<64x32xbf16, #shared>
      %f = tile.alloc : memref<64x32xbf16, #tile.fragment>
      tile.parallel (%i, %j) in [64, 32] {
        %x = memref.load %As[%i, %j] : memref<64x32xbf16, #shared>
        %y = memref.load %Ss[%i, %j] : memref<64x32xbf16, #shared>
        %z = arith.mulf %x, %y : bf16
        memref.store %z, %f[%i, %j] : memref<64x32xbf16, #tile.fragment>
      }
      tile.gemm %f, %Bs, %acc : (memref<64x32xbf16, #tile.fragment>, memref<32x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}
