// Switches of host functions: of those that launch, that call what does, and of
// helpers that compute what a launch needs.
// RUN: %tile_opt_passes 'tile-expand-switches' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-expand-switches' %s > %t.mlir
// RUN: %tile_opt_passes 'tile-expand-switches' %t.mlir | diff - %t.mlir

// CHECK-LABEL: func.func private @launches
// CHECK: scf.if
// CHECK-NOT: scf.index_switch
func.func private @launches(%n: index, %A: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  scf.index_switch %n
  case 2 {
    gpu.launch blocks(%b, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%t, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
      gpu.terminator
    }
    scf.yield
  }
  default {
  }
  return
}

// CHECK-LABEL: func.func @calls
// CHECK: scf.if
// CHECK-NOT: scf.index_switch
func.func @calls(%n: index, %A: memref<4xf32>) {
  %m = call @counts(%n) : (index) -> index
  scf.index_switch %n
  case 1 {
    func.call @launches(%m, %A) : (index, memref<4xf32>) -> ()
    scf.yield
  }
  default {
  }
  return
}

// CHECK-LABEL: func.func private @counts
// CHECK: scf.if
// CHECK-NOT: scf.index_switch
func.func private @counts(%n: index) -> index {
  %c2 = arith.constant 2 : index
  %m = scf.index_switch %n -> index
  case 1 {
    scf.yield %c2 : index
  }
  default {
    scf.yield %n : index
  }
  return %m : index
}

// Nobody launches, and nobody else in the file can call it.
// CHECK-LABEL: func.func @alone
// CHECK: scf.index_switch
func.func @alone(%n: index, %A: memref<4xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  scf.index_switch %n
  case 1 {
    memref.store %x, %A[%c1] : memref<4xf32>
    scf.yield
  }
  default {
  }
  return
}
