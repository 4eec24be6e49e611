//===- launcher-fake-cuda.h - Controls of the fake CUDA driver ------------===//
#ifndef TILE_TEST_LAUNCHER_FAKE_CUDA_H
#define TILE_TEST_LAUNCHER_FAKE_CUDA_H

#include <stddef.h>

/// Exported by the fake library as `fake_cuda`. The log has one line per call.
typedef struct {
  char log[16384];
  size_t log_bytes;
  const char *failing; // the function that fails, NULL: none
  int error;           // with this number
  int num_devices;
  int capability;      // 90
  int has_pools;       // of memory
  size_t num_params;   // of the next launched kernels, 8 bytes of each logged
  int num_pushed;      // contexts that are current and not popped
  int has_current;     // a context of the program is current
  const char *jit_log; // written by cuModuleLoadDataEx, NULL: nothing
} FakeCuda;

#endif // TILE_TEST_LAUNCHER_FAKE_CUDA_H
