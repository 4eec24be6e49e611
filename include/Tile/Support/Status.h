//===- Status.h - Result of a call that may fail, with its message --------===//
//
// For code that knows nothing of MLIR: emulator, launcher, tools. Compiler
// passes report through MLIR diagnostics instead (Support/Diagnostics.h).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_STATUS_H
#define TILE_SUPPORT_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Who has to act. The values are the exit codes of the tools.
typedef enum {
  TILE_STATUS_OK = 0,
  TILE_STATUS_USER_ERROR = 1,   // wrong input or environment
  TILE_STATUS_KERNEL_FAILED = 2 // the executed kernel misbehaved
} TileStatusCode;

/// A code and one line (or report) of text for a person; no final newline.
/// Returned by value, owns nothing. `message` is empty when the code is OK.
typedef struct {
  TileStatusCode code;
  char message[1000];
} TileStatus;

/// Only the first byte of `message` is set: a launch makes a hundred of these.
static inline TileStatus tile_status_ok(void) {
  TileStatus status;
  status.code = TILE_STATUS_OK;
  status.message[0] = '\0';
  return status;
}

static inline bool tile_status_is_ok(const TileStatus *status) {
  return status->code == TILE_STATUS_OK;
}

/// Builds a failure from a printf format; text beyond the buffer is cut.
TileStatus tile_status_error(TileStatusCode code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_STATUS_H
