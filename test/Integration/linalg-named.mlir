// Named ops of linalg beside products: windows in every layout, zero points, packs of any tile, broadcasts, views that are
// returned as they are.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// CASE: convq(x=ints:2x2x3x3:i8, w=ints:3x2x2x2:i8, y=ints:2x3x2x2:i32, zx=3, zw=-2)
// EXPECT: xx = x.astype(int) - 3; ww = w.astype(int) + 2; result0 = y + sum(np.einsum("bcij,fc->bfij", xx[:, :, p:p+2, q:q+2], ww[:, :, p, q]) for p in range(2) for q in range(2))
func.func @convq(%x: tensor<2x2x3x3xi8>, %w: tensor<3x2x2x2xi8>, %y: tensor<2x3x2x2xi32>, %zx: i32, %zw: i32) -> tensor<2x3x2x2xi32> {
  %r = linalg.conv_2d_nchw_fchw_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w, %zx, %zw : tensor<2x2x3x3xi8>, tensor<3x2x2x2xi8>, i32, i32) outs(%y : tensor<2x3x2x2xi32>) -> tensor<2x3x2x2xi32>
  return %r : tensor<2x3x2x2xi32>
}

// CASE: convqn(x=ints:2x3x3x2:i8, w=ints:2x2x2x3:i8, y=ints:2x2x2x3:i32, zx=3, zw=-2)
// EXPECT: xx = x.astype(int) - 3; ww = w.astype(int) + 2; result0 = y + sum(xx[:, p:p+2, q:q+2] @ ww[p, q] for p in range(2) for q in range(2))
func.func @convqn(%x: tensor<2x3x3x2xi8>, %w: tensor<2x2x2x3xi8>, %y: tensor<2x2x2x3xi32>, %zx: i32, %zw: i32) -> tensor<2x2x2x3xi32> {
  %r = linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w, %zx, %zw : tensor<2x3x3x2xi8>, tensor<2x2x2x3xi8>, i32, i32) outs(%y : tensor<2x2x2x3xi32>) -> tensor<2x2x2x3xi32>
  return %r : tensor<2x2x2x3xi32>
}

// CASE: matq(x=ints:9x20:i8, w=ints:20x7:i8, y=ints:9x7:i32, zx=3, zw=-2)
// EXPECT: result0 = y + (x.astype(int) - 3) @ (w.astype(int) + 2)
func.func @matq(%x: tensor<9x20xi8>, %w: tensor<20x7xi8>, %y: tensor<9x7xi32>, %zx: i32, %zw: i32) -> tensor<9x7xi32> {
  %r = linalg.quantized_matmul ins(%x, %w, %zx, %zw : tensor<9x20xi8>, tensor<20x7xi8>, i32, i32) outs(%y : tensor<9x7xi32>) -> tensor<9x7xi32>
  return %r : tensor<9x7xi32>
}

// CASE: mmt4d32(a=ints:7x16:i32, b=ints:16x13:i32, c=ints:7x13:i32)
// EXPECT: result0 = c + a @ b
func.func @mmt4d32(%A: tensor<7x16xi32>, %B: tensor<16x13xi32>, %C: tensor<7x13xi32>) -> tensor<7x13xi32> {
  %z = arith.constant 0 : i32
  %ea = tensor.empty() : tensor<1x16x8x1xi32>
  %eb = tensor.empty() : tensor<2x16x8x1xi32>
  %ec = tensor.empty() : tensor<1x2x8x8xi32>
  %eo = tensor.empty() : tensor<7x13xi32>
  %pa = linalg.pack %A padding_value(%z : i32) inner_dims_pos = [0, 1] inner_tiles = [8, 1] into %ea : tensor<7x16xi32> -> tensor<1x16x8x1xi32>
  %pb = linalg.pack %B padding_value(%z : i32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 1] into %eb : tensor<16x13xi32> -> tensor<2x16x8x1xi32>
  %pc = linalg.pack %C padding_value(%z : i32) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %ec : tensor<7x13xi32> -> tensor<1x2x8x8xi32>
  %m = linalg.mmt4d ins(%pa, %pb : tensor<1x16x8x1xi32>, tensor<2x16x8x1xi32>) outs(%pc : tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xi32>
  %r = linalg.unpack %m outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %eo : tensor<1x2x8x8xi32> -> tensor<7x13xi32>
  return %r : tensor<7x13xi32>
}

// CASE: packdyn(x=ints:7x16:i32, n=8)
// EXPECT: result0 = np.pad(x, ((0, 1), (0, 0)), constant_values=123).reshape(1, 8, 16, 1).transpose(0, 2, 1, 3)
func.func @packdyn(%x: tensor<7x16xi32>, %n: index) -> tensor<?x16x?x1xi32> {
  %c1 = arith.constant 1 : index
  %v = arith.constant 123 : i32
  %e = tensor.empty(%c1, %n) : tensor<?x16x?x1xi32>
  %p = linalg.pack %x padding_value(%v : i32) inner_dims_pos = [0, 1] inner_tiles = [%n, 1] into %e : tensor<7x16xi32> -> tensor<?x16x?x1xi32>
  return %p : tensor<?x16x?x1xi32>
}

// CASE: unpackdyn(x=ints:1x3x8x1:i32, n=8)
// EXPECT: result0 = x.transpose(0, 2, 1, 3).reshape(8, 3)[:7]
func.func @unpackdyn(%x: tensor<?x3x?x1xi32>, %n: index) -> tensor<7x3xi32> {
  %e = tensor.empty() : tensor<7x3xi32>
  %p = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [%n, 1] into %e : tensor<?x3x?x1xi32> -> tensor<7x3xi32>
  return %p : tensor<7x3xi32>
}

// CASE: subf(x=ints:2x8:f32)
// EXPECT: result0 = -x.sum(1)
func.func @subf(%x: tensor<2x8xf32>) -> tensor<2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x8xf32>) outs(%i : tensor<2xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.subf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CASE: dw1(x=ints:1x8x6:i32, w=ints:2x6:i32)
// EXPECT: result0 = x[:, 0:7] * w[0] + x[:, 1:8] * w[1]
func.func @dw1(%x: tensor<1x8x?xi32>, %w: tensor<2x?xi32>) -> tensor<1x7x?xi32> {
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %n = tensor.dim %x, %c2 : tensor<1x8x?xi32>
  %e = tensor.empty(%n) : tensor<1x7x?xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<1x7x?xi32>) -> tensor<1x7x?xi32>
  %r = linalg.depthwise_conv_1d_nwc_wc ins(%x, %w : tensor<1x8x?xi32>, tensor<2x?xi32>) outs(%i : tensor<1x7x?xi32>) -> tensor<1x7x?xi32>
  return %r : tensor<1x7x?xi32>
}

// CASE: rankslice(x=ints:5:i32)
// EXPECT: result0 = np.zeros((5, 3), np.int32); result0[:, 2] = x
func.func @rankslice(%x: tensor<5xi32>) -> tensor<5x3xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x3xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<5x3xi32>) -> tensor<5x3xi32>
  %r = tensor.insert_slice %x into %i[0, 2] [5, 1] [1, 1] : tensor<5xi32> into tensor<5x3xi32>
  return %r : tensor<5x3xi32>
}

// CASE: convgen(x=ints:16x29:f32, w=ints:3x4:f32)
// EXPECT: result0 = sum(x[i:i+13:3, j:j+25:4] * w[i, j] for i in range(3) for j in range(4))
func.func @convgen(%x: tensor<16x29xf32>, %w: tensor<3x4xf32>) -> tensor<5x7xf32> {
  %z = arith.constant 0.0 : f32
  %s = tensor.splat %z : tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a * 3 + c, b * 4 + d)>, affine_map<(a, b, c, d) -> (c, d)>, affine_map<(a, b, c, d) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<16x29xf32>, tensor<3x4xf32>) outs(%s : tensor<5x7xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CASE: reverse(x=ints:4:f32)
// EXPECT: result0 = x[::-1]
func.func @reverse(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.splat %z[%n] : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CASE: bcastadd(x=ints:1x5:f32, y=ints:4x5:f32)
// CASE: bcastadd(x=ints:4x5:f32, y=ints:4x1:f32)
// CASE: bcastadd(x=ints:1x1:f32, y=ints:1x1:f32)
// EXPECT: result0 = x + y
func.func @bcastadd(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %y0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %x1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %m = arith.maxui %x0, %y0 : index
  %n = arith.maxui %x1, %y1 : index
  %is0 = arith.cmpi eq, %x0, %c1 : index
  %u = scf.if %is0 -> (tensor<?x?xf32>) {
    %e = tensor.empty(%m, %x1) : tensor<?x?xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%p: f32, %o: f32):
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    scf.yield %g : tensor<?x?xf32>
  } else {
    scf.yield %x : tensor<?x?xf32>
  }
  %is1 = arith.cmpi eq, %y1, %c1 : index
  %v = scf.if %is1 -> (tensor<?x?xf32>) {
    %e = tensor.empty(%y0, %n) : tensor<?x?xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%p: f32, %o: f32):
      linalg.yield %p : f32
    } -> tensor<?x?xf32>
    scf.yield %g : tensor<?x?xf32>
  } else {
    scf.yield %y : tensor<?x?xf32>
  }
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%u, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CASE: fhwc(x=ints:2x9x8x16:f16, w=ints:24x3x3x16:f16)
// EXPECT: xf = x.astype(np.float64); wf = w.astype(np.float64); result0 = sum(np.einsum("bijc,fc->bijf", xf[:, p:p+7, q:q+6], wf[:, p, q]) for p in range(3) for q in range(3))
func.func @fhwc(%x: tensor<2x9x8x16xf16>, %w: tensor<24x3x3x16xf16>) -> tensor<2x7x6x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x6x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x6x24xf32>) -> tensor<2x7x6x24xf32>
  %r = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x9x8x16xf16>, tensor<24x3x3x16xf16>) outs(%i : tensor<2x7x6x24xf32>) -> tensor<2x7x6x24xf32>
  return %r : tensor<2x7x6x24xf32>
}

// CASE: ncdhw(x=ints:1x4x5x6x7:f16, w=ints:8x4x2x3x3:f16)
// EXPECT: xf = x.astype(np.float64); wf = w.astype(np.float64); result0 = sum(np.einsum("bcijk,fc->bfijk", xf[:, :, p:p+4, q:q+4, r:r+5], wf[:, :, p, q, r]) for p in range(2) for q in range(3) for r in range(3))
func.func @ncdhw(%x: tensor<1x4x5x6x7xf16>, %w: tensor<8x4x2x3x3xf16>) -> tensor<1x8x4x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x4x4x5xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x4x4x5xf32>) -> tensor<1x8x4x4x5xf32>
  %r = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%x, %w : tensor<1x4x5x6x7xf16>, tensor<8x4x2x3x3xf16>) outs(%i : tensor<1x8x4x4x5xf32>) -> tensor<1x8x4x4x5xf32>
  return %r : tensor<1x8x4x4x5xf32>
}

// CASE: brm(a=ints:3x20x24:bf16, b=ints:3x24x17:bf16)
// EXPECT: result0 = sum(a[i].astype(np.float64) @ b[i].astype(np.float64) for i in range(3))
func.func @brm(%a: tensor<3x20x24xbf16>, %b: tensor<3x24x17xbf16>) -> tensor<20x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x17xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<20x17xf32>) -> tensor<20x17xf32>
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<3x20x24xbf16>, tensor<3x24x17xbf16>) outs(%i : tensor<20x17xf32>) -> tensor<20x17xf32>
  return %r : tensor<20x17xf32>
}

// CASE: bmv(a=ints:3x20x24:f16, b=ints:3x24:f16)
// EXPECT: result0 = np.einsum("bij,bj->bi", a.astype(np.float64), b.astype(np.float64))
func.func @bmv(%a: tensor<3x20x24xf16>, %b: tensor<3x24xf16>) -> tensor<3x20xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x20xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x20xf32>) -> tensor<3x20xf32>
  %r = linalg.batch_matvec ins(%a, %b : tensor<3x20x24xf16>, tensor<3x24xf16>) outs(%i : tensor<3x20xf32>) -> tensor<3x20xf32>
  return %r : tensor<3x20xf32>
}

// CASE: pmin(x=ints:2x9x8x5:f32)
// EXPECT: result0 = np.minimum.reduce([x[:, i:i+7:2, j:j+5:2] for i in range(3) for j in range(3)])
func.func @pmin(%x: tensor<2x9x8x5xf32>) -> tensor<2x4x3x5xf32> {
  %z = arith.constant 0x7F800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x4x3x5xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %r = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x9x8x5xf32>, tensor<3x3xf32>) outs(%i : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  return %r : tensor<2x4x3x5xf32>
}

// CASE: pdyn(x=ints:2x5x9x8:f16, y=zeros:2x5x7x6:f16)
// EXPECT: y = np.maximum.reduce([x[:, :, i:i+7, j:j+6] for i in range(3) for j in range(3)] + [y])
func.func @pdyn(%x: memref<?x?x?x?xf16>, %y: memref<?x?x?x?xf16>) {
  %w = memref.alloc() : memref<3x3xf16>
  linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : memref<?x?x?x?xf16>, memref<3x3xf16>) outs(%y : memref<?x?x?x?xf16>)
  memref.dealloc %w : memref<3x3xf16>
  return
}

// CASE: trbc(a=ints:5x7:f16)
// EXPECT: result0 = np.broadcast_to(a.T[:, None, :], (7, 3, 5))
func.func @trbc(%a: tensor<5x7xf16>) -> tensor<7x3x5xf16> {
  %e = tensor.empty() : tensor<7x5xf16>
  %o = tensor.empty() : tensor<7x3x5xf16>
  %t = linalg.transpose ins(%a : tensor<5x7xf16>) outs(%e : tensor<7x5xf16>) permutation = [1, 0]
  %b = linalg.broadcast ins(%t : tensor<7x5xf16>) outs(%o : tensor<7x3x5xf16>) dimensions = [1]
  return %b : tensor<7x3x5xf16>
}

// CASE: extract(a=ints:20x32:f16)
// EXPECT: result0 = a[3:13:2, 5:25:3] * 2
func.func @extract(%a: tensor<20x32xf16>) -> tensor<5x7xf16> {
  %s = tensor.extract_slice %a[3, 5] [5, 7] [2, 3] : tensor<20x32xf16> to tensor<5x7xf16>
  %r = arith.addf %s, %s : tensor<5x7xf16>
  return %r : tensor<5x7xf16>
}

// CASE: concat(a=ints:5x7:f16, b=ints:5x4:f16)
// EXPECT: result0 = np.concatenate([a, b], 1)
func.func @concat(%a: tensor<5x7xf16>, %b: tensor<5x?xf16>) -> tensor<5x?xf16> {
  %r = tensor.concat dim(1) %a, %b : (tensor<5x7xf16>, tensor<5x?xf16>) -> tensor<5x?xf16>
  return %r : tensor<5x?xf16>
}

// CASE: insmulti(a=ints:20x16:f32, b=ints:2x16:f32)
// EXPECT: result0 = np.array(a); result0[4:6] = b; result1 = np.array(a); result1[8:10] = b
func.func @insmulti(%a: tensor<20x16xf32>, %b: tensor<2x16xf32>) -> (tensor<20x16xf32>, tensor<20x16xf32>) {
  %r = tensor.insert_slice %b into %a[4, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<20x16xf32>
  %s = tensor.insert_slice %b into %a[8, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<20x16xf32>
  return %r, %s : tensor<20x16xf32>, tensor<20x16xf32>
}

// CASE: expanded(a=ints:6x4:f32)
// EXPECT: result0 = a.reshape(2, 3, 4)
func.func @expanded(%a: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %r = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CASE: reshape(a=ints:6x4:f32)
// EXPECT: result0 = (a + a).reshape(8, 3)
func.func @reshape(%a: tensor<6x4xf32>) -> tensor<8x3xf32> {
  %s = arith.addf %a, %a : tensor<6x4xf32>
  %sh = arith.constant dense<[8, 3]> : tensor<2xi64>
  %r = tensor.reshape %s(%sh) : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// Extents that numbers of the host give, and what the function asserts of them.
// CASE: stated(a=ints:6x4:f32, n=8)
// EXPECT: result0 = (a + a).reshape(8, 3)
func.func @stated(%a: tensor<?x4xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = tensor.dim %a, %c0 : tensor<?x4xf32>
  %all = arith.muli %m, %c4 : index
  %rest = arith.divui %all, %n : index
  %back = arith.muli %rest, %n : index
  %fits = arith.cmpi eq, %back, %all : index
  cf.assert %fits, "the extents divide the elements"
  %s = arith.addf %a, %a : tensor<?x4xf32>
  %shape = tensor.from_elements %n, %rest : tensor<2xindex>
  %r = tensor.reshape %s(%shape) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Convolutions in groups are products, whatever the order of the dimensions; the channels may be cut into groups before.
// CASE: group16(x=ints:2x9x8x2x16:f16, w=ints:2x24x3x3x16:f16)
// EXPECT: xf = x.astype(np.float64); wf = w.astype(np.float64); result0 = sum(np.einsum("bijgc,gfc->bijgf", xf[:, p:p+7, q:q+6], wf[:, :, p, q]) for p in range(3) for q in range(3))
func.func @group16(%x: tensor<2x9x8x2x16xf16>, %w: tensor<2x24x3x3x16xf16>) -> tensor<2x7x6x2x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x6x2x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x6x2x24xf32>) -> tensor<2x7x6x2x24xf32>
  %r = linalg.conv_2d_nhwgc_gfhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x9x8x2x16xf16>, tensor<2x24x3x3x16xf16>) outs(%i : tensor<2x7x6x2x24xf32>) -> tensor<2x7x6x2x24xf32>
  return %r : tensor<2x7x6x2x24xf32>
}

// CASE: group16c(x=ints:2x2x16x9x8:f16, w=ints:2x24x16x3x3:f16)
// EXPECT: xf = x.astype(np.float64); wf = w.astype(np.float64); result0 = sum(np.einsum("bgcij,gfc->bgfij", xf[:, :, :, p:p+7, q:q+6], wf[:, :, :, p, q]) for p in range(3) for q in range(3))
func.func @group16c(%x: tensor<2x2x16x9x8xf16>, %w: tensor<2x24x16x3x3xf16>) -> tensor<2x2x24x7x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x24x7x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x2x24x7x6xf32>) -> tensor<2x2x24x7x6xf32>
  %r = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x2x16x9x8xf16>, tensor<2x24x16x3x3xf16>) outs(%i : tensor<2x2x24x7x6xf32>) -> tensor<2x2x24x7x6xf32>
  return %r : tensor<2x2x24x7x6xf32>
}

// CASE: cut(x=ints:2x7x7x16:f16, w=ints:3x3x8x2x12:f16)
// EXPECT: xf = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0))).reshape(2, 9, 9, 2, 8); wf = w.astype(np.float64); result0 = sum(np.einsum("bijgc,cgf->bijgf", xf[:, p:p+7, q:q+7], wf[p, q]) for p in range(3) for q in range(3)).reshape(2, 7, 7, 24)
func.func @cut(%x: tensor<2x7x7x16xf16>, %w: tensor<3x3x8x2x12xf16>) -> tensor<2x7x7x24xf32> {
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zh : f16
  } : tensor<2x7x7x16xf16> to tensor<2x9x9x16xf16>
  %g = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [2, 9, 9, 2, 8] : tensor<2x9x9x16xf16> into tensor<2x9x9x2x8xf16>
  %e = tensor.empty() : tensor<2x7x7x2x12xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x7x2x12xf32>) -> tensor<2x7x7x2x12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(g, c, f, y, u, x, v, b) -> (b, y + u, x + v, g, c)>, affine_map<(g, c, f, y, u, x, v, b) -> (u, v, c, g, f)>, affine_map<(g, c, f, y, u, x, v, b) -> (b, y, x, g, f)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%g, %w : tensor<2x9x9x2x8xf16>, tensor<3x3x8x2x12xf16>) outs(%i : tensor<2x7x7x2x12xf32>) {
  ^bb0(%a: f16, %c: f16, %o: f32):
    %s = arith.extf %a : f16 to f32
    %t = arith.extf %c : f16 to f32
    %m = arith.mulf %s, %t : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x7x7x2x12xf32>
  %f = tensor.collapse_shape %r [[0], [1], [2], [3, 4]] : tensor<2x7x7x2x12xf32> into tensor<2x7x7x24xf32>
  return %f : tensor<2x7x7x24xf32>
}

// What is moved to channels last and back is read and written where it is.
// CASE: moved(x=ints:2x16x9x8:f16, w=ints:24x16x3x3:f16, b=ints:24:f32)
// EXPECT: xf = x.astype(np.float64); wf = w.astype(np.float64); result0 = np.maximum(sum(np.einsum("bcij,fc->bfij", xf[:, :, p:p+7, q:q+6], wf[:, :, p, q]) for p in range(3) for q in range(3)) + b[:, None, None], 0)
func.func @moved(%x: tensor<2x16x9x8xf16>, %w: tensor<24x16x3x3xf16>, %b: tensor<24xf32>) -> tensor<2x24x7x6xf32> {
  %z = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<2x9x8x16xf16>
  %ew = tensor.empty() : tensor<3x3x16x24xf16>
  %ey = tensor.empty() : tensor<2x7x6x24xf32>
  %eo = tensor.empty() : tensor<2x24x7x6xf32>
  %xl = linalg.transpose ins(%x : tensor<2x16x9x8xf16>) outs(%ex : tensor<2x9x8x16xf16>) permutation = [0, 2, 3, 1]
  %wl = linalg.transpose ins(%w : tensor<24x16x3x3xf16>) outs(%ew : tensor<3x3x16x24xf16>) permutation = [2, 3, 1, 0]
  %i = linalg.fill ins(%z : f32) outs(%ey : tensor<2x7x6x24xf32>) -> tensor<2x7x6x24xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%xl, %wl : tensor<2x9x8x16xf16>, tensor<3x3x16x24xf16>) outs(%i : tensor<2x7x6x24xf32>) -> tensor<2x7x6x24xf32>
  %f = linalg.transpose ins(%y : tensor<2x7x6x24xf32>) outs(%eo : tensor<2x24x7x6xf32>) permutation = [0, 3, 1, 2]
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, i, j) -> (n, f, i, j)>, affine_map<(n, f, i, j) -> (f)>, affine_map<(n, f, i, j) -> (n, f, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%f, %b : tensor<2x24x7x6xf32>, tensor<24xf32>) outs(%eo : tensor<2x24x7x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.maximumf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<2x24x7x6xf32>
  return %r : tensor<2x24x7x6xf32>
}

// A bias that is cut into groups after it was repeated, and elements after the groups are one dimension again.
// CASE: biased(x=ints:2x4x4x9x8:f16, w=ints:4x8x4x3x3:f16, b=ints:32:f32, c=ints:32:f32)
// EXPECT: xf = x.astype(np.float64); wf = w.astype(np.float64); s = sum(np.einsum("bgcij,gfc->bgfij", xf[:, :, :, p:p+7, q:q+6], wf[:, :, :, p, q]) for p in range(3) for q in range(3)).reshape(2, 32, 7, 6)
// EXPECT: result0 = np.maximum((s + b[:, None, None]) * c[:, None, None], 0)
func.func @biased(%x: tensor<2x4x4x9x8xf16>, %w: tensor<4x8x4x3x3xf16>, %b: tensor<32xf32>, %c: tensor<32xf32>) -> tensor<2x32x7x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x32x7x6xf32>
  %r = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<2x32x7x6xf32>) dimensions = [0, 2, 3]
  %i = tensor.expand_shape %r [[0], [1, 2], [3], [4]] output_shape [2, 4, 8, 7, 6] : tensor<2x32x7x6xf32> into tensor<2x4x8x7x6xf32>
  %y = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x4x4x9x8xf16>, tensor<4x8x4x3x3xf16>) outs(%i : tensor<2x4x8x7x6xf32>) -> tensor<2x4x8x7x6xf32>
  %f = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<2x4x8x7x6xf32> into tensor<2x32x7x6xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, f, i, j) -> (n, f, i, j)>, affine_map<(n, f, i, j) -> (f)>, affine_map<(n, f, i, j) -> (n, f, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%f, %c : tensor<2x32x7x6xf32>, tensor<32xf32>) outs(%e : tensor<2x32x7x6xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.maximumf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<2x32x7x6xf32>
  return %o : tensor<2x32x7x6xf32>
}

// On memrefs, of as many pixels as a call gives.
// CASE: conv16dyn(x=ints:2x9x8x16:f16, w=ints:3x3x16x24:f16, y=ints:2x7x6x24:f32)
// EXPECT: y = y + sum(x[:, i:i+7, j:j+6].astype(np.float64) @ w[i, j].astype(np.float64) for i in range(3) for j in range(3))
func.func @conv16dyn(%x: memref<?x?x?x16xf16>, %w: memref<3x3x16x24xf16>, %y: memref<?x?x?x24xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : memref<?x?x?x16xf16>, memref<3x3x16x24xf16>) outs(%y : memref<?x?x?x24xf32>)
  return
}

// The same with pads, channels first.
// CASE: padded(x=ints:2x5x7x6:f16, w=ints:8x5x3x3:f16, h=4, w2=3)
// EXPECT: xf = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1))); wf = w.astype(np.float64); result0 = sum(np.einsum("bcij,fc->bfij", xf[:, :, p:p+7:2, q:q+6:2], wf[:, :, p, q]) for p in range(3) for q in range(3))
func.func @padded(%x: tensor<?x5x?x?xf16>, %w: tensor<8x5x3x3xf16>, %h: index, %w2: index) -> tensor<?x8x?x?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x5x?x?xf16>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zh : f16
  } : tensor<?x5x?x?xf16> to tensor<?x5x?x?xf16>
  %e = tensor.empty(%n, %h, %w2) : tensor<?x8x?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<?x5x?x?xf16>, tensor<8x5x3x3xf16>) outs(%i : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %r : tensor<?x8x?x?xf32>
}

// A window over a padded image reads the image; what each place begins with is a number.
// CASE: padmax(x=ints:2x9x8x5:f32)
// EXPECT: xp = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-np.inf); result0 = np.maximum.reduce([xp[:, i:i+9:2, j:j+8:2] for i in range(3) for j in range(3)])
func.func @padmax(%x: tensor<2x9x8x5xf32>) -> tensor<2x5x4x5xf32> {
  %low = arith.constant 0xFF800000 : f32
  %c = arith.constant dense<0xFF800000> : tensor<f32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x5x4x5xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<2x9x8x5xf32> to tensor<2x11x10x5xf32>
  %i = linalg.broadcast ins(%c : tensor<f32>) outs(%e : tensor<2x5x4x5xf32>) dimensions = [0, 1, 2, 3]
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<2x11x10x5xf32>, tensor<3x3xf32>) outs(%i : tensor<2x5x4x5xf32>) -> tensor<2x5x4x5xf32>
  return %r : tensor<2x5x4x5xf32>
}
