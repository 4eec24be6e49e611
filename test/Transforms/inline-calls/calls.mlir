// What kernels call becomes part of them; host functions are left alone.

// RUN: %tile_opt_passes 'tile-inline-calls' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-inline-calls' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

func.func private @inner(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
func.func private @outer(%A: memref<64xf32>, %i: index, %x: f32) {
  %y = func.call @inner(%x) : (f32) -> f32
  memref.store %y, %A[%i] : memref<64xf32>
  return
}

// Also what is called in turn, and in a loop.
// CHECK-LABEL: func.func @nested
// CHECK: gpu.launch
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: %[[Y:.*]] = arith.addf
// CHECK: memref.store %[[Y]]
// CHECK: gpu.terminator
func.func @nested(%A: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    scf.for %i = %c0 to %c64 step %c1 {
      func.call @outer(%A, %i, %x) : (memref<64xf32>, index, f32) -> ()
    }
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @host
// CHECK: call @inner
func.func @host(%x: f32) -> f32 {
  %y = func.call @inner(%x) : (f32) -> f32
  return %y : f32
}

func.func private @again(%n: i32) -> i32 {
  %m = func.call @and_again(%n) : (i32) -> i32
  return %m : i32
}
func.func private @and_again(%n: i32) -> i32 {
  %m = func.call @again(%n) : (i32) -> i32
  return %m : i32
}
func.func private @no_body(%n: i32) -> i32
func.func private @not_inline(%n: i32) -> i32 attributes {no_inline} {
  return %n : i32
}
func.func private @blocks(%n: i32) -> i32 {
  cf.br ^end
^end:
  return %n : i32
}

// What stays a call: recursion, no body, `no_inline` on the function or the call,
// several blocks inside of a loop. Outside of one they are inlined.
// CHECK-LABEL: gpu.func @kept
// CHECK: call @again
// CHECK: call @no_body
// CHECK: call @not_inline
// CHECK: call @inner(%{{.*}}) {no_inline}
// CHECK-NOT: call @blocks
// CHECK: cf.br
// CHECK: scf.for
// CHECK: call @blocks
gpu.module @m {
  func.func private @again(%n: i32) -> i32 {
    %m = func.call @and_again(%n) : (i32) -> i32
    return %m : i32
  }
  func.func private @and_again(%n: i32) -> i32 {
    %m = func.call @again(%n) : (i32) -> i32
    return %m : i32
  }
  gpu.func @kept(%n: i32, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %a = func.call @again(%n) : (i32) -> i32
    %b = func.call @no_body(%n) : (i32) -> i32
    %c = func.call @not_inline(%n) : (i32) -> i32
    %d = func.call @inner(%x) {no_inline} : (f32) -> f32
    %e = func.call @blocks(%n) : (i32) -> i32
    scf.for %i = %c0 to %c8 step %c1 {
      %f = func.call @blocks(%n) : (i32) -> i32
    }
    gpu.return
  }
  func.func private @no_body(%n: i32) -> i32
  func.func private @not_inline(%n: i32) -> i32 attributes {no_inline} {
    return %n : i32
  }
  func.func private @inner(%x: f32) -> f32 {
    return %x : f32
  }
  func.func private @blocks(%n: i32) -> i32 {
    cf.br ^end
  ^end:
    return %n : i32
  }
}
