// Tensors of complex numbers, in kernels, workspaces, globals and results.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

!z = memref<?xcomplex<f32>>
!w = memref<?x?xcomplex<f64>, strided<[?, ?], offset: ?>>

// Rows with and without gaps, and none.
// CASE: product(A=ints:200:complex<f32>, B=ints:200:complex<f32>)
// CASE: product(A=ints:1:complex<f32>, B=ints:1:complex<f32>)
// CASE: product(A=ints:0:complex<f32>, B=ints:0:complex<f32>)
// EXPECT: B = A * B
func.func @product(%A: !z, %B: !z) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %A, %c0 : !z
  %blocks = arith.ceildivui %n, %c128 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %is_inside = arith.cmpi ult, %i, %n : index
    scf.if %is_inside {
      %x = memref.load %A[%i] : !z
      %y = memref.load %B[%i] : !z
      %xy = complex.mul %x, %y : complex<f32>
      memref.store %xy, %B[%i] : !z
    }
    gpu.terminator
  }
  return
}

// O = conj(A) + s, of any layout.
func.func private @conjugate(%A: !w, %s: f64, %O: !w) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %O, %c0 : !w
  %n = memref.dim %O, %c1 : !w
  %gx = arith.ceildivui %n, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c32 : index
    %j = arith.addi %first, %tx : index
    %is_inside = arith.cmpi ult, %j, %n : index
    scf.if %is_inside {
      %a = memref.load %A[%by, %j] : !w
      %c = complex.conj %a : complex<f64>
      %zero = arith.constant 0.0 : f64
      %shift = complex.create %s, %zero : complex<f64>
      %o = complex.add %c, %shift : complex<f64>
      memref.store %o, %O[%by, %j] : !w
    }
    gpu.terminator
  }
  return
}

memref.global "private" constant @weights : memref<2x3xcomplex<f64>> =
    dense<[[(1.0, 2.0), (0.0, -1.0), (3.0, 0.0)], [(0.5, 0.0), (0.0, 4.0), (2.0, 2.0)]]>

// CASE: chain(A=ints:2x3:complex<f64>, s=2.5, O=junk:2x3:complex<f64>)
// EXPECT: O = A + 5; W = np.array([[1 + 2j, -1j, 3], [0.5, 4j, 2 + 2j]]); result0 = np.conj(W).T + 2.5
func.func @chain(%A: !w, %s: f64, %O: !w) -> memref<3x2xcomplex<f64>> {
  %T = memref.alloc() : memref<2x3xcomplex<f64>>
  %t = memref.cast %T : memref<2x3xcomplex<f64>> to !w
  func.call @conjugate(%A, %s, %t) : (!w, f64, !w) -> ()
  func.call @conjugate(%t, %s, %O) : (!w, f64, !w) -> ()
  %W = memref.get_global @weights : memref<2x3xcomplex<f64>>
  memref.copy %W, %T : memref<2x3xcomplex<f64>> to memref<2x3xcomplex<f64>>
  %R = memref.alloc() : memref<3x2xcomplex<f64>>
  %turned = memref.transpose %T (i, j) -> (j, i)
      : memref<2x3xcomplex<f64>> to memref<3x2xcomplex<f64>, strided<[1, 3]>>
  %u = memref.cast %turned : memref<3x2xcomplex<f64>, strided<[1, 3]>> to !w
  %r = memref.cast %R : memref<3x2xcomplex<f64>> to !w
  func.call @conjugate(%u, %s, %r) : (!w, f64, !w) -> ()
  return %R : memref<3x2xcomplex<f64>>
}
