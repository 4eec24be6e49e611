// Element loops over tensors: vectors where the launch says that rows are aligned,
// also at ragged edges, and the same numbers where it does not.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1
// RUN: FileCheck %s --check-prefix=ADD < %t/sm_80/add.ptx
// RUN: FileCheck %s --check-prefix=SCALE < %t/sm_90a/scale.ptx
// RUN: FileCheck %s --check-prefix=BIAS < %t/sm_90a/bias.ptx

#smem = #gpu.address_space<workgroup>

// A guard of rows and columns. Aligned; odd pitches; odd addresses; ragged rows;
// rows of fewer than four; the destination is the source.
// CASE: add(A=normal:70x132:f32, B=normal:70x132:f32, C=junk:70x132:f32)
// CASE: add(A=normal:70x131:f32, B=normal:70x131:f32, C=junk:70x131:f32)
// CASE: add(A=normal:33x129:f32@132x1+4, B=normal:33x129:f32@136x1, C=junk:33x129:f32@132x1)
// CASE: add(A=normal:33x129:f32@132x1+1, B=normal:33x129:f32@136x1, C=junk:33x129:f32@132x1)
// CASE: add(A=normal:5x3:f32@4x1, B=normal:5x3:f32@8x1, C=junk:5x3:f32@4x1)
// CASE: add(A=normal:1x1:f32, B=normal:1x1:f32, C=junk:1x1:f32)
// EXPECT: C = A + B
// ADD-LABEL: .entry add_kernel(
// ADD-COUNT-2: ld.global.v4.b32
// ADD: st.global.v4.b32
// ADD-LABEL: .entry add_kernel_
// ADD-NOT: global.v4
!strided = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @add(%A: !strided, %B: !strided, %C: !strided) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %C, %c0 : !strided
  %N = memref.dim %C, %c1 : !strided
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %row = arith.muli %by, %c16 : index
    %column = arith.muli %bx, %c64 : index
    tile.parallel (%i, %j) in [16, 64] {
      %r = arith.addi %row, %i : index
      %c = arith.addi %column, %j : index
      %r_in = arith.cmpi ult, %r, %M : index
      %c_in = arith.cmpi ult, %c, %N : index
      %in = arith.andi %r_in, %c_in : i1
      scf.if %in {
        %a = memref.load %A[%r, %c] : !strided
        %b = memref.load %B[%r, %c] : !strided
        %s = arith.addf %a, %b : f32
        memref.store %s, %C[%r, %c] : !strided
      }
    }
    gpu.terminator
  }
  return
}

// No guard: the launch has whole tiles. Elements of 2 bytes, in place.
// CASE: scale(X=ints:64x128:f16)
// CASE: scale(X=ints:64x128:f16@136x1+1)
// CASE: scale(X=ints:64x128:f16@137x1)
// EXPECT: X = 2 * X
// SCALE-LABEL: .entry scale_kernel(
// SCALE: ld.global.v4
// SCALE: st.global.v4
// SCALE-LABEL: .entry scale_kernel_
// SCALE-NOT: global.v4
func.func @scale(%X: memref<?x?xf16, strided<[?, 1], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c2, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2.0 : f16
    %row = arith.muli %by, %c32 : index
    %column = arith.muli %bx, %c64 : index
    tile.parallel (%i, %j) in [32, 64] {
      %r = arith.addi %row, %i : index
      %c = arith.addi %column, %j : index
      %x = memref.load %X[%r, %c] : memref<?x?xf16, strided<[?, 1], offset: ?>>
      %y = arith.mulf %x, %two : f16
      memref.store %y, %X[%r, %c] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    }
    gpu.terminator
  }
  return
}

// A guard with values for what is outside, a second one for the store, and a
// fragment between them; columns from an odd place on are not aligned.
// CASE: bias(X=normal:50x90:f32@92x1, v=normal:90:f32, Y=junk:50x90:f32@92x1, Z=junk:50x90:f32@92x1)
// CASE: bias(X=normal:50x90:f32, v=normal:90:f32, Y=junk:50x90:f32, Z=junk:50x90:f32)
// CASE: bias(X=normal:64x96:f32, v=normal:96:f32, Y=junk:64x96:f32, Z=junk:64x96:f32)
// EXPECT: Y = X + v
// EXPECT: Z[:, 1:] = X[:, 1:]
// BIAS-LABEL: .entry bias_kernel(
// BIAS-COUNT-2: ld.global.v4.b32
// BIAS: st.global.v4.b32
func.func @bias(%X: !strided, %v: memref<?xf32>, %Y: !strided, %Z: !strided) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %M = memref.dim %X, %c0 : !strided
  %N = memref.dim %X, %c1 : !strided
  %last = arith.subi %N, %c1 : index
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %by, %c32 : index
    %column = arith.muli %bx, %c64 : index
    %f = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in [32, 64] {
      %r = arith.addi %row, %i : index
      %c = arith.addi %column, %j : index
      %r_in = arith.cmpi slt, %r, %M : index
      %c_in = arith.cmpi sgt, %N, %c : index
      %in = arith.andi %r_in, %c_in : i1
      %x = scf.if %in -> f32 {
        %a = memref.load %X[%r, %c] : !strided
        %b = memref.load %v[%c] : memref<?xf32>
        %s = arith.addf %a, %b : f32
        scf.yield %s : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %x, %f[%i, %j] : memref<32x64xf32, #tile.fragment>
      scf.if %in {
        memref.store %x, %Y[%r, %c] : !strided
      }
    }
    tile.parallel (%i, %j) in [32, 64] {
      %r = arith.addi %row, %i : index
      %c = arith.addi %column, %j : index
      %d = arith.addi %c, %c1 : index
      %r_in = arith.cmpi ult, %r, %M : index
      %c_in = arith.cmpi ult, %d, %N : index
      %in = arith.andi %r_in, %c_in : i1
      scf.if %in {
        %a = memref.load %X[%r, %d] : !strided
        memref.store %a, %Z[%r, %d] : !strided
      }
    }
    gpu.terminator
  }
  return
}
