// RUN: tile-compile %s --target=sm_90a --emit=json -o - | FileCheck %s

// Maps of the im2col form: pixels in the order of the driver, width first.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @convolve(%map: !tile.tensor_map) kernel {
      gpu.return
    }
    gpu.func @others(%line: !tile.tensor_map, %video: !tile.tensor_map) kernel {
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
  // CHECK-LABEL: "function": "ranks"
  // CHECK: "pixel_box_lower": [-7], "pixel_box_upper": [300], "channels_per_pixel": 8, "pixels_per_column": 64, "elem_strides": [1, 3, 1],
  // CHECK: "pixel_box_lower": [-3, -2, -1], "pixel_box_upper": [6, 5, 4], "channels_per_pixel": 64, "pixels_per_column": 128, "elem_strides": [1, 8, 7, 2, 1],
  func.func @ranks(%X: memref<?x?x8xf32>, %Y: memref<?x?x?x?x64xbf16>) {
    %c1 = arith.constant 1 : index
    %line = tile.tensor_map %X box [64, 8] lower [-7] upper [300] step [3] : memref<?x?x8xf32>
    %video = tile.tensor_map %Y box [128, 64] lower [-1, -2, -3] upper [4, 5, 6] step [2, 7, 8] swizzle 128 : memref<?x?x?x?x64xbf16>
    gpu.launch_func @kernels::@others blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%line : !tile.tensor_map, %video : !tile.tensor_map)
    return
  }
}
