// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Exchanges, atomic loads, fences and their orders are printed as they are read,
// in text, in the generic form and in bytecode.

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @exchange
func.func @exchange(%l: memref<1xi32>, %was: memref<1xi32, #shared>, %f: memref<8xf32, #tile.fragment>, %d: memref<8xf32>, %zero: i32, %one: i32) {
  // CHECK: tile.atomic exchange %{{.*}} to %{{.*}} old %{{.*}} if %{{.*}} {order = #tile.order<acquire>} : i32, memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>> if i32
  tile.atomic exchange %one to %l old %was if %zero {order = #tile.order<acquire>} : i32, memref<1xi32>, memref<1xi32, #shared> if i32
  // CHECK: tile.atomic exchange %{{.*}} to %{{.*}} if %{{.*}} : i32, memref<1xi32> if i32
  tile.atomic exchange %one to %l if %zero : i32, memref<1xi32> if i32
  // CHECK: tile.atomic exchange %{{.*}} to %{{.*}} {order = #tile.order<release>, scope = #tile.scope<system>} : i32, memref<1xi32>
  tile.atomic exchange %zero to %l {order = #tile.order<release>, scope = #tile.scope<system>} : i32, memref<1xi32>
  // CHECK: tile.atomic exchange %{{.*}} to %{{.*}} : memref<8xf32, #tile.fragment>, memref<8xf32>
  tile.atomic exchange %f to %d : memref<8xf32, #tile.fragment>, memref<8xf32>
  // CHECK: tile.atomic add %{{.*}} to %{{.*}} {order = #tile.order<seq_cst>} : i32, memref<1xi32>
  tile.atomic add %one to %l {order = #tile.order<seq_cst>} : i32, memref<1xi32>
  return
}

// CHECK-LABEL: func.func @loads
func.func @loads(%d: memref<8xf64>, %s: memref<8xf64, #shared>, %t: memref<8xf64, #shared>) {
  // CHECK: tile.atomic_load %{{.*}} to %{{.*}} : memref<8xf64>, memref<8xf64, #gpu.address_space<workgroup>>
  tile.atomic_load %d to %s : memref<8xf64>, memref<8xf64, #shared>
  // CHECK: tile.atomic_load %{{.*}} to %{{.*}} {order = #tile.order<acquire>} : memref<8xf64, #gpu.address_space<workgroup>>, memref<8xf64, #gpu.address_space<workgroup>>
  tile.atomic_load %s to %t {order = #tile.order<acquire>} : memref<8xf64, #shared>, memref<8xf64, #shared>
  return
}

// CHECK-LABEL: func.func @fences
func.func @fences() {
  // CHECK: tile.fence {order = #tile.order<acquire>}
  tile.fence {order = #tile.order<acquire>}
  // CHECK: tile.fence {order = #tile.order<seq_cst>, scope = #tile.scope<system>}
  tile.fence {order = #tile.order<seq_cst>, scope = #tile.scope<system>}
  return
}
