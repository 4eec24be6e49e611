//===- ChannelsToBarriers.h - Channels of a kernel to mbarriers -----------===//
#ifndef TILE_TRANSFORMS_CHANNELS_TO_BARRIERS_H
#define TILE_TRANSFORMS_CHANNELS_TO_BARRIERS_H

#include "Support/Arena.h"
#include "mlir-c/IR.h"

/// Replaces the channels of `kernel` and all that is done with them by
/// mbarriers. Fails before it changes anything.
/// Errors: agents of a channel that are not what its roles do; a channel that
///         is not at kernel level, that two roles fill, or one fills and reads.
MlirLogicalResult tile_channels_to_barriers(TileArena *arena,
                                            MlirOperation kernel);

#endif // TILE_TRANSFORMS_CHANNELS_TO_BARRIERS_H
