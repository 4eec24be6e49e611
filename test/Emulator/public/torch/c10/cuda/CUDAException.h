//===- CUDAException.h - Checks of PyTorch --------------------------------===//
//
// What flash-attention takes from PyTorch: its checks of calls.
//
//===----------------------------------------------------------------------===//

#pragma once
#include <cstdio>
#include <cstdlib>
#define C10_CUDA_CHECK(call)                                                   \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      printf("%s: Failed, %s\n", #call, cudaGetErrorString(status));           \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
