// Rows of a factor, gathered by an index in a loop of copies: one group of the
// iteration, fetched ahead like the other factor, which goes its own way. With roles
// they are the producer's. An index below zero is a row of zeros.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && mkdir -p %t
// RUN: cp %s %t/roles.mlir
// RUN: sed 's/num_stages = 3/num_stages = 2/;s/specialize<preferred>/specialize<off>/' %s > %t/off.mlir
// RUN: %python %S/Inputs/run-kernel.py %t/roles.mlir --target=sm_90a --target=sm_80 --out=%t/roles
// RUN: %python %S/Inputs/run-kernel.py %t/off.mlir --target=sm_90a --out=%t/off --seeds=1
// RUN: tile-compile %t/roles.mlir --target=sm_90a --ptxas=off -o %t/90 2>&1 | FileCheck %s --check-prefix=SAID --allow-empty
// RUN: tile-compile %t/roles.mlir --target=sm_80 --ptxas=off -o %t/80
// RUN: FileCheck %s --check-prefix=RING < %t/90/rows.ptx
// RUN: FileCheck %s --check-prefix=ONE < %t/90/rows.ptx
// RUN: FileCheck %s --check-prefix=GROUPS < %t/80/rows.ptx
// RUN: FileCheck %s --check-prefix=ALONE < %t/80/alone.ptx

// Both factors are the producer's: nobody waits for a group until the role ends.
// SAID-NOT: {{tile-verify|tile-ws/stale}}
// RING-DAG: cp.async.cg
// RING-DAG: cp.async.mbarrier.arrive.noinc
// ONE: cp.async.wait_group{{.*}}0
// ONE-NOT: cp.async.wait_group

// One wait in the loop, which leaves a group under way, and no other.
// GROUPS: cp.async.wait_group{{.*}}1
// GROUPS-NOT: cp.async.wait_group
// ALONE: cp.async.cg
// ALONE: cp.async.commit_group
// ALONE-NEXT: cp.async.wait_group{{.*}}0
// ALONE-NOT: cp.async.wait_group

#s = #gpu.address_space<workgroup>
#f = #tile.fragment
!tile = memref<64x64xf16, #s>
!acc = memref<64x64xf32, #f>

// CASE: rows(A=ints:9x320:f16, ids=pairs:64:i32, B=ints:64x320:f16, C=junk:64x64:f32)
// EXPECT: C = A[np.abs(ids) % 9] @ B.T
func.func @rows(%A: memref<9x320xf16>, %ids: memref<64xi32>, %B: memref<64x320xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c320 = arith.constant 320 : index
  %nine = arith.constant 9 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c320 step %c64 {
      %b = tile.region %B[0, %k] [64, 64] : memref<64x320xf16>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      scf.for %r = %c0 to %c64 step %c1 {
        %id = memref.load %ids[%r] : memref<64xi32>
        %a = math.absi %id : i32
        %w = arith.remui %a, %nine : i32
        %row = arith.index_cast %w : i32 to index
        %x = tile.region %A[%row, %k] [1, 64] : memref<9x320xf16>
        %y = tile.region %As[%r, 0] [1, 64] : !tile
        tile.copy %x to %y : !tile.region<1x64xf16>, !tile.region<1x64xf16, #s>
      }
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !tile, !acc)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Sizes that are not known; both branches fill the row, and there may be no block.
// CASE: padded(A=ints:9x200:f16, ids=ints:70:i32, B=ints:40x200:f16, C=junk:70x40:f32)
// CASE: padded(A=ints:9x64:f16, ids=ints:1:i32, B=ints:64x64:f16, C=junk:1x64:f32)
// CASE: padded(A=ints:9x37:f16, ids=ints:65:i32, B=ints:64x37:f16, C=junk:65x64:f32)
// EXPECT: C = np.where((ids >= 0)[:, None], A[np.maximum(ids, 0)], 0) @ B.T
func.func @padded(%A: memref<?x?xf16>, %ids: memref<?xi32>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = memref.dim %ids, %c0 : memref<?xi32>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c0 : memref<?x?xf16>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %zh = arith.constant 0.0 : f16
    %none = arith.constant 0 : i32
    %pad = arith.constant -1 : i32
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %b = tile.region %B[%n, %k] [64, 64] : memref<?x?xf16>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      scf.for %r = %c0 to %c64 step %c1 {
        %at = arith.addi %m, %r : index
        %in = arith.cmpi ult, %at, %M : index
        %id = scf.if %in -> (i32) {
          %v = memref.load %ids[%at] : memref<?xi32>
          scf.yield %v : i32
        } else {
          scf.yield %pad : i32
        }
        %is_row = arith.cmpi sge, %id, %none : i32
        %y = tile.region %As[%r, 0] [1, 64] : !tile
        scf.if %is_row {
          %row = arith.index_cast %id : i32 to index
          %x = tile.region %A[%row, %k] [1, 64] : memref<?x?xf16>
          tile.copy %x to %y : !tile.region<1x64xf16>, !tile.region<1x64xf16, #s>
        } else {
          tile.fill %y, %zh : !tile.region<1x64xf16, #s>, f16
        }
      }
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !tile, !acc)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Zeros first, then the rows that there are; two rows at a time of the other factor,
// in two loops, and a third tile copied in the same loop.
// CASE: parts(A=ints:9x192:f16, ids=ints:64:i32, B=ints:18x192:f16, at=pairs:32:i32, C=junk:64x64:f32)
// EXPECT: a = np.where((ids >= 0)[:, None], A[np.maximum(ids, 0)], 0)
// EXPECT: C = a @ np.concatenate([B[2 * (abs(int(i)) % 9):][:2] for i in at]).T
func.func @parts(%A: memref<9x192xf16>, %ids: memref<64xi32>, %B: memref<18x192xf16>, %at: memref<32xi32>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %nine = arith.constant 9 : i32
  %none = arith.constant 0 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %zh = arith.constant 0.0 : f16
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c192 step %c64 {
      tile.fill %As, %zh : !tile, f16
      scf.for %r = %c0 to %c64 step %c1 {
        %id = memref.load %ids[%r] : memref<64xi32>
        %is_row = arith.cmpi sge, %id, %none : i32
        scf.if %is_row {
          %row = arith.index_cast %id : i32 to index
          %x = tile.region %A[%row, %k] [1, 64] : memref<9x192xf16>
          %y = tile.region %As[%r, 0] [1, 64] : !tile
          tile.copy %x to %y : !tile.region<1x64xf16>, !tile.region<1x64xf16, #s>
        }
      }
      scf.for %r = %c0 to %c16 step %c1 {
        %id = memref.load %at[%r] : memref<32xi32>
        %a = math.absi %id : i32
        %w = arith.remui %a, %nine : i32
        %pair = arith.index_cast %w : i32 to index
        %row = arith.muli %pair, %c2 : index
        %to = arith.muli %r, %c2 : index
        %x = tile.region %B[%row, %k] [2, 64] : memref<18x192xf16>
        %y = tile.region %Bs[%to, 0] [2, 64] : !tile
        tile.copy %x to %y : !tile.region<2x64xf16>, !tile.region<2x64xf16, #s>
      }
      scf.for %r = %c16 to %c32 step %c1 {
        %id = memref.load %at[%r] : memref<32xi32>
        %a = math.absi %id : i32
        %w = arith.remui %a, %nine : i32
        %pair = arith.index_cast %w : i32 to index
        %row = arith.muli %pair, %c2 : index
        %to = arith.muli %r, %c2 : index
        %x = tile.region %B[%row, %k] [2, 64] : memref<18x192xf16>
        %y = tile.region %Bs[%to, 0] [2, 64] : !tile
        tile.copy %x to %y : !tile.region<2x64xf16>, !tile.region<2x64xf16, #s>
      }
      tile.gemm %As, %Bs, %acc {transpose_b} : (!tile, !tile, !acc)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Rows of a tensor that are needed once, in no pipeline: one group for all.
// CASE: alone(A=ints:9x64:f16, ids=pairs:64:i32, C=junk:64x64:f16)
// EXPECT: C = A[np.abs(ids) % 9]
func.func @alone(%A: memref<9x64xf16>, %ids: memref<64xi32>, %C: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %nine = arith.constant 9 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !tile
    scf.for %r = %c0 to %c64 step %c1 {
      %id = memref.load %ids[%r] : memref<64xi32>
      %a = math.absi %id : i32
      %w = arith.remui %a, %nine : i32
      %row = arith.index_cast %w : i32 to index
      %x = tile.region %A[%row, 0] [1, 64] : memref<9x64xf16>
      %y = tile.region %As[%r, 0] [1, 64] : !tile
      tile.copy %x to %y : !tile.region<1x64xf16>, !tile.region<1x64xf16, #s>
    }
    tile.copy %As to %C : !tile, memref<64x64xf16>
    gpu.terminator
  }
  return
}
