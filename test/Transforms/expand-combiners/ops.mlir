// RUN: %tile_opt_passes 'tile-expand-combiners' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-expand-combiners' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>

// As many lines as threads: 8 runs of a line all the same, in rows of 9, because
// lanes read rows side by side. The last loop combines the runs.
// CHECK-LABEL: func.func @rows
// CHECK: %[[RUNS:.*]] = tile.alloc : memref<128x9xf32, #gpu.address_space<workgroup>>
// CHECK: tile.parallel (%[[I:.*]], %[[G:.*]]) in [128, 8] {
// CHECK: memref.load %{{.*}}[%[[I]], %[[G]]]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: memref.load %{{.*}}[%[[I]], %[[K]]]
// CHECK: arith.addf
// CHECK: memref.store %{{.*}}, %[[RUNS]][%[[I]], %[[G]]]
// CHECK: tile.parallel (%[[I:.*]]) in [128] {
// CHECK: scf.for
// CHECK: memref.load %[[RUNS]][%[[I]], %{{.*}}]
// CHECK: memref.store %{{.*}}, %arg0[%[[I]]]
func.func @rows(%D: memref<128xf32>) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<128x100xf32, #shared>
  tile.reduce_by %s to %D dim 1 clear {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    tile.yield %v : f32
  } : (memref<128x100xf32, #shared>) to (memref<128xf32>)
  return
}

// Lines side by side in memory: one run each; the old value comes first.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: tile.alloc
// CHECK: tile.parallel (%[[J:.*]]) in [128] {
// CHECK: %[[ALL:.*]] = scf.for
// CHECK: %[[OLD:.*]] = memref.load %arg1[%[[J]]]
// CHECK: arith.addf %[[OLD]], %[[ALL]]
// CHECK: return
func.func @columns(%S: memref<100x128xf32>, %D: memref<128xf32>) attributes {tile.num_threads = 128 : i32} {
  tile.reduce_by %S to %D dim 0 {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    tile.yield %v : f32
  } : (memref<100x128xf32>) to (memref<128xf32>)
  return
}

// CHECK-LABEL: func.func @fragment
// CHECK: %[[F:.*]] = tile.alloc : memref<8xf32, #tile.fragment>
// CHECK: %[[S:.*]] = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[F]] to %[[S]]
// CHECK: tile.copy %{{.*}} to %[[F]]
func.func @fragment() attributes {tile.num_threads = 32 : i32} {
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-remark @+1 {{[tile-combine/scratch] takes its fragments through 64 bytes of shared memory}}
  tile.scan_by %f to %f dim 0 {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    tile.yield %v : f32
  } : (memref<8xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>)
  return
}

// CHECK-LABEL: func.func @all
// CHECK: tile.reduce abssum %{{.*}} to %[[R:.*]] dim 1 {clear} : memref<8x16xf16, #gpu.address_space<workgroup>>, memref<8xf32, #tile.fragment>
// CHECK: tile.reduce sum %[[R]] to %[[T:.*]] dim 0 {clear} : memref<8xf32, #tile.fragment>, memref<1xf32, #gpu.address_space<workgroup>>
// CHECK: %[[V:.*]] = memref.load %[[T]]
// CHECK: return %[[V]]
func.func @all() -> f32 attributes {tile.num_threads = 32 : i32} {
  %s = tile.alloc : memref<8x16xf16, #shared>
  %v = tile.reduce_all abssum %s : memref<8x16xf16, #shared> -> f32
  return %v : f32
}
