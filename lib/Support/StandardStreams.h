//===- StandardStreams.h - A failed print is a failure --------------------===//
#ifndef TILE_SUPPORT_STANDARD_STREAMS_H
#define TILE_SUPPORT_STANDARD_STREAMS_H

#include "Tile/Support/Status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Takes the numbers of the standard streams that the caller has closed, so
/// that no file of the program gets one; what is printed there fails as before.
/// Call it first in main.
void tile_streams_open(void);

/// Prints a text.
TileStatus tile_stdout_write(const char *text);

/// Writes what is still in the buffer of standard output.
/// Errors: this write, or one before, has failed: a full device, a closed pipe.
TileStatus tile_stdout_flush(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_STANDARD_STREAMS_H
