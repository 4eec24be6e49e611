// The first passes that see a program may be planning and this one, in this
// order, with no target anywhere: what earlier passes would have decided, this
// one decides as they do.

// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-ws-tiled' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-ws-tiled' %t.once -o %t.twice && diff %t.once %t.twice

// Each example with a pipelined loop gets roles and rings; the others keep every
// byte.
// RUN: for f in attention attention-causal convolution gemm gemm-gelu split-k; do \
// RUN:   %tile_opt_passes 'tile-pipeline-planning,tile-ws-tiled' %examples/$f.mlir | FileCheck %s --check-prefix=ROLES || exit 1; done
// ROLES: tile.channel({{.*}}) depth
// ROLES: tile.role "consumer"
// ROLES: tile.role "producer"
// RUN: for f in layer-norm softmax transpose; do \
// RUN:   %tile_opt_passes '' %examples/$f.mlir -o %t.before && \
// RUN:   %tile_opt_passes 'tile-pipeline-planning,tile-ws-tiled' %examples/$f.mlir -o %t.after && diff %t.before %t.after || exit 1; done

// The phase has a name of its own, in stock mlir-opt as well.
// RUN: %tile_opt_passes 'tile-phase-pipeline{target=sm_90a}' %s 2>/dev/null | FileCheck %s --check-prefix=PHASE
// PHASE: gpu.launch
// PHASE-NOT: tile.channel(
// PHASE: tile.barrier_alloc
// PHASE: tile.role "producer"

#smem = #gpu.address_space<workgroup>
!mat = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xf32, #tile.fragment>

// Rows of the tensors are aligned as only the host knows: one variant has roles,
// the other stays as planned.
// CHECK-LABEL: func.func @dynamic
// CHECK: tile.variants
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: tile.channel(%{{.*}}) depth 3 {consumer_warps = 4 : i64, tma}
// CHECK: tile.role "consumer" warps 4
// CHECK: tile.gemm
// CHECK-NOT: tile.stage
// CHECK: tile.role "producer" warps 1
// CHECK: tile.copy {{.*}} signal {{.*}} {instr = #tile.instr<tma>}
// CHECK: gpu.launch
// CHECK-NOT: tile.role
// CHECK: tile.gemm {{.*}}tile.stage = 2
func.func @dynamic(%A: !mat, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %acc = tile.alloc : !frag
    %zero = arith.constant 0.0 : f32
    tile.fill %acc, %zero : !frag, f32
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : !mat
      tile.copy %a to %S : !win, !tile
      tile.gemm %S, %S, %acc : (!tile, !tile, !frag)
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

// What nobody pipelines keeps its launch, though a variant could copy it faster.
// CHECK-LABEL: func.func @no_loop
// CHECK-NOT: tile.variants
// CHECK: return
func.func @no_loop(%A: !mat) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %a = tile.region %A[0, 0] [64, 64] : !mat
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// A wish against roles is obeyed before anything else changes.
// CHECK-LABEL: func.func @off
// CHECK-NOT: tile.variants
// CHECK: return
func.func @off(%A: !mat, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>}
    %S = tile.alloc : !tile
    %f = tile.alloc : memref<64x64xbf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : !mat
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %f : !tile, memref<64x64xbf16, #tile.fragment>
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

// A pad that TMA has not, and a tile that is cleared before a part of it is copied:
// the copy of windows inside, and the other path, are the producer's.
// CHECK-LABEL: func.func @pad
// CHECK: tile.role "producer"
// CHECK: scf.if
// CHECK: tile.copy {{.*}} signal {{.*}} {instr = #tile.instr<tma>}
// CHECK: } else {
// CHECK: tile.copy {{.*}} signal {{.*}} {instr = #tile.instr<cp_async>, prefer = #tile.instr<cp_async>}
func.func @pad(%A: memref<?x64xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %low = arith.constant -1.0 : bf16
    %S = tile.alloc : !tile
    %f = tile.alloc : memref<64x64xbf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[%k, 0] [64, 64] pad %low : bf16 in : memref<?x64xbf16>
      tile.copy %a to %S : !win, !tile
      tile.copy %S to %f : !tile, memref<64x64xbf16, #tile.fragment>
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @cleared
// CHECK: tile.role "producer"
// CHECK: scf.if
// CHECK: tile.copy {{.*}} signal
// CHECK: } else {
// CHECK: tile.fill
func.func @cleared(%A: memref<?x64xbf16>, %M: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : bf16
    %S = tile.alloc : !tile
    %f = tile.alloc : memref<64x64xbf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c64 {
      %on = memref.load %M[%k] : memref<?xi1>
      tile.fill %S, %zero : !tile, bf16
      scf.if %on {
        %a = tile.region %A[%k, 0] [64, 64] : memref<?x64xbf16>
        tile.copy %a to %S : !win, !tile
      }
      tile.copy %S to %f : !tile, memref<64x64xbf16, #tile.fragment>
    } {tile.num_stages = 3 : i32}
    gpu.terminator
  }
  return
}
