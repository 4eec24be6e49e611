// RUN: %tile_opt_passes 'tile-expand-tickets' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-tickets' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// The tickets of one counter pass one tile, which is there before all of them; those of
// another one have their own. The last number is that of tiles and blocks, less one.
// CHECK-LABEL: func.func @tickets
// CHECK-SAME: (%[[N:.*]]: memref<1xi32>, %[[M:.*]]: memref<1xi32>, %[[TILES:.*]]: index)
// CHECK-DAG: %[[T:.*]] = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[U:.*]] = tile.alloc : memref<1xi32, #gpu.address_space<workgroup>>
// CHECK: %[[X:.*]] = gpu.grid_dim x
// CHECK: %[[Y:.*]] = gpu.grid_dim y
// CHECK: %[[Z:.*]] = gpu.grid_dim z
// CHECK: %[[XY:.*]] = arith.muli %[[X]], %[[Y]] : index
// CHECK: %[[B:.*]] = arith.muli %[[XY]], %[[Z]] : index
// CHECK: %[[END:.*]] = arith.addi %[[TILES]], %[[B]] : index
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %{{.*}} : index
// CHECK: %[[WORD:.*]] = arith.index_cast %[[LAST]] : index to i32
// CHECK: tile.atomic inc %[[WORD]] to %[[N]] old %[[FIRST:.*]] : i32
// CHECK: %[[FOUND:.*]] = memref.load %[[FIRST]]
// CHECK: %[[NUMBER:.*]] = arith.index_castui %[[FOUND]] : i32 to index
// CHECK: arith.cmpi ult, %[[NUMBER]], %[[TILES]] : index
// CHECK: scf.while
// CHECK: tile.atomic inc %{{.*}} to %[[N]] old %[[FIRST]] : i32
// CHECK: tile.atomic inc %{{.*}} to %[[M]] old %[[SECOND:.*]] : i32
// CHECK: memref.load %[[SECOND]]
func.func @tickets(%n: memref<1xi32>, %m: memref<1xi32>, %tiles: index) attributes {tile.num_threads = 128 : i32} {
  %t, %any = tile.next_tile %n of %tiles : memref<1xi32>
  scf.while (%more = %any) : (i1) -> () {
    scf.condition(%more)
  } do {
    %u, %next = tile.next_tile %n of %tiles : memref<1xi32>
    scf.yield %next : i1
  }
  %v, %last = tile.next_tile %m of %tiles : memref<1xi32>
  tile.print "tiles"(%t, %v : index, index)
  return
}
