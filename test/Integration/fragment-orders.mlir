// Given layouts: registers in another order than the elements of a vector, and
// fragments that overhang their tile.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=2

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
#across = #tile.layout<"bases<reg=(d1:1*2, d0:1*4), lane=(d1:2*16, d0:4*2), warp=(d0:8*2) -> d0:16, d1:32>">
#columns = #tile.layout<"bases<d0=(o:1*16), d1=(o:16*32) -> o:512>">
#down = #tile.layout<"bases<reg=(d0:1*2, d1:1*4), lane=(d1:4*8, d0:2*4), warp=(d0:8*2) -> d0:16, d1:32>">

// Registers go along rows first, shared memory along columns: loads and stores
// are vectors of registers that are no neighbours.
// CASE: order(A=count:16x32:f32, B=junk:16x32:f32, C=junk:16x32:f32)
// EXPECT: B = A; C = A + 1
func.func @order(%A: memref<16x32xf32>, %B: memref<16x32xf32>, %C: memref<16x32xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %f = tile.alloc {layout = #across} : memref<16x32xf32, #fragment>
    %g = tile.alloc {layout = #across} : memref<16x32xf32, #fragment>
    %s = tile.alloc {layout = #columns} : memref<16x32xf32, #shared>
    %t = tile.alloc {layout = #columns} : memref<16x32xf32, #shared>
    tile.copy %A to %f : memref<16x32xf32>, memref<16x32xf32, #fragment>
    tile.copy %f to %s : memref<16x32xf32, #fragment>, memref<16x32xf32, #shared>
    tile.parallel (%i, %j) in [16, 32] {
      %x = memref.load %f[%i, %j] : memref<16x32xf32, #fragment>
      %y = arith.addf %x, %one : f32
      memref.store %y, %t[%i, %j] : memref<16x32xf32, #shared>
    }
    tile.copy %s to %g : memref<16x32xf32, #shared>, memref<16x32xf32, #fragment>
    tile.copy %g to %B : memref<16x32xf32, #fragment>, memref<16x32xf32>
    tile.copy %t to %g : memref<16x32xf32, #shared>, memref<16x32xf32, #fragment>
    tile.copy %g to %C : memref<16x32xf32, #fragment>, memref<16x32xf32>
    gpu.terminator
  }
  return
}

// The other way round: updates of a tensor come in vectors.
// CASE: updates(A=count:16x32:f32, B=ints:16x32:f32, C=ints:16x32:f16)
// EXPECT: B = A + B; C = A + C
func.func @updates(%A: memref<16x32xf32>, %B: memref<16x32xf32>, %C: memref<16x32xf16>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %f = tile.alloc {layout = #down} : memref<16x32xf32, #fragment>
    tile.copy %A to %f : memref<16x32xf32>, memref<16x32xf32, #fragment>
    tile.atomic add %f to %B : memref<16x32xf32, #fragment>, memref<16x32xf32>
    tile.atomic add %f to %C : memref<16x32xf32, #fragment>, memref<16x32xf16>
    gpu.terminator
  }
  return
}

// 16 values for 13 rows and 48 for 40 columns; the layout of the loop is given,
// too, and another one: the fragment is converted.
// CASE: overhang(A=ints:13x40:f32, R=ints:13:f32, B=junk:13x40:f32, C=junk:13:f32)
// EXPECT: B = A * 2 + R[:, None]; C = R + A.sum(axis=1)
func.func @overhang(%A: memref<13x40xf32>, %R: memref<13xf32>, %B: memref<13x40xf32>, %C: memref<13xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d1:16*3, d0:8*2), lane=(d1:4*4, d0:1*8), warp=(0*2) -> d0:13, d1:40>">}
        : memref<13x40xf32, #fragment>
    %r = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*16, 0*2), warp=(0*2) -> d0:13>">} : memref<13xf32, #fragment>
    tile.copy %A to %f : memref<13x40xf32>, memref<13x40xf32, #fragment>
    tile.copy %R to %r : memref<13xf32>, memref<13xf32, #fragment>
    tile.parallel (%i, %j) in [13, 40] {
      %x = memref.load %f[%i, %j] : memref<13x40xf32, #fragment>
      %y = memref.load %r[%i] : memref<13xf32, #fragment>
      %t = arith.addf %x, %x : f32
      %z = arith.addf %t, %y : f32
      memref.store %z, %B[%i, %j] : memref<13x40xf32>
    } {layout = #tile.layout<"bases<reg=(d0:1*8, d1:32*2), lane=(d1:1*32), warp=(d0:8*2) -> d0:13, d1:40>">}
    tile.reduce sum %f to %r dim 1 : memref<13x40xf32, #fragment>, memref<13xf32, #fragment>
    tile.copy %r to %C : memref<13xf32, #fragment>, memref<13xf32>
    gpu.terminator
  }
  return
}

// 24 columns are 2 * 2 * 3 * 2 in the fragment and 3 * 2 * 2 * 2 rows in the shared
// tile: digits that do not meet. Elements are found by their coordinates.
// CASE: digits(A=count:8x24:i16, B=junk:24x8:i16, C=junk:8x24:i16)
// EXPECT: B = A.T; C = A
func.func @digits(%A: memref<8x24xi16>, %B: memref<24x8xi16>, %C: memref<8x24xi16>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:4*3, d1:12), lane=(d1:2, d1:1^d1:2, d0:2, d0:4, d0:1), warp=(0*3) -> d0:8, d1:24>">} : memref<8x24xi16, #fragment>
    %s = tile.alloc {layout = #tile.layout<"bases<d0=(o:16*3, o:8, o:1, o:48), d1=(o:2, o:96, o:4) -> o:192>">} : memref<24x8xi16, #shared>
    %g = tile.alloc {layout = #tile.layout<"bases<reg=(d1:4*3, d1:12), lane=(d1:2, d1:1^d1:2, d0:2, d0:4, d0:1), warp=(0*3) -> d0:8, d1:24>">} : memref<8x24xi16, #fragment>
    tile.copy %A to %f : memref<8x24xi16>, memref<8x24xi16, #fragment>
    tile.transpose %f to %s : memref<8x24xi16, #fragment>, memref<24x8xi16, #shared>
    tile.copy %s to %B : memref<24x8xi16, #shared>, memref<24x8xi16>
    tile.transpose %s to %g : memref<24x8xi16, #shared>, memref<8x24xi16, #fragment>
    tile.copy %g to %C : memref<8x24xi16, #fragment>, memref<8x24xi16>
    gpu.terminator
  }
  return
}

// Columns 6 and 7 do not exist, and have the offsets of the next row: they are
// no parts of its vectors.
// CASE: aliases(A=count:2x6:f32, B=junk:2x6:f32)
// EXPECT: B = A
func.func @aliases(%A: memref<2x6xf32>, %B: memref<2x6xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*2, d1:1*8), lane=(0*32), warp=() -> d0:2, d1:6>">} : memref<2x6xf32, #fragment>
    %g = tile.alloc {layout = #tile.layout<"bases<reg=(d0:1*2, d1:1*8), lane=(0*32), warp=() -> d0:2, d1:6>">} : memref<2x6xf32, #fragment>
    %s = tile.alloc {layout = #tile.layout<"linear">} : memref<2x6xf32, #shared>
    tile.copy %A to %f : memref<2x6xf32>, memref<2x6xf32, #fragment>
    tile.copy %f to %s : memref<2x6xf32, #fragment>, memref<2x6xf32, #shared>
    tile.copy %s to %g : memref<2x6xf32, #shared>, memref<2x6xf32, #fragment>
    tile.copy %g to %B : memref<2x6xf32, #fragment>, memref<2x6xf32>
    gpu.terminator
  }
  return
}

// From private arrays of the threads.
// CASE: arrays(B=junk:13x3:i32)
// EXPECT: B = np.full((13, 3), 5)
func.func @arrays(%B: memref<13x3xi32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %five = arith.constant 5 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %p = tile.alloc : memref<13x3xi32, #gpu.address_space<private>>
    %f = tile.alloc : memref<13x3xi32, #fragment>
    tile.fill %p, %five : memref<13x3xi32, #gpu.address_space<private>>, i32
    tile.copy %p to %f : memref<13x3xi32, #gpu.address_space<private>>, memref<13x3xi32, #fragment>
    tile.copy %f to %B : memref<13x3xi32, #fragment>, memref<13x3xi32>
    gpu.terminator
  }
  return
}

// Every body runs once for an element: assertions of those that do not exist
// would fail, and private arrays of bodies hold what they should.
// CASE: bodies(A=ones:5x7:i32, B=junk:5x7:i32)
// EXPECT: B = A + 3
func.func @bodies(%A: memref<5x7xi32>, %B: memref<5x7xi32>) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<5x7xi32, #fragment>
    tile.copy %A to %f : memref<5x7xi32>, memref<5x7xi32, #fragment>
    tile.parallel (%i, %j) in [5, 7] {
      %three = arith.constant 3 : i32
      %row = arith.cmpi ult, %i, %c5 : index
      %column = arith.cmpi ult, %j, %c7 : index
      tile.assert %row, "a row that is none"
      tile.assert %column, "a column that is none"
      %x = memref.load %f[%i, %j] : memref<5x7xi32, #fragment>
      %q = arith.divsi %three, %x : i32
      %y = arith.addi %x, %q : i32
      memref.store %y, %B[%i, %j] : memref<5x7xi32>
    }
    gpu.terminator
  }
  return
}
