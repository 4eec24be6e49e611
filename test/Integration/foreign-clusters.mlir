// Ids of clusters and of blocks in them.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// Clusters of two blocks.
// CASE: cluster(B=junk:128:i32)
// EXPECT: B = np.repeat(np.array([2, 6, 18, 22]), 32)
func.func @cluster(%B: memref<128xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %cT = arith.constant 32 : index
  %cG = arith.constant 4 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c2, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %cid = gpu.cluster_id x
    %cd = gpu.cluster_dim_blocks x
    %cb = gpu.cluster_block_id x
    %g = gpu.global_id x
    %a = arith.muli %cid, %c16 : index
    %b = arith.muli %cb, %c4 : index
    %c = arith.addi %a, %b : index
    %d = arith.addi %c, %cd : index
    %i = arith.index_cast %d : index to i32
    memref.store %i, %B[%g] : memref<128xi32>
    gpu.terminator
  }
  return
}
