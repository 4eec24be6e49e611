// RUN: %tile_opt_passes tile-insert-sync %s -split-input-file -verify-diagnostics

// Sizes of clusters, and ranks in them, are those of the launch.

func.func @extent(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 17 : index
  %grid = arith.constant 34 : index
  %threads = arith.constant 32 : index
  // expected-error @+1 {{expects a cluster with a constant extent from 1 to 16 in x}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}

// -----

func.func @blocks(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %grid = arith.constant 16 : index
  %threads = arith.constant 32 : index
  // expected-error @+1 {{expects clusters of at most 16 blocks, got 64}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %n, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %grid, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}

// -----

func.func @grid(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %grid = arith.constant 6 : index
  %threads = arith.constant 32 : index
  // expected-error @+1 {{expects a grid of whole clusters, got 6 blocks in x and clusters of 4: round the grid up and let the blocks that have no work take part in barriers}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.cluster_sync
    gpu.terminator
  }
  return
}

// -----

func.func @rank(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %grid = arith.constant 4 : index
  %threads = arith.constant 32 : index
  // expected-note @+1 {{the launch is here}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<8xf32, #tile.fragment>
    // expected-error @+1 {{names the block with rank 2, in clusters of 2 blocks}}
    %t = tile.remote %s at %n : memref<8xf32, #gpu.address_space<workgroup>>
    tile.copy %f to %t {instr = #tile.instr<simt>} : memref<8xf32, #tile.fragment>, memref<8xf32, #tile.cluster>
    gpu.terminator
  }
  return
}

// -----

func.func @arrival(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %grid = arith.constant 4 : index
  %threads = arith.constant 32 : index
  // expected-note @+1 {{the launch is here}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{names the block with rank 2, in clusters of 2 blocks}}
    tile.barrier_arrive %bar[%c0] at %n : !tile.barrier<1>
    gpu.terminator
  }
  return
}

// -----

func.func @mask(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %grid = arith.constant 4 : index
  %threads = arith.constant 32 : index
  // expected-note @+1 {{the launch is here}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %n, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %grid, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    %c0 = arith.constant 0 : index
    %mask = arith.constant 9 : i32
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0] [64] : memref<64xf32>
    // expected-error @+1 {{names the block with rank 3, in clusters of 2 blocks}}
    tile.copy %a to %s signal %bar[%c0] of !tile.barrier<1> multicast %mask {instr = #tile.instr<tma>} : !tile.region<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
