// Prints and assertions of pipelined loops happen once per iteration, for
// iterations that exist, in their order; with roles and without.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && sed 's/threads(.*) in (.*) {$/&\n    tile.kernel_config {specialize = #tile.specialize<off>}/' %s > %t/alone.mlir
// RUN: grep -q kernel_config %t/alone.mlir
// RUN: tile-compile %s --target=sm_90a -o %t/roles --no-remarks
// RUN: tile-compile %t/alone.mlir --target=sm_90a -o %t/hopper --no-remarks
// RUN: tile-compile %t/alone.mlir --target=sm_80 -o %t/ampere --no-remarks
// RUN: tile-run %t/roles/counted.json ones:40x32:f32 zeros:40x32:f32 5 --emulate --seed=1 | FileCheck %s --check-prefix=FIVE
// RUN: tile-run %t/hopper/counted.json ones:40x32:f32 zeros:40x32:f32 5 --emulate --seed=2 | FileCheck %s --check-prefix=FIVE
// RUN: tile-run %t/ampere/counted.json ones:40x32:f32 zeros:40x32:f32 5 --emulate --seed=3 | FileCheck %s --check-prefix=FIVE
// RUN: tile-run %t/roles/counted.json ones:40x32:f32 zeros:40x32:f32 0 --emulate --seed=1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: tile-run %t/ampere/counted.json ones:40x32:f32 zeros:40x32:f32 0 --emulate --seed=1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: tile-run %t/roles/decided.json ones:40x32:f32 zeros:40x32:f32 3 --emulate --seed=1 | FileCheck %s --check-prefix=THREE
// RUN: tile-run %t/hopper/decided.json ones:40x32:f32 zeros:40x32:f32 3 --emulate --seed=2 | FileCheck %s --check-prefix=THREE
// RUN: tile-run %t/ampere/decided.json ones:40x32:f32 zeros:40x32:f32 3 --emulate --seed=3 | FileCheck %s --check-prefix=THREE

#smem = #gpu.address_space<workgroup>
!In = memref<40x32xf32>
!Row = !tile.region<32xf32>
!Tile = memref<32xf32, #smem>

// FIVE-NOT: row
// FIVE: row: 0 1
// FIVE-NEXT: even: 0
// FIVE-NEXT: row: 1 1
// FIVE-NEXT: row: 2 1
// FIVE-NEXT: even: 2
// FIVE-NEXT: row: 3 1
// FIVE-NEXT: row: 4 1
// FIVE-NEXT: even: 4
// FIVE-NOT: {{row|even}}
// NONE-NOT: {{row|even}}
// CASE: counted(A=ones:40x32:f32, O=zeros:40x32:f32, n=9)
func.func @counted(%A: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    scf.for %i = %c0 to %n step %c1 {
      %exists = arith.cmpi ult, %i, %n : index
      tile.assert %exists, "there is such an iteration"
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      %first = memref.load %S[%c0] : !Tile
      tile.print "row"(%i, %first : index, f32)
      %m = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %m, %c0 : index
      scf.if %even {
        tile.print "even"(%i : index)
      }
      tile.copy %S to %o : !Tile, !Row
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

// THREE-NOT: turn
// THREE: turn: 0 1
// THREE-NEXT: turn: 1 1
// THREE-NEXT: turn: 2 1
// THREE-NOT: turn
// CASE: decided(A=ones:40x32:f32, O=zeros:40x32:f32, n=9)
func.func @decided(%A: !In, %O: !In, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !Tile
    %end = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %exists = arith.cmpi ult, %i, %n : index
      tile.assert %exists, "there is such an iteration"
      %a = tile.region %A[%i, 0] [1, 32] drop [0] : !In
      %o = tile.region %O[%i, 0] [1, 32] drop [0] : !In
      tile.copy %a to %S : !Row, !Tile
      %first = memref.load %S[%c0] : !Tile
      tile.print "turn"(%i, %first : index, f32)
      tile.copy %S to %o : !Tile, !Row
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    } attributes {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}
