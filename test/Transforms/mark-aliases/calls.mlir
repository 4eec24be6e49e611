// RUN: %tile_opt_passes 'tile-mark-aliases' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-mark-aliases,tile-mark-aliases' %s | FileCheck %s

!tensor = memref<64xf32>

// The kernel writes O. Somebody calls this with one tensor as A and O.
// CHECK: func.func private @scale(%{{.*}}: memref<64xf32> {{{.*}}tile.may_alias{{.*}}}, %{{[a-z0-9]+}}: memref<64xf32>{{( {tile.name = "B"})?}}, %{{.*}}: memref<64xf32> {{{.*}}tile.may_alias{{.*}}})
func.func private @scale(%A: !tensor, %B: !tensor, %O: !tensor) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a = memref.load %A[%tx] : !tensor
    %b = memref.load %B[%tx] : !tensor
    %c = arith.mulf %a, %b : f32
    memref.store %c, %O[%tx] : !tensor
    gpu.terminator
  }
  return
}

// Neither is written.
// CHECK: func.func private @reads
// CHECK-NOT: tile.may_alias
// CHECK-SAME: {
func.func private @reads(%A: !tensor, %B: !tensor) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : !tensor
  return %n : index
}

// What hands its arguments on may write them.
// CHECK: func.func private @through(%{{.*}}: memref<64xf32> {{{.*}}tile.may_alias{{.*}}}, %{{.*}}: memref<64xf32> {{{.*}}tile.may_alias{{.*}}})
func.func private @through(%A: !tensor, %B: !tensor) {
  %W = memref.alloc() : !tensor
  func.call @scale(%A, %W, %B) : (!tensor, !tensor, !tensor) -> ()
  memref.dealloc %W : !tensor
  return
}

// Arguments and workspaces are apart; a tensor and a view of it are not.
// CHECK: func.func @caller
// CHECK-NOT: tile.may_alias
// CHECK-SAME: {
func.func @caller(%A: !tensor) {
  %W = memref.alloc() : !tensor
  func.call @scale(%W, %A, %W) : (!tensor, !tensor, !tensor) -> ()
  %n = func.call @reads(%A, %A) : (!tensor, !tensor) -> index
  %v = memref.cast %A : !tensor to memref<?xf32>
  %w = memref.cast %v : memref<?xf32> to !tensor
  func.call @through(%A, %w) : (!tensor, !tensor) -> ()
  memref.dealloc %W : !tensor
  return
}
