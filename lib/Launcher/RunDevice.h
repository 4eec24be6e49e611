//===- RunDevice.h - What Tile/Run.h adds to a device ---------------------===//
#ifndef TILE_LIB_LAUNCHER_RUN_DEVICE_H
#define TILE_LIB_LAUNCHER_RUN_DEVICE_H

#include "LauncherInternal.h"

/// Tells the program of the device about a failure; false when it is one.
/// `code` is that of the diagnostic but for failures of kernels.
bool tile_device_tell(const TileDevice *device, const TileStatus *status,
                      const char *code);

/// Whether tile_memory_alloc gave what lies at `address`.
bool tile_device_owns(const TileDevice *device, uint64_t address);

/// Takes memory of the device over, as if tile_memory_alloc had given it.
/// Errors: out of memory; it is freed then.
TileStatus tile_device_adopt(TileDevice *device, uint64_t address,
                             uint64_t size_bytes);

#endif // TILE_LIB_LAUNCHER_RUN_DEVICE_H
