//===- MadeOps.h - Errors at ops that the compiler made -------------------===//
#ifndef TILE_LIB_PIPELINE_MADE_OPS_H
#define TILE_LIB_PIPELINE_MADE_OPS_H

#include "Support/StringBuilder.h"

/// Appends a note for an error "'dialect.op' op …" at `source`, which ends at
/// `end`: which statement the op was made of, and by which choice. Nothing when
/// the op stands there, or the message names none.
void tile_made_op_note(const char *message, const char *source, const char *end,
                       TileString *out);

#endif // TILE_LIB_PIPELINE_MADE_OPS_H
