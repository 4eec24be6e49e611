// RUN: tile-opt %s --tile-expand-switches | FileCheck %s
// RUN: tile-opt %s --tile-expand-switches -o %t.once.mlir
// RUN: tile-opt %t.once.mlir --tile-expand-switches | diff %t.once.mlir -

#smem = #gpu.address_space<workgroup>
!A = memref<64x32xbf16, #smem>
!In = memref<?x?xbf16>
!a = !tile.region<64x32xbf16>

// Cases in their order; the default is the last else, and an empty one is none. The
// copy after the switch and the switch inside keep their places.
// CHECK-LABEL: func.func @copies
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c5
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: tile.copy %[[X:.*]] to
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[I]], %c2
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK: %[[INNER:.*]] = arith.cmpi eq, %arg{{[0-9]+}}, %c1
// CHECK-NEXT: scf.if %[[INNER]] {
// CHECK-NEXT: tile.copy %[[Y:.*]] to
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: tile.copy %[[Y]] to
func.func @copies(%X: !In, %Y: !In, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %As = tile.alloc : !A
  %x = tile.region %X[0, 0] [64, 32] : !In
  %y = tile.region %Y[0, 0] [64, 32] : !In
  scf.for %i = %c0 to %n step %c1 {
    scf.index_switch %i
    case 5 {
      tile.copy %x to %As : !a, !A
      scf.yield
    }
    case 2 {
      scf.index_switch %n
      case 1 {
        tile.copy %y to %As : !a, !A
        scf.yield
      }
      default {
      }
      scf.yield
    }
    default {
    }
    tile.copy %y to %As : !a, !A
  } {tile.num_stages = 2 : i32}
  return
}

// A pipelined loop in a case; what the cases yield is yielded by each else.
// CHECK-LABEL: func.func @results
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (index, f32) {
// CHECK: scf.for
// CHECK: scf.yield %c1, %[[A:.*]] : index, f32
// CHECK: } else {
// CHECK: %[[S:.*]]:2 = scf.if %{{.*}} -> (index, f32) {
// CHECK: scf.yield %c2, %[[A]] : index, f32
// CHECK: } else {
// CHECK: scf.yield %c3, %[[B:.*]] : index, f32
// CHECK: }
// CHECK: scf.yield %[[S]]#0, %[[S]]#1 : index, f32
// CHECK: }
// CHECK: memref.store %[[R]]#1, %{{.*}}[%[[R]]#0]
func.func @results(%X: !In, %Z: memref<4xf32>, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %As = tile.alloc : !A
  %x = tile.region %X[0, 0] [64, 32] : !In
  %r:2 = scf.index_switch %n -> index, f32
  case 0 {
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %x to %As : !a, !A
    } {tile.num_stages = 2 : i32}
    scf.yield %c1, %a : index, f32
  }
  case 7 {
    scf.yield %c2, %a : index, f32
  }
  default {
    scf.yield %c3, %b : index, f32
  }
  memref.store %r#1, %Z[%r#0] : memref<4xf32>
  return
}

// Nothing is pipelined here, and nothing copied there.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: scf.index_switch
// CHECK-NOT: scf.if
func.func @kept(%X: !In, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %As = tile.alloc : !A
  %x = tile.region %X[0, 0] [64, 32] : !In
  scf.index_switch %n
  case 0 {
    tile.copy %x to %As : !a, !A
    scf.yield
  }
  default {
  }
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %x to %As : !a, !A
    scf.index_switch %n
    case 0 {
      tile.fill %As, %zero : !A, bf16
      scf.yield
    }
    default {
    }
  } {tile.num_stages = 2 : i32}
  return
}
