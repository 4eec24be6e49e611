// What a message says of ops and of itself.
// RUN: rm -rf %t && split-file %s %t && cd %t

// An op that nobody wrote is told from the statement that it was made of.
// RUN: not tile-compile made.mlir -o out 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: made.mlir:3:3: error: 'gpu.func' op has an attribution without a static shape
// MADE-NEXT: gpu.launch
// MADE-NEXT: ^
// MADE-NEXT: made.mlir:3:3: note: the compiler made 'gpu.func' of this 'gpu.launch', when it took the kernel out of its host function
//--- made.mlir
func.func @f(%A: memref<64xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %n, %ny = %c1, %nz = %c1)
             workgroup(%S : memref<?xf32, #gpu.address_space<workgroup>>) {
    %i = gpu.thread_id x
    %v = memref.load %A[%i] : memref<64xf32>
    memref.store %v, %A[%i] : memref<64xf32>
    gpu.terminator
  }
  return
}

// One that stands there is not, with its dialect or without, in either form.
// RUN: not tile-compile own.mlir -o out 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: tile-opt own.mlir --mlir-print-op-generic -o generic.mlir
// RUN: not tile-compile generic.mlir -o out 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: 'memref.dim' op expects a dimension from 0 to 0, got 2
// OWN-NOT: the compiler made
//--- own.mlir
func.func @f(%A: memref<?xf32>) -> index {
  %c2 = arith.constant 2 : index
  %d = memref.dim %A, %c2 : memref<?xf32>
  return %d : index
}

// Whether an error is ours is no question of its words.
// RUN: not tile-compile words.mlir -o out 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS: error: redefinition of symbol named 'internal error'
// WORDS-NOT: please report
// RUN: test ! -e tile-compile-reproducer.mlir
//--- words.mlir
func.func @"internal error"() { return }
func.func @"internal error"() { return }

// Variants that use different instructions say once that it is not the best.
// RUN: tile-compile once.mlir --ptxas=off -o out 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE: once.mlir:13:5: remark: [tile-instr/window] uses {{.*}}; not tma
// ONCE-NOT: [tile-instr/window]
//--- once.mlir
func.func @f(%A: memref<?x?xf16>, %O: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c200 = arith.constant 200 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c200, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    tile.fill %S, %zero : memref<64x64xf16, #gpu.address_space<workgroup>>, f16
    %x = tile.region %A[%bx, 0] [1, 64] : memref<?x?xf16>
    %y = tile.region %S[%c0, 0] [1, 64] : memref<64x64xf16, #gpu.address_space<workgroup>>
    tile.copy %x to %y : !tile.region<1x64xf16>, !tile.region<1x64xf16, #gpu.address_space<workgroup>>
    %o = tile.region %O[%bx, 0] [64, 64] : memref<?x?xf16>
    tile.copy %S to %o : memref<64x64xf16, #gpu.address_space<workgroup>>, !tile.region<64x64xf16>
    gpu.terminator
  }
  return
}
