// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s

// Maps of the im2col form: pixels in the order of the driver, width first.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @convolve(%map: !tile.tensor_map) kernel {
      gpu.return
    }
  }
  // CHECK-LABEL: "function": "image"
  // CHECK: {"kind": "tensor_map", "arg": 0, "dtype": "bf16", "dims": [{{[0-9, ]+}}], "strides_bytes": [{{[0-9, ]+}}],
  // CHECK-SAME: "pixel_box_lower": [-2, -1], "pixel_box_upper": [4, 3], "channels_per_pixel": 64, "pixels_per_column": 128, "elem_strides": [1, 5, 2, 1], "swizzle_bytes": 128, "oob": "zero"}
  func.func @image(%X: memref<?x?x?x64xbf16>) {
    %c1 = arith.constant 1 : index
    %map = tile.tensor_map %X box [128, 64] lower [-1, -2] upper [3, 4] step [2, 5] swizzle 128 : memref<?x?x?x64xbf16>
    gpu.launch_func @kernels::@convolve blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%map : !tile.tensor_map)
    return
  }
}
