//===- Copies.h - The lowerings of copies ---------------------------------===//
#ifndef TILE_CONVERSION_COPIES_H
#define TILE_CONVERSION_COPIES_H

#include "Conversion/ToNVVM/Memory/Memories.h"

// SimtCopies.c
void lower_simt_copy(Lowering *l, MlirOperation op, const View *src,
                     const View *dst);
/// Fills what is no fragment with `value`, as stored.
void lower_simt_fill(Lowering *l, MlirOperation op, const View *dst,
                     MlirValue value);
// TmaCopies.c
void lower_tma_copy(Lowering *l, MlirOperation op, const View *src,
                    const View *dst);

#endif // TILE_CONVERSION_COPIES_H
