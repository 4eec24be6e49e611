// RUN: %tile_opt_passes 'tile-guard-masks' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-guard-masks,tile-guard-masks' %s | FileCheck %s

#fragment = #tile.fragment
!scores = memref<64x64xf32, #fragment>

// Keys up to %keys, and up to the query: the last column of the first row is hidden
// first. The choice between an element and a constant is a select.
// CHECK-LABEL: func @causal
// CHECK: scf.for
// CHECK-DAG: %[[KEYS:.*]] = arith.cmpi slt, %{{.*}}, %arg1
// CHECK-DAG: %[[OWN:.*]] = arith.cmpi sle
// CHECK: %[[ALL:.*]] = arith.andi
// CHECK: %[[HIDES:.*]] = arith.xori %[[ALL]]
// CHECK: scf.if %[[HIDES]] {
// CHECK-NEXT: tile.parallel
// CHECK-NOT: scf.if
// CHECK: arith.select
// CHECK: memref.store
func.func @causal(%O: memref<?x64xf32>, %keys: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %low = arith.constant 0xFF800000 : f32
    %S = tile.alloc : !scores
    %m = arith.muli %bx, %c64 : index
    scf.for %n = %c0 to %keys step %c64 {
      tile.parallel (%i, %j) in [64, 64] {
        %key = arith.addi %n, %j : index
        %query = arith.addi %m, %i : index
        %is_key = arith.cmpi slt, %key, %keys : index
        %is_seen = arith.cmpi sle, %key, %query : index
        %seen = arith.andi %is_seen, %is_key : i1
        %s = scf.if %seen -> (f32) {
          %own = memref.load %S[%i, %j] : !scores
          scf.yield %own : f32
        } else {
          scf.yield %low : f32
        }
        memref.store %s, %S[%i, %j] : !scores
      }
    }
    gpu.terminator
  }
  return
}

// What is read of another element, of a tensor, or computed, stays where it is.
// CHECK-LABEL: func @kept
// CHECK: scf.for
// CHECK-NEXT: tile.parallel
// CHECK: scf.if
// CHECK: math.exp
// CHECK: tile.parallel
// CHECK: scf.if
// CHECK: memref.load %arg0
func.func @kept(%X: memref<64x64xf32>, %keys: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %low = arith.constant 0.0 : f32
    %S = tile.alloc : !scores
    scf.for %n = %c0 to %keys step %c64 {
      tile.parallel (%i, %j) in [64, 64] {
        %is_key = arith.cmpi slt, %j, %keys : index
        %s = scf.if %is_key -> (f32) {
          %own = memref.load %S[%i, %j] : !scores
          %e = math.exp %own : f32
          scf.yield %e : f32
        } else {
          scf.yield %low : f32
        }
        memref.store %s, %S[%i, %j] : !scores
      }
      tile.parallel (%i, %j) in [64, 64] {
        %is_key = arith.cmpi slt, %j, %keys : index
        %s = scf.if %is_key -> (f32) {
          %other = memref.load %X[%i, %j] : memref<64x64xf32>
          scf.yield %other : f32
        } else {
          scf.yield %low : f32
        }
        memref.store %s, %S[%i, %j] : !scores
      }
    }
    gpu.terminator
  }
  return
}
