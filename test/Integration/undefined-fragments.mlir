// What a kernel computes with a fragment that a path has not written is told by
// the emulator, at the line that reads it first: products keep it in registers
// that nobody writes.
// RUN: rm -rf %t && mkdir %t
// RUN: tile-compile %s --target=sm_80 -o %t/80/
// RUN: tile-compile %s --target=sm_90a -o %t/90/
// RUN: tile-run %t/80/product.json ints:64x64:f16 ints:64x64:f16 ints:64x64:f32 i32:1 --emulate
// RUN: tile-run %t/90/product.json ints:64x64:f16 ints:64x64:f16 ints:64x64:f32 i32:1 --emulate
// RUN: not tile-run %t/80/product.json ints:64x64:f16 ints:64x64:f16 ints:64x64:f32 i32:0 --emulate 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not tile-run %t/90/product.json ints:64x64:f16 ints:64x64:f16 ints:64x64:f32 i32:0 --emulate 2>&1 | FileCheck %s --check-prefix=PRODUCT

#s = #gpu.address_space<workgroup>
#f = #tile.fragment

// PRODUCT: [undefined-register] register {{.*}} is read, but nothing on this path has written it; the value is used at ptx:
// PRODUCT-NEXT: (undefined-fragments.mlir:[[#@LINE+18]])
func.func @product(%A: memref<64x64xf16>, %B: memref<64x64xf16>,
                   %C: memref<64x64xf32>, %has: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xf16, #s>
    %Bs = tile.alloc : memref<64x64xf16, #s>
    %acc = tile.alloc : memref<64x64xf32, #f>
    %begins = arith.cmpi ne, %has, %zero : i32
    scf.if %begins {
      tile.copy %C to %acc : memref<64x64xf32>, memref<64x64xf32, #f>
    }
    tile.copy %A to %As : memref<64x64xf16>, memref<64x64xf16, #s>
    tile.copy %B to %Bs : memref<64x64xf16>, memref<64x64xf16, #s>
    tile.gemm %As, %Bs, %acc : (memref<64x64xf16, #s>, memref<64x64xf16, #s>, memref<64x64xf32, #f>)
    tile.copy %acc to %C : memref<64x64xf32, #f>, memref<64x64xf32>
    gpu.terminator
  }
  return
}
