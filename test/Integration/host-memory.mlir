// Host functions with memory of their own: workspaces, views, weights, copies,
// fills and returned buffers.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

#shared = #gpu.address_space<workgroup>
!window = memref<48x64xf32, strided<[64, 1], offset: ?>>
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>

// What the functions below launch: O = A * s + B, of any layout.
func.func private @axpb(%A: !any, %s: f32, %B: !any, %O: !any) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %O, %c0 : !any
  %n = memref.dim %O, %c1 : !any
  %gx = arith.ceildivui %n, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %first = arith.muli %bx, %c32 : index
    %j = arith.addi %first, %tx : index
    %inside = arith.cmpi ult, %j, %n : index
    scf.if %inside {
      %a = memref.load %A[%by, %j] : !any
      %b = memref.load %B[%by, %j] : !any
      %as = arith.mulf %a, %s : f32
      %o = arith.addf %as, %b : f32
      memref.store %o, %O[%by, %j] : !any
    }
    gpu.terminator
  }
  return
}

// A workspace between two kernels, of the size of an argument.
// CASE: between(A=ints:7x33:f32, O=junk:7x33:f32)
// CASE: between(A=ints:1x1:f32, O=junk:1x1:f32)
// CASE: between(A=ints:0x5:f32, O=junk:0x5:f32)
// CASE: between(A=ints:5x0:f32, O=junk:5x0:f32)
// EXPECT: O = 7 * A
func.func @between(%A: memref<?x?xf32>, %O: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %W = memref.alloc(%m, %n) : memref<?x?xf32>
  %a = memref.cast %A : memref<?x?xf32> to !any
  %w = memref.cast %W : memref<?x?xf32> to !any
  %o = memref.cast %O : memref<?x?xf32> to !any
  func.call @axpb(%a, %two, %a, %w) : (!any, f32, !any, !any) -> ()
  func.call @axpb(%w, %two, %a, %o) : (!any, f32, !any, !any) -> ()
  memref.dealloc %W : memref<?x?xf32>
  return
}

// Workspaces that nobody frees end after their last use: the third may lie
// where the first one was.
// CASE: three(A=ints:3x40:f32, O=junk:3x40:f32)
// EXPECT: O = 15 * A
func.func @three(%A: memref<3x40xf32>, %O: memref<3x40xf32>) {
  %two = arith.constant 2.0 : f32
  %a = memref.cast %A : memref<3x40xf32> to !any
  %o = memref.cast %O : memref<3x40xf32> to !any
  %W0 = memref.alloc() {alignment = 64 : i64} : memref<3x40xf32>
  %w0 = memref.cast %W0 : memref<3x40xf32> to !any
  func.call @axpb(%a, %two, %a, %w0) : (!any, f32, !any, !any) -> ()
  %W1 = memref.alloc() : memref<3x40xf32>
  %w1 = memref.cast %W1 : memref<3x40xf32> to !any
  func.call @axpb(%w0, %two, %a, %w1) : (!any, f32, !any, !any) -> ()
  %W2 = gpu.alloc () : memref<3x40xf32>
  %w2 = memref.cast %W2 : memref<3x40xf32> to !any
  memref.copy %W1, %W2 : memref<3x40xf32> to memref<3x40xf32>
  func.call @axpb(%w2, %two, %a, %o) : (!any, f32, !any, !any) -> ()
  gpu.dealloc %W2 : memref<3x40xf32>
  return
}

// Views: a window of an argument, of which every second column is taken.
// CASE: windows(A=ints:9x20:f32, i=2, m=4, O=junk:4x5:f32)
// CASE: windows(A=ints:9x20:f32, i=9, m=0, O=junk:0x5:f32)
// EXPECT: O = 3 * A[i:i+m, 3:12:2]
func.func @windows(%A: memref<?x20xf32>, %i: index, %m: index, %O: memref<?x5xf32>) {
  %two = arith.constant 2.0 : f32
  %v = memref.subview %A[%i, 3] [%m, 5] [1, 2] : memref<?x20xf32> to memref<?x5xf32, strided<[20, 2], offset: ?>>
  %a = memref.cast %v : memref<?x5xf32, strided<[20, 2], offset: ?>> to !any
  %o = memref.cast %O : memref<?x5xf32> to !any
  func.call @axpb(%a, %two, %a, %o) : (!any, f32, !any, !any) -> ()
  return
}

// One image of several, collapsed; written through a window and an expansion.
// CASE: shapes(A=ints:3x4x5x6:f32, k=1, O=junk:2x120:f32)
// CASE: shapes(A=ints:3x1x5x6:f32, k=2, O=junk:2x30:f32)
// EXPECT: O[1, :] = 3 * A[k].reshape(-1)
func.func @shapes(%A: memref<3x?x5x6xf32>, %k: index, %O: memref<2x?xf32>) {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %A, %c1 : memref<3x?x5x6xf32>
  %all = memref.dim %O, %c1 : memref<2x?xf32>
  %image = memref.subview %A[%k, 0, 0, 0] [1, %n, 5, 6] [1, 1, 1, 1] : memref<3x?x5x6xf32> to memref<?x5x6xf32, strided<[30, 6, 1], offset: ?>>
  %flat = memref.collapse_shape %image [[0, 1], [2]] : memref<?x5x6xf32, strided<[30, 6, 1], offset: ?>> into memref<?x6xf32, strided<[6, 1], offset: ?>>
  %row = memref.subview %O[1, 0] [1, %all] [1, 1] : memref<2x?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %c6 = arith.constant 6 : index
  %rows = arith.divui %all, %c6 : index
  %o6 = memref.expand_shape %row [[0, 1]] output_shape [%rows, 6] : memref<?xf32, strided<[1], offset: ?>> into memref<?x6xf32, strided<[6, 1], offset: ?>>
  %a = memref.cast %flat : memref<?x6xf32, strided<[6, 1], offset: ?>> to !any
  %o = memref.cast %o6 : memref<?x6xf32, strided<[6, 1], offset: ?>> to !any
  func.call @axpb(%a, %two, %a, %o) : (!any, f32, !any, !any) -> ()
  return
}

// A transposed argument, and one that is read with other strides.
// CASE: turned(A=ints:6x11:f32, O=junk:11x6:f32)
// CASE: turned(A=ints:1x70:f32, O=junk:70x1:f32)
// EXPECT: O = 2 * A.T + A.reshape(A.shape[::-1])
func.func @turned(%A: memref<?x?xf32>, %O: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %t = memref.transpose %A (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
  %r = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %m], strides: [%m, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %a = memref.cast %t : memref<?x?xf32, strided<[1, ?]>> to !any
  %b = memref.cast %r : memref<?x?xf32, strided<[?, 1]>> to !any
  %o = memref.cast %O : memref<?x?xf32> to !any
  func.call @axpb(%a, %two, %b, %o) : (!any, f32, !any, !any) -> ()
  return
}

// Arguments that begin at an offset: what is extracted of them is relative to
// the memory that holds them.
// CASE: parts(A=ints:4x6:f32@8+5, O=junk:4x6:f32)
// EXPECT: O = 3 * A
func.func @parts(%A: !any, %O: memref<4x6xf32>) {
  %two = arith.constant 2.0 : f32
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A : !any -> memref<f32>, index, index, index, index, index
  %r = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#0, %sizes#1], strides: [%strides#0, %strides#1] : memref<f32> to !any
  %o = memref.cast %O : memref<4x6xf32> to !any
  func.call @axpb(%r, %two, %r, %o) : (!any, f32, !any, !any) -> ()
  return
}

// Bytes of a workspace as two tensors.
// CASE: bytes(A=ints:5x7:f32, O=junk:5x7:f32)
// EXPECT: O = 7 * A
func.func @bytes(%A: memref<5x7xf32>, %O: memref<5x7xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c7 = arith.constant 7 : index
  %two = arith.constant 2.0 : f32
  %W = memref.alloc() : memref<512xi8>
  %v0 = memref.view %W[%c0][] : memref<512xi8> to memref<5x7xf32>
  %v1 = memref.view %W[%c256][%c7] : memref<512xi8> to memref<5x?xf32>
  %a = memref.cast %A : memref<5x7xf32> to !any
  %w0 = memref.cast %v0 : memref<5x7xf32> to !any
  %w1 = memref.cast %v1 : memref<5x?xf32> to !any
  %o = memref.cast %O : memref<5x7xf32> to !any
  func.call @axpb(%a, %two, %a, %w0) : (!any, f32, !any, !any) -> ()
  memref.copy %v0, %v1 : memref<5x7xf32> to memref<5x?xf32>
  func.call @axpb(%w1, %two, %a, %o) : (!any, f32, !any, !any) -> ()
  return
}

// Copies between layouts: rows, columns, every second element, all at once.
// CASE: copies(A=ints:5x8:f32, O=junk:8x5:f32, P=junk:5x16:f32)
// CASE: copies(A=ints:0x8:f32, O=junk:8x0:f32, P=junk:0x16:f32)
// EXPECT: O = A.T; P[:, 1::2] = A
func.func @copies(%A: memref<?x8xf32>, %O: memref<8x?xf32>, %P: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x8xf32>
  %t = memref.transpose %A (i, j) -> (j, i) : memref<?x8xf32> to memref<8x?xf32, strided<[1, 8]>>
  memref.copy %t, %O : memref<8x?xf32, strided<[1, 8]>> to memref<8x?xf32>
  %W = memref.alloc(%m) : memref<?x8xf32>
  memref.copy %A, %W : memref<?x8xf32> to memref<?x8xf32>
  %odd = memref.subview %P[0, 1] [%m, 8] [1, 2] : memref<?x16xf32> to memref<?x8xf32, strided<[16, 2], offset: 1>>
  gpu.memcpy %odd, %W : memref<?x8xf32, strided<[16, 2], offset: 1>>, memref<?x8xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c0, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %x = memref.load %A[%tx, %tx] : memref<?x8xf32>
    memref.store %x, %P[%tx, %tx] : memref<?x16xf32>
    gpu.terminator
  }
  return
}

// Fills, of each size of an element.
// CASE: fills(A=junk:3x5:f32, B=junk:7:i8, C=junk:2x3:bf16, D=junk:9:i64, x=2.5)
// EXPECT: A[:, 1:3] = 2.5; B[:] = -3; C[:] = 1.5; D[:] = 1 << 40
func.func @fills(%A: memref<3x5xf32>, %B: memref<?xi8>, %C: memref<2x3xbf16>, %D: memref<9xi64>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = arith.constant -3 : i8
  %c = arith.constant 1.5 : bf16
  %d = arith.constant 1099511627776 : i64
  %v = memref.subview %A[0, 1] [3, 2] [1, 1] : memref<3x5xf32> to memref<3x2xf32, strided<[5, 1], offset: 1>>
  gpu.memset %v, %x : memref<3x2xf32, strided<[5, 1], offset: 1>>, f32
  gpu.memset %B, %b : memref<?xi8>, i8
  gpu.memset %C, %c : memref<2x3xbf16>, bf16
  gpu.memset %D, %d : memref<9xi64>, i64
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c0, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    memref.store %d, %D[%tx] : memref<9xi64>
    gpu.terminator
  }
  return
}

// Weights of several types: all alike, each its own, in a resource.
memref.global "private" constant @half : memref<2x3xf32> = dense<0.5>
memref.global "private" constant @count : memref<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]>
memref.global "private" constant @small : memref<3xbf16> = dense<[1.0, -2.0, 3.5]>
memref.global "private" constant @flags : memref<9xi1> = dense<[true, false, true, true, false, false, true, false, true]>
memref.global "private" constant @blob : memref<2xi32> = dense_resource<numbers>
memref.global "private" @counter : memref<1xi32> = uninitialized

// CASE: weights(A=ints:2x3:f32)
// EXPECT: result0 = A * 0.5 + np.arange(1, 7).reshape(2, 3)
// EXPECT: result1 = np.array([1, -2, 3.5]); result2 = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1])
// EXPECT: result3 = np.array([7, -2]); result4 = np.array([0])
func.func @weights(%A: memref<2x3xf32>) -> (memref<2x3xf32>, memref<3xbf16>, memref<9xi1>, memref<2xi32>, memref<1xi32>) {
  %half = arith.constant 0.5 : f32
  %h = memref.get_global @half : memref<2x3xf32>
  %c = memref.get_global @count : memref<2x3xf32>
  %small = memref.get_global @small : memref<3xbf16>
  %flags = memref.get_global @flags : memref<9xi1>
  %blob = memref.get_global @blob : memref<2xi32>
  %counter = memref.get_global @counter : memref<1xi32>
  %O = memref.alloc() : memref<2x3xf32>
  %a = memref.cast %A : memref<2x3xf32> to !any
  %b = memref.cast %c : memref<2x3xf32> to !any
  %o = memref.cast %O : memref<2x3xf32> to !any
  func.call @axpb(%a, %half, %b, %o) : (!any, f32, !any, !any) -> ()
  return %O, %small, %flags, %blob, %counter : memref<2x3xf32>, memref<3xbf16>, memref<9xi1>, memref<2xi32>, memref<1xi32>
}

// What is returned: a workspace, a window of it, an argument.
// CASE: returned(A=ints:6x4:f32)
// CASE: returned(A=ints:2x0:f32)
// EXPECT: result0 = 3 * A; result1 = 3 * A[1:2]; result2 = A.T
func.func @returned(%A: memref<?x?xf32>) -> (memref<?x?xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[1, ?]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %O = memref.alloc(%m, %n) : memref<?x?xf32>
  %a = memref.cast %A : memref<?x?xf32> to !any
  %o = memref.cast %O : memref<?x?xf32> to !any
  func.call @axpb(%a, %two, %a, %o) : (!any, f32, !any, !any) -> ()
  %v = memref.subview %O[1, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
  %t = memref.transpose %A (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
  return %O, %v, %t : memref<?x?xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[1, ?]>>
}

// A layer after a layer: tiles of a workspace and of weights, which TMA loads.
memref.global "private" constant @ones : memref<64x64xbf16> = dense<1.0>

// CASE: layers(X=ints:100x64:bf16, W=ints:64x64:bf16, O=junk:100x64:f32)
// CASE: layers(X=ints:1x64:bf16, W=ints:64x64:bf16, O=junk:1x64:f32)
// EXPECT: O = round_to(X @ W, "bf16") @ np.ones((64, 64))
func.func @layers(%X: memref<?x64xbf16>, %W: memref<64x64xbf16>, %O: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  %gy = arith.ceildivui %m, %c64 : index
  %H = memref.alloc(%m) : memref<?x64xbf16>
  %ones = memref.get_global @ones : memref<64x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #shared>
    %Bs = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %i = arith.muli %by, %c64 : index
    %a = tile.region %X[%i, 0] [64, 64] : memref<?x64xbf16>
    %h = tile.region %H[%i, 0] [64, 64] : memref<?x64xbf16>
    tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
    %w = tile.region %W[0, 0] [64, 64] : memref<64x64xbf16>
    tile.copy %w to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
    tile.copy %acc to %h : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xbf16>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #shared>
    %Bs = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %i = arith.muli %by, %c64 : index
    %h = tile.region %H[%i, 0] [64, 64] : memref<?x64xbf16>
    %o = tile.region %O[%i, 0] [64, 64] : memref<?x64xf32>
    tile.copy %h to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
    %w = tile.region %ones[0, 0] [64, 64] : memref<64x64xbf16>
    tile.copy %w to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #shared>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
    tile.copy %acc to %o : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Two views of one argument that a kernel reads and writes, one row of tiles apart.
// CASE: shifted(M=ints:64x64:f32, k=16)
// EXPECT: M[16:] = np.concatenate([M[:16] * 2, M[:16] * 4, M[:16] * 8])
func.func @shifted(%M: memref<64x64xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %c128 = arith.constant 128 : index
  %A = memref.subview %M[0, 0] [48, 64] [1, 1] : memref<64x64xf32> to memref<48x64xf32, strided<[64, 1]>>
  %O = memref.subview %M[%k, 0] [48, 64] [1, 1] : memref<64x64xf32> to !window
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %two = arith.constant 2.0 : f32
    %S = tile.alloc : memref<16x64xf32, #shared>
    %F = tile.alloc : memref<16x64xf32, #tile.fragment>
    scf.for %i = %c0 to %c48 step %c16 {
      %a = tile.region %A[%i, 0] [16, 64] : memref<48x64xf32, strided<[64, 1]>>
      %o = tile.region %O[%i, 0] [16, 64] : !window
      tile.copy %a to %S : !tile.region<16x64xf32>, memref<16x64xf32, #shared>
      tile.copy %S to %F : memref<16x64xf32, #shared>, memref<16x64xf32, #tile.fragment>
      tile.parallel (%x, %y) in [16, 64] {
        %v = memref.load %F[%x, %y] : memref<16x64xf32, #tile.fragment>
        %w = arith.mulf %v, %two : f32
        memref.store %w, %F[%x, %y] : memref<16x64xf32, #tile.fragment>
      }
      tile.copy %F to %o : memref<16x64xf32, #tile.fragment>, !tile.region<16x64xf32>
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x0400000007000000FEFFFFFF"
    }
  }
#-}
