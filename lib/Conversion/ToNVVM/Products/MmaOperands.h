//===- MmaOperands.h - What the instructions of products take -------------===//
#ifndef TILE_CONVERSION_MMA_OPERANDS_H
#define TILE_CONVERSION_MMA_OPERANDS_H

#include "Conversion/ToNVVM/Memory/Memories.h"

//===-- Metadata (SparseMetadata.c) ---------------------------------------===//

/// The metadata word (i32) that this thread gives to an instruction with a
/// sparse A of 16 rows per warp from `first_row` (i32, of the tile) and step
/// `step` along K, selector 0. `metadata` can be addressed.
MlirValue sparse_metadata_word(Lowering *l, MlirOperation op,
                               const View *metadata, int elem_bits,
                               TileInt first_row, int64_t step);
/// Word `word` along K of packed metadata that this thread of a warpgroup gives
/// to wgmma for the 64 rows of `rows`, a multiple of 64.
MlirValue sparse_packed_word(Lowering *l, MlirOperation op,
                             const View *metadata, TileInt rows, int64_t word);

//===-- Products of 8-bit floats (Float8Products.c) -----------------------===//

/// C + A * B of a warp, m16n8k32, k64 when A is sparse: words as PTX ISA,
/// mma.sync, has them.
typedef struct {
  MlirType format_a, format_b; // f8E4M3FN or f8E5M2
  const MlirValue *a, *b;      // 4 and 2 words; sparse 4 and 4
  const MlirValue *c;
  int num_c;          // 4 f32, or 2 pairs of f16 (dense only)
  MlirValue metadata; // a word; null when A is dense
  MlirType result;    // struct like C
} Float8Product;

MlirValue float8_multiply(Lowering *l, const Float8Product *product);

#endif // TILE_CONVERSION_MMA_OPERANDS_H
