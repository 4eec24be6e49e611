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

/// Makes a result of what a function returned. The memory is not adopted.
void tile_launch_result_make(const TileDevice *device,
                             const TileHostValue *value,
                             TileLaunchResult *out_result);

/// Makes `out_arg` of what the program gives for a parameter.
/// Errors: not a tensor, an element type or a place that cannot be, a number
///         that the type does not hold.
TileStatus tile_launch_arg_read(const TileDevice *device,
                                const TileHostParam *param,
                                const TileLaunchArg *given, TileArg *out_arg);

#endif // TILE_LIB_LAUNCHER_RUN_DEVICE_H
