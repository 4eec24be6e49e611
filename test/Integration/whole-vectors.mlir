// Copies between fragments and tensors of any width. Where rows, and where they
// begin, are multiples of 16 bytes, vectors of 16 bytes move, each under its own
// condition, and there is no other form; else the kernel that looks at run time
// does it.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --seeds=1 --out=%t
// RUN: FileCheck %s --check-prefix=WIDE < %t/sm_90a/add_row.ptx
// WIDE-COUNT-3: @%p{{[0-9]+}} ld.global.v4.b32
// WIDE-NOT: ld.global.b16
// WIDE: @%p{{[0-9]+}} st.global.v4.b32
// WIDE-NOT: st.global.b16
// WIDE: .visible .entry
// WIDE: ld.global.b16

!tensor = memref<?x?xbf16, strided<[?, 1], offset: ?>>
!wide = memref<2x512xf32, #tile.fragment>
!row = memref<512xf32, #tile.fragment>

// CASE: add_row(X=ints:5x512:bf16, w=ints:512:bf16, Y=junk:5x512:bf16)
// CASE: add_row(X=ints:5x200:bf16, w=ints:200:bf16, Y=junk:5x200:bf16)
// CASE: add_row(X=ints:5x200:bf16@256, w=ints:200:bf16, Y=junk:5x200:bf16@208)
// CASE: add_row(X=ints:5x8:bf16, w=ints:8:bf16, Y=junk:5x8:bf16)
// CASE: add_row(X=ints:5x204:bf16@256, w=ints:204:bf16, Y=junk:5x204:bf16@208)
// CASE: add_row(X=ints:4x200:bf16@201, w=ints:200:bf16, Y=junk:4x200:bf16)
// CASE: add_row(X=ints:5x200:bf16, w=ints:200:bf16@1+1, Y=junk:5x200:bf16)
// CASE: add_row(X=ints:5x37:bf16, w=ints:37:bf16, Y=junk:5x37:bf16)
// EXPECT: Y = round_to(X.astype(np.float32) + w, 'bf16')
func.func @add_row(%X: !tensor, %w: memref<?xbf16>, %Y: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %count = memref.dim %X, %c0 : !tensor
  %gx = arith.ceildivui %count, %c2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c2 : index
    %F = tile.alloc : !wide
    %R = tile.alloc : !row
    %x = tile.region %X[%m, 0] [2, 512] : !tensor
    %r = tile.region %w[0] [512] : memref<?xbf16>
    %y = tile.region %Y[%m, 0] [2, 512] : !tensor
    tile.copy %x to %F : !tile.region<2x512xbf16>, !wide
    tile.copy %r to %R : !tile.region<512xbf16>, !row
    tile.parallel (%i, %j) in [2, 512] {
      %a = memref.load %F[%i, %j] : !wide
      %b = memref.load %R[%j] : !row
      %s = arith.addf %a, %b : f32
      memref.store %s, %F[%i, %j] : !wide
    }
    tile.copy %F to %y : !wide, !tile.region<2x512xbf16>
    gpu.terminator
  }
  return
}
