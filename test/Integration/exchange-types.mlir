// Exchanges, compare-and-swaps and atomic loads of elements of every width; what is
// compared are bits. Old elements in registers of several threads.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --seeds=1 --out=%t

#shared = #gpu.address_space<workgroup>

// CASE: xi1(A=ints:5x9:i1, B=junk:5x9:i1, L=junk:5x9:i1)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 1, A); L = A
func.func @xi1(%A: memref<5x9xi1>, %B: memref<5x9xi1>, %L: memref<5x9xi1>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant true
    %one = arith.constant true
    %o = tile.alloc : memref<5x9xi1, #shared>
    %s = tile.alloc : memref<5x9xi1, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : i1, memref<5x9xi1>, memref<5x9xi1, #shared> if i1
    tile.atomic exchange %v to %A if %v : i1, memref<5x9xi1> if i1
    tile.copy %o to %B : memref<5x9xi1, #shared>, memref<5x9xi1>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xi1>, memref<5x9xi1, #shared>
    tile.atomic exchange %s to %L : memref<5x9xi1, #shared>, memref<5x9xi1>
    gpu.terminator
  }
  return
}

// CASE: xi8(A=ints:5x9:i8, B=junk:5x9:i8, L=junk:5x9:i8)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 3, A); L = A
func.func @xi8(%A: memref<5x9xi8>, %B: memref<5x9xi8>, %L: memref<5x9xi8>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant 3 : i8
    %one = arith.constant 1 : i8
    %o = tile.alloc : memref<5x9xi8, #shared>
    %s = tile.alloc : memref<5x9xi8, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : i8, memref<5x9xi8>, memref<5x9xi8, #shared> if i8
    tile.atomic exchange %v to %A if %v : i8, memref<5x9xi8> if i8
    tile.copy %o to %B : memref<5x9xi8, #shared>, memref<5x9xi8>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xi8>, memref<5x9xi8, #shared>
    tile.atomic exchange %s to %L : memref<5x9xi8, #shared>, memref<5x9xi8>
    gpu.terminator
  }
  return
}

// CASE: xi16(A=ints:5x9:i16, B=junk:5x9:i16, L=junk:5x9:i16)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 3, A); L = A
func.func @xi16(%A: memref<5x9xi16>, %B: memref<5x9xi16>, %L: memref<5x9xi16>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant 3 : i16
    %one = arith.constant 1 : i16
    %o = tile.alloc : memref<5x9xi16, #shared>
    %s = tile.alloc : memref<5x9xi16, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : i16, memref<5x9xi16>, memref<5x9xi16, #shared> if i16
    tile.atomic exchange %v to %A if %v : i16, memref<5x9xi16> if i16
    tile.copy %o to %B : memref<5x9xi16, #shared>, memref<5x9xi16>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xi16>, memref<5x9xi16, #shared>
    tile.atomic exchange %s to %L : memref<5x9xi16, #shared>, memref<5x9xi16>
    gpu.terminator
  }
  return
}

// CASE: xi64(A=ints:5x9:i64, B=junk:5x9:i64, L=junk:5x9:i64)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 3, A); L = A
func.func @xi64(%A: memref<5x9xi64>, %B: memref<5x9xi64>, %L: memref<5x9xi64>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant 3 : i64
    %one = arith.constant 1 : i64
    %o = tile.alloc : memref<5x9xi64, #shared>
    %s = tile.alloc : memref<5x9xi64, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : i64, memref<5x9xi64>, memref<5x9xi64, #shared> if i64
    tile.atomic exchange %v to %A if %v : i64, memref<5x9xi64> if i64
    tile.copy %o to %B : memref<5x9xi64, #shared>, memref<5x9xi64>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xi64>, memref<5x9xi64, #shared>
    tile.atomic exchange %s to %L : memref<5x9xi64, #shared>, memref<5x9xi64>
    gpu.terminator
  }
  return
}

// CASE: xf16(A=ints:5x9:f16, B=junk:5x9:f16, L=junk:5x9:f16)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 1.5, A); L = A
func.func @xf16(%A: memref<5x9xf16>, %B: memref<5x9xf16>, %L: memref<5x9xf16>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant 1.5 : f16
    %one = arith.constant 1.0 : f16
    %o = tile.alloc : memref<5x9xf16, #shared>
    %s = tile.alloc : memref<5x9xf16, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : f16, memref<5x9xf16>, memref<5x9xf16, #shared> if f16
    tile.atomic exchange %v to %A if %v : f16, memref<5x9xf16> if f16
    tile.copy %o to %B : memref<5x9xf16, #shared>, memref<5x9xf16>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xf16>, memref<5x9xf16, #shared>
    tile.atomic exchange %s to %L : memref<5x9xf16, #shared>, memref<5x9xf16>
    gpu.terminator
  }
  return
}

// CASE: xbf16(A=ints:5x9:bf16, B=junk:5x9:bf16, L=junk:5x9:bf16)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 1.5, A); L = A
func.func @xbf16(%A: memref<5x9xbf16>, %B: memref<5x9xbf16>, %L: memref<5x9xbf16>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant 1.5 : bf16
    %one = arith.constant 1.0 : bf16
    %o = tile.alloc : memref<5x9xbf16, #shared>
    %s = tile.alloc : memref<5x9xbf16, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : bf16, memref<5x9xbf16>, memref<5x9xbf16, #shared> if bf16
    tile.atomic exchange %v to %A if %v : bf16, memref<5x9xbf16> if bf16
    tile.copy %o to %B : memref<5x9xbf16, #shared>, memref<5x9xbf16>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xbf16>, memref<5x9xbf16, #shared>
    tile.atomic exchange %s to %L : memref<5x9xbf16, #shared>, memref<5x9xbf16>
    gpu.terminator
  }
  return
}

// CASE: xf64(A=ints:5x9:f64, B=junk:5x9:f64, L=junk:5x9:f64)
// EXPECT: B = A.copy(); A[:] = np.where(A == 1, 1.5, A); L = A
func.func @xf64(%A: memref<5x9xf64>, %B: memref<5x9xf64>, %L: memref<5x9xf64>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = arith.constant 1.5 : f64
    %one = arith.constant 1.0 : f64
    %o = tile.alloc : memref<5x9xf64, #shared>
    %s = tile.alloc : memref<5x9xf64, #shared>
    tile.atomic exchange %v to %A old %o if %one {order = #tile.order<acq_rel>} : f64, memref<5x9xf64>, memref<5x9xf64, #shared> if f64
    tile.atomic exchange %v to %A if %v : f64, memref<5x9xf64> if f64
    tile.copy %o to %B : memref<5x9xf64, #shared>, memref<5x9xf64>
    tile.atomic_load %A to %s {order = #tile.order<acquire>} : memref<5x9xf64>, memref<5x9xf64, #shared>
    tile.atomic exchange %s to %L : memref<5x9xf64, #shared>, memref<5x9xf64>
    gpu.terminator
  }
  return
}

// Every thread has the old element: it passes a shared tile, with its order.
// CASE: registers(l=ones:1:i32, B=junk:40:i32)
// EXPECT: l[0] = 9; B[:] = 1
func.func @registers(%l: memref<1xi32>, %B: memref<40xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    %nine = arith.constant 9 : i32
    %o = tile.alloc : memref<1xi32, #tile.fragment>
    %x = tile.alloc : memref<40xi32, #tile.fragment>
    tile.atomic exchange %nine to %l old %o if %one {order = #tile.order<acq_rel>, scope = #tile.scope<system>} : i32, memref<1xi32>, memref<1xi32, #tile.fragment> if i32
    tile.parallel (%i) in [40] {
      %v = memref.load %o[%c0] : memref<1xi32, #tile.fragment>
      memref.store %v, %x[%i] : memref<40xi32, #tile.fragment>
    }
    tile.copy %x to %B : memref<40xi32, #tile.fragment>, memref<40xi32>
    gpu.terminator
  }
  return
}
