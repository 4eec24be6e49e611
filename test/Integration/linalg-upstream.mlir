// What the CPU tests of upstream's linalg do, as kernels: convolutions of any
// extents, elements, products in parts, pads, generated tensors.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Convolutions without channels or images, of any extents, on memrefs.
// CASE: conv1(x=ints:40:f32, w=ints:5:f32, y=ints:36:f32)
// EXPECT: y = y + sum(x[i:i+36] * w[i] for i in range(5))
func.func @conv1(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  linalg.conv_1d ins(%x, %w : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  return
}

// CASE: conv2(x=ints:12x17:f32, w=ints:3x2:f32, y=ints:10x16:f32)
// EXPECT: y = y + sum(x[i:i+10, j:j+16] * w[i, j] for i in range(3) for j in range(2))
func.func @conv2(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.conv_2d ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// CASE: conv3(x=ints:6x7x8:f32, w=ints:3x2x3:f32, y=ints:4x6x6:f32)
// EXPECT: y = y + sum(x[i:i+4, j:j+6, k:k+6] * w[i, j, k] for i in range(3) for j in range(2) for k in range(3))
func.func @conv3(%x: memref<?x?x?xf32>, %w: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) {
  linalg.conv_3d ins(%x, %w : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%y : memref<?x?x?xf32>)
  return
}

// Steps of 2, and pixels that are 2 apart.
// CASE: wide2(x=ints:3x9x8x3:f32, w=ints:3x3x3x5:f32, y=zeros:3x4x3x5:f32)
// EXPECT: y = sum(x[:, i:i+7:2, 2*j:2*j+3] @ w[i, j] for i in range(3) for j in range(3))
func.func @wide2(%x: memref<?x?x?x?xf32>, %w: memref<?x?x?x?xf32>, %y: memref<?x?x?x?xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%x, %w : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%y : memref<?x?x?x?xf32>)
  return
}

// Arithmetic of tensors that no linalg op is around.
// CASE: elements(a=ints:7x33:f32, b=ints:7x33:f32)
// EXPECT: result0 = np.maximum(a + b, a * b)
func.func @elements(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %s = arith.addf %a, %b : tensor<7x33xf32>
  %p = arith.mulf %a, %b : tensor<7x33xf32>
  %m = arith.maximumf %s, %p : tensor<7x33xf32>
  return %m : tensor<7x33xf32>
}

// A product column by column: strided views in a loop of the host.
// CASE: columns(a=ints:20x30:f32, b=ints:30x5:f32, c=ints:20x5:f32)
// EXPECT: c = c + a @ b
func.func @columns(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.subview %b[0, %i] [%k, 1] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %y = memref.subview %c[0, %i] [%m, 1] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
    linalg.matvec ins(%a, %x : memref<?x?xf32>, memref<?xf32, strided<[?], offset: ?>>) outs(%y : memref<?xf32, strided<[?], offset: ?>>)
  }
  return
}

// A result without dimensions.
// CASE: dot(a=ints:64:f32, b=ints:64:f32)
// EXPECT: result0 = a @ b
func.func @dot(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%i : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// Products of parts in a loop that carries the whole.
// CASE: parts(a=ints:8x16:f32, b=ints:16x12:f32)
// EXPECT: result0 = a @ b
func.func @parts(%a: tensor<8x16xf32>, %b: tensor<16x12xf32>) -> tensor<8x12xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x12xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x12xf32>) -> tensor<8x12xf32>
  %r = scf.for %j = %c0 to %c12 step %c4 iter_args(%c = %i) -> tensor<8x12xf32> {
    %x = tensor.extract_slice %b[0, %j] [16, 4] [1, 1] : tensor<16x12xf32> to tensor<16x4xf32>
    %y = tensor.extract_slice %c[0, %j] [8, 4] [1, 1] : tensor<8x12xf32> to tensor<8x4xf32>
    %p = linalg.matmul ins(%a, %x : tensor<8x16xf32>, tensor<16x4xf32>) outs(%y : tensor<8x4xf32>) -> tensor<8x4xf32>
    %q = tensor.insert_slice %p into %c[0, %j] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x12xf32>
    scf.yield %q : tensor<8x12xf32>
  }
  return %r : tensor<8x12xf32>
}

// Factors that are constants.
// CASE: constants(c=zeros:2x4:f32)
// EXPECT: a = np.array([[1, 2, 3], [4, 5, 6]]); b = np.arange(1, 13).reshape(3, 4); result0 = c + a @ b
func.func @constants(%c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Pads of another value, in each dimension; one extent is dynamic.
// CASE: padded(x=ints:1x2x3:f32)
// EXPECT: result0 = np.pad(x, ((1, 1), (2, 1), (0, 3)), constant_values=2.5)
func.func @padded(%x: tensor<1x?x3xf32>) -> tensor<3x?x6xf32> {
  %v = arith.constant 2.5 : f32
  %p = tensor.pad %x low[1, 2, 0] high[1, 1, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %v : f32
  } : tensor<1x?x3xf32> to tensor<3x?x6xf32>
  return %p : tensor<3x?x6xf32>
}

// Elements that are computed from their places.
// CASE: generated(n=9)
// EXPECT: result0 = np.add.outer(np.arange(9), np.arange(4)).astype(np.int32)
func.func @generated(%n: index) -> tensor<?x4xi32> {
  %g = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %c = arith.index_cast %s : index to i32
    tensor.yield %c : i32
  } : tensor<?x4xi32>
  return %g : tensor<?x4xi32>
}
