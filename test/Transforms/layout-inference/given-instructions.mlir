// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -split-input-file -verify-diagnostics

// The annotation has not seen these instructions. A tensor map is made in front
// of a launch, of an argument of the host function; layouts alone say nothing
// about that.

!shared = memref<32x32xf32, #gpu.address_space<workgroup>>

func.func @whole_tensor(%A: memref<32x32xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !shared
    // expected-error @+1 {{cannot use tma: the source is a whole tensor, not a window}}
    tile.copy %A to %S {instr = #tile.instr<tma>} : memref<32x32xf32>, !shared
    gpu.terminator
  }
  return
}

// -----

!shared = memref<32x32xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @no_host(%A: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %S = tile.alloc : !shared
    %a = tile.region %A[0, 0] [32, 32] : memref<?x?xf32>
    // expected-error @+1 {{cannot use tma: a tensor map can only be made on the host, of an argument of the function that launches}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<32x32xf32>, !shared
    gpu.return
  }
}
