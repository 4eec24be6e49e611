//===- Diagnostics.c - Errors, remarks and notes at an op -----------------===//

#include "Diagnostics.h"

#include "Build.h"
#include "Iterate.h"
#include "MlirExtra.h"
#include "mlir-c/Diagnostics.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Bytes of a message, of a remark's code; longer text is cut.
enum { MESSAGE_CAPACITY = 1024, CODE_CAPACITY = 64 };

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
  return mlirxEmitOpError(op, mlirStringRefCreateFromCString(message), 0, NULL);
}

MlirLogicalResult tile_emit_error_with_note(MlirOperation op,
                                            MlirLocation note_location,
                                            const char *note,
                                            const char *format, ...) {
  FORMAT_MESSAGE(message, format);
  MlirxNote attached = {note_location, mlirStringRefCreateFromCString(note)};
  return mlirxEmitOpError(op, mlirStringRefCreateFromCString(message), 1,
                          &attached);
}

MlirLogicalResult tile_emit_error_with_notes(MlirOperation op,
                                             intptr_t num_notes,
                                             const MlirxNote *notes,
                                             const char *format, ...) {
  FORMAT_MESSAGE(message, format);
  return mlirxEmitOpError(op, mlirStringRefCreateFromCString(message),
                          num_notes, notes);
}

MlirLogicalResult tile_emit_error_at(MlirLocation location, const char *format,
                                     ...) {
  FORMAT_MESSAGE(message, format);
  mlirEmitError(location, message);
  return tile_failure();
}

static const char variants_name[] = "tile.variants";

static bool stands_in(MlirBlock block, MlirLocation location) {
  TILE_FOR_EACH_OP (op, block) {
    if (mlirLocationEqual(mlirOperationGetLocation(op), location))
      return true;
  }
  return false;
}

// Variants of a launch that the compiler has made stand in one place: the first
// one, with the best instructions, speaks for all.
static bool is_repeated(MlirOperation op) {
  MlirOperation child = op, parent = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(parent) &&
         !mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(parent)),
                             tile_str(variants_name))) {
    child = parent;
    parent = mlirOperationGetParentOperation(parent);
  }
  if (mlirOperationIsNull(parent))
    return false;
  MlirBlock best = mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0));
  return !mlirBlockEqual(best, mlirOperationGetBlock(child)) &&
         stands_in(best, mlirOperationGetLocation(child));
}

static void emit_tagged(MlirOperation op, bool is_warning, const char *code,
                        const char *message, intptr_t num_notes,
                        const MlirxNote *notes) {
  char tagged[MESSAGE_CAPACITY + CODE_CAPACITY];
  if (is_repeated(op))
    return;
  snprintf(tagged, sizeof tagged, "[%s] %s", code, message);
  mlirxEmitRemark(mlirOperationGetLocation(op), is_warning,
                  mlirStringRefCreateFromCString(tagged), num_notes, notes);
}

void tile_emit_remark(MlirOperation op, const char *code, const char *format,
                      ...) {
  FORMAT_MESSAGE(message, format);
  emit_tagged(op, false, code, message, 0, NULL);
}

void tile_emit_remark_with_note(MlirOperation op, MlirLocation note_location,
                                const char *note, const char *code,
                                const char *format, ...) {
  FORMAT_MESSAGE(message, format);
  MlirxNote attached = {note_location, mlirStringRefCreateFromCString(note)};
  emit_tagged(op, false, code, message, 1, &attached);
}

void tile_emit_warning_with_notes(MlirOperation op, intptr_t num_notes,
                                  const MlirxNote *notes, const char *code,
                                  const char *format, ...) {
  FORMAT_MESSAGE(message, format);
  emit_tagged(op, true, code, message, num_notes, notes);
}

//===-- Internal errors ---------------------------------------------------===//

// A name around the place: diagnostics have no other field for it.
static const char internal_error_name[] = "tile.internal_error";

bool tile_location_is_internal_error(MlirLocation location) {
  if (!mlirLocationIsAName(location))
    return false;
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
  return name.length == sizeof internal_error_name - 1 &&
         !memcmp(name.data, internal_error_name, name.length);
}

static MlirLogicalResult emit_internal_error(MlirLocation location,
                                             const char *message) {
  mlirEmitError(
      mlirLocationNameGet(mlirLocationGetContext(location),
                          mlirStringRefCreateFromCString(internal_error_name),
                          location),
      message);
  return tile_failure();
}

MlirLogicalResult tile_emit_internal_error(MlirOperation op, const char *format,
                                           ...) {
  FORMAT_MESSAGE(message, format);
  char text[MESSAGE_CAPACITY + CODE_CAPACITY];
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  snprintf(text, sizeof text, "'%.*s' op internal error: %s", (int)name.length,
           name.data, message);
  return emit_internal_error(mlirOperationGetLocation(op), text);
}
