// What kernels print, and what stops them.

// RUN: rm -rf %t && mkdir %t
// RUN: tile-compile %s --target=sm_80 -o %t/80 --no-remarks
// RUN: tile-run %t/80/prints.json --emulate 3 | FileCheck %s --check-prefix=PRINT
// RUN: tile-run %t/80/asserts.json --emulate 4
// RUN: not tile-run %t/80/asserts.json --emulate 3 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: tile-compile %s --target=sm_90a -o %t/90 --no-remarks
// RUN: tile-run %t/90/prints.json --emulate 3 | FileCheck %s --check-prefix=PRINT
// RUN: not tile-run %t/90/asserts.json --emulate 3 2>&1 | FileCheck %s --check-prefix=ASSERT

// One line per block; one line per element in a loop, also where several
// threads run it.
// PRINT: 100% of it
// PRINT: values: 3 2.5 -7 1 0.25
// PRINT-DAG: element: 0 0
// PRINT-DAG: element: 1 3
// PRINT-DAG: element: 2 6
// PRINT-NOT: element
func.func @prints(%n: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %f = arith.constant 2.5 : f32
  %i = arith.constant -7 : i8
  %yes = arith.constant true
  %h = arith.constant 0.25 : f8E4M3FN
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    tile.print "100% of it"
    tile.print "values"(%n, %f, %i, %yes, %h : index, f32, i8, i1, f8E4M3FN)
    tile.parallel (%k) in [3] {
      %m = arith.muli %k, %n : index
      tile.print "element"(%k, %m : index, index)
    } {layout = #tile.layout<"bases<reg=(d0:1*3), lane=(0*32), warp=() -> d0:3>">}
    gpu.terminator
  }
  return
}

// ASSERT: an element is out of range
func.func @asserts(%n: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %some = arith.cmpi ne, %n, %c1 : index
    tile.assert %some, "one is too few"
    tile.parallel (%k) in [4] {
      %in = arith.cmpi ult, %k, %n : index
      tile.assert %in, "an element is out of range"
    }
    gpu.terminator
  }
  return
}
