// What kernels print, and what stops them.

// RUN: rm -rf %t && mkdir %t
// RUN: tile-compile %s --target=sm_80 -o %t/80 --no-remarks
// RUN: tile-run %t/80/prints.json --emulate 3 | FileCheck %s --check-prefix=PRINT
// RUN: tile-run %t/80/tiles.json --emulate ints:2x3:f16 3 | FileCheck %s --check-prefix=TILES
// RUN: tile-run %t/80/roles.json --emulate 1 | FileCheck %s --check-prefix=ROLES
// RUN: not tile-run %t/80/roles.json --emulate 2 2>&1 | FileCheck %s --check-prefix=ROLE-ASSERT
// RUN: tile-run %t/80/asserts.json --emulate 4
// RUN: not tile-run %t/80/asserts.json --emulate 3 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: tile-compile %s --target=sm_90a -o %t/90 --no-remarks
// RUN: tile-run %t/90/tiles.json --emulate ints:2x3:f16 3 | FileCheck %s --check-prefix=TILES
// RUN: tile-run %t/90/roles.json --emulate 1 | FileCheck %s --check-prefix=ROLES
// RUN: not tile-run %t/90/roles.json --emulate 2 2>&1 | FileCheck %s --check-prefix=ROLE-ASSERT
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

// Tiles of any rank and type: one line per element, whoever holds it; two blocks.
// TILES-DAG: f: 0 0 -1
// TILES-DAG: f: 1 2 4
// TILES-DAG: b: 0 0 0 1
// TILES-DAG: b: 0 0 1 0
// TILES-DAG: b: 1 1 1 1
// TILES-DAG: s: 0 1 {{-?[0-2]$}}
// TILES-DAG: block: 0 -9223372036854775808 1.5e+300 65504
// TILES-DAG: block: 1 -9223372036854775808 1.5e+300 65504
func.func @tiles(%A: memref<2x3xf16>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c96 = arith.constant 96 : index
  %least = arith.constant -9223372036854775808 : i64
  %large = arith.constant 1.5e300 : f64
  %half = arith.constant 65504.0 : f16
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<2x3xbf16, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<2x3xi8, #tile.fragment>
    %b = tile.alloc : memref<2x2x2xi1, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [2, 3] : memref<2x3xf16>
    tile.copy %a to %s : !tile.region<2x3xf16>, memref<2x3xbf16, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [2, 3] {
      %x = arith.muli %i, %n : index
      %y = arith.addi %x, %j : index
      %z = arith.subi %y, %c1 : index
      %v = arith.index_cast %z : index to i8
      memref.store %v, %f[%i, %j] : memref<2x3xi8, #tile.fragment>
    }
    tile.parallel (%i, %j, %k) in [2, 2, 2] {
      %q = arith.cmpi eq, %i, %k : index
      memref.store %q, %b[%i, %j, %k] : memref<2x2x2xi1, #gpu.address_space<workgroup>>
    }
    tile.print "s"(%s : memref<2x3xbf16, #gpu.address_space<workgroup>>)
    tile.print "f"(%f : memref<2x3xi8, #tile.fragment>)
    tile.print "b"(%b : memref<2x2x2xi1, #gpu.address_space<workgroup>>)
    tile.print "block"(%bx, %least, %large, %half : index, i64, f64, f16)
    gpu.terminator
  }
  return
}

// One line per role and per round of its loop; an assertion of one role.
// ROLES-DAG: counts: 0
// ROLES-DAG: holds: 3 6
// ROLE-ASSERT: n is too large
func.func @roles(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    tile.specialize {
      tile.role "counts" warps 1 {
        scf.for %i = %c0 to %n step %c1 {
          tile.print "counts"(%i : index)
        }
      }
      tile.role "holds" warps 2 {
        %f = tile.alloc : memref<4xi32, #tile.fragment>
        tile.parallel (%i) in [4] {
          %x = arith.muli %i, %c2 : index
          %v = arith.index_cast %x : index to i32
          memref.store %v, %f[%i] : memref<4xi32, #tile.fragment>
        }
        tile.print "holds"(%f : memref<4xi32, #tile.fragment>)
        %fits = arith.cmpi ult, %n, %c2 : index
        tile.assert %fits, "n is too large"
      }
    }
    gpu.terminator
  }
  return
}
