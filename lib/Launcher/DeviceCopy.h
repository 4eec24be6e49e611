//===- DeviceCopy.h - Strided copies and fills on a device ----------------===//
#ifndef TILE_LIB_LAUNCHER_DEVICE_COPY_H
#define TILE_LIB_LAUNCHER_DEVICE_COPY_H

#include "LauncherInternal.h"

/// Element (i, j, …) moves from `from` + (i*from_strides[0] + …) elements to
/// `to` + (i*to_strides[0] + …) elements. The two do not overlap.
typedef struct {
  uint64_t to, from; // addresses on the device
  size_t elem_bytes;
  int rank;
  int64_t shape[TILE_LAUNCH_MAX_RANK];
  int64_t to_strides[TILE_LAUNCH_MAX_RANK], from_strides[TILE_LAUNCH_MAX_RANK];
  void *stream;
} DeviceCopy;

/// Queues a copy. Errors: those of the driver.
TileStatus tile_device_copy(TileDevice *device, const DeviceCopy *copy);

typedef struct {
  uint64_t to;
  size_t elem_bytes;
  unsigned char pattern[8]; // the first `elem_bytes` of it
  int rank;
  int64_t shape[TILE_LAUNCH_MAX_RANK], strides[TILE_LAUNCH_MAX_RANK];
  void *stream;
} DeviceFill;

/// Queues a fill. Errors: those of the driver.
TileStatus tile_device_fill(TileDevice *device, const DeviceFill *fill);

#endif // TILE_LIB_LAUNCHER_DEVICE_COPY_H
