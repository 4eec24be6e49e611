//===- Diagnostics.h - Errors, remarks and notes at an op -----------------===//
//
// Messages are lower case, without a final period, with the expected and the
// actual value. An error is emitted exactly once, at the op the user can fix;
// callers forward the failure.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_DIAGNOSTICS_H
#define TILE_SUPPORT_DIAGNOSTICS_H

#include "MlirExtra.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Emits "'dialect.op' op <message>" at `op` and returns failure.
MlirLogicalResult tile_emit_error(MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The same with a note at `note_location`.
MlirLogicalResult
tile_emit_error_with_note(MlirOperation op, MlirLocation note_location,
                          const char *note, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// The same with any number of notes, in order.
MlirLogicalResult
tile_emit_error_with_notes(MlirOperation op, intptr_t num_notes,
                           const MlirxNote *notes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Emits an error at a location that belongs to no op yet.
MlirLogicalResult tile_emit_error_at(MlirLocation location, const char *format,
                                     ...) __attribute__((format(printf, 2, 3)));

/// Emits "[code] <message>" as a remark, unless the launch is one that the
/// compiler has cloned: the first clone speaks for all. `code` is stable and
/// listed in docs/Remarks.md, e.g. "tile-instr/tma-stride".
void tile_emit_remark(MlirOperation op, const char *code, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));

/// The same with a note at `note_location`.
void tile_emit_remark_with_note(MlirOperation op, MlirLocation note_location,
                                const char *note, const char *code,
                                const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/// Emits "[code] <message>" as a warning: the program is probably wrong. Codes
/// are those of remarks.
void tile_emit_warning_with_notes(MlirOperation op, intptr_t num_notes,
                                  const MlirxNote *notes, const char *code,
                                  const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/// Emits "'dialect.op' op internal error: <message>" for what only we can fix,
/// and returns failure. Its location says so to
/// tile_location_is_internal_error.
MlirLogicalResult tile_emit_internal_error(MlirOperation op, const char *format,
                                           ...)
    __attribute__((format(printf, 2, 3)));

/// Whether an error with this location is one of ours.
bool tile_location_is_internal_error(MlirLocation location);

static inline MlirLogicalResult tile_success(void) {
  return mlirLogicalResultSuccess();
}
static inline MlirLogicalResult tile_failure(void) {
  return mlirLogicalResultFailure();
}
static inline bool tile_failed(MlirLogicalResult result) {
  return mlirLogicalResultIsFailure(result);
}

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_DIAGNOSTICS_H
