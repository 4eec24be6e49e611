// RUN: %tile_opt %s -cse | FileCheck %s --check-prefix=CSE
// RUN: %tile_opt %s -loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: %tile_opt %s -canonicalize -cse | FileCheck %s --check-prefix=DCE

// Upstream passes see what tile ops read and write.

#shared = #gpu.address_space<workgroup>

// A copy that writes the tile stands between two loads of it.
// CSE-LABEL: func.func @load_over_copy
func.func @load_over_copy(%A: memref<64xf32>, %i: index) -> (f32, f32) {
  %s = tile.alloc : memref<64xf32, #shared>
  // CSE: %[[X:.*]] = memref.load
  // CSE: tile.copy
  // CSE: %[[Y:.*]] = memref.load
  // CSE: return %[[X]], %[[Y]]
  %x = memref.load %s[%i] : memref<64xf32, #shared>
  tile.copy %A to %s : memref<64xf32>, memref<64xf32, #shared>
  %y = memref.load %s[%i] : memref<64xf32, #shared>
  return %x, %y : f32, f32
}

// A product writes its accumulator.
// CSE-LABEL: func.func @load_over_gemm
func.func @load_over_gemm(%a: memref<64x16xf16, #shared>, %b: memref<16x64xf16, #shared>, %i: index) -> (f32, f32) {
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // CSE: %[[C:.*]] = memref.load {{.*}} #tile.fragment>
  // CSE: tile.gemm
  // CSE: %[[C2:.*]] = memref.load {{.*}} #tile.fragment>
  // CSE: return %[[C]], %[[C2]]
  %z = memref.load %c[%i, %i] : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c : (memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>)
  %w = memref.load %c[%i, %i] : memref<64x64xf32, #tile.fragment>
  return %z, %w : f32, f32
}

// Two copies of one window are two copies; two names of it are one.
// CSE-LABEL: func.func @regions_merge
func.func @regions_merge(%A: memref<?xf32>, %i: index) {
  %s = tile.alloc : memref<64xf32, #shared>
  %t = tile.alloc : memref<64xf32, #shared>
  // CSE-COUNT-2: tile.alloc
  // CSE: %[[R:.*]] = tile.region
  // CSE-NOT: tile.region
  // CSE: tile.copy %[[R]]
  // CSE: tile.copy %[[R]]
  %a = tile.region %A[%i] [64] : memref<?xf32>
  tile.copy %a to %s : !tile.region<64xf32>, memref<64xf32, #shared>
  %b = tile.region %A[%i] [64] : memref<?xf32>
  tile.copy %b to %t : !tile.region<64xf32>, memref<64xf32, #shared>
  return
}

// Windows leave the loop, copies and products do not.
// LICM-LABEL: func.func @loop
func.func @loop(%A: memref<?xf32>, %i: index, %n: index, %zero: f32) {
  %s = tile.alloc : memref<64xf32, #shared>
  // LICM: tile.region
  // LICM: scf.for
  // LICM-NEXT: tile.copy
  // LICM-NEXT: tile.fill
  scf.for %k = %i to %n step %i {
    %a = tile.region %A[%i] [64] : memref<?xf32>
    tile.copy %a to %s : !tile.region<64xf32>, memref<64xf32, #shared>
    tile.fill %s, %zero : memref<64xf32, #shared>, f32
  }
  return
}

// What nobody uses goes: windows, tiles, barriers. What writes memory or
// synchronises stays, also when the tile is never read.
// DCE-LABEL: func.func @dead
func.func @dead(%A: memref<?xf32>, %n: index, %v: f32) {
  // DCE-NEXT: %[[S:.*]] = tile.alloc
  // DCE-NEXT: tile.fill %[[S]]
  // DCE-NEXT: tile.barrier_sync
  // DCE-NEXT: tile.fence_proxy
  // DCE-NEXT: tile.barrier_sync
  // DCE-NEXT: return
  %region = tile.region %A[%n] [64] : memref<?xf32>
  %unused = tile.alloc : memref<64xf32, #shared>
  %barrier = tile.barrier_alloc : !tile.barrier<2>
  %map = tile.tensor_map %A box [64] : memref<?xf32>
  %sms = tile.num_sms
  %address = tile.address %A : memref<?xf32>
  %i, %j = tile.block_swizzle %n, %n of %n, %n
  %s = tile.alloc : memref<64xf32, #shared>
  tile.fill %s, %v : memref<64xf32, #shared>, f32
  tile.barrier_sync
  tile.fence_proxy
  tile.barrier_sync
  return
}

// An asynchronous copy also changes its barrier: waits keep their place.
// LICM-LABEL: func.func @signal
func.func @signal(%A: memref<64xf32>, %map: !tile.tensor_map, %i: index, %p: i32) {
  %s = tile.alloc : memref<64xf32, #shared>
  %full = tile.barrier_alloc : !tile.barrier<1>
  // LICM: scf.for
  // LICM-NEXT: tile.barrier_expect
  // LICM-NEXT: tile.copy
  // LICM-NEXT: tile.barrier_wait
  // LICM-NEXT: }
  scf.for %k = %i to %i step %i {
    tile.barrier_expect %full[%i] bytes 256 : !tile.barrier<1>
    tile.copy %A to %s map %map signal %full[%i] of !tile.barrier<1> {instr = #tile.instr<tma>} : memref<64xf32>, memref<64xf32, #shared>
    tile.barrier_wait %full[%i] parity %p : !tile.barrier<1>
  }
  return
}
