// Windows of fragments: which registers lie inside differs from thread to
// thread. Copies between fragments go through shared memory.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// CASE: cut(X=ints:64x64:f32, Y=junk:32x16:f32, Z=junk:8x16:f32, o=9)
// CASE: cut(X=ints:61x50:f32, Y=junk:32x16:f32, Z=junk:8x16:f32, o=48)
// EXPECT: R = np.zeros((64, 64), np.float32)
// EXPECT: R[:X.shape[0], :X.shape[1]] = X
// EXPECT: R[8:16, 3:19] = 7
// EXPECT: Y = R[5:37, o:o + 16]
// EXPECT: Z = R[8:16, 3:19]
func.func @cut(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %Z: memref<?x?xf32>, %o: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %seven = arith.constant 7.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #tile.fragment>
    %G = tile.alloc : memref<8x16xf32, #tile.fragment>
    %x = tile.region %X[0, 0] [64, 64] : memref<?x?xf32>
    %y = tile.region %Y[0, 0] [32, 16] : memref<?x?xf32>
    %z = tile.region %Z[0, 0] [8, 16] : memref<?x?xf32>
    tile.copy %x to %F : !tile.region<64x64xf32>, memref<64x64xf32, #tile.fragment>
    %fw = tile.region %F[5, %o] [32, 16] : memref<64x64xf32, #tile.fragment>
    %fv = tile.region %F[8, 3] [8, 16] : memref<64x64xf32, #tile.fragment>
    tile.fill %fv, %seven : !tile.region<8x16xf32, #tile.fragment>, f32
    tile.copy %fw to %y : !tile.region<32x16xf32, #tile.fragment>, !tile.region<32x16xf32>
    tile.copy %fv to %G : !tile.region<8x16xf32, #tile.fragment>, memref<8x16xf32, #tile.fragment>
    tile.copy %G to %z : memref<8x16xf32, #tile.fragment>, !tile.region<8x16xf32>
    gpu.terminator
  }
  return
}

// Windows at multiples of their size, cut where registers alone decide: they are
// fragments of their own. Out of and into registers, by way of shared tiles and of
// tensors, with and without a change of the element type.
// CASE: parts(X=ints:64x128:f32, Y=junk:64x128:bf16, Z=junk:64x128:f32, W=junk:64x128:f32)
// CASE: parts(X=ints:61x101:f32, Y=junk:61x101:bf16, Z=junk:61x101:f32, W=junk:61x101:f32)
// EXPECT: R = np.zeros((64, 128), np.float32)
// EXPECT: R[:X.shape[0], :X.shape[1]] = X
// EXPECT: S = np.concatenate([R[:, 64:], R[:, :64]], axis=1)
// EXPECT: Y = S[:X.shape[0], :X.shape[1]].copy()
// EXPECT: Z = Y
// EXPECT: S[:, 32:64] = R[:, 0:32]
// EXPECT: W = S[:X.shape[0], :X.shape[1]]
func.func @parts(%X: memref<?x?xf32>, %Y: memref<?x?xbf16>, %Z: memref<?x?xf32>, %W: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %T = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %x = tile.region %X[0, 0] [64, 128] : memref<?x?xf32>
    tile.copy %x to %F : !tile.region<64x128xf32>, memref<64x128xf32, #tile.fragment>
    %f0 = tile.region %F[0, 0] [64, 64] : memref<64x128xf32, #tile.fragment>
    %f1 = tile.region %F[0, 64] [64, 64] : memref<64x128xf32, #tile.fragment>
    %g0 = tile.region %G[0, 0] [64, 64] : memref<64x128xf32, #tile.fragment>
    %g1 = tile.region %G[0, 64] [64, 64] : memref<64x128xf32, #tile.fragment>
    %y0 = tile.region %Y[0, 0] [64, 64] : memref<?x?xbf16>
    %y1 = tile.region %Y[0, 64] [64, 64] : memref<?x?xbf16>
    // Registers to bf16 in shared memory, the way of stmatrix.
    tile.copy %f1 to %S : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %y0 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    tile.copy %S to %g0 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xf32, #tile.fragment>
    tile.copy %f0 to %S : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %y1 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    // Elements of 32 bits, which stmatrix does not move.
    tile.copy %f0 to %T : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xf32, #gpu.address_space<workgroup>>
    tile.copy %T to %g1 : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32, #tile.fragment>
    %z = tile.region %Z[0, 0] [64, 128] : memref<?x?xf32>
    tile.copy %G to %z : memref<64x128xf32, #tile.fragment>, !tile.region<64x128xf32>
    // Straight to a tensor and back: columns 32 to 64 of G are 0 to 32 of F.
    %w = tile.region %W[0, 0] [64, 128] : memref<?x?xf32>
    %h = tile.region %W[0, 32] [64, 32] : memref<?x?xf32>
    %f = tile.region %F[0, 0] [64, 32] : memref<64x128xf32, #tile.fragment>
    tile.copy %G to %w : memref<64x128xf32, #tile.fragment>, !tile.region<64x128xf32>
    tile.copy %f to %h : !tile.region<64x32xf32, #tile.fragment>, !tile.region<64x32xf32>
    gpu.terminator
  }
  return
}

// Columns that warpgroups share among them: of each window half of the warps have
// nothing.
// CASE: groups(X=ints:64x256:f32, Y=junk:64x256:bf16, Z=junk:64x256:f32)
// CASE: groups(X=ints:60x201:f32, Y=junk:60x201:bf16, Z=junk:60x201:f32)
// EXPECT: Y = X
// EXPECT: R = np.zeros((64, 256), np.float32)
// EXPECT: R[:X.shape[0], :X.shape[1]] = X
// EXPECT: Z = np.roll(R, -64, axis=1)[:X.shape[0], :X.shape[1]]
func.func @groups(%X: memref<?x?xf32>, %Y: memref<?x?xbf16>, %Z: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"wgmma<64x256,wg=1x2>">} : memref<64x256xf32, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"wgmma<64x256,wg=1x2>">} : memref<64x256xf32, #tile.fragment>
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %x = tile.region %X[0, 0] [64, 256] : memref<?x?xf32>
    tile.copy %x to %F : !tile.region<64x256xf32>, memref<64x256xf32, #tile.fragment>
    %f0 = tile.region %F[0, 0] [64, 64] : memref<64x256xf32, #tile.fragment>
    %f1 = tile.region %F[0, 64] [64, 64] : memref<64x256xf32, #tile.fragment>
    %f2 = tile.region %F[0, 128] [64, 64] : memref<64x256xf32, #tile.fragment>
    %f3 = tile.region %F[0, 192] [64, 64] : memref<64x256xf32, #tile.fragment>
    %y0 = tile.region %Y[0, 0] [64, 64] : memref<?x?xbf16>
    %y1 = tile.region %Y[0, 64] [64, 64] : memref<?x?xbf16>
    %y2 = tile.region %Y[0, 128] [64, 64] : memref<?x?xbf16>
    %y3 = tile.region %Y[0, 192] [64, 64] : memref<?x?xbf16>
    tile.copy %f0 to %S : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %y0 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    tile.copy %f1 to %S : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %y1 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    tile.copy %f2 to %S : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %y2 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16>
    tile.copy %f3 to %y3 : !tile.region<64x64xf32, #tile.fragment>, !tile.region<64x64xbf16>
    // Into registers: G is F with its columns moved by 64.
    %g0 = tile.region %G[0, 0] [64, 64] : memref<64x256xf32, #tile.fragment>
    %g1 = tile.region %G[0, 64] [64, 64] : memref<64x256xf32, #tile.fragment>
    %g2 = tile.region %G[0, 128] [64, 64] : memref<64x256xf32, #tile.fragment>
    %g3 = tile.region %G[0, 192] [64, 64] : memref<64x256xf32, #tile.fragment>
    %x0 = tile.region %X[0, 0] [64, 64] : memref<?x?xf32>
    %x1 = tile.region %X[0, 64] [64, 64] : memref<?x?xf32>
    %x2 = tile.region %X[0, 128] [64, 64] : memref<?x?xf32>
    tile.copy %x1 to %g0 : !tile.region<64x64xf32>, !tile.region<64x64xf32, #tile.fragment>
    tile.copy %x2 to %g1 : !tile.region<64x64xf32>, !tile.region<64x64xf32, #tile.fragment>
    tile.copy %f3 to %S : !tile.region<64x64xf32, #tile.fragment>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %S to %g2 : memref<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xf32, #tile.fragment>
    tile.copy %x0 to %g3 : !tile.region<64x64xf32>, !tile.region<64x64xf32, #tile.fragment>
    %z = tile.region %Z[0, 0] [64, 256] : memref<?x?xf32>
    tile.copy %G to %z : memref<64x256xf32, #tile.fragment>, !tile.region<64x256xf32>
    gpu.terminator
  }
  return
}
