// Rasterised block ids: every block writes its linear id where it is sent, which is
// compared with the definition; a map that is no bijection leaves gaps.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=1

// CASE: rows(A=junk:7x5:i32)
// CASE: rows(A=junk:1x9:i32)
// CASE: rows(A=junk:9x1:i32)
// CASE: rows(A=junk:1x1:i32)
// CASE: rows(A=junk:8x6:i32)
// EXPECT: gy, gx = A.shape; width, height = (gx, gy)
// EXPECT: for l in range(gx * gy):
// EXPECT:   number, inside = divmod(l, width * 3); first = number * 3
// EXPECT:   rows = min(3, height - first); c, r = divmod(inside, rows)
// EXPECT:   y, x = (first + r, c); A[y, x] = l
func.func @rows(%A: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %x, %y = tile.block_swizzle %bx, %by of %sx, %sy {panel = 3 : i64, raster = #tile.raster<row>}
    %row = arith.muli %by, %sx : index
    %l = arith.addi %row, %bx : index
    %v = arith.index_cast %l : index to i32
    memref.store %v, %A[%y, %x] : memref<?x?xi32>
    gpu.terminator
  }
  return
}

// CASE: columns(A=junk:7x5:i32)
// CASE: columns(A=junk:1x9:i32)
// CASE: columns(A=junk:9x1:i32)
// CASE: columns(A=junk:1x1:i32)
// CASE: columns(A=junk:8x6:i32)
// EXPECT: gy, gx = A.shape; width, height = (gy, gx)
// EXPECT: for l in range(gx * gy):
// EXPECT:   number, inside = divmod(l, width * 2); first = number * 2
// EXPECT:   rows = min(2, height - first); c, r = divmod(inside, rows)
// EXPECT:   y, x = (c, first + r); A[y, x] = l
func.func @columns(%A: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %x, %y = tile.block_swizzle %bx, %by of %sx, %sy {panel = 2 : i64, raster = #tile.raster<column>}
    %row = arith.muli %by, %sx : index
    %l = arith.addi %row, %bx : index
    %v = arith.index_cast %l : index to i32
    memref.store %v, %A[%y, %x] : memref<?x?xi32>
    gpu.terminator
  }
  return
}

// CASE: snake(A=junk:7x5:i32)
// CASE: snake(A=junk:1x9:i32)
// CASE: snake(A=junk:9x1:i32)
// CASE: snake(A=junk:1x1:i32)
// CASE: snake(A=junk:8x6:i32)
// EXPECT: gy, gx = A.shape; width, height = (gx, gy)
// EXPECT: for l in range(gx * gy):
// EXPECT:   number, inside = divmod(l, width * 3); first = number * 3
// EXPECT:   rows = min(3, height - first); c, r = divmod(inside, rows)
// EXPECT:   c = width - 1 - c if number % 2 else c
// EXPECT:   y, x = (first + r, c); A[y, x] = l
func.func @snake(%A: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %x, %y = tile.block_swizzle %bx, %by of %sx, %sy {panel = 3 : i64, raster = #tile.raster<row>, serpentine}
    %row = arith.muli %by, %sx : index
    %l = arith.addi %row, %bx : index
    %v = arith.index_cast %l : index to i32
    memref.store %v, %A[%y, %x] : memref<?x?xi32>
    gpu.terminator
  }
  return
}

// CASE: snake_columns(A=junk:7x5:i32)
// CASE: snake_columns(A=junk:1x9:i32)
// CASE: snake_columns(A=junk:9x1:i32)
// CASE: snake_columns(A=junk:1x1:i32)
// CASE: snake_columns(A=junk:8x6:i32)
// EXPECT: gy, gx = A.shape; width, height = (gy, gx)
// EXPECT: for l in range(gx * gy):
// EXPECT:   number, inside = divmod(l, width * 4); first = number * 4
// EXPECT:   rows = min(4, height - first); c, r = divmod(inside, rows)
// EXPECT:   c = width - 1 - c if number % 2 else c
// EXPECT:   y, x = (c, first + r); A[y, x] = l
func.func @snake_columns(%A: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %x, %y = tile.block_swizzle %bx, %by of %sx, %sy {panel = 4 : i64, raster = #tile.raster<column>, serpentine}
    %row = arith.muli %by, %sx : index
    %l = arith.addi %row, %bx : index
    %v = arith.index_cast %l : index to i32
    memref.store %v, %A[%y, %x] : memref<?x?xi32>
    gpu.terminator
  }
  return
}

// CASE: single(A=junk:7x5:i32)
// CASE: single(A=junk:1x9:i32)
// CASE: single(A=junk:9x1:i32)
// CASE: single(A=junk:1x1:i32)
// CASE: single(A=junk:8x6:i32)
// EXPECT: gy, gx = A.shape; width, height = (gx, gy)
// EXPECT: for l in range(gx * gy):
// EXPECT:   number, inside = divmod(l, width * 1); first = number * 1
// EXPECT:   rows = min(1, height - first); c, r = divmod(inside, rows)
// EXPECT:   c = width - 1 - c if number % 2 else c
// EXPECT:   y, x = (first + r, c); A[y, x] = l
func.func @single(%A: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %m, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %x, %y = tile.block_swizzle %bx, %by of %sx, %sy {panel = 1 : i64, raster = #tile.raster<row>, serpentine}
    %row = arith.muli %by, %sx : index
    %l = arith.addi %row, %bx : index
    %v = arith.index_cast %l : index to i32
    memref.store %v, %A[%y, %x] : memref<?x?xi32>
    gpu.terminator
  }
  return
}
