// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -verify-diagnostics -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// A row of a wgmma accumulator is in four lanes of a warp: the result is
// replicated there, and nothing passes shared memory.
// CHECK-LABEL: func.func @rows_of_accumulator
// CHECK: %[[ACC:.*]] = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">}
// CHECK: %[[MAX:.*]] = tile.alloc {layout = #tile.layout<"bases<reg=(d0:8), lane=(0*4, d0:1*8), warp=(d0:16*4) -> d0:64>">} : memref<64xf32, #tile.fragment>
// CHECK-NOT: tile.alloc
// CHECK: tile.reduce max %[[ACC]] to %[[MAX]] dim 1 {clear} :
func.func @rows_of_accumulator() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x32xbf16, #shared>
  %Bs = tile.alloc : memref<32x128xbf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #fragment>
  %max = tile.alloc : memref<64xf32, #fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<64x32xbf16, #shared>, memref<32x128xbf16, #shared>, memref<64x128xf32, #fragment>)
  tile.reduce max %acc to %max dim 1 {clear} : memref<64x128xf32, #fragment>, memref<64xf32, #fragment>
  return
}

// Four warps hold parts of a column: each leaves a partial result in a scratch
// tile of the type that sums are computed in. The absolute value is taken once,
// and the old value takes part once.
// CHECK-LABEL: func.func @columns_pass_warps
// CHECK: %[[F:.*]] = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xbf16, #tile.fragment>
// CHECK: %[[R:.*]] = tile.alloc {{.*}} : memref<64xbf16, #tile.fragment>
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<4x64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.reduce abssum %[[F]] to %[[S]] dim 0 {clear, partial} :
// CHECK-NEXT: tile.reduce sum %[[S]] to %[[R]] dim 0 :
func.func @columns_pass_warps() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xbf16, #fragment>
  %R = tile.alloc : memref<64xbf16, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] warps hold parts of a result: combines them in 1024 bytes of shared memory: about 46 cycles}}
  tile.reduce abssum %F to %R dim 0 : memref<64x64xbf16, #fragment>, memref<64xbf16, #fragment>
  return
}

// The result has a given layout, in which other threads hold it.
// CHECK-LABEL: func.func @given_result
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<64x1xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.reduce max %{{.*}} to %[[S]] dim 1 {clear, partial} :
// CHECK-NEXT: tile.reduce max %[[S]] to %{{.*}} dim 1 {clear} :
func.func @given_result() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc {layout = #tile.layout<"wgmma<64x64,wg=1x1>">} : memref<64x64xf32, #fragment>
  %R = tile.alloc {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=(d0:32*2, 0*2) -> d0:64>">} : memref<64xf32, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] passes its results through 256 bytes of shared memory: about 34 cycles}}
  tile.reduce max %F to %R dim 1 {clear} : memref<64x64xf32, #fragment>, memref<64xf32, #fragment>
  return
}

// Lanes that move both dimensions cannot combine one: the whole fragment goes
// to shared memory.
// CHECK-LABEL: func.func @mixed_lanes
// CHECK: %[[F:.*]] = tile.alloc {layout = {{.*}}} : memref<32x2xf32, #tile.fragment>
// CHECK: %[[R:.*]] = tile.alloc
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<32x2xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[F]] to %[[S]]
// CHECK-NEXT: tile.reduce sum %[[S]] to %[[R]] dim 1 {clear} :
func.func @mixed_lanes() attributes {tile.num_threads = 32 : i32} {
  %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1), lane=(d0:1^d1:1, d0:2*16), warp=() -> d0:32, d1:2>">} : memref<32x2xf32, #fragment>
  %R = tile.alloc : memref<32xf32, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] threads share lines of the fragment: it is reduced in 256 bytes of shared memory}}
  tile.reduce sum %F to %R dim 1 {clear} : memref<32x2xf32, #fragment>, memref<32xf32, #fragment>
  return
}

// Short lines of a shared tile are read by every thread that needs the result;
// long ones are combined by runs of lanes first.
// CHECK-LABEL: func.func @lines_of_shared
// CHECK: tile.reduce sum %{{.*}} to %{{.*}} dim 1 {clear} : memref<64x4xf32, #gpu.address_space<workgroup>>, memref<64xf32, #tile.fragment>
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<64x1xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.reduce sum %{{.*}} to %[[S]] dim 1 {clear} :
// CHECK-NEXT: tile.reduce sum %[[S]] to %{{.*}} dim 1 :
func.func @lines_of_shared() attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : memref<64x4xf32, #shared>
  %B = tile.alloc : memref<64x1000xf32, #shared>
  %R = tile.alloc : memref<64xf32, #fragment>
  tile.reduce sum %A to %R dim 1 {clear} : memref<64x4xf32, #shared>, memref<64xf32, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] passes its results through 256 bytes of shared memory}}
  tile.reduce sum %B to %R dim 1 : memref<64x1000xf32, #shared>, memref<64xf32, #fragment>
  return
}

// A warp that holds whole lines scans them where they are; for a destination of
// another layout the result is copied. Rows of one warp, columns of four.
// CHECK-LABEL: func.func @scans_in_warps
// CHECK-COUNT-3: tile.alloc
// CHECK-NOT: tile.alloc
// CHECK: tile.scan sum %[[F:.*]] to %[[F]] dim 1 {reverse}
// CHECK-NEXT: tile.scan sum %[[F]] to %{{.*}} dim 1 : {{.*}}f64
// CHECK-NEXT: %[[T:.*]] = tile.alloc {layout = #tile.layout<"{{.*}}warp=(d0:1*4){{.*}}">} : memref<8x32xf32, #tile.fragment>
// CHECK-NEXT: tile.scan max %[[F]] to %[[T]] dim 1
func.func @scans_in_warps() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc {layout = #tile.layout<"bases<reg=(d0:4*2), lane=(d1:1*32), warp=(d0:1*4) -> d0:8, d1:32>">} : memref<8x32xf32, #fragment>
  %D = tile.alloc : memref<8x32xf64, #fragment>
  %G = tile.alloc {layout = #tile.layout<"bases<reg=(d0:4*2), lane=(d1:4*8, d0:1*4), warp=(d1:1*4) -> d0:8, d1:32>">} : memref<8x32xf32, #fragment>
  tile.scan sum %F to %F dim 1 {reverse} : memref<8x32xf32, #fragment>, memref<8x32xf32, #fragment>
  tile.scan sum %F to %D dim 1 : memref<8x32xf32, #fragment>, memref<8x32xf64, #fragment>
  // expected-remark @+1 {{[tile-layout/exchange] moves elements between threads}}
  tile.scan max %F to %G dim 1 : memref<8x32xf32, #fragment>, memref<8x32xf32, #fragment>
  return
}

// Other scans work on shared tiles: one scratch tile when the types are equal, a
// second one when they are not.
// CHECK-LABEL: func.func @scans
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<8x32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %{{.*}} to %[[S]]
// CHECK-NEXT: tile.scan sum %[[S]] to %[[S]] dim 0 {reverse}
// CHECK-NEXT: tile.copy %[[S]] to
// CHECK: %[[H:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<8x32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %{{.*}} to %[[H]]
// CHECK-NEXT: %[[W:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<8x32xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.scan sum %[[H]] to %[[W]] dim 0
// CHECK-NEXT: tile.copy %[[W]] to
func.func @scans() attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc {layout = #tile.layout<"bases<reg=(d0:4*2), lane=(d1:1*32), warp=(d0:1*4) -> d0:8, d1:32>">} : memref<8x32xf32, #fragment>
  %D = tile.alloc : memref<8x32xf64, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] scans the fragment in 1024 bytes of shared memory}}
  tile.scan sum %F to %F dim 0 {reverse} : memref<8x32xf32, #fragment>, memref<8x32xf32, #fragment>
  // expected-remark @+2 {{[tile-layout/scratch] scans the fragment in 1024 bytes of shared memory}}
  // expected-remark @+1 {{[tile-layout/scratch] passes what it scanned through 2048 bytes of shared memory}}
  tile.scan sum %F to %D dim 0 : memref<8x32xf32, #fragment>, memref<8x32xf64, #fragment>
  return
}

// Rows lie in warps where they fit: no scratch tile for maxima and sums, whatever
// the number of columns.
// CHECK-LABEL: func.func @rows_in_warps
// CHECK-NOT: #gpu.address_space<workgroup>
// CHECK: return
func.func @rows_in_warps(%A: memref<4x512xf32>, %B: memref<7x777xf32>) attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : memref<4x512xf32, #fragment>
  %G = tile.alloc : memref<7x777xf32, #fragment>
  %f = tile.alloc : memref<4xf32, #fragment>
  %g = tile.alloc : memref<7xf32, #fragment>
  tile.copy %A to %F {instr = #tile.instr<simt>} : memref<4x512xf32>, memref<4x512xf32, #fragment>
  tile.copy %B to %G {instr = #tile.instr<simt>} : memref<7x777xf32>, memref<7x777xf32, #fragment>
  tile.reduce max %F to %f dim 1 {clear} : memref<4x512xf32, #fragment>, memref<4xf32, #fragment>
  tile.reduce sum %G to %g dim 1 {clear} : memref<7x777xf32, #fragment>, memref<7xf32, #fragment>
  return
}

// A predicate of a fragment reads one element per row from shared memory.
// CHECK-LABEL: func.func @predicates
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<8x1xi1, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.reduce and %{{.*}} to %[[S]] dim 1 {clear} :
// CHECK-NEXT: %[[P:.*]] = tile.all_of %[[S]]
// CHECK-NEXT: return %[[P]]
func.func @predicates() -> i1 attributes {tile.num_threads = 128 : i32} {
  %F = tile.alloc : memref<8x32xi1, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] combines what threads hold in 8 bytes of shared memory}}
  %p = tile.all_of %F : memref<8x32xi1, #fragment>
  return %p : i1
}

// Old elements lie where the source does, that of a scalar as if it were stored
// to the destination; what several threads hold passes a scratch tile.
// CHECK-LABEL: func.func @old_elements
// CHECK: %[[ACC:.*]] = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
// CHECK: %[[OLD:.*]] = tile.alloc {layout = #tile.layout<"wgmma<64x128,wg=1x1>">} : memref<64x128xf32, #tile.fragment>
// CHECK: %[[ROW:.*]] = tile.alloc {layout = #tile.layout<"bases<reg=(d0:8), lane=(0*4, d0:1*8), warp=(d0:16*4) -> d0:64>">} : memref<64xf32, #tile.fragment>
// CHECK: %[[BEFORE:.*]] = tile.alloc {{.*}} : memref<64xf32, #tile.fragment>
// CHECK: %[[S:.*]] = tile.alloc {layout = #tile.layout<"linear">} : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.atomic max %[[ROW]] to %{{.*}} old %[[S]] {instr = #tile.instr<simt>} :
// CHECK-NEXT: tile.copy %[[S]] to %[[BEFORE]]
// CHECK: tile.atomic add %[[ACC]] to %{{.*}} old %[[OLD]] :
func.func @old_elements(%A: memref<64x128xf32>, %B: memref<64xf32>) attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x32xbf16, #shared>
  %Bs = tile.alloc : memref<32x128xbf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #fragment>
  %old = tile.alloc : memref<64x128xf32, #fragment>
  %row = tile.alloc : memref<64xf32, #fragment>
  %before = tile.alloc : memref<64xf32, #fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<64x32xbf16, #shared>, memref<32x128xbf16, #shared>, memref<64x128xf32, #fragment>)
  tile.reduce max %acc to %row dim 1 {clear} : memref<64x128xf32, #fragment>, memref<64xf32, #fragment>
  // expected-remark @+1 {{[tile-layout/scratch] other threads need old elements: they pass 256 bytes of shared memory: about 34 cycles}}
  tile.atomic max %row to %B old %before : memref<64xf32, #fragment>, memref<64xf32>, memref<64xf32, #fragment>
  tile.atomic add %acc to %A old %old : memref<64x128xf32, #fragment>, memref<64x128xf32>, memref<64x128xf32, #fragment>
  return
}
