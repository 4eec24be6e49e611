// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a}' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!shared = memref<64x64xbf16, #gpu.address_space<workgroup>>
!small = memref<3x5xf32, #gpu.address_space<workgroup>>

// Swizzled tiles start at multiples of 1024 bytes and go first; barriers at
// multiples of 8.
// CHECK-LABEL: func.func @alignment
// CHECK: tile.barrier_alloc {offset = 8256 : i64}
// CHECK: tile.alloc {offset = 8192 : i64} : memref<3x5xf32
// CHECK: tile.alloc {layout = #tile.layout<"swizzle<128>">, offset = 0 : i64}
func.func @alignment() attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : f32
  %bar = tile.barrier_alloc : !tile.barrier<1>
  %b = tile.alloc : !small
  %a = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !shared
  tile.fill %a, %zero : !shared, bf16
  tile.fill %b, %one : !small, f32
  tile.fill %a, %zero : !shared, bf16
  return
}

// Tiles that do not live at the same time share bytes.
// CHECK-LABEL: func.func @disjoint_lifetimes_share
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 0 : i64}
func.func @disjoint_lifetimes_share() attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : bf16
  %a = tile.alloc : !shared
  tile.fill %a, %zero : !shared, bf16
  %b = tile.alloc : !shared
  tile.fill %b, %zero : !shared, bf16
  return
}

// A tile from outside a loop keeps its value from one iteration to the next.
// CHECK-LABEL: func.func @loops_extend_lifetimes
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 8192 : i64}
func.func @loops_extend_lifetimes(%n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %a = tile.alloc : !shared
  %b = tile.alloc : !shared
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %a, %zero : !shared, bf16
    tile.fill %b, %zero : !shared, bf16
  }
  return
}

// A padded tile takes its span, gaps included; the launch learns the total.
// CHECK-LABEL: func.func @launch_learns_the_total
// CHECK: %[[SIZE:.*]] = arith.constant 9200 : i32
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[SIZE]]
func.func @launch_learns_the_total() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : bf16
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %a = tile.alloc {layout = #tile.layout<"padded<72>">} : !shared
    tile.fill %a, %zero : !shared, bf16
    gpu.terminator
  }
  return
}
