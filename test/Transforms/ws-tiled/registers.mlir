// Warps and registers: threads times registers of all roles fit what the launch
// gives the block (65,536, in multiples of 8 per thread).

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a producer-warps=4}' %s | FileCheck %s --check-prefix=FOUR
// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!large = memref<64x512xbf16, #smem>

// 128x256 f32 on 256 threads: 128 registers, and 40 for a loop that only
// multiplies, which a launch of 288 threads gives: 168, as one of 384.
// CHECK-LABEL: func.func @product_alone
// CHECK: tile.role "consumer" warps 8 {
// CHECK: tile.role "producer" warps 1 {
func.func @product_alone(%A: !tensor, %O: !tensor, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : memref<128x64xbf16, #smem>
  %U = tile.alloc : memref<64x256xbf16, #smem>
  %acc = tile.alloc : memref<128x256xf32, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [128, 64] : !tensor
    %b = tile.region %O[%k, 0] [64, 256] : !tensor
    tile.copy %a to %T {instr = #tile.instr<tma>} : !tile.region<128x64xbf16>, memref<128x64xbf16, #smem>
    tile.copy %b to %U {instr = #tile.instr<tma>} : !tile.region<64x256xbf16>, memref<64x256xbf16, #smem>
    tile.gemm %T, %U, %acc {instr = #tile.instr<wgmma>} : (memref<128x64xbf16, #smem>, memref<64x256xbf16, #smem>, memref<128x256xf32, #frag>)
  } {tile.num_stages = 2 : i32}
  return
}

// Products of f64 hold factors too: 128 registers of sums and 40 leave no room
// in 168.
// CHECK-LABEL: func.func @doubles
// CHECK: tile.role "consumer" warps 8 registers 232 {
// CHECK: tile.role "producer" warps 4 registers 40 {
func.func @doubles(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %S = tile.alloc : memref<128x16xf64, #smem>
  %T = tile.alloc : memref<16x128xf64, #smem>
  %acc = tile.alloc : memref<128x128xf64, #frag>
  scf.for %k = %c0 to %n step %c16 {
    %a = tile.region %A[0, %k] [128, 16] : memref<?x?xf64>
    %b = tile.region %B[%k, 0] [16, 128] : memref<?x?xf64>
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<128x16xf64>, memref<128x16xf64, #smem>
    tile.copy %b to %T {instr = #tile.instr<tma>} : !tile.region<16x128xf64>, memref<16x128xf64, #smem>
    tile.gemm %S, %T, %acc {instr = #tile.instr<mma>} : (memref<128x16xf64, #smem>, memref<16x128xf64, #smem>, memref<128x128xf64, #frag>)
  } {tile.num_stages = 2 : i32}
  return
}

// Their chunks have more addresses than a producer has elsewhere.
// CHECK-LABEL: func.func @doubles_of_threads
// CHECK: tile.role "consumer" warps 8 registers 216 {
// CHECK: tile.role "producer" warps 4 registers 64 {
func.func @doubles_of_threads(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %S = tile.alloc : memref<128x16xf64, #smem>
  %T = tile.alloc : memref<16x128xf64, #smem>
  %acc = tile.alloc : memref<128x128xf64, #frag>
  scf.for %k = %c0 to %n step %c16 {
    %a = tile.region %A[0, %k] [128, 16] : memref<?x?xf64>
    %b = tile.region %B[%k, 0] [16, 128] : memref<?x?xf64>
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<128x16xf64>, memref<128x16xf64, #smem>
    tile.copy %b to %T {instr = #tile.instr<cp_async>} : !tile.region<16x128xf64>, memref<16x128xf64, #smem>
    tile.gemm %S, %T, %acc {instr = #tile.instr<mma>} : (memref<128x16xf64, #smem>, memref<16x128xf64, #smem>, memref<128x128xf64, #frag>)
  } {tile.num_stages = 2 : i32}
  return
}

// With 8 registers more there is a warpgroup that gives its own away.
// 384 threads get 168: 128 * 24 + 256 * 240 = 384 * 168.
// CHECK-LABEL: func.func @two_warpgroups
// CHECK: tile.role "consumer" warps 8 registers 240 {
// CHECK: tile.role "producer" warps 4 registers 24 {
// FOUR-LABEL: func.func @two_warpgroups
// FOUR: tile.role "consumer" warps 8 registers 240 {
// FOUR: tile.role "producer" warps 4 registers 24 {
func.func @two_warpgroups(%A: !tensor, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %acc = tile.alloc : memref<128x256xf32, #frag>
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}

// 192x256 f32 on 384 threads wants more than 512 threads get (128), and 416 as
// well: a warpgroup gives its registers away.
// CHECK-LABEL: func.func @three_warpgroups
// CHECK: tile.role "consumer" warps 12 registers 160 {
// CHECK: tile.role "producer" warps 4 registers 24 {
func.func @three_warpgroups(%A: !tensor, %n: index) attributes {tile.num_threads = 384 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %acc = tile.alloc : memref<192x256xf32, #frag>
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}

// 640 threads: 96 each, 512 * 112 + 128 * 24 <= 640 * 96.
// FOUR-LABEL: func.func @four_warpgroups
// FOUR: tile.role "consumer" warps 16 registers 112 {
// FOUR: tile.role "producer" warps 4 registers 24 {
func.func @four_warpgroups(%A: !tensor, %n: index) attributes {tile.num_threads = 512 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %acc = tile.alloc : memref<128x256xf32, #frag>
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}

// What the kernel asks for goes before the option.
// CHECK-LABEL: func.func @asked
// CHECK: tile.role "consumer" warps 4 {
// CHECK: tile.role "producer" warps 2 {
// FOUR-LABEL: func.func @asked
// FOUR: tile.role "producer" warps 2 {
func.func @asked(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  tile.kernel_config {producer_warps = 2}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}

// Producers that load and store themselves keep 80.
// CHECK-LABEL: func.func @plain_copies
// CHECK: tile.role "consumer" warps 8 registers 208 {
// CHECK: tile.role "producer" warps 4 registers 80 {
func.func @plain_copies(%A: !tensor, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !large
  %acc = tile.alloc : memref<128x256xf32, #frag>
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    %b = tile.region %A[0, %k] [64, 512] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %b to %T {instr = #tile.instr<simt>} : !tile.region<64x512xbf16>, !large
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
    %t = tile.region %T[0, 0] [64, 64] : !large
    tile.copy %t to %F : !tile.region<64x64xbf16, #smem>, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}

// Where the fragments want what such a producer takes, there are no roles.
// CHECK-LABEL: func.func @plain_copies_starve
// CHECK-NOT: tile.role
// CHECK: return
// REMARK: remark: [tile-ws/plain-registers] this loop runs without roles: {{.*}}: 232 registers per thread, at most 208
func.func @plain_copies_starve(%A: !tensor, %n: index) attributes {tile.num_threads = 256 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %T = tile.alloc : !large
  %acc = tile.alloc : memref<128x256xf32, #frag>
  %G = tile.alloc : memref<128x64xf32, #frag>
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    %b = tile.region %A[0, %k] [64, 512] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %b to %T {instr = #tile.instr<simt>} : !tile.region<64x512xbf16>, !large
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
    %t = tile.region %T[0, 0] [64, 64] : !large
    tile.copy %t to %F : !tile.region<64x64xbf16, #smem>, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}

// The user's bound on registers is obeyed by all.
// CHECK-LABEL: func.func @bounded
// CHECK: tile.role "consumer" warps 12 {
// CHECK: tile.role "producer" warps 1 {
func.func @bounded(%A: !tensor, %n: index) attributes {tile.num_threads = 384 : i32} {
  tile.kernel_config {registers = 152 : i64}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %acc = tile.alloc : memref<192x256xf32, #frag>
  %F = tile.alloc : memref<64x64xbf16, #frag>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, memref<64x64xbf16, #frag>
  } {tile.num_stages = 2 : i32}
  return
}
