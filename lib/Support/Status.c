//===- Status.c - Result of a call that may fail, with its message --------===//

#include "Tile/Support/Status.h"

#include <stdarg.h>
#include <stdio.h>

TileStatus tile_status_error(TileStatusCode code, const char *format, ...) {
  TileStatus status = {code, {0}};
  va_list args;
  va_start(args, format);
  vsnprintf(status.message, sizeof status.message, format, args);
  va_end(args);
  return status;
}
