// A switch that planning has seen, alone or in a guard: its loop loses the plan,
// so that the next planning finds no half of one. An outer loop keeps its own.

// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-expand-switches' %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-expand-switches,tile-pipeline-planning' %s 2>/dev/null | FileCheck %s --check-prefix=AGAIN

#smem = #gpu.address_space<workgroup>
!A = memref<64x32xbf16, #smem>
!In = memref<?x?xbf16>
!a = !tile.region<64x32xbf16>

// CHECK-LABEL: func.func @guarded
// CHECK: scf.for
// CHECK-NOT: tile.stage
// CHECK: tile.num_stages = 2
// CHECK: tile.stage
// REMARK: plans.mlir:[[#@LINE+14]]:9: remark: [tile-pipeline/no-plan] is rewritten: its loop is planned anew
// AGAIN: tile.copy {{.*}}tile.stage
func.func @guarded(%X: !In, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !A
  %f = tile.alloc : memref<64x32xbf16, #tile.fragment>
  %x = tile.region %X[0, 0] [64, 32] : !In
  scf.for %o = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %is = arith.cmpi ult, %i, %o : index
      scf.if %is {
        // The statement.

        scf.index_switch %i
        case 5 {
          tile.copy %x to %As : !a, !A
          scf.yield
        }
        default {
        }
      }
      tile.copy %As to %f : !A, memref<64x32xbf16, #tile.fragment>
    } {tile.num_stages = 2 : i32}
  } {tile.num_stages = 1 : i32}
  return
}
