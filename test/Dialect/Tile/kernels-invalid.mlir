// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -split-input-file -verify-diagnostics

// What no single op can check: passes check it before they change a kernel.

func.func @threads_multiple(%n: index) {
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  // expected-error @+1 {{expects a positive multiple of 32 threads per block, at most 1024, got 100}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c100, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @threads_unknown(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects a constant number of threads per block beside tile ops}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %n, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @thread_id(%n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    // expected-note @+1 {{a tile op is here}}
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{uses thread ids or block sizes beside tile ops, which describe what the whole block does}}
    %t = gpu.thread_id x
    gpu.terminator
  }
  return
}

// -----

func.func @kernel_in_kernel(%n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{the outer kernel is here}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects to be outside kernels}}
    gpu.launch blocks(%bx2, %by2, %bz2) in (%gx2 = %n, %gy2 = %c1, %gz2 = %c1)
               threads(%tx2, %ty2, %tz2) in (%nx2 = %c128, %ny2 = %c1, %nz2 = %c1) {
      gpu.terminator
    }
    gpu.terminator
  }
  return
}
