//===- KeepVariants.h - Only the variants that are asked for --------------===//
#ifndef TILE_LIB_TRANSFORMS_KEEP_VARIANTS_H
#define TILE_LIB_TRANSFORMS_KEEP_VARIANTS_H

#include "mlir-c/IR.h"

/// Removes the variants of every launch but those with one of the `numbers`,
/// from 1; without numbers none. A launch without variants is its variant 1.
/// Errors: at a launch that has none of them.
MlirLogicalResult tile_variants_keep(MlirOperation module,
                                     const unsigned *numbers, size_t count);

#endif // TILE_LIB_TRANSFORMS_KEEP_VARIANTS_H
