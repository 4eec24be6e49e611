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
