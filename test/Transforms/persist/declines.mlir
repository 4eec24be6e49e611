// Launches that would have roles and are not persistent, and why. Each of them is
// like @taken but for one thing.

// RUN: %tile_opt_passes 'tile-persist{target=sm_90a}' %s -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

#smem = #gpu.address_space<workgroup>
!A = memref<4096x4096xbf16>
!tile = memref<256x64xbf16, #smem>
!win = !tile.region<256x64xbf16>
!frag = memref<256x64xbf16, #tile.fragment>

// CHECK-LABEL: func.func @taken
// CHECK: tile.num_sms
func.func @taken(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// 12 x 11 blocks, and as many multiprocessors.
// CHECK-NOT: tile.num_sms
func.func @few_tiles(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c256 = arith.constant 256 : index
  // expected-remark @+1 {{[tile-persist/few-tiles] is not persistent: the launch has no more blocks than the chip has multiprocessors: 132 blocks, 132 multiprocessors; nothing is lost, all blocks run at once}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c12, %sy = %c11, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// Rows of which TMA copies none leave the computing threads of roles too few
// registers, so there will be no roles; without that tensor there are.
// CHECK-NOT: tile.num_sms
func.func @no_roles(%A: !A, %B: memref<4096x4095xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c384 = arith.constant 384 : index
  // expected-remark @+1 {{[tile-persist/no-roles] is not persistent: it will have no roles, so that no copy of the next tile is under way while this one is stored: 160 registers per thread, at most 144; what the remark about its loop says, or persist = true in tile.kernel_config}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c384, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<192x64xbf16, #smem>
    %T = tile.alloc : memref<64x96xbf16, #smem>
    %F = tile.alloc : memref<192x64xbf16, #tile.fragment>
    %G = tile.alloc : memref<64x96xbf16, #tile.fragment>
    %acc = tile.alloc : memref<192x144xf32, #tile.fragment>
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[%k, 0] [192, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !tile.region<192x64xbf16>, memref<192x64xbf16, #smem>
      %b = tile.region %B[%k, 0] [64, 96] : memref<4096x4095xbf16>
      tile.copy %b to %T : !tile.region<64x96xbf16>, memref<64x96xbf16, #smem>
      tile.copy %S to %F : memref<192x64xbf16, #smem>, memref<192x64xbf16, #tile.fragment>
      tile.copy %T to %G : memref<64x96xbf16, #smem>, memref<64x96xbf16, #tile.fragment>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Causal attention: later blocks have longer loops.
func.func @uneven(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  // expected-remark @+1 {{[tile-persist/uneven] is not persistent: how long a block takes depends on its number; the hardware gives the next one to whoever is done first; persist = true in tile.kernel_config, if it hardly does}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    %end = arith.muli %bx, %c256 : index
    // expected-note @+1 {{this op}}
    scf.for %k = %c0 to %end step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

func.func @uneven_switch(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  // expected-remark @+1 {{[tile-persist/uneven] is not persistent: how long a block takes depends on its number; the hardware gives the next one to whoever is done first; persist = true in tile.kernel_config, if it hardly does}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    // expected-note @+1 {{this op}}
    scf.index_switch %bx
    case 1 {
      scf.for %k = %c0 to %n step %c256 {
        %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
        tile.copy %a to %S : !win, !tile
        tile.copy %S to %F : !tile, !frag
      } {tile.num_stages = 4 : i32}
      scf.yield
    }
    default {
    }
    gpu.terminator
  }
  return
}

// Two stages: three blocks fit.
func.func @occupancy(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  // expected-remark @+1 {{[tile-persist/occupancy] is not persistent: several blocks fit on a multiprocessor, where one computes while another stores: 2 blocks; persist = true in tile.kernel_config}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// The user says how many blocks share a multiprocessor.
func.func @min_blocks(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  // expected-remark @+1 {{[tile-persist/occupancy] is not persistent}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    tile.kernel_config {min_blocks = 2 : i64}
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// An illegal thing counts more than one that costs time.
func.func @clusters(%A: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  // expected-remark @+1 {{[tile-persist/clusters] is not persistent: the blocks form clusters; launch without clusters}}
  gpu.launch clusters(%cx, %cy, %cz) in (%zx = %c2, %zy = %c1, %zz = %c1)
             blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c2, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 4 : i32}
    gpu.terminator
  }
  return
}

// The staging tile is changed before it is stored, so it cannot be cut.
func.func @shared_memory(%A: !A, %C: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : bf16
  // expected-remark @+1 {{[tile-persist/shared-memory] is not persistent: the tiles that it is stored from may have no place beside the rings, which the next tile fills meanwhile: 262144 bytes, 230400 are left; fewer stages; copies from a fragment to a shared tile, and from there to the tensor next, are made in parts}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %n, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %E = tile.alloc : !tile
    %F = tile.alloc : !frag
    scf.for %k = %c0 to %n step %c256 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : !A
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %F : !tile, !frag
    } {tile.num_stages = 7 : i32}
    tile.copy %F to %E : !frag, !tile
    tile.parallel (%i, %j) in [256, 64] {
      %e = memref.load %E[%i, %j] : !tile
      %f = arith.addf %e, %e : bf16
      memref.store %f, %E[%i, %j] : !tile
    }
    %c = tile.region %C[%bx, 0] [256, 64] {align = 16 : i64} : !A
    tile.copy %E to %c : !tile, !win
    gpu.terminator
  }
  return
}
