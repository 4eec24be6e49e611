// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s

// Attributes by which users and passes talk about ops of other dialects.

// CHECK: module attributes {tile.target = #nvvm.target<chip = "sm_90a">}
module attributes {tile.target = #nvvm.target<chip = "sm_90a">} {
  // CHECK: func.func @attributes({{.*}}: memref<?xf32> {tile.may_alias}, {{.*}}: index {tile.name = "n"}, {{.*}}) attributes {tile.may_alias, tile.num_threads = 128 : i64}
  func.func @attributes(%A: memref<?xf32> {tile.may_alias}, %n: index {tile.name = "n"}, %more: i1) attributes {tile.may_alias, tile.num_threads = 128 : i64} {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    scf.for %k = %n to %n step %n {
      %a = tile.region %A[%k] [64] : memref<?xf32>
      // CHECK: tile.copy {{.*}} {tile.group = 1 : i32, tile.order = -2 : i32, tile.stage = 0 : i32}
      tile.copy %a to %s {tile.stage = 0 : i32, tile.order = -2 : i32, tile.group = 1 : i32} : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    // CHECK: } {tile.num_stages = 3 : i32, tile.specialize = "preferred"}
    } {tile.num_stages = 3 : i32, tile.specialize = "preferred"}
    scf.while : () -> () {
      scf.condition(%more)
    } do {
      scf.yield
    // CHECK: } attributes {tile.num_stages = 0 : i32, tile.specialize = "required"}
    } attributes {tile.num_stages = 0 : i32, tile.specialize = "required"}
    return
  }
}
