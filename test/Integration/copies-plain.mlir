// Plain copies and fills of tensors about which nothing is known: 16 bytes are
// stored at once where the kernel finds that rows fit, elements where they do not.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1
// RUN: FileCheck %s --check-prefix=PTX < %t/sm_80/move.ptx

#smem = #gpu.address_space<workgroup>
!strided = memref<?x?xf16, strided<[?, 1], offset: ?>>

// Whole, ragged, from a negative and from an odd column on; pitches and addresses
// that fit and that do not; one of two tensors only.
// CASE: move(X=normal:40x72:f16, c=0, Y=junk:40x72:f16, v=3.0, Z=junk:40x72:f16)
// CASE: move(X=normal:40x64:f16, c=8, Y=junk:40x64:f16, v=3.0, Z=junk:40x64:f16)
// CASE: move(X=normal:40x72:f16, c=-8, Y=junk:40x72:f16, v=3.0, Z=junk:40x72:f16)
// CASE: move(X=normal:40x72:f16, c=3, Y=junk:40x72:f16, v=3.0, Z=junk:40x72:f16)
// CASE: move(X=normal:40x70:f16@72x1, c=0, Y=junk:40x70:f16@80x1, v=3.0, Z=junk:40x70:f16@72x1)
// CASE: move(X=normal:40x72:f16@76x1, c=0, Y=junk:40x72:f16, v=3.0, Z=junk:40x72:f16@76x1)
// CASE: move(X=normal:40x72:f16@80x1+4, c=4, Y=junk:40x72:f16, v=3.0, Z=junk:40x72:f16@72x1+1)
// CASE: move(X=normal:5x7:f16, c=0, Y=junk:5x7:f16, v=3.0, Z=junk:5x7:f16)
// EXPECT: h, w = min(32, X.shape[0]), min(X.shape[1], c + 64)
// EXPECT: Y[:h, max(c, 0):w] = X[:h, max(c, 0):w]
// EXPECT: Z[:h, max(c, 0):w] = v
// PTX-DAG: ld.global.b16
// PTX-DAG: st.global.v4.b32
// PTX-DAG: st.global.b16
func.func @move(%X: !strided, %c: index, %Y: !strided, %v: f16, %Z: !strided) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %t = tile.alloc : memref<32x64xf16, #smem>
    %x = tile.region %X[0, %c] [32, 64] : !strided
    %y = tile.region %Y[0, %c] [32, 64] : !strided
    %z = tile.region %Z[0, %c] [32, 64] : !strided
    tile.copy %x to %t {instr = #tile.instr<simt>} : !tile.region<32x64xf16>, memref<32x64xf16, #smem>
    tile.copy %t to %y {instr = #tile.instr<simt>} : memref<32x64xf16, #smem>, !tile.region<32x64xf16>
    tile.fill %z, %v : !tile.region<32x64xf16>, f16
    gpu.terminator
  }
  return
}
