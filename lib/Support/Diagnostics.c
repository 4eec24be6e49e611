//===- Diagnostics.c - Errors, remarks and notes at an op -----------------===//

#include "Tile/Support/Diagnostics.h"

#include "Tile/Support/MlirExtra.h"
#include "mlir-c/Diagnostics.h"
#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_CAPACITY = 1024 };

#define FORMAT_MESSAGE(message, format)                                        \
  char message[MESSAGE_CAPACITY];                                              \
  do {                                                                         \
    va_list args;                                                              \
    va_start(args, format);                                                    \
    vsnprintf(message, sizeof message, format, args);                          \
    va_end(args);                                                              \
  } while (0)

MlirLogicalResult tile_emit_error(MlirOperation op, const char *format, ...) {
  FORMAT_MESSAGE(message, format);
  return mlirxOpError(op, "%s", message);
}

MlirLogicalResult tile_emit_error_with_note(MlirOperation op,
                                            MlirLocation note_location,
                                            const char *note,
                                            const char *format, ...) {
  FORMAT_MESSAGE(message, format);
  return mlirxOpErrorNote(op, message, note_location, note);
}

MlirLogicalResult tile_emit_error_at(MlirLocation location, const char *format,
                                     ...) {
  FORMAT_MESSAGE(message, format);
  mlirxEmit(location, MlirDiagnosticError, "%s", message);
  return tile_failure();
}

void tile_emit_remark(MlirOperation op, const char *code, const char *format,
                      ...) {
  FORMAT_MESSAGE(message, format);
  mlirxEmit(mlirOperationGetLocation(op), MlirDiagnosticRemark, "[%s] %s", code,
            message);
}
