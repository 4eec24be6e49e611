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

/// Makes `out_arg` of what the program gives for a parameter.
/// Errors: not a tensor, an element type or a place that cannot be, a number
///         that the type does not hold.
TileStatus tile_launch_arg_read(const TileDevice *device,
                                const TileHostParam *param,
                                const TileLaunchArg *given, TileArg *out_arg);

/// Bytes from the first to after the last element.
uint64_t tile_launch_arg_size_bytes(const TileArg *arg);

#endif // TILE_LIB_LAUNCHER_RUN_DEVICE_H
