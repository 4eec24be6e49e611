//===- Reason.c - Why the answer to a question is "no" --------------------===//

#include "Support/Diagnostic/Reason.h"

#include <stdarg.h>
#include <stdio.h>

bool tile_refuse(TileReason *out, const char *code, const char *format, ...) {
  if (!out)
    return false;
  out->code = code;
  va_list args;
  va_start(args, format);
  vsnprintf(out->text, sizeof out->text, format, args);
  va_end(args);
  return false;
}
