// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of an op of the host or of a kernel as a
// whole; its name cites the label in TileOps.td.

//===-- tile.block_swizzle ------------------------------------------------===//

func.func @block_swizzle_c1(%x: index) {
  // expected-error @+1 {{expects 'panel' to be at least 1, got 0}}
  %i, %j = tile.block_swizzle %x, %x of %x, %x {panel = 0}
  return
}

// -----

//===-- tile.kernel_config ------------------------------------------------===//

func.func @kernel_config_c1_nested(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{expects to be directly in the body of a gpu.launch, gpu.func or func.func}}
    tile.kernel_config {min_blocks = 2}
  }
  return
}

// -----

func.func @kernel_config_c1_twice() {
  // expected-note @+1 {{the first one is here}}
  tile.kernel_config {min_blocks = 2}
  // expected-error @+1 {{expects to be the only one of its kernel}}
  tile.kernel_config {registers = 168}
  return
}

// -----

func.func @kernel_config_c2_low() {
  // expected-error @+1 {{expects 'min_blocks' from 1 to 32, got 0}}
  tile.kernel_config {min_blocks = 0}
  return
}

// -----

func.func @kernel_config_c2_high() {
  // expected-error @+1 {{expects 'min_blocks' from 1 to 32, got 33}}
  tile.kernel_config {min_blocks = 33}
  return
}

// -----

func.func @kernel_config_c3_low() {
  // expected-error @+1 {{expects 'registers' from 24 to 255, got 16}}
  tile.kernel_config {registers = 16}
  return
}

// -----

func.func @kernel_config_c3_high() {
  // expected-error @+1 {{expects 'registers' from 24 to 255, got 256}}
  tile.kernel_config {registers = 256}
  return
}

// -----

func.func @kernel_config_c4_low() {
  // expected-error @+1 {{expects 'producer_warps' from 1 to 31, got 0}}
  tile.kernel_config {producer_warps = 0}
  return
}

// -----

func.func @kernel_config_c4_high() {
  // expected-error @+1 {{expects 'producer_warps' from 1 to 31, got 32}}
  tile.kernel_config {producer_warps = 32}
  return
}

// -----

func.func @kernel_config_c5() {
  // expected-error @+1 {{expects 'split' from 1 to 8, got 9}}
  tile.kernel_config {split = 9}
  return
}

// -----

//===-- tile.tensor_map ---------------------------------------------------===//

func.func @tensor_map_c1_space(%A: memref<64x64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects a tensor in global memory, of rank 1 to 5 and of elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4, got memref<64x64xbf16, #gpu.address_space<workgroup>>}}
  %t = tile.tensor_map %A box [64, 64] : memref<64x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tensor_map_c1_rank(%A: memref<?x?x?x?x?x?xbf16>) {
  // expected-error @+1 {{expects a tensor in global memory, of rank 1 to 5 and of elements of}}
  %t = tile.tensor_map %A box [1, 1, 1, 1, 1, 8] : memref<?x?x?x?x?x?xbf16>
  return
}

// -----

func.func @tensor_map_c1_element(%A: memref<?x?xindex>) {
  // expected-error @+1 {{or i4, got memref<?x?xindex>}}
  %t = tile.tensor_map %A box [8, 8] : memref<?x?xindex>
  return
}

// -----

func.func @tensor_map_c1_stride(%A: memref<?x?xbf16, strided<[1, ?]>>) {
  // expected-error @+1 {{expects a tensor whose last stride is 1, got memref<?x?xbf16, strided<[1, ?]>>}}
  %t = tile.tensor_map %A box [8, 8] : memref<?x?xbf16, strided<[1, ?]>>
  return
}

// -----

func.func @tensor_map_c2_count(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects 2 box extents, got 1}}
  %t = tile.tensor_map %A box [64] : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c2_range(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects box extents from 1 to 256, got 512 in dimension 0}}
  %t = tile.tensor_map %A box [512, 64] : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c3(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects 'swizzle' to be 0, 32, 64 or 128 bytes, got 96}}
  %t = tile.tensor_map %A box [64, 8] swizzle 96 : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c4_multiple(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects a box row that is a multiple of 16 bytes, got 8}}
  %t = tile.tensor_map %A box [64, 4] : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c4_swizzle(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects a box row of at most 128 bytes, the swizzle, got 256}}
  %t = tile.tensor_map %A box [64, 128] swizzle 128 : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c5(%A: memref<64x100xbf16>) {
  // expected-error @+1 {{expects strides that are multiples of 16 bytes, got 200 bytes in dimension 0}}
  %t = tile.tensor_map %A box [64, 8] : memref<64x100xbf16>
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
func.func @tensor_map_c6(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i64} {
  // expected-error @+1 {{expects to be outside kernels}}
  %t = tile.tensor_map %A box [64, 8] : memref<?x?xbf16>
  return
}

// -----

//===-- tile.require ------------------------------------------------------===//

gpu.module @kernels {
  // expected-note @+1 {{the kernel is here}}
  gpu.func @require_c1(%c: i1) kernel {
    // expected-error @+1 {{expects to be outside kernels}}
    tile.require %c, "anything"
    gpu.return
  }
}

// -----

func.func @require_c2(%c: i1) {
  // expected-error @+1 {{expects a text that is not empty}}
  tile.require %c, ""
  return
}

// -----

//===-- tile.address ------------------------------------------------------===//

func.func @address_c1(%A: memref<64xbf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects a tensor in global memory, got shared memory}}
  %p = tile.address %A : memref<64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
func.func @address_c2(%A: memref<?x?xbf16>) attributes {tile.num_threads = 128 : i64} {
  // expected-error @+1 {{expects to be outside kernels}}
  %p = tile.address %A : memref<?x?xbf16>
  return
}

// -----

//===-- tile.num_sms ------------------------------------------------------===//

func.func @num_sms_c1(%one: index) {
  // expected-note @+1 {{the kernel is here}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
    // expected-error @+1 {{expects to be outside kernels}}
    %sms = tile.num_sms
    gpu.terminator
  }
  return
}

// -----

//===-- tile.variants -----------------------------------------------------===//

func.func @variants_c1() {
  // expected-error @+1 {{expects at least one variant}}
  "tile.variants"() : () -> ()
  return
}

// -----

func.func @variants_c1_block() {
  // expected-error @+1 {{region #0 ('variants') failed to verify constraint: region with 1 blocks}}
  "tile.variants"() ({}) : () -> ()
  return
}

// -----

func.func @variants_c2_none(%c: i1) {
  // expected-error @+1 {{expects one launch in variant 0, got 0}}
  tile.variants {
    tile.require %c, "anything"
  }
  return
}

// -----

func.func @variants_c2_two(%one: index) {
  // expected-error @+1 {{expects one launch in variant 1, got 2}}
  tile.variants {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      gpu.terminator
    }
  }, {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      gpu.terminator
    }
  }
  return
}

// -----

func.func @variants_c2_nested(%one: index, %c: i1) {
  // expected-error @+1 {{expects the launch of variant 0 to be nested in no other op}}
  tile.variants {
    scf.if %c {
      // expected-note @+1 {{the launch is here}}
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
                 threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
        gpu.terminator
      }
    }
  }
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
func.func @variants_c3(%one: index) attributes {tile.num_threads = 128 : i64} {
  // expected-error @+1 {{expects to be outside kernels}}
  tile.variants {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      gpu.terminator
    }
  }
  return
}

// -----

func.func @tensor_map_c8_form(%A: memref<4x8x8x64xbf16>) {
  // expected-error @+1 {{expects 'ends' in the tiled form only}}
  %t = tile.tensor_map %A box [64, 64] ends [0, 8, 0, 0] lower [-1, -1] upper [-1, -1] step [1, 1] swizzle 128 : memref<4x8x8x64xbf16>
  return
}

// -----

func.func @tensor_map_c8_count(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects 2 numbers in 'ends', one per dimension, got 1}}
  %t = tile.tensor_map %A box [64, 64] ends [64] : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c8_last(%A: memref<?x?xbf16>) {
  // expected-error @+1 {{expects numbers of at least 0 in 'ends', and 0 for the last dimension, got 64 for dimension 1}}
  %t = tile.tensor_map %A box [64, 64] ends [64, 64] : memref<?x?xbf16>
  return
}

// -----

func.func @tensor_map_c8_rank(%A: memref<?x?x?x?xbf16>) {
  // expected-error @+1 {{expects at most 5 dimensions together with those that the kernel ends, got 4 and 2}}
  %t = tile.tensor_map %A box [1, 1, 64, 64] ends [1, 0, 64, 0] : memref<?x?x?x?xbf16>
  return
}
