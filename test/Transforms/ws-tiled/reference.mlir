// What the reference system asserts of its warp specialisation
// (reference-system.md; the section stands beside each kernel), in this dialect.
// Where passes.md differs the figure here is ours and both are named.

// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a}' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment

// 3.1.3, incompatible_layout_blocks_ws (265): rows of 136 elements cannot be a TMA box. There
// the whole function goes without roles; here the copy becomes cp.async, and a
// loop of those alone keeps the multistage form. The block keeps its threads.
// CHECK-LABEL: func.func @padded_layout
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c128
// CHECK-NOT: tile.specialize {
// CHECK: instr = #tile.instr<cp_async>
// CHECK: tile.num_stages = 1
func.func @padded_layout(%A: memref<16x1024xf16>, %B: memref<16x1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 1024 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"padded<136>">} : memref<16x128xf16, #smem>
    scf.for %k = %c0 to %n step %c128 {
      %a = tile.region %A[0, %k] [16, 128] {align = 16 : i64} : memref<16x1024xf16>
      %b = tile.region %B[0, %k] [16, 128] {align = 16 : i64} : memref<16x1024xf16>
      tile.copy %a to %S : !tile.region<16x128xf16>, memref<16x128xf16, #smem>
      tile.copy %S to %b : memref<16x128xf16, #smem>, !tile.region<16x128xf16>
    } {tile.num_stages = 1 : i32}
    gpu.terminator
  }
  return
}

// 3.1.3, swizzled_layout_allows_ws (215): annotated A and B do not stand in the way. 256 threads
// there, 160 here: one warp copies.
// CHECK-LABEL: func.func @swizzled_layouts
// CHECK: %[[T:.*]] = arith.constant 160 : index
// CHECK: in (%{{.*}} = %[[T]]
// CHECK-COUNT-2: tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<2x64x64xbf16
// CHECK: tile.role "producer" warps 1
// CHECK-COUNT-2: instr = #tile.instr<tma>
func.func @swizzled_layouts(%A: memref<64x512xbf16>, %B: memref<512x64xbf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #smem>
    %Bs = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x512xbf16>
      %b = tile.region %B[%k, 0] [64, 64] {align = 16 : i64} : memref<512x64xbf16>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #frag>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// 3.1.5, num_stages_one_pure_tma… (70): a warp that copies in and out. 160 threads
// there, the role branch at 32; here 64 threads, the producer is warp 1.
// CHECK-LABEL: func.func @one_stage_one_warp
// CHECK: %[[T:.*]] = arith.constant 64 : index
// CHECK: in (%{{.*}} = %[[T]]
// CHECK: tile.role "consumer" warps 1
// CHECK: tile.role "producer" warps 1
// CHECK: instr = #tile.instr<tma>
func.func @one_stage_one_warp(%A: memref<8x256xf16>, %B: memref<8x256xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x128xf16, #smem>
    scf.for %k = %c0 to %c256 step %c128 {
      %a = tile.region %A[0, %k] [4, 128] {align = 16 : i64} : memref<8x256xf16>
      %b = tile.region %B[0, %k] [4, 128] {align = 16 : i64} : memref<8x256xf16>
      tile.copy %a to %S : !tile.region<4x128xf16>, memref<4x128xf16, #smem>
      tile.copy %S to %b : memref<4x128xf16, #smem>, !tile.region<4x128xf16>
    } {tile.num_stages = 1 : i32}
    gpu.terminator
  }
  return
}

// 3.1.5, pure_tma_consumer_local_init… (366): accumulators are filled by the
// consumers only; a mask in private memory is set up by both roles, because a
// guard of the producer reads it.
// CHECK-LABEL: func.func @local_state
// CHECK: %[[MASK:.*]] = tile.alloc : memref<4xi1, #gpu.address_space<private>>
// CHECK: tile.role "consumer"
// CHECK: tile.fill %{{.*}} : memref<64x64xf32, #tile.fragment>
// CHECK: memref.store %{{.*}}, %[[MASK]]
// CHECK: memref.load %[[MASK]]
// CHECK: scf.if
// CHECK: tile.role "producer"
// CHECK-NOT: #tile.fragment
// CHECK: memref.store %{{.*}}, %[[MASK]]
// CHECK: memref.load %[[MASK]]
// CHECK: scf.if
// CHECK-NOT: #tile.fragment
// CHECK: return
func.func @local_state(%K: memref<256x64xbf16>, %V: memref<256x64xbf16>, %M: memref<4xi1>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Ks = tile.alloc : memref<64x64xbf16, #smem>
    %Vs = tile.alloc : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    %mask = tile.alloc : memref<4xi1, #gpu.address_space<private>>
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %i = %c0 to %c4 step %c1 {
      %bit = memref.load %M[%i] : memref<4xi1>
      memref.store %bit, %mask[%i] : memref<4xi1, #gpu.address_space<private>>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %go = memref.load %mask[%i] : memref<4xi1, #gpu.address_space<private>>
      scf.if %go {
        %row = arith.muli %i, %c64 : index
        %k = tile.region %K[%row, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        %v = tile.region %V[%row, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        tile.copy %k to %Ks : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
        tile.copy %v to %Vs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
        tile.gemm %Ks, %Vs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #frag>)
      }
    } {tile.num_stages = 1 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// 3.1.5, ws_keeps_full_producer_extent… (24): a copy too narrow for TMA beside TMA
// stays with the producer. 512 threads there for 256 that compute; a warpgroup
// copies here: 384.
// CHECK-LABEL: func.func @narrow_metadata
// CHECK: %[[T:.*]] = arith.constant 384 : index
// CHECK: in (%{{.*}} = %[[T]]
// CHECK: tile.channel{{.*}} {consumer_warps = 8 : i64, tma}
// CHECK: tile.channel{{.*}} {consumer_warps = 8 : i64, cp_async_threads = 128 : i64}
// CHECK: tile.role "consumer" warps 8
// CHECK-NOT: instr = #tile.instr<cp_async>
// CHECK: tile.role "producer" warps 4
// CHECK: instr = #tile.instr<tma>
// CHECK: instr = #tile.instr<cp_async>
func.func @narrow_metadata(%A: memref<64x512xbf16>, %E: memref<64x32xi8>, %C: memref<64x64xbf16>, %D: memref<64x4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %n = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #smem>
    %Es = tile.alloc : memref<64x4xi8, #smem>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c64 : index
      %e = arith.muli %i, %c4 : index
      %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x512xbf16>
      %m = tile.region %E[0, %e] [64, 4] {align = 16 : i64} : memref<64x32xi8>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %m to %Es : !tile.region<64x4xi8>, memref<64x4xi8, #smem>
      %c = tile.region %C[0, 0] [64, 64] : memref<64x64xbf16>
      %d = tile.region %D[0, 0] [64, 4] : memref<64x4xi8>
      tile.copy %As to %c : memref<64x64xbf16, #smem>, !tile.region<64x64xbf16>
      tile.copy %Es to %d : memref<64x4xi8, #smem>, !tile.region<64x4xi8>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// 3.1.5, sparse_ws_regular_metadata_copy… (313): the metadata of a
// sparse product, in rows of 4 bytes, are copied by the producer only, and the
// consumer alone multiplies.
// CHECK-LABEL: func.func @sparse
// CHECK: tile.role "consumer" warps 4
// CHECK-NOT: instr = #tile.instr<cp_async>
// CHECK: tile.gemm_sp
// CHECK-NOT: instr = #tile.instr<cp_async>
// CHECK: tile.role "producer" warps 4
// CHECK-NOT: tile.gemm_sp
// CHECK-COUNT-2: instr = #tile.instr<{{tma|cp_async}}>
// CHECK-NOT: tile.gemm_sp
// CHECK: return
func.func @sparse(%A: memref<64x128xbf16>, %E: memref<64x16xi16>, %B: memref<64x256xbf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x16xbf16, #smem>
    %Es = tile.alloc : memref<64x2xi16, #smem>
    %Bs = tile.alloc : memref<64x32xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %i = %c0 to %n step %c1 {
      %h = arith.muli %i, %c16 : index
      %x = arith.muli %i, %c2 : index
      %k = arith.muli %i, %c32 : index
      %a = tile.region %A[0, %h] [64, 16] {align = 16 : i64} : memref<64x128xbf16>
      %e = tile.region %E[0, %x] [64, 2] {align = 4 : i64} : memref<64x16xi16>
      %b = tile.region %B[0, %k] [64, 32] {align = 16 : i64} : memref<64x256xbf16>
      tile.copy %a to %As : !tile.region<64x16xbf16>, memref<64x16xbf16, #smem>
      tile.copy %e to %Es : !tile.region<64x2xi16>, memref<64x2xi16, #smem>
      tile.copy %b to %Bs : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      tile.gemm_sp %As, %Es, %Bs, %acc {transpose_b} : (memref<64x16xbf16, #smem>, memref<64x2xi16, #smem>, memref<64x32xbf16, #smem>, memref<64x64xf32, #frag>)
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}
