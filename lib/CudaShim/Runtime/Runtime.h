//===- Runtime.h - What the runtime API keeps -----------------------------===//
//
// The runtime API on top of our driver API: nothing here knows the emulator.
// Numbers of errors are the same in both APIs but for a few.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_RUNTIME_H
#define TILE_LIB_CUDA_SHIM_RUNTIME_H

#include "CudaShim/Driver/DriverApi.h"
#include "RuntimeTypes.h"

typedef int RtError;

enum {
  RT_SUCCESS = 0,
  RT_INVALID_VALUE = 1,
  RT_OUT_OF_MEMORY = 2,
  RT_INVALID_CONFIGURATION = 9,
  RT_INVALID_SYMBOL = 13,
  RT_INVALID_COPY_DIRECTION = 21,
  RT_MISSING_CONFIGURATION = 52,
  RT_INVALID_DEVICE_FUNCTION = 98,
  RT_INVALID_DEVICE = 101,
  RT_NOT_SUPPORTED = 801,
  RT_UNKNOWN = 999
};

enum {
  RT_HOST_TO_HOST,
  RT_HOST_TO_DEVICE,
  RT_DEVICE_TO_HOST,
  RT_DEVICE_TO_DEVICE,
  RT_COPY_DEFAULT
};

/// Makes the primary context current for this thread, if none is.
RtError tile_rt_start(void);
/// Remembers an error as the last one of this thread and returns it.
RtError tile_rt_finish(RtError error);
/// Also for NOT_SUPPORTED: one line.
RtError tile_rt_missing(const char *call);

/// The bodies of nearly all entry points.
#define RT_CALL(expression)                                                    \
  do {                                                                         \
    RtError error = tile_rt_start();                                           \
    if (error == RT_SUCCESS)                                                   \
      error = (RtError)(expression);                                           \
    return tile_rt_finish(error);                                              \
  } while (0)

/// The kernel that a host function stands for, or that a handle is.
RtError tile_rt_function(const void *host_function, CuFunction *out_function);
/// The device memory of a host variable.
RtError tile_rt_symbol(const void *host_variable, CuAddress *out_address,
                       size_t *out_size_bytes);

#endif // TILE_LIB_CUDA_SHIM_RUNTIME_H
