// Blocks of linalg ops as a schedule and bufferization leave them, which
// convert-linalg-to-tile makes kernels of.
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>

// The depth of B is that of A, which the host checks; so tails are pads.
// CASE: product(a=ints:300x136:bf16, b=ints:136x200:bf16, bias=ints:200:f32)
// CASE: product(a=ints:7x5:bf16, b=ints:5x3:bf16, bias=ints:3:f32)
// EXPECT: result0 = round_to(np.maximum(a.astype(np.float64) @ b + bias, 0), "bf16")
func.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %bias: memref<?xf32>) -> memref<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xbf16>
  %k = memref.dim %a, %c1 : memref<?x?xbf16>
  %kb = memref.dim %b, %c0 : memref<?x?xbf16>
  %n = memref.dim %b, %c1 : memref<?x?xbf16>
  %is_same = arith.cmpi eq, %k, %kb : index
  tile.require %is_same, "extent 0 of b is extent 1 of a" actual %kb
  %out = memref.alloc(%m, %n) : memref<?x?xbf16>
  scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 64) {
    %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%m]
    %columns = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%j)[%n]
    %acc = memref.alloc(%rows, %columns) : memref<?x?xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<?x?xf32>)
    scf.for %l = %c0 to %k step %c32 {
      %depth = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 32)>(%l)[%k]
      %x = memref.subview %a[%i, %l] [%rows, %depth] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %y = memref.subview %b[%l, %j] [%depth, %columns] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
      linalg.matmul ins(%x, %y : memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<?x?xbf16, strided<[?, 1], offset: ?>>) outs(%acc : memref<?x?xf32>)
    } {tile.num_stages = 3 : i32}
    %c = memref.subview %bias[%j] [%columns] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %o = memref.subview %out[%i, %j] [%rows, %columns] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel"]} ins(%acc, %c : memref<?x?xf32>, memref<?xf32, strided<[1], offset: ?>>) outs(%o : memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32, %old: bf16):
      %s = arith.addf %p, %q : f32
      %r = arith.maximumf %s, %zero : f32
      %t = arith.truncf %r : f32 to bf16
      linalg.yield %t : bf16
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %out : memref<?x?xbf16>
}

// Neither factor ends where the product does: what follows is masked. Elements
// of C beside the product stay.
// CASE: part(a=ints:80x50:f16, b=ints:90x70:f16, c=ints:100x100:f32, m=70, n=50, k=40)
// EXPECT: c = c.copy(); c[:70, :50] += a[:70, :40].astype(np.float64) @ b[:40, :50].astype(np.float64)
func.func @part(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>, %m: index, %n: index, %k: index) {
  scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 32) {
    %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%m]
    %columns = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 32)>(%j)[%n]
    %depth = affine.min affine_map<()[s0] -> (s0, 64)>()[%k]
    %x = memref.subview %a[%i, 0] [%rows, %depth] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
    %y = memref.subview %b[0, %j] [%depth, %columns] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
    %z = memref.subview %c[%i, %j] [%rows, %columns] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<?x?xf16, strided<[?, 1], offset: ?>>) outs(%z : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}

// A static matrix that is smaller than what the instructions multiply; rows of
// A are columns in memory, and so are those of B and C.
// CASE: transposed(a=ints:10x7:bf16, b=ints:5x10:bf16)
// EXPECT: result0 = (a.astype(np.float64).T @ b.astype(np.float64).T).T
func.func @transposed(%a: memref<10x7xbf16>, %b: memref<5x10xbf16>) -> memref<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %out = memref.alloc() : memref<5x7xf32>
  scf.forall (%i) = (0) to (1) step (1) {
    %acc = memref.alloc() : memref<5x7xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<5x7xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<10x7xbf16>, memref<5x10xbf16>) outs(%acc : memref<5x7xf32>) {
    ^bb0(%x: bf16, %y: bf16, %old: f32):
      %p = arith.extf %x : bf16 to f32
      %q = arith.extf %y : bf16 to f32
      %r = arith.mulf %p, %q : f32
      %s = arith.addf %old, %r : f32
      linalg.yield %s : f32
    }
    memref.copy %acc, %out : memref<5x7xf32> to memref<5x7xf32>
  } {mapping = [#gpu.block<x>]}
  return %out : memref<5x7xf32>
}

// f32 without tensor cores, to the last bit; i8 by tensor cores.
// CASE: exact(a=normal:20x30:f32, b=normal:30x9:f32)
// EXPECT: s = np.zeros((20, 9), np.float32)
// EXPECT: for k in range(30): s += (a[:, k:k+1] * b[k:k+1]).astype(np.float32)
// EXPECT: result0 = s
// WITHIN: result0 = 2**-20, 1
func.func @exact(%a: memref<20x30xf32>, %b: memref<30x9xf32>) -> memref<20x9xf32> {
  %zero = arith.constant 0.0 : f32
  %out = memref.alloc() : memref<20x9xf32>
  scf.forall (%i) = (0) to (20) step (16) {
    %rows = affine.min affine_map<(d0) -> (-d0 + 20, 16)>(%i)
    %x = memref.subview %a[%i, 0] [%rows, 30] [1, 1] : memref<20x30xf32> to memref<?x30xf32, strided<[30, 1], offset: ?>>
    %z = memref.subview %out[%i, 0] [%rows, 9] [1, 1] : memref<20x9xf32> to memref<?x9xf32, strided<[9, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%z : memref<?x9xf32, strided<[9, 1], offset: ?>>)
    linalg.matmul ins(%x, %b : memref<?x30xf32, strided<[30, 1], offset: ?>>, memref<30x9xf32>) outs(%z : memref<?x9xf32, strided<[9, 1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return %out : memref<20x9xf32>
}

// CASE: bytes(a=ints:64x70:i8, b=ints:40x70:i8)
// EXPECT: result0 = a.astype(np.int32) @ b.astype(np.int32).T
func.func @bytes(%a: memref<64x70xi8>, %b: memref<40x70xi8>) -> memref<64x40xi32> {
  %zero = arith.constant 0 : i32
  %out = memref.alloc() : memref<64x40xi32>
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.fill ins(%zero : i32) outs(%out : memref<64x40xi32>)
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : memref<64x70xi8>, memref<40x70xi8>) outs(%out : memref<64x40xi32>)
  } {mapping = [#gpu.block<x>]}
  return %out : memref<64x40xi32>
}

// Sums of squares and maxima that pass over NaN, of rows that fit no tile. The
// blocks are counted in one dimension.
// CASE: rows(x=normal:3x10x70:f32)
// EXPECT: y = np.where(np.abs(x) < 0.5, np.nan, x)
// EXPECT: result0 = (x * x).sum(2); result1 = np.nanmax(y, 2)
// WITHIN: result0 = 2**-20
func.func @rows(%x: memref<3x10x70xf32>) -> (memref<3x10xf32>, memref<3x10xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %low = arith.constant 0xFF800000 : f32
  %sums = memref.alloc() : memref<3x10xf32>
  %maxima = memref.alloc() : memref<3x10xf32>
  scf.forall (%b, %i) = (0, 0) to (3, 10) step (1, 4) {
    %rows = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
    %w = memref.subview %x[%b, %i, 0] [1, %rows, 70] [1, 1, 1] : memref<3x10x70xf32> to memref<1x?x70xf32, strided<[700, 70, 1], offset: ?>>
    %s = memref.subview %sums[%b, %i] [1, %rows] [1, 1] : memref<3x10xf32> to memref<1x?xf32, strided<[10, 1], offset: ?>>
    %t = memref.subview %maxima[%b, %i] [1, %rows] [1, 1] : memref<3x10xf32> to memref<1x?xf32, strided<[10, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%s : memref<1x?xf32, strided<[10, 1], offset: ?>>)
    linalg.fill ins(%low : f32) outs(%t : memref<1x?xf32, strided<[10, 1], offset: ?>>)
    linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : memref<1x?x70xf32, strided<[700, 70, 1], offset: ?>>) outs(%s : memref<1x?xf32, strided<[10, 1], offset: ?>>) {
    ^bb0(%p: f32, %old: f32):
      %q = arith.mulf %p, %p : f32
      %r = arith.addf %q, %old : f32
      linalg.yield %r : f32
    }
    linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : memref<1x?x70xf32, strided<[700, 70, 1], offset: ?>>) outs(%t : memref<1x?xf32, strided<[10, 1], offset: ?>>) {
    ^bb0(%p: f32, %old: f32):
      %a = math.absf %p : f32
      %is_small = arith.cmpf olt, %a, %half : f32
      %q = arith.select %is_small, %nan, %p : f32
      %r = arith.maxnumf %old, %q : f32
      linalg.yield %r : f32
    }
  } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
  return %sums, %maxima : memref<3x10xf32>, memref<3x10xf32>
}

// The place of the greatest element, a table by places, and a maximum over
// windows: loops inside of elements.
// CASE: loops(x=ints:9x12:f32, table=ints:12:i32, image=ints:2x9x9x5:f32)
// EXPECT: result0 = x.max(1); result1 = x.argmax(1).astype(np.int32); result2 = table[x.argmax(1)]
// EXPECT: result3 = np.max([image[:, i:i+7:2, j:j+7:2] for i in range(3) for j in range(3)], 0)
func.func @loops(%x: memref<9x12xf32>, %table: memref<12xi32>, %image: memref<2x9x9x5xf32>) -> (memref<9xf32>, memref<9xi32>, memref<9xi32>, memref<2x4x4x5xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %values = memref.alloc() : memref<9xf32>
  %places = memref.alloc() : memref<9xi32>
  %found = memref.alloc() : memref<9xi32>
  %pooled = memref.alloc() : memref<2x4x4x5xf32>
  %window = memref.alloc() : memref<3x3xf32>
  scf.forall (%i) = (0) to (9) step (4) {
    %n = affine.min affine_map<(d0) -> (-d0 + 9, 4)>(%i)
    %w = memref.subview %x[%i, 0] [%n, 12] [1, 1] : memref<9x12xf32> to memref<?x12xf32, strided<[12, 1], offset: ?>>
    %v = memref.subview %values[%i] [%n] [1] : memref<9xf32> to memref<?xf32, strided<[1], offset: ?>>
    %p = memref.subview %places[%i] [%n] [1] : memref<9xi32> to memref<?xi32, strided<[1], offset: ?>>
    %f = memref.subview %found[%i] [%n] [1] : memref<9xi32> to memref<?xi32, strided<[1], offset: ?>>
    linalg.fill ins(%low : f32) outs(%v : memref<?xf32, strided<[1], offset: ?>>)
    linalg.fill ins(%none : i32) outs(%p : memref<?xi32, strided<[1], offset: ?>>)
    linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%w : memref<?x12xf32, strided<[12, 1], offset: ?>>) outs(%v, %p : memref<?xf32, strided<[1], offset: ?>>, memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %best: f32, %place: i32):
      %j = linalg.index 1 : index
      %here = arith.index_cast %j : index to i32
      %is_better = arith.cmpf ogt, %a, %best : f32
      %b = arith.select %is_better, %a, %best : f32
      %q = arith.select %is_better, %here, %place : i32
      linalg.yield %b, %q : f32, i32
    }
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : memref<?xi32, strided<[1], offset: ?>>) outs(%f : memref<?xi32, strided<[1], offset: ?>>) {
    ^bb0(%a: i32, %old: i32):
      %j = arith.index_cast %a : i32 to index
      %e = memref.load %table[%j] : memref<12xi32>
      linalg.yield %e : i32
    }
  } {mapping = [#gpu.block<x>]}
  scf.forall (%b, %r, %s, %c) = (0, 0, 0, 0) to (2, 4, 4, 5) step (1, 2, 4, 3) {
    %n = affine.min affine_map<(d0) -> (-d0 + 5, 3)>(%c)
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %in = memref.subview %image[%b, %row, 0, %c] [1, 5, 9, %n] [1, 1, 1, 1] : memref<2x9x9x5xf32> to memref<1x5x9x?xf32, strided<[405, 45, 5, 1], offset: ?>>
    %o = memref.subview %pooled[%b, %r, %s, %c] [1, 2, 4, %n] [1, 1, 1, 1] : memref<2x4x4x5xf32> to memref<1x2x4x?xf32, strided<[80, 20, 5, 1], offset: ?>>
    linalg.fill ins(%low : f32) outs(%o : memref<1x2x4x?xf32, strided<[80, 20, 5, 1], offset: ?>>)
    linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>} ins(%in, %window : memref<1x5x9x?xf32, strided<[405, 45, 5, 1], offset: ?>>, memref<3x3xf32>) outs(%o : memref<1x2x4x?xf32, strided<[80, 20, 5, 1], offset: ?>>)
  } {mapping = [#gpu.block<linear_dim_3>, #gpu.block<linear_dim_2>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
  return %values, %places, %found, %pooled : memref<9xf32>, memref<9xi32>, memref<9xi32>, memref<2x4x4x5xf32>
}

// A permutation of three dimensions.
// CASE: moved(x=ints:6x33x20:f16)
// EXPECT: result0 = x.transpose(2, 0, 1) + np.float16(3)
func.func @moved(%x: memref<6x33x20xf16>) -> memref<20x6x33xf16> {
  %three = arith.constant 3.0 : f16
  %out = memref.alloc() : memref<20x6x33xf16>
  scf.forall (%i, %j, %k) = (0, 0, 0) to (20, 6, 33) step (8, 2, 33) {
    %n = affine.min affine_map<(d0) -> (-d0 + 20, 8)>(%i)
    %w = memref.subview %x[%j, 0, %i] [2, 33, %n] [1, 1, 1] : memref<6x33x20xf16> to memref<2x33x?xf16, strided<[660, 20, 1], offset: ?>>
    %o = memref.subview %out[%i, %j, 0] [%n, 2, 33] [1, 1, 1] : memref<20x6x33xf16> to memref<?x2x33xf16, strided<[198, 33, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, c, a)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : memref<2x33x?xf16, strided<[660, 20, 1], offset: ?>>) outs(%o : memref<?x2x33xf16, strided<[198, 33, 1], offset: ?>>) {
    ^bb0(%p: f16, %old: f16):
      %q = arith.addf %p, %three : f16
      linalg.yield %q : f16
    }
  } {mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  return %out : memref<20x6x33xf16>
}
