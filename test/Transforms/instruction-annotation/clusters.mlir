// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics -o /dev/null

// More blocks than every GPU has room for side by side are taken, with a remark.
func.func @many(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %grid = arith.constant 32 : index
  %threads = arith.constant 32 : index
  // expected-remark @+1 {{[tile-instr/cluster] has clusters of 16 blocks; GPUs find place for 8, and for more where nothing else is in the way}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}

// Eight are nothing to talk about.
func.func @some(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %grid = arith.constant 32 : index
  %threads = arith.constant 32 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}
