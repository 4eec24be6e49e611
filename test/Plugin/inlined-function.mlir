// Tile ops may be inlined; they mean the same in the caller.

// RUN: tile-opt %s --inline | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%libtile --inline | FileCheck %s

func.func private @load(%a: memref<?x?xf32>, %i: index,
                        %tile: memref<8x8xf32, #tile.fragment>) {
  %r = tile.region %a[%i, 0] [8, 8] : memref<?x?xf32>
  tile.copy %r to %tile : !tile.region<8x8xf32>, memref<8x8xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @kernel
func.func @kernel(%a: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %tile = tile.alloc : memref<8x8xf32, #tile.fragment>
  // CHECK: scf.for %[[I:.*]] =
  scf.for %i = %c0 to %n step %c8 {
    // CHECK-NOT: call
    // CHECK: %[[R:.*]] = tile.region %{{.*}}[%[[I]], 0] [8, 8]
    // CHECK: tile.copy %[[R]] to
    func.call @load(%a, %i, %tile)
        : (memref<?x?xf32>, index, memref<8x8xf32, #tile.fragment>) -> ()
  }
  return
}
