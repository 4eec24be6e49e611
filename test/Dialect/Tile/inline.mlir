// RUN: %tile_opt %s --inline | FileCheck %s

// Tile ops mean the same where a function is inlined, so device functions on
// tiles can be written and used in kernels.

#shared = #gpu.address_space<workgroup>

func.func private @load(%A: memref<?x?xbf16>, %m: index, %k: index, %As: memref<128x64xbf16, #shared>) {
  %a = tile.region %A[%m, %k] [128, 64] : memref<?x?xbf16>
  tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #shared>
  return
}

func.func private @make() -> memref<128x64xbf16, #shared> {
  %As = tile.alloc : memref<128x64xbf16, #shared>
  return %As : memref<128x64xbf16, #shared>
}

// CHECK-LABEL: func.func @kernel
// CHECK-NOT: call
// CHECK: %[[AS:.*]] = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
// CHECK: scf.for %[[K:[a-z0-9]+]]
// CHECK: %[[A:.*]] = tile.region %{{.*}}[%{{.*}}, %[[K]]] [128, 64] : memref<?x?xbf16>
// CHECK: tile.copy %[[A]] to %[[AS]]
// CHECK-NOT: call
func.func @kernel(%A: memref<?x?xbf16>, %m: index, %n: index) attributes {tile.num_threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %As = func.call @make() : () -> memref<128x64xbf16, #shared>
  scf.for %k = %c0 to %n step %c64 {
    func.call @load(%A, %m, %k, %As) : (memref<?x?xbf16>, index, index, memref<128x64xbf16, #shared>) -> ()
  }
  return
}
