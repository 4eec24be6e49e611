// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_80}' %s -split-input-file -verify-diagnostics -o /dev/null

// A chip without clusters takes those of one block.
func.func @one(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %grid = arith.constant 32 : index
  %threads = arith.constant 32 : index
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}

// -----

func.func @two(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %grid = arith.constant 32 : index
  %threads = arith.constant 32 : index
  // expected-error @+1 {{asks for clusters of 2 blocks, which sm_80 does not have: launch without clusters, or compile for sm_90a}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}
