// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -split-input-file -verify-diagnostics

// The annotation has not seen these instructions. A tensor map is made before
// a launch, of an argument of the host function; layouts alone say nothing
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
    // expected-error @+1 {{cannot use tma: a tensor map can only be made on the host, of a tensor of the function that launches}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !tile.region<32x32xf32>, !shared
    gpu.return
  }
}

// -----

// Maps that the program makes must be those of the layouts.
func.func @map_of_another_box(%A: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{the map is here}}
  %map = tile.tensor_map %A box [32, 64] swizzle 128 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x64xbf16>
    // expected-error @+1 {{expects a tensor map with box [64, 64] swizzle 128, as the layout of the tile has it, got box [32, 64] swizzle 128}}
    tile.copy %a to %S map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @map_of_another_tensor(%A: memref<?x64xbf16>, %B: memref<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{the map is here}}
  %map = tile.tensor_map %B box [64, 64] swizzle 128 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [64, 64] {align = 16 : i64} : memref<?x64xbf16>
    // expected-error @+1 {{expects a tensor map of the tensor of its window, got one of another}}
    tile.copy %a to %S map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// The im2col form says the window as well.
func.func @map_of_another_filter(%X: memref<2x8x8x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{the map is here}}
  %map = tile.tensor_map %X box [64, 64] lower [0, 0] upper [0, 0] step [1, 1] swizzle 128 : memref<2x8x8x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %bar = tile.barrier_alloc : !tile.barrier<1>
    %S = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %x = tile.im2col %X[%c0, %c0] [64, 64] kernel [3, 3] pad [1, 1] {align = 16 : i64} : memref<2x8x8x64xbf16>
    // expected-error @+1 {{expects a tensor map with box [64, 64] lower [-1, -1] upper [-1, -1] step [1, 1] swizzle 128, as the layout of the tile has it, got box [64, 64] lower [0, 0] upper [0, 0] step [1, 1] swizzle 128}}
    tile.copy %x to %S map %map signal %bar[%c0] of !tile.barrier<1> {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
