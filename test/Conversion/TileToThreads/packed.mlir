// RUN: %tile_opt_passes 'convert-tile-to-threads' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>

// Two elements of the loop read one byte: sixteen of them one vector.
// CHECK-LABEL: func @halves
// CHECK-NOT: memref.load
// CHECK: vector.load %{{.*}} : memref<8x32xi8, #gpu.address_space<workgroup>>, vector<8xi8>
// CHECK-NOT: memref.load
// CHECK: return
func.func @halves(%O: memref<8x64xi32>) attributes {tile.num_threads = 32 : i32} {
  %c2 = arith.constant 2 : index
  %S = tile.alloc {layout = #tile.layout<"linear">} : memref<8x32xi8, #smem>
  tile.parallel (%i, %j) in [8, 64] {
    %h = arith.divui %j, %c2 : index
    %b = memref.load %S[%i, %h] : memref<8x32xi8, #smem>
    %w = arith.extui %b : i8 to i32
    memref.store %w, %O[%i, %j] : memref<8x64xi32>
  }
  return
}

// Bytes that do not begin where vectors do, or lie apart.
// CHECK-LABEL: func @apart
// CHECK-NOT: vector.load
// CHECK: return
func.func @apart(%O: memref<8x32xi32>, %at: index) attributes {tile.num_threads = 32 : i32} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %S = tile.alloc {layout = #tile.layout<"linear">} : memref<8x64xi8, #smem>
  tile.parallel (%i, %j) in [8, 32] {
    %next = arith.addi %j, %c1 : index
    %h = arith.divui %next, %c2 : index
    %b = memref.load %S[%i, %h] : memref<8x64xi8, #smem>
    %g = arith.divui %j, %c2 : index
    %k = arith.addi %g, %at : index
    %c = memref.load %S[%i, %k] : memref<8x64xi8, #smem>
    %x = arith.addi %b, %c : i8
    %w = arith.extui %x : i8 to i32
    memref.store %w, %O[%i, %j] : memref<8x32xi32>
  }
  return
}
